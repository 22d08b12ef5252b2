"""Nodes to records: the only place that knows how written fields become typed ones.

The types in `model` are the schema. `decode` walks nodes along them, so every problem of a file is
found in one run and stands at its own field; the published JSON Schema comes from the same types.
"""

import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import inspect

from generator import document
from generator.diagnostics import Diagnostic, Rejected, Severity, Span
from generator.model import Differential, Record, RecordFile, Repository, Text
from generator.nodes import Mapping, Node, Scalar, Sequence
from generator.template import TemplateError, template

# May be left out of a file: `complete` derives them.
DERIVED = ("id", "slug", "messagePattern", "githubUrl")
SUFFIXES = (".yaml", ".yml", ".json")
NOT_RECORDS = ("repo.yaml", "differential.json")
SLUG_LENGTH = 60
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
    ) -> None:
        self.found.append(Diagnostic(code, message, self.path, span, severity, help=help))

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
            self.report(
                "E0115",
                f'{name} is the text "null"; taken as null',
                node.span,
                severity="warning",
                help="write null, or leave the field out",
            )
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
                self.report("E0113", f"{name} must be {wanted}, found {_found(node)}", node.span)
                return _ABSENT
            number = int(node.text)
            if (kind.ge is not None and number < kind.ge) or (kind.le is not None and number > kind.le):
                extent = str(kind.ge) if kind.ge == kind.le else f"from {kind.ge} to {kind.le}"
                self.report("E0116", f"{name} must be {form or extent}, found `{number}`", node.span)
                return _ABSENT
            return number
        if isinstance(kind, inspect.BoolType):
            if node.kind not in {"plain", "boolean"} or node.text not in {"true", "false"}:
                self.report("E0113", f"{name} must be {wanted}, found {_found(node)}", node.span)
                return _ABSENT
            return node.text == "true"
        if isinstance(kind, inspect.LiteralType):
            if node.text not in kind.values:
                known = " or ".join(f"`{value}`" for value in kind.values)
                self.report("E0116", f"{name} must be {known}, found {_found(node)}", node.span)
                return _ABSENT
            return node.text
        if not isinstance(kind, inspect.StrType):
            raise TypeError(f"no way to read {kind!r}")
        if node.kind in {"number", "boolean"}:
            self.report("E0113", f"{name} must be text, found {_found(node)}", node.span)
            return _ABSENT
        if not node.text.strip() and kind.min_length:
            cure = "write null, or leave the field out" if is_nullable else None
            self.report("E0114", f"{name} is empty", node.span, help=cure)
            return _ABSENT
        if kind.max_length is not None and len(node.text) > kind.max_length:
            self.report(
                "E0116",
                f"{name} must have at most {kind.max_length} characters, found {len(node.text)}",
                node.span,
            )
            return _ABSENT
        if kind.pattern is not None and not re.search(kind.pattern.replace("$", r"\Z"), node.text):
            self.report("E0116", f"{name} must be {form}, found {_found(node)}", node.span)
            return _ABSENT
        return node.text


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
    return RecordFile(path, record, node, version), tuple(found)


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def derived_id(record: Record) -> str:
    """16 hex digits of SHA-256 over repo, class and template: it survives a moved or renamed file."""
    text = f"{record.repo}\0{record.error_class}\0{record.error_message}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def derived_slug(record: Record) -> str:
    """The template's words, at most `SLUG_LENGTH` characters, cut between two words."""
    texts = (record.error_message, record.error_class, "error")
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
    return msgspec.structs.replace(
        record,
        id=record.id or derived_id(record),
        slug=record.slug or derived_slug(record),
        message_pattern=record.message_pattern or implied.text,
        github_url=record.github_url or derived_url(record),
    )


def record_paths(root: Path) -> Iterator[Path]:
    """Every record file below a folder, however nested, in the order of their names."""
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        is_guide = path.relative_to(root).parts[0] == "guides"
        if path.suffix in SUFFIXES and path.name not in NOT_RECORDS and not hidden and not is_guide:
            yield path


def load(file: Path, name: str, location: str = "") -> tuple[RecordFile | None, tuple[Diagnostic, ...]]:
    """The record in a file, and all that is wrong with it; `name` and `location` as in `RecordFile`."""
    try:
        source = document.read(file, name=name)
    except Rejected as rejected:
        return None, rejected.diagnostics
    node, found = document.parse(source)
    if not isinstance(node, Mapping):  # which parsing reported
        return None, found
    record, problems = decode(node, name)
    if record is None or found:
        # An alias is read as null: that its field must not be null is not said on top.
        refused = {one.span for one in found}
        told = (one for one in problems if one.code != "E0113" or one.span not in refused)
        return None, (*found, *told)
    return replace(record, location=location), problems


def load_repository(file: Path, name: str) -> tuple[Repository | None, tuple[Diagnostic, ...]]:
    """What a `repo.yaml` says."""
    try:
        node, found = document.parse(document.read(file, name=name))
    except Rejected as rejected:
        return None, rejected.diagnostics
    if not isinstance(node, Mapping):  # which parsing reported
        return None, found
    value, problems = _decode(node, Repository, name)
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


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a record file."""
    schema = msgspec.json.schema(Record)
    record = schema["$defs"]["Record"]
    record["required"] = [name for name in record["required"] if name not in DERIVED]
    for definition in schema["$defs"].values():
        definition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pagefault error record",
        **schema,
    }
