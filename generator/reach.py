"""What a regular expression can begin with, and where it would look beyond a line's end.

Both are read off the expression as `re` parses it. Where that is not understood, the answer is the one that
is always right: it may begin with anything, and may look anywhere.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # nothing public tells as much
from typing import Any

ASCII = frozenset(map(chr, range(128)))
BLANK = " "
_NOTHING: frozenset[str] = frozenset()
_ATOMS = frozenset({_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN})
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
_ASSERTIONS = frozenset({_constants.ASSERT, _constants.ASSERT_NOT})
# In expressions of many lines these look at the characters on both sides of a place, and at nothing else.
_NEAR = frozenset(
    {
        _constants.AT_BEGINNING,
        _constants.AT_END,
        _constants.AT_BOUNDARY,
        _constants.AT_NON_BOUNDARY,
    }
)
_CATEGORIES = {
    _constants.CATEGORY_DIGIT: r"\d",
    _constants.CATEGORY_NOT_DIGIT: r"\D",
    _constants.CATEGORY_SPACE: r"\s",
    _constants.CATEGORY_NOT_SPACE: r"\S",
    _constants.CATEGORY_WORD: r"\w",
    _constants.CATEGORY_NOT_WORD: r"\W",
}

# An operation of `re` and its argument, and a sequence of them.
Node = tuple[Any, Any]
Nodes = Any
# What it can begin with; and whether what follows can be the first as well, since it can be passed over.
Starts = tuple[frozenset[str], bool]
Beyond = Callable[[str, int, int], object]


class Expression:
    """A compiled expression, taken apart. Sets are of ASCII characters."""

    def __init__(self, expression: "re.Pattern[str]") -> None:
        self.flags = expression.flags
        self._is_narrow = bool(expression.flags & (re.IGNORECASE | re.ASCII))
        self._tree = _parser.parse(expression.pattern, expression.flags)
        # By the identity of a set's list, which lives as long as the tree.
        self._sets: dict[int, frozenset[str]] = {}
        self.starts = cache(self._first)
        self.seconds = cache(self._second)

    @cached_property
    def is_at_text(self) -> bool:
        """Whether it matches at the start of a text alone."""
        return _is_behind(_constants.AT_BEGINNING_STRING, self._tree)

    @cached_property
    def is_at_line(self) -> bool:
        """Whether it matches at the start of a line alone."""
        return _is_behind(_constants.AT_BEGINNING, self._tree)

    def is_before(self, key: str) -> bool:
        """Whether it can match before one or two characters, or before blanks and one or two others.

        One blank stands for any number of them.
        """
        skipped, chars = (BLANK, key[1:]) if key[0] == BLANK and key[1:] else ("", key)
        if chars[0] not in self.starts(skipped) or (skipped and BLANK not in self.starts()):
            return False
        return not chars[1:] or chars[1] in self.seconds(chars[0], skipped)

    def _first(self, skipped: str = "") -> frozenset[str]:
        """Before which it can match, or behind what is skipped; all, if it can match without any."""
        return _closed(self._starts(self._tree, skipped))

    def _second(self, char: str, skipped: str = "") -> frozenset[str]:
        """Before which it can still match when `char` was its first, or the first behind what is skipped."""
        rests = self._rests(self._tree, char, skipped)
        return _NOTHING.union(*(_closed(self._starts(rest)) for rest in rests))

    @cached_property
    def ascii(self) -> str:
        """An expression for the same, as far as it is ASCII, if it is a set and any number of another."""
        if len(self._tree) != 2 or self.flags & (re.IGNORECASE | re.VERBOSE):
            return ""
        first, (operation, argument) = self._tree
        if operation is not _constants.MAX_REPEAT or argument[:2] != (0, _constants.MAXREPEAT):
            return ""
        atoms = [first, *argument[2]]
        sets = [self._chars(atom) for atom in atoms if atom[0] in _ATOMS]
        if len(atoms) != 2 or len(sets) != 2 or not all(sets):
            return ""
        return f"{charset(sets[0])}{charset(sets[1])}*+(?![^\\x00-\\x7f])"

    @cached_property
    def is_inline(self) -> bool:
        """Whether it never consumes a line end, or looks behind one."""
        return self._ways(self._tree, is_last=False) == []

    @cached_property
    def beyond(self) -> Beyond | None:
        """What tells of a place in a line, and the line's end, whether it looks beyond from there.

        None if it never does: it consumes no line end, unless as the last thing that it does. What tells is
        an expression for all that can be matched up to a line's end before the rest is looked at.
        """
        ways = self._ways(self._tree, is_last=True)
        if ways is None:
            return lambda _text, _at, _end: True
        if not ways:
            return None
        data = [(_constants.BRANCH, (None, [self._nodes(way) for way in ways]))]
        found: Beyond = _compiler.compile(self._nodes(data), self.flags).match
        return found

    def _nodes(self, nodes: Iterable[Node]) -> Nodes:
        return _parser.SubPattern(self._tree.state, list(nodes))

    def _chars(self, atom: Node) -> frozenset[str]:
        """What an expression of one character matches."""
        operation, argument = atom
        if self._is_narrow:
            alone = _parser.SubPattern(_parser.State(), [atom])
            return frozenset(filter(_compiler.compile(alone, self.flags).match, ASCII))
        if operation is _constants.ANY:
            return ASCII if self.flags & re.DOTALL else ASCII - {"\n"}
        if operation is not _constants.IN:
            named = _named((_constants.LITERAL, argument))
            return ASCII - named if operation is _constants.NOT_LITERAL else named
        found = self._sets.get(id(argument))
        if found is None:
            named = _NOTHING.union(*map(_named, argument))
            found = self._sets[id(argument)] = ASCII - named if argument[0][0] is _constants.NEGATE else named
        return found

    def _starts(self, tree: Nodes, skipped: str = "") -> Starts:
        """What it can begin with; what holds `skipped` is passed over as if it was empty."""
        found = _NOTHING
        for node in tree:
            chars, is_open = self._start(node, skipped)
            found |= chars
            if not is_open:
                return found, False
        return found, True

    def _start(self, node: Node, skipped: str = "") -> Starts:
        operation, argument = node
        if operation in _ATOMS:
            chars = self._chars(node)
            return chars, skipped in chars
        if operation in _REPEATS:
            chars, is_open = self._starts(argument[2], skipped)
            return chars, is_open or argument[0] == 0
        if operation is _constants.SUBPATTERN and not argument[1] | argument[2]:
            return self._starts(argument[-1], skipped)
        if operation is _constants.BRANCH:
            each = [self._starts(one, skipped) for one in argument[1]]
            return _NOTHING.union(*(chars for chars, _ in each)), any(is_open for _, is_open in each)
        return (_NOTHING if operation is _constants.AT or operation in _ASSERTIONS else ASCII), True

    def _rests(self, tree: Nodes, char: str, skipped: str) -> list[list[Node]]:
        """What is left to match when `char` was its first: nothing, where it can be anything."""
        found: list[list[Node]] = []
        for number, node in enumerate(tree, 1):
            operation, argument = node
            each: list[list[Node]] = []
            if operation in _ATOMS:
                each = [[]] if char in self._chars(node) else []
            elif operation in _REPEATS:
                more = [(operation, (0, *argument[1:]))] if argument[1] > 1 else []
                each = [one + more for one in self._rests(argument[2], char, skipped)]
            elif operation is _constants.SUBPATTERN and not argument[1] | argument[2]:
                each = self._rests(argument[-1], char, skipped)
            elif operation is _constants.BRANCH:
                each = [one for branch in argument[1] for one in self._rests(branch, char, skipped)]
            elif operation is not _constants.AT and operation not in _ASSERTIONS:
                break
            found += [one + list(tree[number:]) for one in each]
            if not self._start(node, skipped)[1]:
                return found
        return [*found, []]

    def _ways(self, tree: Nodes, *, is_last: bool) -> list[list[Node]] | None:
        """The ways to a line end that is consumed within, or None if that cannot be told.

        `is_last`: nothing stands behind it, so that a line end which it ends with is none of them.
        """
        found: list[list[Node]] = []
        before: list[Node] = []
        for number, node in enumerate(tree, 1):
            ways = self._ways_within(node, is_last=is_last and number == len(tree))
            if ways is None:
                return None
            found += [before + way for way in ways]
            before.append(node)
        return found

    def _ways_within(self, node: Node, *, is_last: bool) -> list[list[Node]] | None:
        operation, argument = node
        if operation in _ATOMS:
            is_consuming = not is_last and "\n" in self._chars(node)
            return [[(_constants.LITERAL, ord("\n"))]] if is_consuming else []
        if operation is _constants.AT:
            return [] if argument in _NEAR and self.flags & re.MULTILINE else None
        if operation is _constants.BRANCH:
            each = [self._ways(one, is_last=is_last) for one in argument[1]]
            return None if None in each else [way for ways in each for way in ways or ()]
        if operation is _constants.SUBPATTERN and not argument[1] | argument[2]:
            return self._ways(argument[-1], is_last=is_last)
        if operation in _REPEATS:
            _, most, inner = argument
            ways = self._ways(inner, is_last=is_last and most == 1)
            if most == 1 or not ways:
                return ways
            fewer = most if most is _constants.MAXREPEAT else most - 1
            return [[(_constants.MAX_REPEAT, (0, fewer, inner)), *way] for way in ways]
        if operation in _ASSERTIONS:
            direction, inner = argument
            if direction > 0:
                return self._ways(inner, is_last=False)
            # Before a line stands a line end or nothing: neither may be what is looked for.
            is_near = len(inner) == 1 and inner[0][0] in _ATOMS and "\n" not in self._chars(inner[0])
            return [] if is_near else None
        return None


def charset(chars: Iterable[str]) -> str:
    """An expression for one of some characters."""
    return f"[{re.escape(''.join(sorted(chars)))}]"


def _closed(starts: Starts) -> frozenset[str]:
    chars, is_open = starts
    return ASCII if is_open else chars


def _is_behind(anchor: object, tree: Nodes) -> bool:
    if not tree:
        return False
    operation, argument = tree[0]
    if operation is _constants.SUBPATTERN:
        return _is_behind(anchor, argument[-1])
    return operation is _constants.AT and argument is anchor


def _named(item: Node) -> frozenset[str]:
    """The ASCII characters that an item of a set names."""
    operation, argument = item
    if operation is _constants.LITERAL:
        return frozenset(chr(argument)) if argument < 128 else _NOTHING
    if operation is _constants.RANGE:
        return frozenset(map(chr, range(argument[0], min(argument[1], 127) + 1)))
    if operation is _constants.CATEGORY:
        return _category(argument)
    return _NOTHING


@cache
def _category(name: object) -> frozenset[str]:
    return frozenset(filter(re.compile(_CATEGORIES[name]).match, ASCII))
