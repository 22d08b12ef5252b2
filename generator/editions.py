"""What became of a record in other releases, in rows and words: for pages, and for a terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from urllib.parse import quote

from generator.model import Drift, Edition, Record, Trace

STATES = {
    "same": "same line",
    "moved": "another line",
    "elsewhere": "another file",
    "changed": "changed",
    "gone": "gone",
    "unread": "not read",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Neighbouring releases of which the same is to be said."""

    editions: tuple[Edition, ...]
    trace: Trace
    is_pinned: bool

    @property
    def versions(self) -> str:
        """`0.5.20`, or `0.5.16 to 0.5.18`."""
        first, last = self.editions[0].version, self.editions[-1].version
        return first if first == last else f"{first} to {last}"


def rows(drift: Drift, id: str) -> tuple[Row, ...]:  # noqa: A002 - the field's name
    """The releases, oldest first: runs of which the same is to be said in one row, the pinned by itself."""
    traces = drift.records.get(id, {})
    known = [(one, traces[one.version]) for one in drift.releases if one.version in traces]
    found = []
    for (trace, is_pinned), run in groupby(
        known, key=lambda each: (each[1], each[0].version == drift.pinned)
    ):
        found.append(Row(tuple(edition for edition, _ in run), trace, is_pinned))
    return tuple(found)


def url(repo: str, row: Row) -> str | None:
    """GitHub's page of the place in the newest of a row's releases whose commit is known."""
    commit = next((one.commit for one in reversed(row.editions) if one.commit), None)
    if commit is None or row.trace.path is None or row.trace.line is None:
        return None
    return f"https://github.com/{repo}/blob/{commit}/{quote(row.trace.path)}#L{row.trace.line}"


def said(row: Row, pinned: Trace | None) -> str:
    """What became of the message, in words; `pinned` is where the pinned release has it."""
    trace = row.trace
    if row.is_pinned:
        return "the pinned release"
    match trace.state:
        case "same":
            words = "same text, same line"
        case "moved" if pinned and pinned.line and trace.line:
            away = trace.line - pinned.line
            words = (
                f"same text, {abs(away)} line{'s' * (abs(away) != 1)} further {'down' if away > 0 else 'up'}"
            )
        case "moved":
            words = "same text, another line"
        case "elsewhere":
            words = "same text, another file"
        case "changed":
            words = "another text"
        case "unread":
            words = "its file cannot be read by the Python that looked"
        case _:
            words = "no such message"
    if trace.places > 1:
        words += f"; raised at {trace.places} places"
    return words


def changes(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """The words of both texts in order, each with whether it is the `same`, `gone` or `come`."""
    old, new = before.split(), after.split()
    found: list[tuple[str, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("same", " ".join(old[i:j])))
            continue
        found += [("gone", " ".join(old[i:j]))] if j > i else []
        found += [("come", " ".join(new[k:m]))] if m > k else []
    return tuple(found)


def totals(drift: Drift, version: str, ids: Sequence[str]) -> Mapping[str, int]:
    """How many of these records are in each state in a release."""
    traces = (drift.records.get(id, {}).get(version) for id in ids)  # noqa: A001 - the field's name
    counts: Counter[str] = Counter(one.state for one in traces if one is not None)
    return {state: counts[state] for state in STATES}


def is_about(drift: Drift, record: Record) -> bool:
    """Whether the table speaks of the record's pin."""
    return drift.commit == record.analyzed_sha
