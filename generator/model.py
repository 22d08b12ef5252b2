"""The chain of values: read this file first.

`Source -> Node -> Record -> Observed -> Verified -> Page -> File`. Every type is frozen; functions on
the floors above turn one into the next. The fields of `Record` are the published schema: their names,
order and meaning are a contract, and `schema/record.schema.json` is generated from them.
"""

import re
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from generator.diagnostics import Severity, Span
from generator.nodes import Mapping, Node, Scalar, Sequence
from generator.pattern import Pattern
from generator.template import Template

Standing = Literal["proven", "read", "unproven"]
STANDINGS: tuple[Standing, ...] = ("proven", "read", "unproven")

# What the regular expression engine said of a message: its groups, why it gave no answer, or no match.
Groups = tuple[str, ...] | str | None


def _text(pattern: str | None = None, *, form: str, longest: int | None = None) -> Meta:
    """A text's constraints; `form` says in words what is wanted and ends the message "must be …"."""
    return Meta(pattern=pattern, min_length=1, max_length=longest, extra={"form": form})


Text = Annotated[str, _text(form="text")]
Id = Annotated[str, _text("^[0-9a-f]{16}$", form="16 hex digits")]
Slug = Annotated[
    str, _text("^[a-z0-9]+(-[a-z0-9]+)*$", form="lower-case words joined by hyphens", longest=80)
]
Alias = Annotated[
    str,
    _text(
        "^([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*/)?[a-z0-9]+(-[a-z0-9]+)*$",
        form="a former id, slug or `owner/name/slug`",
        longest=220,
    ),
]
Repo = Annotated[
    str,
    _text("^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$", form="`owner/name`", longest=140),
]
Sha = Annotated[str, _text("^[0-9a-f]{40}$", form="a full commit sha: 40 hex digits")]
Sha256 = Annotated[str, _text("^[0-9a-f]{64}$", form="a sha256: 64 hex digits")]
RepoPath = Annotated[
    str,
    _text(
        r"^(?!/)(?!.*(^|/)\.{0,2}(/|$))[^\\\x00-\x1f]+$",
        form="a path below the repository's root, with `/` between its parts",
        longest=400,
    ),
]
Instant = Annotated[
    str,
    _text(
        r"^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$",
        form="a date, or a time such as `2026-08-28T05:10:05Z`",
    ),
]
Identifier = Annotated[
    str,
    _text(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$", form="the name of a class", longest=200),
]
Word = Annotated[
    str, _text("^[a-z0-9]+([_-][a-z0-9]+)*$", form="a lower-case word, hyphens within", longest=60)
]
Line = Annotated[int, Meta(ge=1, le=10_000_000, extra={"form": "a line number, counted from 1"})]
Place = Annotated[str, _text(r"^[^:\s][^:]*:[1-9]\d*$", form="`path:line`")]
GitHubUrl = Annotated[
    str, _text("^https://github\\.com/[^\\s\"'<>\\\\]+$", form="a link to https://github.com/")
]


class Structure(Struct, frozen=True, rename="camel"):
    """A frozen struct whose fields are published in camelCase and in the order written."""


class Expectation(Structure, frozen=True):
    """An expression that is true afterwards."""

    expect: Annotated[Text, Meta(description="Python expression, true after the code ran")]


class Lookalike(Structure, frozen=True):
    """A call that looks as if it raised this error and does something else."""

    call: Annotated[Text, Meta(description="the code, run after `setup`")]
    returns: Annotated[
        Text | None,
        Meta(description="what it returns: the value's repr, or words that `expect` proves"),
    ] = None
    raises: Annotated[
        Text | None, Meta(description="`Class: message` of what it raises instead, in full")
    ] = None
    expect: Annotated[
        Text | None,
        Meta(description="expression over `result` and the names of `setup`, true afterwards"),
    ] = None
    why: Annotated[Text | None, Meta(description="Markdown: why it is so, and what to do")] = None


class Reachability(Structure, frozen=True):
    """How the error can be met in the released code."""

    via: Annotated[Text, Meta(description="the way that leads there, in words")]
    site: Annotated[Place | None, Meta(description="the call that leads there, `path:line`")] = None


class Overlap(Structure, frozen=True):
    """Another record of the repository that shares messages with this one."""

    record: Annotated[Text, Meta(description="the other's id or slug")]
    apart: Annotated[Text, Meta(description="Markdown: how a reader tells the two apart")]


class Verification(Structure, frozen=True):
    """What the build runs to prove a record."""

    subject: Annotated[
        Text | None,
        Meta(description="the code under test: a bundled subject or `package==version`"),
    ] = None
    setup: Annotated[Text | None, Meta(description="names that every snippet of this record may use")] = None
    trigger: Annotated[
        Text | None,
        Meta(description="code that raises `errorClass` with a message the pattern matches"),
    ] = None
    captures: Annotated[
        dict[str, str] | None,
        Meta(description="the trigger's value for each hole, by the hole's expression or its last name"),
    ] = None
    more: Annotated[
        tuple[Text, ...], Meta(description="further triggers: other types and sizes of value")
    ] = ()
    instead: Annotated[
        tuple[Lookalike, ...], Meta(description="calls that look alike and do something else")
    ] = ()
    fixed: Annotated[
        Expectation | None, Meta(description="true after `exampleFix`'s `# after`, not true before")
    ] = None
    guarded: Annotated[
        Text | None,
        Meta(description="run after `validationCode` and `typeGuard`: returns, or a guard raised first"),
    ] = None
    recovered: Annotated[
        Expectation | None,
        Meta(description="true after `tryCatchPattern` ran with the failing values"),
    ] = None
    built_at: Annotated[
        Place | None, Meta(description="where the message is built, if not in the `raise`")
    ] = None
    native: Annotated[bool, Meta(description="raised in compiled code: the place is not checked")] = False
    read_in: Annotated[
        Text | None,
        Meta(description="the release in which the line was read, where it was not read at the pin"),
    ] = None
    reachable: Reachability | None = None
    pattern_reason: Annotated[
        Text | None,
        Meta(description="why `messagePattern` is not the one that the template implies"),
    ] = None
    overlaps: Annotated[
        tuple[Overlap, ...], Meta(description="records whose messages this pattern matches too; both say so")
    ] = ()
    unproven: Annotated[
        Text | None, Meta(description="instead of all the above: why this record cannot be run")
    ] = None


class Record(Structure, frozen=True, kw_only=True):
    """One error. The first 31 fields are the founding schema (version 2)."""

    id: Annotated[Id, Meta(description="stable for ever; derived from repo, class and template if absent")]
    repo: Annotated[Repo, Meta(description="`owner/name` on GitHub")]
    slug: Annotated[Slug, Meta(description="last part of the page's address")]
    error_code: Annotated[Text | None, Meta(description="the program's own code for it, if any")] = None
    error_message: Annotated[
        Text,
        Meta(max_length=4000, description="the template: the message with `{holes}` as in the source"),
    ]
    message_pattern: Annotated[
        Text, Meta(max_length=4000, description="the regular expression that recognises it, whole")
    ]
    error_type: Annotated[Word | None, Meta(description="kind of error, such as `validation`")] = None
    error_class: Annotated[Identifier, Meta(description="class of the exception")]
    http_status: Annotated[int, Meta(ge=100, le=599)] | None = None
    severity: Annotated[Word, Meta(description="how bad it is")] = "error"
    file_path: Annotated[RepoPath, Meta(description="path in the repository")]
    line_number: Annotated[Line, Meta(description="first line of the `raise` statement, 1-based")]
    source_code: Annotated[str | None, Meta(description="the excerpt")] = None
    source_code_start: Annotated[Line | None, Meta(description="its first line, 1-based")] = None
    source_code_end: Annotated[Line | None, Meta(description="its last line, inclusive")] = None
    github_url: Annotated[GitHubUrl, Meta(description="link pinned to the full commit sha")]
    documentation: Annotated[Text, Meta(description="Markdown: what it means")]
    trigger_scenarios: Annotated[Text | None, Meta(description="Markdown: what triggers it")] = None
    common_situations: Annotated[Text | None, Meta(description="Markdown: where people meet it")] = None
    solutions: Annotated[tuple[Text, ...], Meta(description="Markdown, most likely first")] = ()
    example_fix: Annotated[Text | None, Meta(description="code with a `# before` and an `# after` part")] = (
        None
    )
    handling_strategy: Annotated[Word | None, Meta(description="how callers should treat it")] = None
    validation_code: Annotated[Text | None, Meta(description="code that keeps it from happening")] = None
    type_guard: Annotated[Text | None, Meta(description="code that keeps wrong types out")] = None
    try_catch_pattern: Annotated[Text | None, Meta(description="code that recovers from it")] = None
    prevention_tips: Annotated[tuple[Text, ...], Meta(description="Markdown")] = ()
    tags: tuple[Word, ...] = ()
    background_tag: Annotated[Word | None, Meta(description="the guide that explains the ground")] = None
    analyzed_sha: Annotated[Sha, Meta(description="the pin: the full commit the record speaks of")]
    analyzed_at: Annotated[Instant | None, Meta(description="when it was analysed (UTC)")] = None
    schema_version: Annotated[int, Meta(ge=2, le=2)] = 2
    aliases: Annotated[
        tuple[Alias, ...],
        Meta(description="former ids, slugs or `owner/name/slug`: their addresses keep working"),
    ] = ()
    status: Annotated[
        Literal["removed"] | None,
        Meta(description="`removed`: newer releases do not raise it; its page stays"),
    ] = None
    removed_in: Annotated[Text | None, Meta(description="the first release without it")] = None
    reason: Annotated[Text | None, Meta(description="Markdown: why it was removed, what came instead")] = None
    verification: Verification | None = None


FOUNDING_FIELDS = 31


class Wheelhouse(Structure, frozen=True):
    """The released wheel whose lines are those of the pinned commit."""

    requirement: Annotated[
        str,
        _text(
            "^[A-Za-z0-9][A-Za-z0-9._+!-]*==[A-Za-z0-9][A-Za-z0-9._+!-]*$",
            form="`name==version`",
        ),
    ]
    python: Annotated[str, _text(r"^[0-9]+\.[0-9]+$", form="a version of Python such as `3.11`")]
    platform: Annotated[str, _text("^[a-z0-9_]+$", form="a wheel's platform such as `any`")]
    file: Annotated[str, _text(r"^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$", form="the plain name of a wheel")]
    sha256: Sha256
    commit: Sha
    prefix: Annotated[str, Meta(description="put before a wheel's path, gives the repository's")] = ""


class Release(Structure, frozen=True):
    """The released package whose installed lines are those of the pinned commit."""

    requirement: Text
    commit: Sha
    prefix: Annotated[str, Meta(description="put before an installed path, gives the repository's")] = ""
    caveat: Annotated[
        Text | None, Meta(description="Markdown: what was not checked of the pin; shown with the source")
    ] = None


class Repository(Structure, frozen=True):
    """What `records/<owner>/<repo>/repo.yaml` says."""

    repo: Repo
    title: Text
    description: Text | None = None
    license: Text | None = None
    wheel: Wheelhouse | None = None
    package: Release | None = None


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A decoded record and where each of its fields stands.

    `path` is what messages call the file. `location` is its path from the folder that holds the records
    folder, the same on every machine, or empty for a file outside. `dataset_version` is the envelope's,
    where the file has one.
    """

    path: str
    record: Record
    node: Mapping
    dataset_version: str | None = None
    location: str = ""

    def find(self, *steps: str | int) -> Node | None:
        """The node at a path of published field names and indexes, or None."""
        node: Node | None = self.node
        for step in steps:
            if isinstance(step, str) and isinstance(node, Mapping):
                node = node.get(step)
            elif isinstance(step, int) and isinstance(node, Sequence) and step < len(node.items):
                node = node.items[step]
            else:
                return None
        return node

    def at(self, *steps: str | int, line: int | None = None) -> Span | None:
        """The span of a field's value (`line`: 1-based, inside it), else of the nearest one around it."""
        for end in range(len(steps), 0, -1):
            node = self.find(*steps[:end])
            if isinstance(node, Scalar) and line is not None and end == len(steps):
                row = "".join(node.text.split("\n")[line - 1 : line])
                return node.place(line, len(row) - len(row.lstrip()) + 1)
            if node is not None:
                return node.span
        return Span(1, 1, 1, 2)


def in_backticks(text: str) -> str:
    """The text as code within a sentence of Markdown, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


class Frame(Structure, frozen=True):
    """Where an exception was raised: file below the subject, 1-based line, qualified function name."""

    file: str
    line: int
    function: str


class Outcome(Structure, frozen=True):
    """What one piece of code did.

    `type` is the class of the exception or value; `text` its message or repr (both without memory
    addresses); `is_true` the truth of an expectation's value; `bases` the names of the exception's
    classes, nearest first; `line` the 1-based line of the snippet that was running; `frame` the innermost
    frame, when it lies inside the subject; `is_stated` whether a `raise` statement raised it.
    """

    kind: Literal["returned", "raised", "timed out", "crashed", "unavailable", "skipped"]
    type: str | None = None
    text: str = ""
    is_true: bool | None = None
    bases: tuple[str, ...] = ()
    line: int | None = None
    frame: Frame | None = None
    is_stated: bool = False

    def __str__(self) -> str:
        """What happened, in words; of a long message or value its beginning."""
        shown = self.text if len(self.text) <= 300 else f"{self.text[:299]}…"
        match self.kind:
            case "returned":
                return f"returned {in_backticks(shown)}"
            case "raised":
                return f"raised {in_backticks(f'{self.type}: {shown}' if shown else str(self.type))}"
            case _:
                return f"{self.kind}: {shown}" if shown else self.kind


class Step(Structure, frozen=True):
    """One piece of code: its role, its text, and whether it runs although an earlier one raised."""

    role: str
    code: str
    is_final: bool = False


class Script(Structure, frozen=True):
    """What one child process runs, in order, in one namespace."""

    name: str
    steps: tuple[Step, ...]


class Trial(Structure, frozen=True):
    """All that a worker needs of a record."""

    subject: str
    scripts: tuple[Script, ...]


class Observation(Structure, frozen=True):
    """What running one script did: one outcome for each step's role."""

    name: str
    outcomes: dict[str, Outcome]


class Observed(Structure, frozen=True):
    """What running a record's snippets did, where, and behind which walls."""

    observations: tuple[Observation, ...]
    environment: dict[str, str]
    walls: tuple[str, ...]

    def get(self, name: str) -> Observation | None:
        """The observation of that script."""
        return next((one for one in self.observations if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Quoted source lines: `origin` says in words where they were read."""

    text: str
    first_line: int
    origin: str

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.split("\n")

    @property
    def last_line(self) -> int:
        """1-based, inclusive."""
        return self.first_line + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class Pinned:
    """The lines of a record's file at its pin and where they were read; or why they could not be."""

    lines: tuple[str, ...] | None
    origin: str


class Differential(Structure, frozen=True):
    """The part of `differential.json` about one bundled subject."""

    source: str
    source_sha256: str
    operations: int
    upstream: dict[str, str]


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
class Case:
    """A record and all that is known of it: what a check sees.

    `pattern` is None where the written one cannot be read. `matches` holds, for each message really
    raised, the groups that the regular expression engine found in a child process: None for no match,
    a text for why there is no answer. `excerpt` is None where the source is not at hand. `operations`
    counts those on which the subject, as it is now, was found equal to upstream; 0 if it was not compared.
    `pinned` is the pinned source, or why it is not at hand, where the run was asked to look.
    """

    file: RecordFile
    template: Template
    pattern: Pattern | None
    subject: Subject | None = None
    excerpt: Excerpt | None = None
    observed: Observed | None = None
    matches: MappingABC[str, Groups] = field(default_factory=dict)
    operations: int = 0
    pinned: Pinned | None = None

    @property
    def is_compared(self) -> bool:
        """Whether the subject, as it is now, was compared with upstream."""
        return self.operations > 0

    @property
    def record(self) -> Record:
        """The record itself."""
        return self.file.record

    @property
    def claims(self) -> Verification | None:
        """What the record says is to be run, or None if it claims no proof."""
        verification = self.record.verification
        return None if verification is None or verification.unproven else verification

    @property
    def place(self) -> str:
        """The record's own address: `owner/repo/slug`."""
        return f"{self.record.repo}/{self.record.slug}"

    def outcome(self, script: str, role: str) -> Outcome | None:
        """What that step of that script did; None if it was not run or its child was lost."""
        observation = self.observed.get(script) if self.observed else None
        outcome = observation.outcomes.get(role) if observation else None
        return outcome if outcome and outcome.kind in {"returned", "raised"} else None

    @property
    def triggered(self) -> tuple[tuple[str, Outcome], ...]:
        """What the triggers did, by script name; lost ones left out."""
        names = [one.name for one in self.observed.observations] if self.observed else []
        found = [(name, self.outcome(name, "trigger")) for name in names]
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
        """A short name for each hole: the last name of its expression where that is unmistakable."""
        names = self.template.names
        short = tuple(
            name.rpartition(".")[2] if name.replace(".", "").isidentifier() else name for name in names
        )
        return tuple(
            one if short.count(one) == 1 else f"{name} ({number})" if names.count(name) > 1 else name
            for number, (one, name) in enumerate(zip(short, names, strict=True), 1)
        )

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
        expected = self.record.error_class.rpartition(".")[2]
        is_fitting = self.fits(outcome.text)
        if trigger and trigger.kind == "raised" and trigger.frame:
            expected = trigger.type or expected
            is_fitting |= outcome.frame == trigger.frame and not self.fits(trigger.text)
        return outcome.kind == "raised" and outcome.type == expected and is_fitting

    def fits(self, message: str) -> bool:
        """Whether the template or the pattern matches a message."""
        patterns = (self.template.pattern(), self.pattern)
        return any(pattern.captures(message) is not None for pattern in patterns if pattern)


@dataclass(frozen=True, slots=True)
class Corpus:
    """All cases of a run, in the order of their paths, and what finds them.

    `holders` and `former` give the first case that has an address (an output path in lower case) as its
    own, and as an alias; `by_repo` the cases of a repository. `overlaps` holds, by a case's path, the
    others whose messages its pattern matches, each with the first such message.
    """

    cases: tuple[Case, ...]
    holders: MappingABC[str, Case]
    former: MappingABC[str, Case]
    by_repo: MappingABC[str, tuple[Case, ...]]
    overlaps: MappingABC[str, tuple[tuple[Case, str], ...]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has to say of one record: a diagnostic without its code and path."""

    message: str
    at: Span | None
    severity: Severity = "error"
    notes: tuple[str, ...] = ()
    help: str | None = None


class Claim(Structure, frozen=True):
    """One thing that a page states and the build ran: which script, its code, and what it did, in words.

    `values` holds what the pattern's holes captured, for a trigger.
    """

    name: str
    code: str
    happened: str
    values: dict[str, str] = {}


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

    `reason` says in words why the standing is not better; it is empty for a proven record. `overlaps` are
    the ids of those with whom it shares messages: its pattern matches theirs, or theirs its. `near` are the
    patterns that its messages nearly match.
    """

    case: Case
    standing: Standing
    reason: str
    claims: tuple[Claim, ...]
    related: tuple[Relation, ...] = ()
    overlaps: tuple[str, ...] = ()
    near: tuple[NearMiss, ...] = ()

    @property
    def is_elsewhere(self) -> bool:
        """Whether the record is about a Python that this one is not."""
        subject = self.case.subject
        return subject is not None and subject.kind == "python" and self.standing == "read"

    @property
    def record(self) -> Record:
        """The record itself."""
        return self.case.record


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


def moment(date: str) -> datetime:
    """When that was, in UTC; a date alone is its first moment."""
    found = datetime.fromisoformat(date)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that page kinds may show: the judged records by repository and slug, and settings."""

    title: str
    base_url: str | None
    tracker: str | None
    version: str
    records: tuple[Verified, ...]
    repositories: MappingABC[str, Repository]
    guides: tuple[Article, ...] = ()

    @property
    def version_date(self) -> str | None:
        """The newest date of analysis: what `datasetVersion` says in lists."""
        dates = [one.record.analyzed_at for one in self.records if one.record.analyzed_at]
        return max(dates, key=moment, default=None)


@dataclass(frozen=True, slots=True)
class Page:
    """One output to be: its path, the format that encodes it, and a context of plain JSON values.

    The context holds all that the page shows, so its digest is its whole list of dependencies.
    `template` is empty for formats that need none.
    """

    path: str
    format: str
    context: object
    template: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """Bytes at a path below the output folder (relative, POSIX)."""

    path: str
    data: bytes
