"""What became of a text: word by word where it is short, line by line where it is long.

The time that this takes is bounded by the texts' sizes: beyond some, one is said to have become the other.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

Step = Literal["=", "-", "+"]
Piece = tuple[Step, str]

MOST = 250_000  # pairs of words, or of lines, that are compared
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """What was kept, taken away and added, in order; of a long text in whole lines."""
    for split in (_WORD.findall, lambda text: text.splitlines(keepends=True)):
        found = _steps(split(before), split(after))
        if found is not None:
            return tuple((step, "".join(some)) for step, some in found)
    return tuple((step, text) for step, text in (("-", before), ("+", after)) if text)  # type: ignore[misc]


def lines(before: str, after: str, *, around: int = 1) -> tuple[Piece, ...]:
    """The lines that were taken away and added, with some around each; `…` stands for the others.

    Of equal texts there are none.
    """
    if before == after:
        return ()
    old, new = before.split("\n"), after.split("\n")
    found = _steps(old, new) or [("-", old), ("+", new)]
    told: list[Piece] = []
    for number, (step, some) in enumerate(found):
        kept = list(some)
        if step == "=":
            first = around if number else 0
            last = around if number < len(found) - 1 else 0
            if len(kept) > first + last + 1:
                kept = [*kept[:first], "…", *kept[len(kept) - last :]]
        told += [(step, line) for line in kept]
    return tuple(told)


def excerpt(found: Sequence[Piece], *, around: int = 40) -> tuple[Piece, ...]:
    """The pieces with long texts that were kept cut to what stands beside a change."""
    return tuple(_cut(piece, number, len(found), around) for number, piece in enumerate(found))


def _cut(piece: Piece, number: int, of: int, around: int) -> Piece:
    step, text = piece
    if step != "=" or len(text) <= 2 * around + 1:
        return piece
    head = text[:around] if number else ""
    tail = text[-around:] if number < of - 1 else ""
    return step, f"{head}…{tail}"


def _steps(before: Sequence[str], after: Sequence[str]) -> list[tuple[Step, Sequence[str]]] | None:
    """The steps from one to the other; None where there is too much to be compared."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) > MOST:
        return None
    found = [("=", before[:head]), *_middle(old, new), ("=", before[len(before) - tail :])]
    return [(step, some) for step, some in found if some]  # type: ignore[misc]


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "=", old[i:j]
        else:
            yield "-", old[i:j]
            yield "+", new[k:m]
