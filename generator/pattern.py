r"""The regex that recognises a message, in the subset that means one thing everywhere.

A pattern is fixed text and holes, nothing else, kept as *segments*. Published as a regex it is
valid for Python and for JavaScript's `u` flag and has the same groups in both; matching never runs
that regex, which may take O(n^k) for k holes, but walks the segments once.

>>> found, notes = parse(r"got (.+?) of (\d+)")
>>> found.text
'got (.+?) of (.+?)'
>>> found.captures("got 3 of 16")
('3', '16')
>>> [(note.found, note.meaning) for note in notes]
[('(\\d+)', '`(.+?)`')]
"""

import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

Other = TypeVar("Other")  # what stands between texts

SPECIAL = r"\^$.|?*+()[]{}"
LONGEST = 4_000  # characters of a published pattern

_PLAIN = re.compile(rf"[^{re.escape(SPECIAL)}]+")
_ESCAPES = str.maketrans({character: f"\\{character}" for character in SPECIAL})
_BODIES = {
    ".+?": 1,
    ".*?": 0,
    ".+": 1,
    ".*": 0,
    r"\d+": 1,
    r"\w+": 1,
    r"\S+": 1,
    r"-?\d+": 1,
}
_GROUP = re.compile(rf"\((?:\?P?<[^\W\d]\w*>)?({'|'.join(map(re.escape, _BODIES))})\)")
_WORD = re.compile(r"\w{2,}")

_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_NAMES = {
    " ": "a space",
    "\n": "a line feed",
    "\r": "a carriage return",
    "\t": "a tab",
    "\v": "a vertical tab",
    "\f": "a form feed",
}
_BESIDE_ESCAPES = frozenset(string.punctuation + string.whitespace)

_VARIES = "write `(.+?)` for text that varies"
_WHOLE = "leave it out, the whole message is always matched"
# What a text must not hold: how it begins (the first that fits counts), its name, the cure.
_REFUSED = (
    ("(?=", "lookahead `(?=`", _VARIES),
    ("(?!", "negative lookahead `(?!`", _VARIES),
    ("(?<=", "lookbehind `(?<=`", _VARIES),
    ("(?<!", "negative lookbehind `(?<!`", _VARIES),
    ("(?P=", "back reference `(?P=`", _VARIES),
    ("(?:", "group without capture `(?:`", _VARIES),
    ("(?>", "atomic group `(?>`", _VARIES),
    ("(?#", "comment `(?#`", "leave it out"),
    ("(?P<", "named group that is no hole", _VARIES),
    ("(?<", "named group that is no hole", _VARIES),
    ("(?", "group extension or inline flag `(?`", _VARIES),
    ("(", "group that is no hole", f"{_VARIES}, or `\\(` for the character"),
    (")", "unbalanced `)`", r"write `\)` for the character"),
    ("[", "character class `[`", f"{_VARIES}, or `\\[` for the character"),
    ("]", "unescaped `]`", r"write `\]` for the character"),
    ("{", "quantifier or unescaped `{`", r"write `\{` for the character"),
    ("}", "unescaped `}`", r"write `\}` for the character"),
    ("|", "alternation `|`", r"write one record for each message, or `\|` for the character"),
    (".", "unescaped `.`", rf"{_VARIES}, or `\.` for a full stop"),
    ("*", "quantifier `*`", r"write `\*` for the character"),
    ("+", "quantifier `+`", r"write `\+` for the character"),
    ("?", "quantifier `?`", r"write `\?` for the character"),
    ("^", "anchor `^` inside the pattern", rf"{_WHOLE}, or write `\^` for the character"),
    ("$", "anchor `$` inside the pattern", rf"{_WHOLE}, or write `\$` for the character"),
)


@dataclass(frozen=True, slots=True)
class Hole:
    """Text that varies: at least `minimum` code points, 1 for `(.+?)` and 0 for `(.*?)`."""

    minimum: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """Fixed text and holes in order, no text empty and no two side by side (`merge` sees to it)."""

    segments: tuple[str | Hole, ...]

    @property
    def text(self) -> str:
        """The published regex: fixed text with exactly `SPECIAL` escaped, `(.+?)` and `(.*?)`."""
        return "".join(
            [
                segment.translate(_ESCAPES)
                if isinstance(segment, str)
                else ("(.+?)" if segment.minimum else "(.*?)")
                for segment in self.segments
            ]
        )

    @property
    def literals(self) -> tuple[str, ...]:
        """The fixed texts, in order."""
        return tuple(segment for segment in self.segments if isinstance(segment, str))

    @property
    def fixed(self) -> int:
        """The number of characters outside the holes, spaces included."""
        return sum(map(len, self.literals))

    @property
    def words(self) -> int:
        r"""The number of words (`\w{2,}`) outside the holes."""
        return sum(len(_WORD.findall(literal)) for literal in self.literals)

    def as_json(self) -> list[str | int]:
        """Return the segments for JSON: a string is fixed text, a number is a hole's minimum."""
        return [part if isinstance(part, str) else part.minimum for part in self.segments]

    def captures(self, message: str) -> tuple[str, ...] | None:
        """Return what each hole holds in the whole `message`; None where it does not match.

        The same answer as the groups of `re.fullmatch(self.text, message, re.DOTALL)`: where a
        match exists, one exists with every literal at its leftmost place, and lazy groups find that
        one first. So each literal is looked for once, and a hole before a hole takes its minimum.
        """
        found = []
        begin = None  # of the hole that still has no end
        position = 0  # where the next literal may begin at the earliest
        last = len(self.segments) - 1
        for index, segment in enumerate(self.segments):
            if isinstance(segment, Hole):
                if begin is not None:
                    found.append(message[begin:position])
                begin, position = position, position + segment.minimum
                continue
            if begin is None:
                start = 0 if message.startswith(segment) else -1
            elif index == last:
                start = len(message) - len(segment) if message.endswith(segment) else -1
            else:
                start = message.find(segment, position)
            if start < position:
                return None
            if begin is not None:
                found.append(message[begin:start])
            begin, position = None, start + len(segment)
        if begin is not None:
            found.append(message[begin:])
            return tuple(found) if position <= len(message) else None
        return tuple(found) if position == len(message) else None


@dataclass(frozen=True, slots=True)
class Normalised:
    r"""A construct that was accepted but is published otherwise: `found` is read as `meaning`.

    `offset` counts from 0 into the text as written; `meaning` is prose with code in backticks.
    """

    offset: int
    found: str
    meaning: str


class PatternError(ValueError):
    """A text outside the subset: which construct, where (0-based), and what to write instead."""

    def __init__(self, offset: int, message: str, cure: str) -> None:
        super().__init__(offset, message, cure)
        self.offset = offset
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message} at offset {self.offset}: {self.cure}"


def merge(parts: Iterable[str | Other]) -> tuple[str | Other, ...]:
    """Return `parts` with neighbouring texts as one and without empty ones."""
    merged: list[str | Other] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def agrees(written: Pattern, implied: Pattern) -> bool:
    """Whether both hold the same literals and holes in the same order, whatever the holes' minima.

    >>> agrees(parse("size=(.*?)")[0], parse("size=(.+?)")[0])
    True
    """
    return len(written.segments) == len(implied.segments) and all(
        isinstance(mine, Hole) if isinstance(theirs, Hole) else mine == theirs
        for mine, theirs in zip(written.segments, implied.segments, strict=True)
    )


def surrogate(text: str) -> int | None:
    """Return the offset of the first lone surrogate, which no file can hold; None without one."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


# What a record's checks ask for one after the other.
@lru_cache(maxsize=16)
def parse(text: str) -> tuple[Pattern, tuple[Normalised, ...]]:
    r"""Return the pattern that `text` writes, and what had to be normalised, in order of offset.

    Accepted as published: characters, the escapes of `SPECIAL`, `(.+?)` and `(.*?)`. Normalised:
    the greedy `(.+)` and `(.*)`, the typed `(\d+)`, `(\w+)`, `(\S+)` and `(-?\d+)`, a name for any
    of these holes, a backslash before other ASCII punctuation and white space (as `re.escape`
    writes), `\n`, `\r`, `\t`, a leading `^` and a trailing `$`. Anything else raises PatternError.
    """
    if len(text) > LONGEST:
        message = f"pattern of {len(text):,} characters"
        raise PatternError(LONGEST, message, f"write at most {LONGEST:,}")
    if (lone := surrogate(text)) is not None:
        raise PatternError(lone, "lone surrogate", "write the whole character")
    parts: list[str | Hole] = []
    notes: list[Normalised] = []
    offset = 0
    while offset < len(text):
        if plain := _PLAIN.match(text, offset):
            parts.append(plain[0])
            offset = plain.end()
            continue
        part, found, meaning = _construct(text, offset)
        parts.append(part)
        if meaning:
            notes.append(Normalised(offset, found, meaning))
        offset += len(found)
    pattern = Pattern(merge(parts))
    if not pattern.segments:
        raise PatternError(0, "empty pattern", "write the message, with `(.+?)` for what varies")
    return pattern, tuple(notes)


def _construct(text: str, offset: int) -> tuple[str | Hole, str, str]:
    """Return what begins at a special character, as written, and its meaning ("" where published as is)."""
    character = text[offset]
    if character == "\\":
        return _escape(text, offset)
    if group := _GROUP.match(text, offset):
        found, hole = group[0], Hole(_BODIES[group[1]])
        published = "(.+?)" if hole.minimum else "(.*?)"
        return hole, found, "" if found == published else f"`{published}`"
    if (character == "^" and offset == 0) or (character == "$" and offset == len(text) - 1):
        return "", character, "nothing, because the whole message is always matched"
    if character == "(" and ")" not in text[offset:]:
        raise PatternError(offset, "unbalanced `(`", r"write `\(` for the character")
    message, cure = next(
        (message, cure) for prefix, message, cure in _REFUSED if text.startswith(prefix, offset)
    )
    raise PatternError(offset, message, cure)


def _escape(text: str, offset: int) -> tuple[str, str, str]:
    r"""Return the character that the backslash at `offset` writes, as `_construct` does."""
    found = text[offset : offset + 2]
    escaped = found[1:]
    if not escaped:
        raise PatternError(offset, "lone backslash", r"write `\\` for the character")
    if escaped in SPECIAL:
        return escaped, found, ""
    if escaped in _BESIDE_ESCAPES or escaped in _CONTROLS:
        character = _CONTROLS.get(escaped, escaped)
        return character, found, _NAMES.get(character, f"`{character}`")
    if escaped in "dDwWsS":
        raise PatternError(offset, f"character class `{found}`", _VARIES)
    if escaped in "123456789":
        raise PatternError(offset, f"back reference `{found}`", _VARIES)
    if escaped in "AzZbBG":
        raise PatternError(offset, f"assertion `{found}`", _WHOLE)
    raise PatternError(offset, f"escape `{found}`", "write the character itself")
