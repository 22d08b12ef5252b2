"""What a branch changes, told: each module of this folder is one `--format` of `pagefault diff`."""

from collections.abc import Callable
from dataclasses import dataclass

from generator import words
from generator.difference import KINDS, Difference, Entry, Field
from generator.model import STANDINGS
from generator.words import Piece

LINES = 40  # of an excerpt


@dataclass(frozen=True, slots=True)
class Review:
    """A way to tell a difference. `is_bounded` says that no more bytes are written than are allowed.

    `render` takes the difference, whether color may be used, and how many bytes are allowed.
    """

    name: str
    render: Callable[[Difference, bool, int], str]
    is_bounded: bool = False


def changes(one: Field) -> tuple[Piece, ...]:
    """What became of a field, word by word, cut to what stands around the changes."""
    return words.excerpt(words.pieces(one.before or "", one.after or ""))


def page_lines(texts: tuple[str | None, str | None]) -> tuple[tuple[Piece, ...], int]:
    """The lines of a page or a guide that changed, as far as they are shown, and how many more there are."""
    before, after = texts
    found: tuple[Piece, ...]
    if before is None or after is None:
        text = before or after or ""
        found = tuple(("+" if before is None else "-", line) for line in text.rstrip("\n").split("\n"))
    else:
        found = words.lines(before, after)
    return found[:LINES], max(0, len(found) - LINES)


def summary(difference: Difference) -> str:
    """How many records and guides are what, in words."""
    kinds = [one.kind for one in difference.records]
    said = [f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds]
    told = []
    if said:
        told.append(f"records: {', '.join(said)}")
    kinds_of_guides = [one.kind for one in difference.guides]
    said = [f"{kinds_of_guides.count(kind)} {kind}" for kind in dict.fromkeys(kinds_of_guides)]
    if said:
        told.append(f"guides: {', '.join(said)}")
    return "; ".join(told) or "no record and no guide changed"


def standings(difference: Difference) -> str:
    """How many records have each standing, before and after."""
    before, after = difference.standings
    said = [
        f"{name} {before.get(name, 0)} → {after.get(name, 0)}"
        if before.get(name, 0) != after.get(name, 0)
        else f"{name} {after.get(name, 0)}"
        for name in STANDINGS
    ]
    return ", ".join(said)


def standing(one: Entry) -> str:
    """A record's standing, and what it was if that was another; empty where nothing is to be said."""
    if one.after is None:
        return ""
    if one.before is None:
        return one.after.standing
    if one.before.standing != one.after.standing:
        return f"{one.before.standing} → {one.after.standing}"
    return f"still {one.after.standing}" if one.is_judged_otherwise else ""


def origin(one: Entry) -> list[tuple[str, str]]:
    """What a renamed record was before: what of it, and that."""
    if one.before is None or one.after is None:
        return []
    was, now = one.before, one.after
    told = (("address", was.address, now.address), ("id", was.id, now.id), ("file", was.file, now.file))
    return [(what, old) for what, old, new in told if old != new]
