"""What a branch changes, by meaning: records and guides, their standing, their pages, their addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from generator.diagnostics import Diagnostic
from generator.model import Standing

Kind = Literal["new", "changed", "renamed", "removed", "unreadable", "affected"]
# In the order in which they are told.
KINDS: tuple[Kind, ...] = ("unreadable", "removed", "renamed", "new", "changed", "affected")


@dataclass(frozen=True, slots=True)
class Place:
    """A record on one side: its id, address and file, and what it is about."""

    id: str
    repo: str
    slug: str
    file: str
    title: str
    standing: Standing
    reason: str

    @property
    def address(self) -> str:
        """`owner/name/slug`."""
        return f"{self.repo}/{self.slug}"


@dataclass(frozen=True, slots=True)
class Field:
    """A field that changed: its name as published, dots within, and its text; None where it is not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A message of another record that a pattern matches now, and did not before."""

    id: str
    address: str
    message: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A record that is not as it was. `page` holds both texts of its Markdown twin where they differ.

    *Unreadable* are those whose files hold errors now, *affected* those that are the same and are judged or
    shown otherwise.
    """

    kind: Kind
    before: Place | None
    after: Place | None
    fields: tuple[Field, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    page: tuple[str, str] | None = None

    @property
    def place(self) -> Place:
        """Where it is, or was."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - for the type checker
        return found

    @property
    def is_judged_otherwise(self) -> bool:
        """Whether its standing changed, or why it has no better one."""
        if self.before is None or self.after is None:
            return False
        was, now = self.before, self.after
        return (was.standing, was.reason) != (now.standing, now.reason)


@dataclass(frozen=True, slots=True)
class GuideEntry:
    """A guide that is not as it was: its text with what its code did, None where there is none."""

    kind: Literal["new", "changed", "removed"]
    tag: str
    title: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Address:
    """An output path that would be no more. `is_error` says that an alias or a removal would keep it."""

    path: str
    what: Literal["page", "data", "guide", "list"]
    record: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether it is a record's: those are for ever."""
        return self.what in {"page", "data"}


@dataclass(frozen=True, slots=True)
class Difference:
    """All that changed between a commit and now. `around` names what changed beside records and guides."""

    commit: str
    revision: str
    records: tuple[Entry, ...] = ()
    guides: tuple[GuideEntry, ...] = ()
    vanished: tuple[Address, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    around: tuple[str, ...] = ()
    standings: tuple[Mapping[str, int], Mapping[str, int]] = field(default_factory=lambda: ({}, {}))

    @property
    def has_findings(self) -> bool:
        """Whether an address of a record would vanish, or an error stands."""
        return bool(self.findings) or any(one.is_error for one in self.vanished)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be told."""
        return not (self.records or self.guides or self.vanished or self.findings or self.around)
