"""Plain records: what claims nothing that could be run is looked at once, as long as it stays the same.

Of such a record everything that can be said of it alone is a function of its text, so it is said where the
text is read, in whichever process, and kept as a fact with the record's head. What concerns several records
is judged anew in every run, from the heads.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

import msgspec

from generator import checks, deadlinks, document, quick, schema, verify
from generator.checks import Check
from generator.diagnostics import Diagnostic, Rejected, Source, Span, has_errors
from generator.model import Case, Corpus, Excerpt, Head, Held, Record, RecordFile, Relation, Verified
from generator.nodes import Mapping
from generator.registry import discover

_NOTHING = Corpus((), {}, {}, {}, {})
_CLAIMS = re.compile(r"^\s*[\"']?verification[\"']?\s*:", re.MULTILINE)
_LINE = re.compile(r"(.+\.jsonl(?:\.gz)?):([0-9]+)")


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is kept of a plain record: the digest of its text, its head, and what is wrong with it.

    `meaning` is the digest of what it says: comments and blanks are no part of that.
    `start` and `length` are bytes, of a record in a file of many. `found` holds the diagnostics encoded:
    there may be many, and they are read at the end of a run, if at all. `is_quick` says that the text needs
    no more than decoding.
    """

    digest: bytes
    meaning: bytes
    head: Head
    version: str | None = None
    severity: Literal["error", "warning"] | None = None
    found: bytes = b""
    start: int = 0
    length: int = 0
    is_quick: bool = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the record."""
        return msgspec.msgpack.decode(self.found, type=list[Diagnostic]) if self.found else []


class Text(msgspec.Struct, frozen=True, array_like=True):
    """A record's text to be looked at: what messages call it, and where it stands."""

    name: str
    file: str
    start: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """A record that is read again, from where it stands, when it is asked for."""

    file: str
    name: str
    row: Row

    @property
    def whole(self) -> RecordFile:
        """The record with everything. Raises Changed where it is not what was looked at."""
        try:
            text = source(self.name, self.file, self.row.start, self.row.length)
        except (OSError, Rejected):
            raise Changed(self.name) from None
        if _digest(text) != self.row.digest:
            raise Changed(self.name)
        if self.row.is_quick and (known := quick.again(text.text)) is not None:
            return RecordFile(self.name, self.row.head, Held(known[0], partial(_node, text)), known[1])
        found, _ = _decode(text, self.file)
        if found is None:
            raise Changed(self.name)
        return found

    @property
    def record(self) -> Record:
        """The record."""
        return self.whole.record

    @property
    def node(self) -> Mapping:
        """The record's node."""
        return self.whole.node


class Changed(Exception):  # noqa: N818 - a state of the file, not a fault of the program
    """A record was written, or went, while it was being built from; says which."""


def _node(text: Source) -> Mapping:
    """The node of a text that was decoded without one."""
    found, _ = _decode(text, ".json")
    if found is None:
        raise AssertionError(f"{text.path} was read, and cannot be")
    return found.node


def _digest(source: Source) -> bytes:
    return _blake(source.text.encode())


def _packed(what: object) -> bytes:
    return msgspec.msgpack.encode(what)


def _blake(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def source(name: str, file: str, start: int, length: int) -> Source:
    """A file's text, or that of a part of it. Raises Rejected, OSError."""
    return document.decode(_data(name, file, start, length), name=name)


def _data(name: str, file: str, start: int, length: int) -> bytes:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        size = length or status.st_size
        if not stat.S_ISREG(status.st_mode) or size > document.LIMITS.size:
            # Of a file of its own, whoever reads it whole says so better.
            raise Rejected([document.too_long(name, size)])
        return os.pread(handle, size, start)
    finally:
        os.close(handle)


def record_file(name: str, file: str, location: str, row: Row) -> RecordFile:
    """A plain record as it was kept."""
    return RecordFile(name, row.head, Stored(file, name, row), row.version, location, is_plain=True)


def whole(file: RecordFile, related: Sequence[Relation] = ()) -> Verified:
    """A plain record with everything, as `verify` judges it. Raises Changed."""
    assert isinstance(file.body, Stored)  # noqa: S101 - for the type checker
    found = file.body.whole
    read = RecordFile(file.path, found.head, found.body, found.dataset_version, file.location, is_plain=True)
    return judged(Case(read, excerpt=_own_excerpt(read.record)), tuple(related))


def judged(case: Case, related: tuple[Relation, ...] = ()) -> Verified:
    """A plain record's verdict."""
    return Verified(case, "unproven", verify.UNSAID, (), related=related)


def look(batch: Sequence[bytes], *, sourced: frozenset[str]) -> list[bytes]:
    """What is to be kept of each record; nothing for one that must be read the long way, to its end.

    `sourced` are the repositories whose source may be at hand: then an excerpt depends on more than the
    record.
    """
    return [_look(msgspec.msgpack.decode(one, type=Text), sourced) for one in batch]


def _look(text: Text, sourced: frozenset[str]) -> bytes:
    try:
        held = source(text.name, text.file, text.start, text.length)
        found, problems = _decode(held, text.file)
    except (OSError, Rejected):
        return b""
    if found is None or found.record.verification is not None:
        return b""
    record = found.record
    if record.source_code is None and record.repo in sourced:
        return b""
    if deadlinks.leads_within(record):
        return b""
    case = Case(found, excerpt=_own_excerpt(record))
    said = [*problems]
    for check in alone():
        said += [verify.diagnostic(case, check, one) for one in check.run(case, _NOTHING)]
    said_by = _packed((record, found.dataset_version))
    row = Row(
        _digest(held),
        _blake(said_by),
        found.head,
        found.dataset_version,
        None if not said else "error" if has_errors(said) else "warning",
        msgspec.msgpack.encode(said) if said else b"",
        text.start,
        text.length,
        _packed(quick.again(held.text)) == said_by,
    )
    return msgspec.msgpack.encode(row)


@cache
def alone() -> tuple[Check, ...]:
    """The checks of a record by itself."""
    return tuple(check for check in discover(checks, Check) if check.is_alone)


def _own_excerpt(record: Record) -> Excerpt | None:
    if record.source_code is None or record.source_code_start is None:
        return None
    return Excerpt(record.source_code, record.source_code_start, "kept in the record")


def _decode(source: Source, file: str) -> tuple[RecordFile | None, Sequence[Diagnostic]]:
    is_json = not file.endswith((".yaml", ".yml"))
    if not is_json and _CLAIMS.search(source.text):
        # It will be read the long way: once is enough.
        return None, ()
    return schema.decode_text(source, is_json=is_json)


def interned(row: Row, pool: dict[str, str]) -> Row:
    """The row with one text for what many records share."""
    head, same = row.head, pool.setdefault
    shared = Head(
        head.id,
        same(head.repo, head.repo),
        head.slug,
        same(head.error_class, head.error_class),
        head.error_message,
        head.message_pattern,
        same(head.file_path, head.file_path),
        head.line_number,
        tuple([same(tag, tag) for tag in head.tags]),
        head.error_code,
        same(head.analyzed_at, head.analyzed_at) if head.analyzed_at else None,
        same(head.background_tag, head.background_tag) if head.background_tag else None,
        head.status,
        head.aliases,
        head.parts,
    )
    version = same(row.version, row.version) if row.version else None
    place = (row.start, row.length, row.is_quick)
    return Row(row.digest, row.meaning, shared, version, row.severity, row.found, *place)


def placed(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The diagnostics with those of a record in a file of many at that file's line: nothing mends them."""
    for one in found:
        line = _LINE.fullmatch(one.path)
        if line is None:
            yield one
            continue
        span, above = one.span or Span(1, 1, 1, 2), int(line[2]) - 1
        moved = Span(span.line + above, span.column, span.end_line + above, span.end_column)
        yield replace(one, path=line[1], span=moved, fix=None)
