"""Verdicts, and what is published of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from hashlib import blake2b
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import field

from generator.model.case import Case
from generator.model.record import Head, Record, RecordFile, Structure, moment
from generator.model.repository import Coverage, Drift, RaiseSite, Repository

T = TypeVar("T")
Standing = Literal["proven", "read", "unproven"]
STANDINGS: tuple[Standing, ...] = ("proven", "read", "unproven")


class Claim(Structure, frozen=True):
    """One thing that a page states and the build ran: which script, its code, and what it did, in words.

    `values` holds what the pattern's holes captured, for a trigger.
    """

    name: str
    code: str
    happened: str
    values: dict[str, str] = field(default_factory=dict)


class NearMiss(Structure, frozen=True):
    """A message that another record's pattern does not match, though it holds most of that one's words.

    `id` is the other record's; `missing` are the words that tell the two apart.
    """

    id: str
    message: str
    missing: tuple[str, ...]


class Relation(Structure, frozen=True):
    """A related record, and what the two share, in words."""

    id: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """A judged record: the only thing that can become a page.

    `known` is its case; of a plain record its file is enough, and there may be many.
    `reason` says in words why the standing is not better; it is empty for a proven record. `overlaps` are
    the ids of those with whom it shares messages: its pattern matches theirs, or theirs its. `near` are the
    patterns that its messages nearly match. `matched` are the ids of those whose messages its pattern
    matches; `alternatives` those of what its look-alike calls raise, None where that is no record's.
    `near` and `alternatives` are found for a site alone, and else empty; `related` and `drift`, what became
    of it in other releases, where its page is made.
    """

    known: Case | RecordFile
    standing: Standing
    reason: str
    claims: tuple[Claim, ...]
    related: tuple[Relation, ...] = ()
    overlaps: tuple[str, ...] = ()
    near: tuple[NearMiss, ...] = ()
    matched: tuple[str, ...] = ()
    alternatives: tuple[str | None, ...] = ()
    drift: Drift | None = None

    @property
    def case(self) -> Case:
        """The record and all that is known of it."""
        return self.known if isinstance(self.known, Case) else Case(self.known)

    @property
    def file(self) -> RecordFile:
        """The record itself."""
        return self.known.file if isinstance(self.known, Case) else self.known

    @property
    def is_elsewhere(self) -> bool:
        """Whether the record is about a Python that this one is not."""
        subject = self.known.subject if isinstance(self.known, Case) else None
        return subject is not None and subject.kind == "python" and self.standing == "read"

    @property
    def head(self) -> Head:
        """What lists show of the record."""
        return self.known.head

    @property
    def mark(self) -> bytes:
        """What stands for all that lists show of it."""
        return self.file.body.mark or mark(self.head, self.standing)

    @property
    def record(self) -> Record:
        """The whole record."""
        return self.case.record


def mark(head: Head, standing: Standing) -> bytes:
    """What stands for all that lists show of a record: 16 bytes."""
    return blake2b(msgspec.msgpack.encode((head, standing)), digest_size=16).digest()


class Passage(Structure, frozen=True):
    """A part of a guide: Markdown, or code with what it claims and what it did."""

    text: str
    is_code: bool = False
    claim: str | None = None
    happened: str | None = None


class Article(Structure, frozen=True):
    """A guide after it was run."""

    tag: str
    title: str
    subject: str | None
    passages: tuple[Passage, ...]


def newest(records: Iterable[Verified]) -> str | None:
    """The date of the analysis that was made last; None where none is dated."""
    dates = {date for one in records if (date := one.head.analyzed_at)}
    # Days, and times in UTC without fractions, are in the order of their texts.
    is_plain = all(len(date) == 10 or (len(date) == 20 and date.endswith("Z")) for date in dates)
    return max(dates, key=None if is_plain else moment, default=None)


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that page kinds may show: the judged records by repository and slug, and settings.

    `edit` is the address below which a record's file can be edited; `logo` the name of an asset; `footer`
    Markdown; `sites` what repositories raise and no record explains, and `coverage` how much of it records
    explain, found for a built site alone. `drifts` are what became of records in other releases, by
    repository. `is_whole`
    says that nothing was left out of the output, `is_preview` that the site is of changes under review.
    `whole` gives a record with all that its own pages show.
    """

    title: str
    base_url: str | None
    tracker: str | None
    version: str
    records: tuple[Verified, ...]
    repositories: Mapping[str, Repository]
    guides: tuple[Article, ...] = ()
    edit: str | None = None
    logo: str | None = None
    footer: str | None = None
    sites: Mapping[str, tuple[RaiseSite, ...]] = dataclass_field(default_factory=dict)
    coverage: tuple[Coverage, ...] = ()
    drifts: Mapping[str, Drift] = dataclass_field(default_factory=dict)
    is_whole: bool = True
    is_preview: bool = False
    whole: Callable[[Verified], Verified] = lambda one: one
    memory: dict[str, Any] = dataclass_field(default_factory=dict, compare=False, repr=False)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once: several kinds of page ask for the same."""
        if name not in self.memory:
            self.memory[name] = make()
        found: T = self.memory[name]
        return found

    @property
    def claiming(self) -> tuple[Verified, ...]:
        """The records that are no plain ones: what was run is of these alone."""
        return self.kept("claiming", lambda: tuple(one for one in self.records if not one.file.is_plain))

    @property
    def version_date(self) -> str | None:
        """The newest date of analysis: what `datasetVersion` says in lists."""
        return self.kept("version_date", lambda: newest(self.records))


@dataclass(frozen=True, slots=True)
class Page:
    """One output to be: its path, the format that encodes it, and a context of plain JSON values.

    The context holds all that the page shows, so its digest is its whole list of dependencies. It may be a
    function that makes it: what is left out of the output, or is as it was, then costs nothing. `inputs`
    names all that such a context is made of; None where that is the context itself. `template` is empty for
    formats that need none.
    """

    path: str
    format: str
    context: object
    template: str = ""
    inputs: bytes | None = None

    @property
    def made(self) -> object:
        """The context itself."""
        return self.context() if callable(self.context) else self.context


@dataclass(frozen=True, slots=True)
class File:
    """Bytes at a path below the output folder (relative, POSIX)."""

    path: str
    data: bytes
