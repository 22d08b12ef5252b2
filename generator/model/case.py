"""A record and all that is known of it: what checks see, and what they say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from generator.diagnostics import Fix, Severity, Span
from generator.model.observation import Observation, Observed, Outcome
from generator.model.record import Head, Record, RecordFile, Verification
from generator.pattern import Hole, Pattern, PatternError, parse
from generator.template import Template, template

# What the regular expression engine said of a message: its groups, why it gave no answer, or no match.
Groups = tuple[str, ...] | str | None
# One for all: most records are never run.
_UNASKED: Mapping[str, Groups] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Subject:
    """Code under test. `imports` is run before a record's `setup`.

    A *bundled* one re-implements upstream's code here, in `module`; a *package* is installed, at the
    `version` that records speak of; *python* is the standard library of a version; *pagefault* is this
    program. `requires` names the distributions that must be installed, `uses` other modules of ours that
    its snippets run.
    """

    name: str
    imports: str
    module: str
    requires: tuple[str, ...] = ()
    kind: Literal["bundled", "package", "python", "pagefault"] = "bundled"
    version: str = ""
    uses: tuple[str, ...] = ()

    @property
    def is_bundled(self) -> bool:
        """Whether it has to be compared with what it stands for."""
        return self.kind == "bundled"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Quoted source lines: `origin` says in words where they were read.

    `before` is what opens the string in which they begin, up to its quotes; empty where they begin in none,
    None where that is not known. `whole` are all lines of the file, where it is at hand.
    """

    text: str
    first_line: int
    origin: str
    before: str | None = None
    whole: Sequence[str] = field(default=(), compare=False, repr=False)

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @property
    def last_line(self) -> int:
        """1-based, inclusive."""
        return self.first_line + self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Pinned:
    """The lines of a record's file at its pin and where they were read; or why they could not be."""

    lines: tuple[str, ...] | None
    origin: str


@dataclass(frozen=True, slots=True)
class Case:
    """A record and all that is known of it: what a check sees.

    `matches` holds, for each message really
    raised, the groups that the regular expression engine found in a child process: None for no match,
    a text for why there is no answer. `excerpt` is None where the source is not at hand. `operations`
    counts those on which the subject, as it is now, was found equal to upstream; 0 if it was not compared.
    `pinned` is the pinned source, or why it is not at hand, where the run was asked to look. `sites` holds
    an excerpt for each further place that the record names, None where its source is not at hand.
    """

    file: RecordFile
    subject: Subject | None = None
    excerpt: Excerpt | None = None
    observed: Observed | None = None
    matches: Mapping[str, Groups] = field(default_factory=lambda: _UNASKED)
    operations: int = 0
    pinned: Pinned | None = None
    sites: tuple[Excerpt | None, ...] = ()

    @property
    def is_compared(self) -> bool:
        """Whether the subject, as it is now, was compared with upstream."""
        return self.operations > 0

    @property
    def head(self) -> Head:
        """What all comparisons need of the record."""
        return self.file.head

    @property
    def record(self) -> Record:
        """The whole record."""
        return self.file.record

    @property
    def template(self) -> Template:
        """The message as it is built."""
        return template(self.head.error_message)

    @property
    def pattern(self) -> Pattern | None:
        """What recognizes the message; None where the written one cannot be read."""
        written = self.head.message_pattern
        return _implied(self.head) if written is None else _readable(written)

    @property
    def claims(self) -> Verification | None:
        """What the record says is to be run, or None if it claims no proof."""
        if self.file.is_plain:
            return None
        verification = self.record.verification
        return None if verification is None or verification.unproven else verification

    @property
    def place(self) -> str:
        """The record's own address: `owner/repo/slug`."""
        return f"{self.head.repo}/{self.head.slug}"

    def outcome(self, script: str, role: str) -> Outcome | None:
        """What that step of that script did; None if it was not run or its child was lost."""
        observation = self.observed.get(script) if self.observed else None
        return _ended(observation, role) if observation else None

    @property
    def triggered(self) -> tuple[tuple[str, Outcome], ...]:
        """What the triggers did, by script name; lost ones left out."""
        found = (
            [(one.name, _ended(one, "trigger")) for one in self.observed.observations]
            if self.observed
            else []
        )
        return tuple((name, outcome) for name, outcome in found if outcome)

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages that the triggers raised from inside the subject, without repetition.

        None of a record that says why it cannot be run: what its trigger raises may be another error.
        """
        claims = self.claims
        if claims is None:
            return ()
        return tuple(
            dict.fromkeys(
                one.text for _, one in self.triggered if one.kind == "raised" and (one.frame or claims.native)
            )
        )

    @property
    def holes(self) -> tuple[str, ...]:
        """A short name for each hole."""
        return self.template.labels

    @property
    def published_pattern(self) -> str:
        """The pattern in its plain form; where the written one cannot be read, what the template implies.

        Programs will use it as a regular expression: nothing outside the subset is handed on.
        """
        return (self.pattern or self.template.pattern()).text

    def is_raised_by(self, outcome: Outcome) -> bool:
        """Whether an outcome is this record's error.

        By the class that the trigger really raised, and by the template or the pattern; if neither fits the
        trigger's message, by the line that raised that. Where one field of the record is wrong, it alone is
        to be reported.
        """
        trigger = self.outcome("trigger", "trigger")
        expected = self.head.error_class.rpartition(".")[2]
        is_fitting = self.fits(outcome.text)
        if trigger and trigger.kind == "raised" and trigger.frame:
            expected = trigger.type or expected
            is_fitting |= outcome.frame == trigger.frame and not self.fits(trigger.text)
        return outcome.kind == "raised" and outcome.type == expected and is_fitting

    def fits(self, message: str) -> bool:
        """Whether the template or the pattern matches a message."""
        patterns = (self.template.pattern(), self.pattern)
        return any(pattern.captures(message) is not None for pattern in patterns if pattern)


def _ended(observation: Observation, role: str) -> Outcome | None:
    outcome = observation.outcomes.get(role)
    return outcome if outcome and outcome.kind in {"returned", "raised"} else None


def _implied(head: Head) -> Pattern:
    """What `template` says of the message, from its parts: it is asked for in every list."""
    if "\0" in head.error_message:
        return template(head.error_message).pattern()
    parts = head.parts or (head.error_message,)
    return Pattern(tuple(Hole(1) if part.startswith("\0") else part for part in parts))


@lru_cache(maxsize=4096)
def _readable(text: str) -> Pattern | None:
    try:
        return parse(text)[0]
    except PatternError:
        return None


@dataclass(frozen=True, slots=True)
class Corpus:
    """All cases of a run, in the order of their paths, and what finds them.

    `holders` and `former` give the first case that has an address (an output path in lower case) as its
    own, and as an alias; what a plain record has alone need not be among them. `by_repo` gives the cases of a
    repository. `overlaps` holds, by a case's path, the others whose messages its pattern matches, each with
    the first such message. `meeting` are the paths of those that have an address or a message in common with
    another, or could: of a plain record that is not among them, nothing is to be said.
    """

    cases: tuple[Case, ...]
    holders: Mapping[str, Case]
    former: Mapping[str, Case]
    by_repo: Mapping[str, tuple[Case, ...]]
    overlaps: Mapping[str, tuple[tuple[Case, str], ...]]
    meeting: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has to say of one record: a diagnostic without its code and path."""

    message: str
    at: Span | None
    severity: Severity = "error"
    notes: tuple[str, ...] = ()
    help: str | None = None
    fix: Fix | None = None
