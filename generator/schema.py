"""Nodes to records: the only place that knows how written fields become typed ones.

The types in `model` are the schema. `decode` walks nodes along them, so every problem of a file is
found in one run and stands at its own field; the JSON Schemas (`json_schema`) come from the same types.
"""

import difflib
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import inspect

from generator import document, quick
from generator.diagnostics import Diagnostic, Fix, Rejected, Severity, Source, Span
from generator.model import Differential, Drift, Head, Held, Record, RecordFile, Repository, Text
from generator.nodes import HIDDEN, Limits, Lines, Mapping, Node, Scalar, Sequence
from generator.template import TemplateError, template

# May be left out of a file: `complete` derives them.
DERIVED = ("id", "slug", "messagePattern", "githubUrl")
# A file of the last two holds a record a line.
SUFFIXES = (".yaml", ".yml", ".json", ".jsonl", ".jsonl.gz")
NOT_RECORDS = ("repo.yaml", "differential.json", "drift.json")
GUIDES = "guides"  # the folder of articles, among those of records
SLUG_LENGTH = 60
DRIFT = Limits(size=16 * 2**20)  # of a table of many records in some releases
REPORTED_WHOLE = 80  # characters of a bad value that a message repeats

_ABSENT = object()
# As JSON has it: other readers of YAML take `012` for ten.
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WORD = re.compile(r"[a-z0-9]+")


class _Decoder:
    """Walks one file's nodes along the types, and collects what is wrong."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Diagnostic] = []

    def report(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        help: str | None = None,  # noqa: A002 - the word of the diagnostic's field
        severity: Severity = "error",
        fix: Fix | None = None,
    ) -> None:
        self.found.append(Diagnostic(code, message, self.path, span, severity, help=help, fix=fix))

    def report_null(self, name: str, span: Span, whole: Span | None) -> None:
        """`whole` is the span of all that is written, None where that is not known."""
        self.report(
            "E0115",
            f'{name} is the text "null"; taken as null',
            span,
            severity="warning",
            help="write null, or leave the field out",
            fix=_nothing(whole) if whole else None,
        )

    def struct(self, node: Node, kind: inspect.StructType, name: str) -> Any:
        """The decoded struct, or `_ABSENT` if any part of it is wrong."""
        if not isinstance(node, Mapping):
            self.report("E0113", f"{f'`{name}`' if name else 'a record'} must be a mapping", node.span)
            return _ABSENT
        fields = {field.encode_name: field for field in kind.fields}
        values: dict[str, Any] = {}
        is_whole = True
        for entry in node.entries:
            field = fields.get(entry.key.text)
            if field is None:
                close = difflib.get_close_matches(entry.key.text, fields, n=1, cutoff=0.6)
                self.report(
                    "E0111",
                    f"unknown field `{_shown(entry.key.text)}`",
                    entry.key.span,
                    help=f"did you mean `{close[0]}`?" if close else f"known fields: {', '.join(fields)}",
                    fix=_renamed(entry.key, fields, node),
                )
                continue
            value = self.value(entry.value, field.type, f"`{_join(name, field.encode_name)}`")
            if value is _ABSENT:
                is_whole = False
            else:
                values.setdefault(field.name, value)
        written = {entry.key.text for entry in node.entries}
        for encoded, field in fields.items():
            is_derived = kind.cls is Record and encoded in DERIVED
            if field.required and encoded not in written and not is_derived:
                self.report("E0112", f"missing field `{_join(name, encoded)}`", _head(node))
                is_whole = False
            if is_derived and encoded not in written:
                values[field.name] = ""
        return kind.cls(**values) if is_whole else _ABSENT

    def value(self, node: Node, kind: inspect.Type, name: str) -> Any:
        """The decoded value of one field, or `_ABSENT` after reporting why there is none."""
        extra: dict[str, Any] = {}
        while isinstance(kind, inspect.Metadata):
            extra |= kind.extra or {}
            kind = kind.type
        is_nullable = isinstance(kind, inspect.UnionType)
        if isinstance(kind, inspect.UnionType):
            (kind,) = (one for one in kind.types if not isinstance(one, inspect.NoneType))
            while isinstance(kind, inspect.Metadata):
                extra |= kind.extra or {}
                kind = kind.type
        if isinstance(node, Scalar) and node.kind == "null":
            if is_nullable:
                return None
            self.report("E0113", f"{name} must not be null", node.span)
            return _ABSENT
        if isinstance(node, Scalar) and is_nullable and node.kind == "string" and node.text == "null":
            self.report_null(name, node.span, _whole(node))
            return None
        match kind:
            case inspect.StructType():
                return self.struct(node, kind, name.strip("`"))
            case inspect.VarTupleType():
                return self.items(node, kind.item_type, name)
            case inspect.DictType():
                return self.texts(node, kind, name)
            case _:
                return self.scalar(node, kind, name, extra.get("form"), is_nullable=is_nullable)

    def items(self, node: Node, kind: inspect.Type, name: str) -> Any:
        if not isinstance(node, Sequence):
            self.report("E0113", f"{name} must be a list", node.span)
            return _ABSENT
        values = [
            self.value(item, kind, f"`{name.strip('`')}[{number}]`") for number, item in enumerate(node.items)
        ]
        return _ABSENT if _ABSENT in values else tuple(values)

    def texts(self, node: Node, kind: inspect.DictType, name: str) -> Any:
        if not isinstance(node, Mapping):
            self.report("E0113", f"{name} must be a mapping", node.span)
            return _ABSENT
        pairs = {
            entry.key.text: self.value(entry.value, kind.value_type, f"{name} of `{_shown(entry.key.text)}`")
            for entry in node.entries
        }
        return _ABSENT if any(value is _ABSENT for value in pairs.values()) else pairs

    def scalar(
        self, node: Node, kind: inspect.Type, name: str, form: str | None, *, is_nullable: bool
    ) -> Any:
        wanted = {inspect.IntType: "a whole number", inspect.BoolType: "true or false"}.get(
            type(kind), "text"
        )
        if not isinstance(node, Scalar):
            cure = "quote it: `: `, braces and brackets begin structures" if wanted == "text" else None
            self.report("E0113", f"{name} must be {wanted}", node.span, help=cure)
            return _ABSENT
        if isinstance(kind, inspect.IntType):
            if node.kind not in {"plain", "number"} or not _INTEGER.fullmatch(node.text):
                is_meant = node.kind == "string" and _INTEGER.fullmatch(node.text) is not None
                is_empty = is_nullable and not node.text.strip()
                fix = _bare(node) if is_meant else _nothing(node.span) if is_empty else None
                self.report_type(name, wanted, node, fix)
                return _ABSENT
            number = int(node.text)
            if (kind.ge is not None and number < kind.ge) or (kind.le is not None and number > kind.le):
                extent = str(kind.ge) if kind.ge == kind.le else f"from {kind.ge} to {kind.le}"
                self.report("E0116", f"{name} must be {form or extent}, found `{number}`", node.span)
                return _ABSENT
            return number
        if isinstance(kind, inspect.BoolType):
            if node.kind not in {"plain", "boolean"} or node.text not in {"true", "false"}:
                is_meant = node.kind == "string" and node.text in {"true", "false"}
                self.report_type(name, wanted, node, _bare(node) if is_meant else None)
                return _ABSENT
            return node.text == "true"
        if isinstance(kind, inspect.LiteralType):
            if node.text not in kind.values:
                known = " or ".join(f"`{value}`" for value in kind.values)
                fix = _respelled(node, lambda text: text in kind.values)
                self.report("E0116", f"{name} must be {known}, found {_found(node)}", node.span, fix=fix)
                return _ABSENT
            return node.text
        if not isinstance(kind, inspect.StrType):
            raise TypeError(f"no way to read {kind!r}")
        if node.kind in {"number", "boolean"}:
            self.report_type(name, wanted, node, node.written_anew(node.text))
            return _ABSENT
        if not node.text.strip() and kind.min_length:
            cure = "write null, or leave the field out" if is_nullable else None
            fix = _nothing(node.span) if is_nullable else None
            self.report("E0114", f"{name} is empty", node.span, help=cure, fix=fix)
            return _ABSENT
        if kind.max_length is not None and len(node.text) > kind.max_length:
            self.report(
                "E0116",
                f"{name} must have at most {kind.max_length} characters, found {len(node.text)}",
                node.span,
            )
            return _ABSENT
        if kind.pattern is not None and not re.search(wanted := kind.pattern.replace("$", r"\Z"), node.text):
            fix = _respelled(node, lambda text: re.search(wanted, text) is not None)
            self.report("E0116", f"{name} must be {form}, found {_found(node)}", node.span, fix=fix)
            return _ABSENT
        return node.text

    def report_type(self, name: str, wanted: str, node: Scalar, fix: Fix | None) -> None:
        self.report("E0113", f"{name} must be {wanted}, found {_found(node)}", node.span, fix=fix)


def _renamed(key: Scalar, fields: Collection[str], node: Mapping) -> Fix | None:
    """What writes the one field that is nearest to an unknown one, if it is not written already."""
    close = difflib.get_close_matches(key.text, fields, n=2, cutoff=0.75)
    ratios = [difflib.SequenceMatcher(None, one, key.text).ratio() for one in close]
    if not close or key.content is None or len(set(ratios)) < len(ratios) or node.get(close[0]) is not None:
        return None
    return Fix(f"write `{close[0]}`", key.place(1), close[0])


def _nothing(span: Span) -> Fix:
    return Fix("write null", span, "null")


def _whole(node: Scalar) -> Span | None:
    """All that is written of a text of one line: of a block, its header and that line."""
    if not node.is_block:
        return node.span
    if node.content is None:
        return None
    line = node.place(1)
    return Span(node.span.line, node.span.column, line.end_line, line.end_column)


def _bare(node: Scalar) -> Fix | None:
    """What writes a number or a truth value without quotes."""
    return None if node.is_block else Fix(f"write {node.text} without quotes", node.span, node.text)


def _respelled(node: Scalar, is_right: Callable[[str], bool]) -> Fix | None:
    """What writes the text in lower case and without blanks around, where that makes it right."""
    text = node.text.strip().lower()
    return node.written_anew(text) if is_right(text) else None


def _shown(text: str) -> str:
    line = text.replace("\n", "⏎")
    return line if len(line) <= REPORTED_WHOLE else line[: REPORTED_WHOLE - 1] + "…"


def _found(node: Scalar) -> str:
    return f"the text `{_shown(node.text)}`" if node.kind == "string" else f"`{_shown(node.text)}`"


def _join(name: str, field: str) -> str:
    return f"{name}.{field}" if name else field


def _head(node: Mapping) -> Span:
    """Where a mapping begins: the place for what is missing in it."""
    return Span(node.span.line, node.span.column, node.span.line, node.span.column + 1)


@cache
def _described(kind: Any) -> inspect.StructType:
    """What a struct is made of. Kept: describing a record's type takes longer than reading a record."""
    info = inspect.type_info(kind)
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{kind!r} is no struct")
    return info


def _decode(node: Node, kind: type[Any], path: str) -> tuple[Any, tuple[Diagnostic, ...]]:
    info = _described(kind)  # type: ignore[arg-type]  # classes are hashable, whatever their metaclass
    decoder = _Decoder(path)
    value = decoder.struct(node, info, "")
    return (None if value is _ABSENT else value), tuple(decoder.found)


def decode(node: Node, path: str) -> tuple[RecordFile | None, tuple[Diagnostic, ...]]:
    """The record in a file's node, completed, and everything that is wrong with its fields.

    A file may hold the record itself or the API's envelope `{"record": …, "datasetVersion": …}`.
    """
    found: list[Diagnostic] = []
    version: str | None = None
    if isinstance(node, Mapping) and isinstance(node.get("record"), Mapping):
        envelope = _Decoder(path)
        for entry in node.entries:
            if entry.key.text == "datasetVersion":
                value = envelope.value(entry.value, inspect.type_info(Text | None), "`datasetVersion`")
                version = value if isinstance(value, str) else None
            elif entry.key.text != "record":
                envelope.report(
                    "E0111",
                    f"unknown field `{_shown(entry.key.text)}`",
                    entry.key.span,
                    help="known fields: record, datasetVersion",
                )
        found += envelope.found
        node = node.get("record") or node
    record, problems = _decode(node, Record, path)
    found += problems
    if record is None or not isinstance(node, Mapping):
        return None, tuple(found)
    try:
        record = complete(record)
    except TemplateError as error:
        message = node.get("errorMessage")
        found.append(
            Diagnostic(
                "E0116",
                f"`errorMessage` is no message: {error.message}",
                path,
                message.span if message else _head(node),
            )
        )
        return None, tuple(found)
    if record.analyzed_at is not None and not _is_date(record.analyzed_at):
        at = node.get("analyzedAt")
        found.append(
            Diagnostic(
                "E0116",
                f"`analyzedAt` is no day of the calendar: `{record.analyzed_at}`",
                path,
                at.span if at else _head(node),
            )
        )
        return None, tuple(found)
    return RecordFile(Held(path, Head.of(record), record, lambda: node, version)), tuple(found)


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def derived_id(record: Record) -> str:
    """16 hex digits of SHA-256 over repo, class and template: it survives a moved or renamed file."""
    return identity(record.repo, record.error_class, record.error_message)


def identity(repo: str, error_class: str, message: str) -> str:
    """16 hex digits of SHA-256 over what an error is known by."""
    return hashlib.sha256(f"{repo}\0{error_class}\0{message}".encode()).hexdigest()[:16]


def derived_slug(record: Record) -> str:
    """The template's words, at most `SLUG_LENGTH` characters, cut between two words."""
    return slug_of(record.error_message, record.error_class)


def slug_of(message: str, error_class: str) -> str:
    """The slug of an error of that template and class."""
    texts = (message, error_class, "error")
    words: list[str] = next(found for text in texts if (found := _WORD.findall(text.lower())))
    slug = words[0][:SLUG_LENGTH]
    for word in words[1:]:
        if len(slug) + 1 + len(word) > SLUG_LENGTH:
            break
        slug = f"{slug}-{word}"
    return slug


def derived_url(record: Record) -> str:
    """GitHub's page of the file at the pin, at the excerpt that the record holds, else at the line."""
    path = quote(record.file_path, safe="/!$&()*+,;=:@")
    place = f"https://github.com/{record.repo}/blob/{record.analyzed_sha}/{path}"
    if record.source_code_start and record.source_code_end:
        return f"{place}#L{record.source_code_start}-L{record.source_code_end}"
    return f"{place}#L{record.line_number}"


def complete(record: Record) -> Record:
    """The record with what it leaves out: id, slug, pattern and link. Raises TemplateError."""
    implied = template(record.error_message).pattern()
    if record.id and record.slug and record.message_pattern and record.github_url:
        return record
    return msgspec.structs.replace(
        record,
        id=record.id or derived_id(record),
        slug=record.slug or derived_slug(record),
        message_pattern=record.message_pattern or implied.text,
        github_url=record.github_url or derived_url(record),
    )


def record_paths(root: Path) -> Iterator[Path]:
    """Every record file below a folder, however nested, in the order of their names."""
    return (Path(entry.path) for entry in record_entries(root))


def is_record(path: str) -> bool:
    """Whether a file is read for records, by its path from the folder of records, with slashes."""
    parts = path.split("/")
    is_hidden = any(part.startswith(".") for part in parts)
    return not is_hidden and parts[0] != GUIDES and path.endswith(SUFFIXES) and parts[-1] not in NOT_RECORDS


def record_entries(root: Path) -> Iterator[os.DirEntry[str]]:
    """As `record_paths`, with what the file system says of each; no link is followed."""
    return _entries(root, is_top=True)


def _entries(folder: Path | str, *, is_top: bool) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as inside:
            entries = sorted(inside, key=lambda one: one.name)
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if name.startswith(".") or (is_top and name == GUIDES):
            continue
        if name.endswith(SUFFIXES) and name not in NOT_RECORDS:
            yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, is_top=False)


def load(file: Path, name: str, location: str = "") -> tuple[RecordFile | None, tuple[Diagnostic, ...]]:
    """The record in a file, and all that is wrong with it; `name` and `location` as in `RecordFile`."""
    try:
        source = document.read(file, name=name)
    except Rejected as rejected:
        return None, rejected.diagnostics
    return decode_text(source, location, is_json=file.suffix == ".json")


def decode_text(
    source: Source, location: str = "", *, is_json: bool
) -> tuple[RecordFile | None, tuple[Diagnostic, ...]]:
    """The record in a text, and all that is wrong with it."""
    if is_json and (known := _decoded_quickly(source)) is not None:
        return replace(known[0], location=location), known[1]
    node, found = document.parse(source, is_json=is_json)
    if not isinstance(node, Mapping):  # which parsing reported
        return None, found
    record, problems = decode(node, source.path)
    if record is None or found:
        # An alias is read as null: that its field must not be null is not said on top.
        refused = {one.span for one in found}
        told = (one for one in problems if one.code != "E0113" or one.span not in refused)
        return None, (*found, *told)
    return replace(record, location=location), problems


def _decoded_quickly(source: Source) -> tuple[RecordFile, tuple[Diagnostic, ...]] | None:
    """The record of a plain JSON file that no more than a warning is about; None for all others."""
    text = source.text.replace("\r\n", "\n")
    found = quick.decode(text)
    if found is None:
        return None
    try:
        record = complete(found.record)
    except TemplateError:
        return None
    if record.analyzed_at is not None and not _is_date(record.analyzed_at):
        return None
    decoder = _Decoder(source.path)
    if found.nulls:
        lines = Lines.of(source.path, text)
        for name, start, end in found.nulls:
            span = lines.span(start, end)
            decoder.report_null(f"`{name}`", span, span)
    body = Held(source.path, Head.of(record), record, cache(partial(_node, source)), found.version)
    return RecordFile(body), tuple(decoder.found)


def _node(source: Source) -> Mapping:
    """The node of a JSON source that was read without one."""
    node, _ = document.parse(source, is_json=True)
    if not isinstance(node, Mapping):
        raise TypeError(f"{source.path}: it was read as a record, and is none")
    inner = node.get("record")
    return inner if isinstance(inner, Mapping) else node


def load_repository(file: Path, name: str) -> tuple[Repository | None, tuple[Diagnostic, ...]]:
    """What a `repo.yaml` says."""
    try:
        return decode_repository(document.read(file, name=name))
    except Rejected as rejected:
        return None, rejected.diagnostics


def decode_repository(source: Source) -> tuple[Repository | None, tuple[Diagnostic, ...]]:
    """What the text of a `repo.yaml` says."""
    node, found = document.parse(source)
    if not isinstance(node, Mapping):  # which parsing reported
        return None, found
    value, problems = _decode(node, Repository, source.path)
    return value, (*found, *problems)


def load_differential(file: Path) -> dict[str, Differential]:
    """What `differential.json` says of each bundled subject; nothing if it is absent or unreadable.

    A file that cannot be read proves nothing, which the standing of its records shows.
    """
    try:
        content = msgspec.json.decode(
            document.read(file, name=file.name).text.encode(), type=dict[str, dict[str, Differential]]
        )
    except (Rejected, msgspec.DecodeError, RecursionError):
        return {}
    return content.get("subjects", {})


def load_drift(file: Path, name: str) -> tuple[Drift | None, tuple[Diagnostic, ...]]:
    """What a `drift.json` says, and what is wrong with it: then nothing of it is shown."""
    try:
        text = document.read(file, name=name, limits=DRIFT).text
        found = msgspec.json.decode(text.encode(), type=Drift)
    except Rejected as rejected:
        return None, rejected.diagnostics
    except (msgspec.DecodeError, RecursionError) as error:
        # A type that is not the one wanted is told apart from what is no JSON at all.
        code = "E0113" if isinstance(error, msgspec.ValidationError) else "E0101"
        why = str(error).replace("`", "'")
        return None, (_drift_finding(code, f"cannot be read as a table of releases: {why}", name),)
    shown = [trace.text for traces in found.records.values() for trace in traces.values() if trace.text]
    if any(HIDDEN.search(one) for one in (*shown, *found.unfollowed.values())):
        return None, (_drift_finding("E0107", "holds control or invisible characters", name),)
    if found.pinned not in {one.version for one in found.releases}:
        message = f"`pinned` names `{found.pinned}`, which is none of its releases"
        return None, (_drift_finding("E0116", message, name),)
    return found, ()


def _drift_finding(code: str, message: str, name: str) -> Diagnostic:
    return Diagnostic(code, message, name, help="run `pagefault drift` to write it anew, or delete it")
