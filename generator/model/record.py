"""A record: its fields are the published schema, and their names, order and meaning a contract.

`schema/record.schema.json` is generated from them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from sys import intern
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from generator.diagnostics import Span
from generator.nodes import Mapping, Node, Scalar, Sequence
from generator.template import template


def constrain(pattern: str | None = None, *, form: str, longest: int | None = None) -> Meta:
    """A text's constraints; `form` says in words what is wanted and ends the message "must be …"."""
    return Meta(pattern=pattern, min_length=1, max_length=longest, extra={"form": form})


Text = Annotated[str, constrain(form="text")]
Id = Annotated[str, constrain("^[0-9a-f]{16}$", form="16 hex digits")]
Slug = Annotated[
    str, constrain("^[a-z0-9]+(-[a-z0-9]+)*$", form="lower-case words joined by hyphens", longest=80)
]
Alias = Annotated[
    str,
    constrain(
        "^([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*/)?[a-z0-9]+(-[a-z0-9]+)*$",
        form="a former id, slug or `owner/name/slug`",
        longest=220,
    ),
]
Repo = Annotated[
    str,
    constrain("^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$", form="`owner/name`", longest=140),
]
Sha = Annotated[str, constrain("^[0-9a-f]{40}$", form="a full commit sha: 40 hex digits")]
Sha256 = Annotated[str, constrain("^[0-9a-f]{64}$", form="a sha256: 64 hex digits")]
RepoPath = Annotated[
    str,
    constrain(
        r"^(?!/)(?!.*(^|/)\.{0,2}(/|$))[^\\\x00-\x1f]+$",
        form="a path below the repository's root, with `/` between its parts",
        longest=400,
    ),
]
Instant = Annotated[
    str,
    constrain(
        r"^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$",
        form="a date, or a time such as `2026-08-28T05:10:05Z`",
    ),
]
Identifier = Annotated[
    str,
    constrain(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$", form="the name of a class", longest=200),
]
Word = Annotated[
    str, constrain("^[a-z0-9]+([_-][a-z0-9]+)*$", form="a lower-case word, hyphens within", longest=60)
]
Line = Annotated[int, Meta(ge=1, le=10_000_000, extra={"form": "a line number, counted from 1"})]
Place = Annotated[str, constrain(r"^[^:\s][^:]*:[1-9][0-9]{0,6}$", form="`path:line`", longest=400)]
GitHubUrl = Annotated[
    str, constrain("^https://github\\.com/[^\\s\"'<>\\\\]+$", form="a link to https://github.com/")
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


class Computed(Structure, frozen=True):
    """What a reader's own values lead to, worked out on the page."""

    name: Annotated[Text, Meta(max_length=80, description="what the value is, in a few words")]
    value: Annotated[
        Text,
        Meta(
            max_length=200,
            description="whole-number arithmetic over the holes: `+ - * // %`, `min`, `max`",
        ),
    ]
    expect: Annotated[
        Text,
        Meta(description="Python expression over `value` and the names of `setup`, true for the trigger's"),
    ]


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
    computed: Annotated[
        tuple[Computed, ...], Meta(description="what the page works out from a reader's own values")
    ] = ()
    sites: Annotated[
        tuple[Place, ...], Meta(description="further places that raise the same message, at the pin")
    ] = ()
    built_at: Annotated[
        Place | None, Meta(description="where the message is built, if not in the `raise`")
    ] = None
    native: Annotated[bool, Meta(description="raised in compiled code: the place is not checked")] = False
    read_in: Annotated[
        Text | None,
        Meta(description="the release in which the line was read, where it was not read at the pin"),
    ] = None
    reachable: Annotated[
        Reachability | None, Meta(description="how the error can be met in the released code")
    ] = None
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
    http_status: Annotated[
        Annotated[int, Meta(ge=100, le=599)] | None, Meta(description="status of the HTTP answer it becomes")
    ] = None
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
    tags: Annotated[tuple[Word, ...], Meta(description="what it is about, in a few words")] = ()
    background_tag: Annotated[Word | None, Meta(description="the guide that explains the ground")] = None
    analyzed_sha: Annotated[Sha, Meta(description="the pin: the full commit the record speaks of")]
    analyzed_at: Annotated[Instant | None, Meta(description="when it was analysed (UTC)")] = None
    schema_version: Annotated[int, Meta(ge=2, le=2, description="version of these fields")] = 2
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
    verification: Annotated[
        Verification | None, Meta(description="what is run to prove the record, or why nothing can be")
    ] = None


FOUNDING_FIELDS = 31


class Head(Struct, frozen=True, array_like=True, gc=False):
    """What lists, look-ups and comparisons need of a record: small enough to hold all of them.

    `message_pattern` is None where it is the one that the template implies. `parts` are the message's texts
    and holes in order, a hole's name behind a NUL; none where all of it is text.
    """

    # Taken from a record, whose fields were looked at: not again for each time that a head is sent.
    id: str
    repo: str
    slug: str
    error_class: str
    error_message: str
    message_pattern: str | None
    file_path: str
    line_number: int
    tags: tuple[str, ...]
    error_code: str | None = None
    analyzed_at: str | None = None
    background_tag: str | None = None
    status: Literal["removed"] | None = None
    aliases: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: Record) -> "Head":
        """The head of a record. Raises TemplateError for one whose template cannot be read."""
        meant = template(record.error_message)
        implied = meant.pattern().text
        parts = tuple(part if isinstance(part, str) else f"\0{part.name}" for part in meant.parts)
        return cls(
            record.id,
            intern(record.repo),
            record.slug,
            intern(record.error_class),
            record.error_message,
            None if record.message_pattern == implied else record.message_pattern,
            intern(record.file_path),
            record.line_number,
            tuple(map(intern, record.tags)),
            record.error_code,
            intern(record.analyzed_at) if record.analyzed_at else None,
            record.background_tag,
            record.status,
            record.aliases,
            () if parts == (record.error_message,) else parts,
        )


class Body(Protocol):
    """What holds a record whole, or reads it again from where it stands."""

    @property
    def path(self) -> str:
        """What messages call its file."""

    @property
    def head(self) -> Head:
        """What lists show of it."""

    @property
    def dataset_version(self) -> str | None:
        """The envelope's, where the file has one."""

    @property
    def mark(self) -> bytes:
        """What stands for all that lists show of it, where that is known; else nothing."""

    @property
    def record(self) -> Record:
        """The record."""

    @property
    def node(self) -> Mapping:
        """The record's node: it is asked for where something is wrong, and may parse the text first."""


@dataclass(frozen=True, slots=True)
class Held:
    """A record that is in memory; `tree` gives the node that it was read from."""

    path: str
    head: Head
    record: Record
    tree: Callable[[], Mapping]
    dataset_version: str | None = None

    @property
    def mark(self) -> bytes:
        """Nothing: its standing is not known yet."""
        return b""

    @property
    def node(self) -> Mapping:
        """The record's node."""
        return self.tree()


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record, and where each of its fields stands.

    `location` is its file's path from the folder that holds the records folder, the same on every machine, or
    empty for a file outside. A *plain* record claims nothing that could be run, and what can be said of it
    alone has been said: its body is read where its pages are made, and nowhere else.
    """

    body: Body
    location: str = ""
    is_plain: bool = False

    @property
    def path(self) -> str:
        """What messages call the file."""
        return self.body.path

    @property
    def head(self) -> Head:
        """What lists show of the record."""
        return self.body.head

    @property
    def dataset_version(self) -> str | None:
        """The envelope's, where the file has one."""
        return self.body.dataset_version

    @property
    def record(self) -> Record:
        """The whole record."""
        return self.body.record

    @property
    def node(self) -> Mapping:
        """The record's node."""
        return self.body.node

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


def moment(date: str) -> datetime:
    """When that was, in UTC; a date alone is its first moment."""
    found = datetime.fromisoformat(date)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
