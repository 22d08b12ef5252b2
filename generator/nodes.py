"""What a document is made of, and the tree that the readers of YAML and JSON grow.

A reader reports what it meets, in order: `Tree.open`, `Tree.add`, `Tree.close`. The tree knows the
rules that hold in both languages (limits, distinct keys, no hidden characters), and the escapes.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Literal

from generator.diagnostics import Diagnostic, Fix, Rejected, Span

Kind = Literal["plain", "string", "number", "boolean", "null"]

# Controls, bidirectional marks and zero-width characters, by which a reviewer is shown another text
# than the program reads; two line ends that only some readers honour (U+2028, U+2029); tag
# characters, which show nothing at all; and two codes that YAML cannot hold (U+FFFE, U+FFFF).
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
HIDDEN_LISTED = 10
# What needs no quotes in YAML, and what does within brackets.
_PLAIN = re.compile(r"[\w/(.](?:[^\s:#]|[:#](?=\S)|(?<!\s) (?=[^\s#]))*")
_ENDS = re.compile(r", |[\[\]{}]")
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|(?P<one>.))",
    re.DOTALL,
)
ESCAPED = dict(zip("0abefrvLNP", "\0\a\b\x1b\f\r\v\u2028\x85\u2029", strict=True))


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text and where it stands.

    `kind`: YAML's plain scalars are "plain", whatever they look like, but `null`, `~` and nothing
    are "null"; quoted and block scalars are "string". In JSON a "number" is its literal and a
    "boolean" is `true` or `false`. `span` runs from quote to quote; of a block scalar it covers the
    header (`|-`).

    `content` says where the text's own lines stand: the 1-based line of the first, and the 1-based
    column at which every one begins. None when the lines of text and file do not map one to one:
    folded, escaped, spread over lines, or empty.
    """

    text: str
    kind: Kind
    span: Span
    content: tuple[int, int] | None = None

    @property
    def is_block(self) -> bool:
        """Whether the text stands below a header, of which alone the span is."""
        if self.kind != "string" or self.span.line != self.span.end_line:
            return False
        if self.content is not None:
            return self.content[0] > self.span.line
        # A header has three characters at most; one that is quoted and escaped has four at least.
        return bool(self.text) and self.span.end_column - self.span.column <= 3

    def written_anew(self, text: str) -> Fix | None:
        """What writes another text in its place, in either language; None for a block."""
        if self.is_block:
            return None
        is_plain = self.kind == "plain" and _PLAIN.fullmatch(text) and text not in {"null", "true", "false"}
        # Where what ends a text within brackets is written plainly, there are none around.
        is_safe = not _ENDS.search(text) or _ENDS.search(self.text)
        written = text if is_plain and is_safe else json.dumps(text, ensure_ascii=False)
        return Fix(f"write `{text}`", self.span, written)

    def place(self, line: int, column: int = 1, length: int | None = None) -> Span:
        """Return the file's span for a 1-based line and column of the text.

        It ends after `length` characters, or where that line of text does. Without `content`, and
        for a line that the text does not have, it is the span of the whole scalar.
        """
        rows = self.text.removesuffix("\n").split("\n")
        if self.content is None or not 1 <= line <= len(rows):
            return self.span
        first, left = self.content
        start = left + column - 1
        end = left + len(rows[line - 1]) if length is None else start + length
        return Span(first + line - 1, start, first + line - 1, max(start, end))


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping and its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries in the order of the file, their keys distinct."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> "Node | None":
        """Return the value at `key`, None without one."""
        return next((entry.value for entry in self.entries if entry.key.text == key), None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items in the order of the file."""

    items: tuple["Node", ...]
    span: Span


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one file may hold.

    `size` counts bytes and `scalar` the characters of one text; `depth` counts the mappings and
    sequences around a value, the outermost included; every key and every value is one of `nodes`.
    """

    size: int = 256_000
    depth: int = 20
    nodes: int = 5_000
    scalar: int = 64_000


@dataclass(frozen=True, slots=True)
class Lines:
    """A text by lines (a line feed alone ends one), to go from offsets to spans and back."""

    path: str
    text: str
    rows: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, path: str, text: str) -> "Lines":
        """Split `text`."""
        rows = tuple(text.split("\n"))
        return cls(path, text, rows, tuple(accumulate((len(row) + 1 for row in rows), initial=0)))

    def span(self, start: int, end: int) -> Span:
        """Return the span from offset `start` to `end`, exclusive."""
        return Span(*self._position(start), *self._position(end))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column, at most the text's length."""
        return min(self.starts[min(line, len(self.starts)) - 1] + column - 1, len(self.text))

    def _position(self, offset: int) -> tuple[int, int]:
        line = min(bisect_right(self.starts, offset), len(self.rows))
        return line, offset - self.starts[line - 1] + 1


def hidden(path: str, character: str, span: Span) -> Diagnostic:
    """Return the finding of a control or invisible character at `span`."""
    what = {"Cc": "control character", "Cs": "lone surrogate"}
    name = unicodedata.name(character, "")
    return Diagnostic(
        "E0107",
        f"{what.get(unicodedata.category(character), 'invisible character')} "
        f"`U+{ord(character):04X}`{name and f' ({name})'}",
        path,
        span,
        help="end lines with `\\n`, in a file also with `\\r\\n`"
        if character == "\r"
        else "delete it; where the text needs it, name it in words",
    )


@dataclass(slots=True)
class _Branch:
    """A mapping or sequence that is still open."""

    is_mapping: bool
    first: Span
    last: Span
    items: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    keys: dict[str, Scalar] = field(default_factory=dict)
    is_at_key: bool = True
    key: Scalar | None = None  # None at a value: the entry is refused and left out


class Tree:
    """Grows one document from its parts.

    What can be passed over is collected in `found`: the offending entry is left out and reading
    goes on. Where a limit would be passed, `Rejected` ends it. Nothing here recurses.
    """

    def __init__(self, lines: Lines, limits: Limits) -> None:
        self.root: Node | None = None
        self.found: list[Diagnostic] = []
        self._lines = lines
        self.limits = limits
        self._open: list[_Branch] = []
        self._nodes = 0

    @property
    def is_at_key(self) -> bool:
        """Whether the next part is a mapping's key."""
        return bool(self._open) and self._open[-1].is_mapping and self._open[-1].is_at_key

    def open(self, span: Span, *, is_mapping: bool) -> None:
        """Begin a mapping or a sequence."""
        self._count(span)
        self._open.append(_Branch(is_mapping, span, span))
        depth = len(self._open)
        if depth > self.limits.depth:
            raise Rejected([self.too_large(f"{depth} levels of nesting", self.limits.depth, span)])

    def close(self, span: Span | None = None) -> None:
        """End the innermost mapping or sequence: with the bracket in `span`, or its last part."""
        branch = self._open.pop()
        first, last = branch.first, span or branch.last
        whole = Span(first.line, first.column, last.end_line, last.end_column)
        self._put(
            Mapping(tuple(branch.entries), whole)
            if branch.is_mapping
            else Sequence(tuple(branch.items), whole)
        )

    def add(self, scalar: Scalar) -> None:
        """Put in a scalar, as key, value, item or root."""
        self._count(scalar.span)
        length, limit = len(scalar.text), self.limits.scalar
        if length > limit:
            self.found.append(self.too_large(f"a text of {length:,} characters", limit, scalar.span))
        # What can be printed is not hidden, and is told at once.
        if not scalar.text.isprintable() and HIDDEN.search(scalar.text):
            self._find_escapes(scalar)
        self._put(scalar)

    def drop_key(self) -> None:
        """Stand for a key that was refused: its entry will be left out."""
        self._open[-1].is_at_key = False
        self._open[-1].key = None

    def too_large(self, what: str, limit: int, span: Span) -> Diagnostic:
        """Return the finding that `what` passes a limit."""
        return Diagnostic(
            "E0104",
            f"{what}, and the limit is {limit:,}",
            self._lines.path,
            span,
            help="keep to one error a file, and shorten what it quotes",
        )

    def _find_escapes(self, scalar: Scalar) -> None:
        # Characters that stand in the file as such were replaced before reading.
        span = scalar.span
        start = self._lines.offset(span.line, span.column)
        end = self._lines.offset(span.end_line, span.end_column)
        escapes = (
            (character, self._lines.span(escape.start(), escape.end()))
            for escape in ESCAPE.finditer(self._lines.text, start, end)
            if HIDDEN.fullmatch(character := _unescape(escape))
        )
        # One written as a pair is in neither half, and is placed by its scalar.
        places = list(islice(escapes, HIDDEN_LISTED + 1)) or [(HIDDEN.findall(scalar.text)[0], span)]
        self.found += [hidden(self._lines.path, *place) for place in places]

    def _put(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        branch = self._open[-1]
        branch.last = node.span
        if not branch.is_mapping:
            branch.items.append(node)
        elif not branch.is_at_key:
            if branch.key is not None:
                branch.entries.append(Entry(branch.key, node))
            branch.is_at_key = True
        else:
            branch.is_at_key = False
            branch.key = self._distinct(branch, node)

    def _distinct(self, branch: _Branch, key: Node) -> Scalar | None:
        if not isinstance(key, Scalar):
            message = f"a {type(key).__name__.lower()} as a key"
            self.found.append(Diagnostic("E0101", message, self._lines.path, key.span, help="write a word"))
            return None
        first = branch.keys.setdefault(key.text, key)
        if first is key:
            return key
        self.found.append(
            Diagnostic(
                "E0106",
                f"duplicate key `{key.text}`",
                self._lines.path,
                key.span,
                notes=(f"first at line {first.span.line}, column {first.span.column}",),
                help="delete one of the two",
            )
        )
        return None

    def _count(self, span: Span) -> None:
        self._nodes += 1
        if self._nodes > self.limits.nodes:
            found = self.too_large(f"{self._nodes:,} keys and values", self.limits.nodes, span)
            raise Rejected([found])


def _unescape(escape: re.Match[str]) -> str:
    """Return the character that an escape stands for; nothing for a pair or a visible one."""
    code = escape["two"] or escape["four"] or escape["eight"]
    if code is None:
        return ESCAPED.get(escape["one"] or "", "")
    return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else ""
