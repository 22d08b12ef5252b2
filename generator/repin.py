"""Records moved to another pin: in their own text, and only what moved.

Texts are changed at the places of their nodes, so comments and form stay. What was written is read again
before it is believed. Nothing is moved that was not found again for certain.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from generator import document, drift, schema
from generator.diagnostics import Rejected, Source
from generator.model import Edition, Record, RecordFile, Repository
from generator.nodes import HIDDEN, Lines, Node, Scalar
from generator.nodes import Mapping as Tree
from generator.statements import Statements

_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_./:+=,!#-]*[A-Za-z0-9])?")
_URL = re.compile(r"(https://github\.com/[^/]+/[^/]+/blob/)[0-9a-f]{40}/[^#]+(?:#L([0-9]+)(?:-L([0-9]+))?)?")


class Refused(Exception):  # noqa: N818 - a verdict about a record, not an error of the program
    """A record cannot be moved; says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """The new pin: its commit, its release, what that raises, and the new date of analysis, if any."""

    commit: str
    edition: Edition
    statements: Statements
    date: str | None = None


@dataclass(slots=True)
class _Page:
    """A text that is being edited: its parts by offset, so that none disturbs another."""

    path: str
    text: str
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = Lines.of(self.path, self.text)

    _lines: Lines = field(init=False)

    def put(self, node: Node | None, value: str) -> None:
        """Writes a scalar's new text where it stands; one that is not written stays so."""
        if not isinstance(node, Scalar) or node.text == value:
            return
        span = node.span
        start = self._lines.offset(span.line, span.column)
        end = self._lines.offset(span.end_line, span.end_column)
        quote = self.text[start : start + 1]
        if node.kind in {"plain", "number"} and (value.isdecimal() or _PLAIN.fullmatch(value)):
            written = value
        elif quote == "'" and "\n" not in value:
            written = "'" + value.replace("'", "''") + "'"
        elif quote in {"|", ">"}:
            self._put_block(node, value)
            return
        else:
            written = json.dumps(value, ensure_ascii=False)
        self.edits.append((start, end, written))

    def _put_block(self, node: Scalar, value: str) -> None:
        """Writes the lines of a literal block."""
        if node.content is None:
            raise Refused("a text in it is folded, and cannot be changed line by line")
        first, left = node.content
        span, count = node.span, node.text.count("\n") + 1
        header = self.text[
            self._lines.offset(span.line, span.column) : self._lines.offset(span.end_line, span.end_column)
        ]
        if value.startswith((" ", "\n")) and not re.search(r"[0-9]", header):
            # Else the first line's blanks would be taken for the block's indentation.
            start = self._lines.offset(span.line, span.column)
            self.edits.append((start, start + 1, f"{header[0]}{left - 1}"))
        indent = " " * (left - 1)
        written = "\n".join(f"{indent}{line}" if line else "" for line in value.split("\n"))
        start = self._lines.offset(first, 1)
        last = self._lines.rows[first + count - 2]
        self.edits.append((start, self._lines.offset(first + count - 1, len(last) + 1), written))

    @property
    def edited(self) -> str:
        """The text with its edits."""
        text = self.text
        for start, end, written in sorted(self.edits, reverse=True):
            text = text[:start] + written + text[end:]
        return text


def moved(
    file: RecordFile, source: Source, repository: Repository, pinned: Statements, target: Target
) -> str:
    """A record's text at the new pin. Raises Refused."""
    record = file.record
    new = _moved(record, repository, pinned, target)
    page = _Page(source.path, source.text.replace("\r\n", "\n"))
    for struct, steps in ((record, ()), (record.verification, ("verification",))):
        if struct is None:
            continue
        now = new if not steps else new.verification
        for name, encoded in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True):
            value, before = getattr(now, name), getattr(struct, name)
            if value == before or name == "verification":
                continue
            at = file.find(*steps, encoded)
            if isinstance(value, tuple):
                for number, one in enumerate(value):
                    page.put(file.find(*steps, encoded, number), one)
            elif isinstance(value, msgspec.Struct):
                page.put(file.find(*steps, encoded, "site"), value.site)  # type: ignore[attr-defined]  # only `reachable` differs
            else:
                page.put(at, str(value))
    return _believed(page, source, new, is_json=file.path.endswith(".json"))


def _believed(page: _Page, source: Source, new: Record, *, is_json: bool) -> str:
    """The edited text, if it reads as what was meant."""
    text = page.edited
    found, problems = schema.decode_text(Source(source.path, text), is_json=is_json)
    # What is derived follows from the rest, and the id was.
    if found is None or schema.complete(
        msgspec.structs.replace(new, github_url="")
    ) != msgspec.structs.replace(found.record, github_url=schema.derived_url(found.record)):
        why = problems[0].message if problems else "it is written in another way than is understood"
        raise Refused(f"its text cannot be edited: {why}")
    return _ends(text, source)


def _moved(record: Record, repository: Repository, pinned: Statements, target: Target) -> Record:
    """The record at the new pin. Raises Refused."""
    other = target.statements
    mine = drift.origin(record, repository, pinned)
    if isinstance(mine, str):
        raise Refused(mine)
    files = drift.further(record)
    followed = drift.follow(mine, pinned, other, files)
    site, trace, version = followed.site, followed.trace, target.edition.version
    if site is None or trace.state == "changed":
        now = f": it is now `{trace.text}`" if trace.text else ""
        what = {"gone": "does not raise it", "unread": "cannot be read here"}
        raise Refused(f"{version} {what.get(trace.state, 'words it in another way')}{now}")
    if not followed.is_certain:
        raise Refused(f"{version} raises it at another number of places: which is this one is not certain")
    if trace.text is not None:
        raise Refused(f"{version} names what stands in its holes in another way: `{trace.text}`")
    claims = record.verification
    is_raise = mine.error_class != ""
    path, line = (
        (site.file, site.line) if is_raise else _place(record.file_path, record.line_number, pinned, other)
    )
    changes: dict[str, object] = {"file_path": path, "line_number": line, "analyzed_sha": target.commit}
    if target.date is not None and record.analyzed_at is not None:
        changes["analyzed_at"] = target.date
    changes |= _excerpt(record, path, line, other)
    new = msgspec.structs.replace(record, **changes)
    url = _URL.fullmatch(record.github_url)
    if url is None:
        raise Refused("`githubUrl` is no link to a file at a commit")
    new = msgspec.structs.replace(new, github_url=_url(record, new, url))
    if claims is None:
        return new

    def follow_place(place: str) -> str:
        file, _, number = place.rpartition(":")
        stood = [one for one in pinned.raises(file) if one.line == int(number) and one.template]
        if stood and place != claims.built_at:
            found = drift.follow(stood[0], pinned, other, files)
            if found.site is None or not found.is_certain or found.trace.text is not None:
                raise Refused(f"{version}: what stood at {place} is not found again for certain")
            return f"{found.site.file}:{found.site.line}"
        return ":".join(map(str, _place(file, int(number), pinned, other)))

    built = claims.built_at
    if built is not None and not is_raise:
        # It may name a line above the text.
        built = f"{site.file}:{site.line - mine.line + int(built.rpartition(':')[2])}"
    elif built is not None:
        built = follow_place(built)
    reachable = claims.reachable
    if reachable is not None and reachable.site is not None:
        reachable = msgspec.structs.replace(reachable, site=follow_place(reachable.site))
    sites = tuple(map(follow_place, claims.sites))
    said = msgspec.structs.replace(claims, built_at=built, reachable=reachable, sites=sites)
    return msgspec.structs.replace(new, verification=said)


def _place(path: str, line: int, pinned: Statements, other: Statements) -> tuple[str, int]:
    """Where a line stands now: known by its text and its function. Raises Refused."""
    here, there = pinned.lines(path), other.lines(path)
    if 0 < line <= len(here):
        wanted = here[line - 1].strip()
        function = pinned.functions(path)[line - 1]

        def same(release: Statements, lines: Sequence[str]) -> list[int]:
            names = release.functions(path)
            return [
                number
                for number, text in enumerate(lines, 1)
                if text.strip() == wanted and names[number - 1] == function
            ]

        before, after = same(pinned, here), same(other, there)
        if after and len(before) == len(after):
            return path, after[before.index(line)]
    raise Refused(f"what stood at {path}:{line} is not found again for certain")


def _excerpt(record: Record, path: str, line: int, other: Statements) -> dict[str, object]:
    """The excerpt around the new place, as long as it was; nothing where the record holds none."""
    start, end = record.source_code_start, record.source_code_end
    if record.source_code is None or start is None or end is None:
        return {}
    lines = other.lines(path)
    first = max(1, start - record.line_number + line)
    last = min(len(lines), end - record.line_number + line)
    # A block's last line is none if it is blank.
    while last > line and not lines[last - 1].strip():
        last -= 1
    text = "\n".join(lines[first - 1 : last])
    if HIDDEN.search(text) or not first <= line <= last:
        raise Refused("the lines around it cannot be quoted")
    return {"source_code": text, "source_code_start": first, "source_code_end": last}


def _url(record: Record, now: Record, url: re.Match[str]) -> str:
    """The record's link at the new pin, with its lines moved."""
    known = {
        str(record.line_number): now.line_number,
        str(record.source_code_start): now.source_code_start,
        str(record.source_code_end): now.source_code_end,
    }
    lines = [one for one in url.groups()[1:] if one is not None]
    if any(one not in known for one in lines):
        raise Refused("`githubUrl` names lines that are neither the record's nor its excerpt's")
    base = schema.derived_url(msgspec.structs.replace(now, source_code_start=None)).partition("#")[0]
    anchor = "-".join(f"L{known[one]}" for one in lines)
    return f"{base}#{anchor}" if anchor else base


def pin(source: Source, repository: Repository, target: Target) -> str:
    """The text of a `repo.yaml` with the new pin. Raises Refused."""
    node, _ = document.parse(source)
    block = "wheel" if repository.wheel is not None else "package"
    release = repository.wheel or repository.package
    tree = node.get(block) if isinstance(node, Tree) else None
    if release is None or not isinstance(tree, Tree):
        raise Refused("it names no release")
    values: dict[str, str | None] = {"commit": target.commit}
    # At a clone's commit the release is not known, but it is no longer the former one.
    edition = target.edition
    name = release.requirement.partition("==")[0]
    version = edition.version if edition.file else edition.version.removeprefix("v")
    values["requirement"] = f"{name}=={version}"
    if repository.wheel is not None:
        if edition.file is None:
            raise Refused("its `wheel` needs a file and a sha256: repin without --clone")
        values |= {"file": edition.file, "sha256": edition.sha256}
    page = _Page(source.path, source.text.replace("\r\n", "\n"))
    for key, value in values.items():
        if value is not None:
            page.put(tree.get(key), value)
    return _ends(page.edited, source)


def _ends(text: str, source: Source) -> str:
    """The text with the line ends that the file has."""
    return text.replace("\n", "\r\n") if "\r\n" in source.text else text


def write(texts: Mapping[Path, str]) -> None:
    """Writes all of the texts or none. Raises OSError."""
    before: dict[Path, bytes] = {}
    staged: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            before[path] = path.read_bytes()
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            staged[path] = beside
            beside.write_bytes(text.encode())
            beside.chmod(path.stat().st_mode & 0o777)
        done: list[Path] = []
        try:
            for path, beside in staged.items():
                beside.replace(path)
                done.append(path)
        except OSError:
            for path in done:
                path.write_bytes(before[path])
            raise
    finally:
        for beside in staged.values():
            with suppress(OSError):
                beside.unlink()


def read(path: Path, name: str) -> Source:
    """A record's text as it stands. Raises Refused."""
    if re.search(r"\.jsonl(\.gz)?:[0-9]+$", name):
        raise Refused("it stands in a file of many records")
    try:
        return document.read(path, name=name)
    except Rejected as rejected:
        raise Refused(rejected.diagnostics[0].message) from rejected
