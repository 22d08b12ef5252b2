"""What the peers show of a record beside its fields: a title, and five related records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

RELATED = 5
LONGEST_TITLE = 60


@dataclass(frozen=True, slots=True)
class Head:
    """What is shown of a record elsewhere than on its own page, and what relates it to others."""

    id: str
    title: str
    repo: str
    path: str
    ground: str
    line: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Head":
        """The head of a record."""
        words = " ".join(record["errorMessage"].split())
        title = words if len(words) <= LONGEST_TITLE else f"{words[:LONGEST_TITLE].rstrip()}…"
        place = (record["repo"], record["filePath"], record["backgroundTag"], record["lineNumber"])
        return cls(record["id"], title, *place)


def related(heads: Iterable[Head]) -> dict[str, tuple[Head, ...]]:
    """For each id the next five: of its file, then its repository and background, its repository, of all."""
    ordered = sorted(heads, key=lambda one: (one.repo, one.path, one.line, one.id))
    groups: dict[tuple[str, ...], list[Head]] = defaultdict(list)
    places: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for one in ordered:
        keys = (("file", one.repo, one.path), ("ground", one.repo, one.ground), ("repo", one.repo), ("all",))
        places[one.id] = [(key, len(groups[key])) for key in keys]
        for key in keys:
            groups[key].append(one)
    return {one.id: _next(places[one.id], groups) for one in ordered}


def _next(
    places: list[tuple[tuple[str, ...], int]], groups: Mapping[tuple[str, ...], list[Head]]
) -> tuple[Head, ...]:
    found: dict[str, Head] = {}
    for key, at in places:
        group = groups[key]
        for step in range(1, min(len(group), 2 * RELATED)):
            other = group[(at + step) % len(group)]
            found.setdefault(other.id, other)
            if len(found) == RELATED:
                return tuple(found.values())
    return tuple(found.values())
