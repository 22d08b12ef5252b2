"""The rules of a state of one of Pygments' lexers, made ready to be tried.

Pygments tries all rules of a state one after another, up to 56 of them for a token. Before which characters
one can match is read off its expression, once for each state, so that few are left to try. Runs of plain
tokens, which need no element, are one match.

Measured and not done: one expression for all rules of a state. It has 152 groups, and takes 3.7 microseconds
for a match.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pygments.token import _TokenType

from generator.reach import ASCII, Beyond, Expression, charset
from generator.tokens import style

# Where a rule is tried: at the start of the text, of another line, or within a line.
TEXT, LINE, WITHIN = range(3)


Match = Callable[[str, int], "re.Match[str] | None"]
# What matches; the style of it, or those of its groups, or what finds its tokens; what becomes of the stack;
# what tells whether it looks beyond the line.
Rule = tuple[Match, str | None, tuple[str, ...], Any, Any, Beyond | None]
# What matches a run of plain text, where one begins; and the rules.
Tried = tuple[Match | None, tuple[Rule, ...]]


class Unfit(Exception):  # noqa: N818 - a trait of the lexer, not of the program
    """A rule is of an unknown kind, or leaves a part of what it matches without a token."""


class Known:
    """A rule of a lexer, and what its expression tells of it."""

    def __init__(self, match: Any, action: Any, change: Any, flags: int) -> None:
        compiled = getattr(match, "__self__", None)
        if not isinstance(compiled, re.Pattern):
            raise Unfit
        self.expression = told = Expression(compiled)
        self.where = TEXT if told.is_at_text else LINE if told.is_at_line else WITHIN
        name = style(action) if type(action) is _TokenType else None
        self.rules: tuple[Rule, ...] = ((match, name, _groups(action), action, change, told.beyond),)
        # What matches plain text and changes nothing, and can be put together with others.
        is_whole = not compiled.groups and compiled.flags == flags and not compiled.pattern.startswith("(?")
        is_plain = name == "" and change is None and is_whole and self.where == WITHIN
        self.plain = (told.ascii or compiled.pattern) if is_plain else ""
        self.is_run = is_plain and told.is_inline
        if is_plain and told.ascii:
            # Sets of a hundred characters are found in less time than those of a hundred thousand.
            self.rules = ((_compiled(told.ascii, flags), *self.rules[0][1:]), *self.rules)


class Row(dict[str, Tried]):
    """The rules to try at a kind of place in a state, by the next characters (`Expression.is_before`)."""

    def __init__(self, known: Sequence[Known], run: str, flags: int) -> None:
        super().__init__()
        self._known, self._run, self._flags = known, run, flags
        self._before = cache(self._known_before)

    def __missing__(self, key: str) -> Tried:
        if not key.isascii():
            # Of these there are too many to be kept, and few in a text.
            return None, tuple(rule for one in self._known for rule in one.rules)
        known = self._before(key)
        rules = [rule for one in known for rule in one.rules]
        is_run = self._run and known and all(one.is_run for one in known)
        run = _compiled(self._run, self._flags) if is_run else None
        self[key] = run, tuple(rules)
        return self[key]

    def _known_before(self, key: str) -> list[Known]:
        """The rules that can match before some characters: of those before fewer of them."""
        known = self._before(key[:-1]) if key[1:] else self._known
        return [one for one in known if one.expression.is_before(key)]


class State:
    """The rules of a state, by the kind of place, and what matches its runs of plain text."""

    def __init__(self, known: Sequence[Known], flags: int) -> None:
        run = _run(known)
        rows = ([one for one in known if one.where >= where] for where in (TEXT, LINE, WITHIN))
        self.rows = tuple(Row(row, run, flags) for row in rows)
        self.run = _compiled(run, flags) if run else None
        # With these a text's first line begins as any other: no rule for the start of a text can match.
        self.usual = ASCII.difference(*(one.expression.starts() for one in known if one.where == TEXT))


def _run(known: Sequence[Known]) -> str:
    """An expression for as much plain text as stands together in a line, and the line's end behind it.

    It steps on where no other rule can match before the next two characters. Empty if there is no such text.
    """
    within = [one for one in known if one.where == WITHIN]
    if not any(one.is_run for one in within):
        return ""
    places: dict[frozenset[str], list[str]] = {}
    steps: dict[str, None] = {}
    for char in sorted(ASCII):
        here = [one for one in within if char in one.expression.starts()]
        plain = [one.plain for one in here if one.is_run]
        seconds = ASCII.difference(*(one.expression.seconds(char) for one in here if not one.is_run))
        if plain and seconds:
            places.setdefault(seconds, []).append(char)
            steps |= dict.fromkeys(plain)
    if not steps:
        return ""
    # First where anything may follow.
    each = sorted(places.items(), key=lambda place: -len(place[0]))
    at = "|".join(charset(chars) + ("" if after == ASCII else charset(after)) for after, chars in each)
    step = "|".join(dict.fromkeys(one.plain for one in within if one.plain in steps))
    run = f"(?:(?={at})(?:{step}))++"
    ends = [one for one in within if "\n" in one.expression.starts()]
    if not ends or not all(one.plain and one.expression.beyond is None for one in ends):
        return run
    end = f"(?:(?=\n)(?:{'|'.join(one.plain for one in ends)}))"
    return f"{run}{end}?+|{end}"


@cache
def _compiled(expression: str, flags: int) -> Match:
    return re.compile(expression, flags).match


def _groups(action: Any) -> tuple[str, ...]:
    """The styles of an expression's groups, if they are all that the action is about; else none."""
    if getattr(action, "__qualname__", "") != "bygroups.<locals>.callback":
        return ()
    (kinds,) = (cell.cell_contents for cell in action.__closure__)
    return tuple(map(style, kinds)) if all(type(one) is _TokenType for one in kinds) else ()
