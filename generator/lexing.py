"""A lexer of Pygments, as it is installed, with its rules tried where they can match.

Nothing is known here of any language: all comes from the lexer's `_tokens`, and means what
`RegexLexer.get_tokens_unprocessed` makes of it (`pygments/lexer.py`). A line that was coloured before in the
same state is looked up, if no rule looked beyond its end.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pygments.lexer import RegexLexer
from pygments.token import Error, Whitespace

from generator.reach import BLANK
from generator.rules import LINE, TEXT, WITHIN, Known, State, Unfit
from generator.tokens import span, style

KEPT = 30_000  # lines that are kept, at most
STACKS = 10_000  # stacks that are kept from text to text, at most

# A style, and where it begins and ends.
Piece = tuple[str, tuple[int, int]]


class Stack:
    """A stack of states: the uppermost, and what is under it. There is one for the same states."""

    __slots__ = ("above", "changes", "name", "state", "under")

    def __init__(self, name: str, state: State, under: "Stack | None") -> None:
        self.name, self.state, self.under = name, state, under
        self.above: dict[str, Stack] = {}
        # What becomes of it by the rules that change it.
        self.changes: dict[Any, Stack] = {}


class Faster:
    """A lexer's rules, made ready to be tried, and lines that it coloured."""

    def __init__(self, lexer: RegexLexer) -> None:
        self._lexer = lexer
        self._flags = int(lexer.flags | re.UNICODE)
        self._known = cache(Known)
        self._state = cache(self._state_of)
        self.forget()

    def forget(self) -> None:
        """Forget the lines and stacks that were kept; the rules stay."""
        self._root = Stack("root", self._state("root"), None)
        self._stacks = 1
        # Lines that leave the stack as they find it, by that. What is asked for moves on to the younger.
        self._young: dict[Stack, dict[str, str]] = {}
        self._old: dict[Stack, dict[str, str]] = {}
        self._count = 0

    def lines(self, text: str) -> list[str]:
        """One HTML text a line. Raises Unfit."""
        if self._stacks > STACKS:
            self.forget()
        found: list[str] = []
        stack = self._root
        young, old = self._kept(stack)
        begin, size = 0, len(text)
        while begin < size:
            end = text.find("\n", begin) + 1 or size
            line = text[begin:end]
            shown = young.get(line)
            is_known = begin or line[0] in stack.state.usual
            if shown is not None and is_known:
                found.append(shown)
                begin = end
                continue
            if is_known and line in old:
                shown, after, is_local = old[line], stack, True
            else:
                shown, end, after, is_local = self._block(text, begin, end, stack)
            if is_local:
                found.append(shown)
                if after is stack:
                    young[line] = shown
                    self._count += 1
            else:
                found += shown.split("\n")
            if after is not stack or self._count >= KEPT // 2:
                stack = after
                young, old = self._kept(stack)
            begin = end
        if not size or text[-1] == "\n":
            found.append("")
        return found

    def _kept(self, stack: Stack) -> tuple[dict[str, str], dict[str, str]]:
        """The younger and the older lines of a stack."""
        if self._count >= KEPT // 2:
            self._old, self._young, self._count = self._young, {}, 0
        if stack not in self._young:
            self._young[stack] = {}
            self._count += 1
        return self._young[stack], self._old.get(stack) or {}

    def _block(self, text: str, at: int, end: int, stack: Stack) -> tuple[str, int, Stack, bool]:
        """A line, up to its end, and all that follow it until no match goes on behind a line.

        The HTML of it, where it ends, the stack there, and whether that depends on the line alone.
        """
        parts: list[str] = []
        # The style of the piece that is being read, and where it begins.
        current, begin = "", at
        state = stack.state
        # Some rules are for the start of a text.
        where = LINE if at or text[0] in state.usual else TEXT
        is_local = where == LINE
        row = state.rows[where]
        # Never of the next line, which lines that are kept must not depend on.
        key = text[at : min(at + 2, end)]
        if key[0] == BLANK:
            key = BLANK + text[at:end].lstrip(BLANK)[:2]
        while True:
            run, rules = row[key]
            match = run(text, at) if run else None
            if match is not None:
                stop = match.end()
                if current:
                    parts.append(span(current, text[begin:at]))
                    current, begin = "", at
            else:
                for matches, name, groups, action, change, looks in rules:
                    if looks is not None and is_local and looks(text, at, end):
                        is_local = False
                    match = matches(text, at)
                    if match is None:
                        continue
                    stop = match.end()
                    if name is None:
                        reached = at
                        for piece, (start, upto) in self._pieces(match, groups, action):
                            if start < upto:
                                if start != reached:
                                    raise Unfit
                                reached = upto
                                if piece != current:
                                    parts.append(span(current, text[begin:start]))
                                    current, begin = piece, start
                        if reached != stop:
                            raise Unfit
                    elif name != current and stop > at:
                        parts.append(span(current, text[begin:at]))
                        current, begin = name, at
                    if change is not None:
                        stack = stack.changes.get(change) or self._changed(stack, change)
                        state = stack.state
                        row = state.rows[where]
                    break
                else:
                    # As Pygments has it: a line's end resets the stack, all else is an error.
                    stop, name = at + 1, style(Error)
                    if text[at] == "\n":
                        name, stack = style(Whitespace), self._root
                        state = stack.state
                    if name != current:
                        parts.append(span(current, text[begin:at]))
                        current, begin = name, at
                # Mostly plain text follows.
                if state.run and at < stop < end and (match := state.run(text, stop)):
                    if current:
                        parts.append(span(current, text[begin:stop]))
                        current, begin = "", stop
                    stop = match.end()
            if stop >= end:
                if stop > end:
                    is_local = False
                    end = stop if text[stop - 1] == "\n" else text.find("\n", stop) + 1 or len(text)
                if stop == end:
                    parts.append(span(current, text[begin : end - (text[end - 1] == "\n")]))
                    return "".join(parts), end, stack, is_local
            if stop > at:
                at, where = stop, WITHIN
                row = state.rows[WITHIN]
                key = text[at : at + 2] if at + 2 <= end else text[at]

    def _pieces(self, match: Any, groups: Sequence[str], action: Any) -> Iterable[Piece]:
        """The styles of the tokens that an action finds in a match, and where these begin and end."""
        if groups:
            return zip(groups, match.regs[1:], strict=True)
        tokens = action(self._lexer, match) if action else ()
        return ((style(kind), (at, at + len(value))) for at, kind, value in tokens)

    def _changed(self, stack: Stack, change: Any) -> Stack:
        """The stack that a rule leaves. The lowest state always stays."""
        after = stack
        for step in change if isinstance(change, tuple) else (change,):
            if step == "#pop" or isinstance(step, int):
                for _ in range(1 if step == "#pop" else -step):
                    after = after.under or after
                continue
            name = after.name if step == "#push" else step
            if name not in after.above:
                after.above[name] = Stack(name, self._state(name), after)
                self._stacks += 1
            after = after.above[name]
        stack.changes[change] = after
        return after

    def _state_of(self, name: str) -> State:
        rules = self._lexer._tokens[name]  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public holds them
        return State([self._known(*rule, self._flags) for rule in rules], self._flags)
