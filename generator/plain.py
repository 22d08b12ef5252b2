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
from functools import cache, lru_cache, partial
from typing import Literal

import msgspec

from generator import checks, deadlinks, document, quick, schema, verify
from generator.checks import Check
from generator.diagnostics import Diagnostic, Rejected, Source, Span, has_errors
from generator.model import (
    Case,
    Corpus,
    Drift,
    Excerpt,
    Head,
    Held,
    Record,
    RecordFile,
    Relation,
    Verified,
    mark,
)
from generator.nodes import Mapping
from generator.registry import discover

HELD = 12_288  # rows that are held, at most: of more records each is unpacked where it is asked for

_NOTHING = Corpus((), {}, {}, {}, {})
_CLAIMS = re.compile(r"^\s*[\"']?verification[\"']?\s*:", re.MULTILINE)
_LINE = re.compile(r"(.+\.jsonl(?:\.gz)?):([0-9]+)")


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is kept of a plain record: the digest of its text, its head, and what is wrong with it.

    `meaning` is the digest of what it says: comments and blanks are no part of that. `mark` stands for what
    lists show of it. `line`, from 1, `start` and `length`, in bytes, are of a record in a file of many.
    `found` holds the diagnostics encoded: there may be many, and they are read at the end of a run, if at
    all. `is_quick` says that the text needs no more than decoding.
    """

    digest: bytes
    meaning: bytes
    mark: bytes
    head: Head
    version: str | None = None
    severity: Literal["error", "warning"] | None = None
    found: bytes = b""
    line: int = 0
    start: int = 0
    length: int = 0
    is_quick: bool = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the record."""
        return msgspec.msgpack.decode(self.found, type=list[Diagnostic]) if self.found else []


_ROWS = msgspec.msgpack.Decoder(Row)


class Text(msgspec.Struct, frozen=True, array_like=True):
    """A record's text to be looked at: what messages call its file, and where it stands."""

    name: str
    file: str
    line: int = 0
    start: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """A record that is read again, from where it stands, when it is asked for.

    `name` is what messages call the file. Of many records there are too many rows to hold: what is held is
    the row's bytes.
    """

    file: str
    name: str
    packed: bytes

    @property
    def row(self) -> Row:
        """What is kept of it."""
        return _held(self.packed)

    @property
    def path(self) -> str:
        """What messages call it."""
        return called(self.name, self.row.line)

    @property
    def head(self) -> Head:
        """What lists show of it."""
        return self.row.head

    @property
    def dataset_version(self) -> str | None:
        """The envelope's."""
        return self.row.version

    @property
    def mark(self) -> bytes:
        """What stands for all that lists show of it."""
        return self.row.mark

    @property
    def whole(self) -> RecordFile:
        """The record with everything. Raises Changed where it is not what was looked at."""
        return _again(self.file, self.path, self.row)

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


def unpacked(packed: bytes) -> Row:
    """The row that `look` packed."""
    return _ROWS.decode(packed)


def moved(packed: bytes, start: int, length: int) -> bytes:
    """The packed row of a record that stands elsewhere in its file."""
    row = unpacked(packed)
    if (row.start, row.length) == (start, length):
        return packed
    return msgspec.msgpack.encode(msgspec.structs.replace(row, start=start, length=length))


_held = lru_cache(HELD)(unpacked)


def called(name: str, line: int) -> str:
    """What messages call a record: its file, and its line where that holds many."""
    return f"{name}:{line}" if line else name


def _again(file: str, path: str, row: Row) -> RecordFile:
    """A record read again. Raises Changed."""
    try:
        text = source(path, file, row.start, row.length)
    except (OSError, Rejected):
        raise Changed(path) from None
    if _digest(text) != row.digest:
        raise Changed(path)
    if row.is_quick and (known := quick.again(text.text)) is not None:
        return RecordFile(Held(path, row.head, known[0], partial(_node, text), known[1]))
    found, _ = _decode(text, file)
    if found is None:
        raise Changed(path)
    return found


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


def whole(
    body: Stored, location: str, related: Sequence[Relation] = (), drift: Drift | None = None
) -> Verified:
    """A plain record with everything, as `verify` judges it. Raises Changed."""
    # Each is asked for once: there is no use in holding its row.
    row = unpacked(body.packed)
    found = _again(body.file, called(body.name, row.line), row)
    read = replace(found, location=location, is_plain=True)
    return judged(Case(read, excerpt=_own_excerpt(read.record)), tuple(related), drift)


def judged(case: Case, related: tuple[Relation, ...] = (), drift: Drift | None = None) -> Verified:
    """A plain record's verdict."""
    return Verified(case, "unproven", verify.UNSAID, (), related=related, drift=drift)


def look(batch: Sequence[bytes], *, sourced: frozenset[str]) -> list[bytes]:
    """What is to be kept of each record; nothing for one that must be read the long way, to its end.

    `sourced` are the repositories whose source may be at hand: then an excerpt depends on more than the
    record.
    """
    return [_look(msgspec.msgpack.decode(one, type=Text), sourced) for one in batch]


def _look(text: Text, sourced: frozenset[str]) -> bytes:
    try:
        held = source(called(text.name, text.line), text.file, text.start, text.length)
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
        mark(found.head, "unproven"),
        found.head,
        found.dataset_version,
        None if not said else "error" if has_errors(said) else "warning",
        msgspec.msgpack.encode(said) if said else b"",
        text.line,
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
