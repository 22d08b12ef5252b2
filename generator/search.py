"""From a paste to the records that explain it.

The browser's twin is `templates/static/search.js`; tests hold the two together.

A message is first held against whole patterns. Only if none fits are looser answers given, and marked:
patterns that fit while the class is another, patterns that begin as the message does before it is cut off,
patterns most of whose words it holds, or whose code.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import msgspec
from msgspec import Struct

from generator import paste
from generator.frames import Frame
from generator.lookup import TOKEN, safe_tokens, tokens
from generator.paste import Spoken
from generator.pattern import Pattern
from generator.shards import WEAK, Entry, Meta, Shard, Words, code_word, words

SHARDS = 17  # of one look-up
MATCHES = 10
NEAR_READINGS = 16  # readings that are held against patterns' words
NEAR = 0.7  # share of a pattern's safe words, a listed one counting half
NEAR_WORDS = 3
CUT_CHARACTERS, CUT_WORDS = 12, 2  # what records must have outside their holes

Load = Callable[[str], bytes]
Kind = Literal["exact", "near", "site"]
Answers = dict[str, tuple[tuple[object, ...], "Match"]]  # by id, each with what sorts it


class Query(Struct, frozen=True, rename="camel"):
    """What was looked for: the likeliest reading, with the innermost frame."""

    error_class: str | None
    message: str
    file: str | None
    line: int | None
    function: str | None


class Match(Struct, frozen=True, rename="camel"):
    """An answer. `message` is the reader's that fits, `values` what its holes hold, `url` seen from the root.

    `match` is `site` for a place that no record explains. `is_cut` says that only the beginning was
    compared, `is_weak` that the pattern has little text of its own.
    """

    match: Kind
    id: str
    repo: str
    slug: str | None
    error_class: str
    message: str
    values: dict[str, str]
    url: str | None
    segments: tuple[str | int, ...]
    holes: tuple[str, ...]
    file: str
    line: int
    function: str | None
    standing: str | None
    is_removed: bool
    is_cut: bool
    is_weak: bool


class Found(Struct, frozen=True):
    """All answers, best first; none if the error is unknown. `query` is None for a paste without words."""

    query: Query | None
    matches: tuple[Match, ...]


def search(text: str, load: Load) -> Found:
    """Looks a paste up. `load` gives the JSON of `meta` or of a shard by its name."""
    readings = paste.spoken(text)
    if not readings:
        return Found(None, ())
    shelf = _Shelf(load)
    frames = [frame for reading in readings for frame in reading.frames]
    exact: Answers = {}
    others: Answers = {}  # whose message it is, and whose class it is not
    last = None  # the error after which nothing is looked for
    for reading in readings:
        if last is not None and reading.head != last:
            break
        shelf.fetch(reading.message)
        for known in shelf.entries.values():
            entry, pattern = known.entry, known.pattern
            # Without its class, a message of another class would pass for this one's.
            is_told = entry.id in exact or (entry.id in others and not reading.is_sure)
            if is_told or not _is_possible(entry, frames):
                continue
            if (values := pattern.captures(reading.message)) is None:
                continue
            is_site = entry.kind == "site"
            order = (
                is_site,
                known.is_weak,
                *_rank(entry, pattern.fixed, reading),
                len(values),
                *_name(entry),
            )
            if reading.is_sure and _likeness(entry, reading) == 0:
                if not is_site:
                    others.setdefault(entry.id, (order, _match(known, reading)))
                continue
            exact[entry.id] = order, _match(known, reading, values)
            if not known.is_weak:
                last = reading.head
    best = exact or others or _cut(readings, shelf) or _near(readings, shelf)
    ranked = sorted(best.values(), key=lambda item: item[0])
    return Found(_query(readings[0]), tuple(match for _, match in ranked[:MATCHES]))


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry that was fetched."""

    entry: Entry
    pattern: Pattern
    is_weak: bool


class _Shelf:
    """The shards that were fetched."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._words: Words | None = None
        self._names: set[str] = set()
        self.entries: dict[str, _Known] = {}

    def fetch(self, message: str) -> None:
        """Fetches what may hold the message's record, as long as the look-up may."""
        if len(self._names) >= SHARDS:
            return
        for name in self.words.shards_of(message):
            if name not in self._names and len(self._names) < SHARDS:
                self._names.add(name)
                for entry in msgspec.json.decode(self._load(name), type=Shard).entries:
                    pattern = entry.pattern
                    known = _Known(entry, pattern, is_weak=_is_weak(pattern))
                    self.entries.setdefault(entry.id, known)

    @property
    def documented(self) -> Iterator[_Known]:
        """Those with a record: of other places it is worth a word only that they raised this very error."""
        return (known for known in self.entries.values() if known.entry.kind == "record")

    @property
    def words(self) -> Words:
        """How rare words are."""
        if self._words is None:
            self._words = words(msgspec.json.decode(self._load("meta"), type=Meta))
        return self._words


def _is_possible(entry: Entry, frames: Sequence[Frame]) -> bool:
    """Whether a place without a record can be where a paste comes from: among its frames, if it has any."""
    return entry.kind == "record" or not frames or any(_nearness(entry, one) for one in frames)


def _rank(entry: Entry, fixed: int, reading: Spoken) -> tuple[int, ...]:
    """Sorts the better match first: by class, by frames, by the fixed characters that were matched."""
    return (
        -_likeness(entry, reading),
        -max((_nearness(entry, one) for one in reading.frames), default=0),
        -fixed,
    )


def _name(entry: Entry) -> tuple[bool, str, str, str]:
    """Settles what is otherwise equal."""
    return entry.is_removed, entry.repo, entry.slug or "", entry.id


def _likeness(entry: Entry, reading: Spoken) -> int:
    """2 for the same class, 1 if the reader's is not known, 0 for another."""
    if reading.error_class is None:
        return 1
    return 2 * (entry.error_class.rpartition(".")[2] == reading.error_class.rpartition(".")[2])


def _nearness(entry: Entry, frame: Frame) -> int:
    """How well a frame fits: the parts that the paths' ends share, then the line and the function."""
    theirs, ours = frame.file.replace("\\", "/").split("/"), entry.file.split("/")
    shared = 0
    while shared < min(len(theirs), len(ours), 9) and theirs[-1 - shared] == ours[-1 - shared]:
        shared += 1
    if not shared:
        return 0
    function = (entry.function or "").rpartition(".")[2]
    return (
        4 * shared + 2 * (frame.line == entry.line) + (function == (frame.function or "").rpartition(".")[2])
    )


def _is_weak(pattern: Pattern) -> bool:
    return pattern.fixed < WEAK or sum(len(TOKEN.findall(text)) for text in pattern.literals) < CUT_WORDS


def _match(
    known: _Known, reading: Spoken, values: Iterable[str] | None = None, *, is_cut: bool = False
) -> Match:
    """The answer; a near one if there are no values."""
    kind: Kind = "near" if values is None else "site" if known.entry.kind == "site" else "exact"
    told = dict(zip(known.entry.holes, values or (), strict=False))
    return match_of(known.entry, reading.message, kind, told, is_cut=is_cut, is_weak=known.is_weak)


def match_of(
    entry: Entry,
    message: str,
    kind: Kind,
    values: dict[str, str],
    *,
    is_cut: bool = False,
    is_weak: bool = False,
) -> Match:
    """What is answered of an entry, for a message: the reader's, or the record's own where that was named."""
    return Match(
        match=kind,
        id=entry.id,
        repo=entry.repo,
        slug=entry.slug,
        error_class=entry.error_class,
        message=message,
        values=values,
        url=None if entry.kind == "site" else f"{entry.repo}/{entry.slug}/index.html",
        segments=entry.segments,
        holes=entry.holes,
        file=entry.file,
        line=entry.line,
        function=entry.function,
        standing=entry.standing,
        is_removed=entry.is_removed,
        is_cut=is_cut,
        is_weak=is_weak,
    )


def _query(reading: Spoken) -> Query:
    frame = reading.frames[-1] if reading.frames else Frame("", 0, None)
    return Query(reading.error_class, reading.message, frame.file or None, frame.line or None, frame.function)


def _cut(readings: Iterable[Spoken], shelf: _Shelf) -> Answers:
    """The patterns that begin as a message does which may go on where it ends."""
    found: Answers = {}
    for reading in readings:
        if not reading.is_cut:
            continue
        message = reading.message.removesuffix("...").removesuffix("…").rstrip(" ")
        for known in shelf.documented:
            entry = known.entry
            fixed = beginning(known.pattern, message) if entry.id not in found else None
            if fixed is not None:
                order = (*_rank(entry, fixed, reading), *_name(entry))
                found[entry.id] = order, _match(known, reading, is_cut=True)
    return found


def beginning(pattern: Pattern, message: str) -> int | None:
    """How many fixed characters of a pattern a message holds that is cut off.

    None where the message does not begin as the pattern does, or with less than records must have.
    """
    fixed, spoken, position = 0, 0, 0
    is_open = False  # whether a hole has no end yet
    for segment in pattern.segments:
        if not isinstance(segment, str):
            is_open, position = True, position + segment.minimum
            if position > len(message):
                return None
            continue
        start = message.find(segment, position) if is_open else position
        if is_open and start < 0:
            break
        held = segment if is_open or message.startswith(segment, position) else message[position:]
        if not segment.startswith(held):
            return None
        fixed, spoken = fixed + len(held), spoken + len(TOKEN.findall(held))
        is_open, position = False, start + len(held)
        if held != segment:
            break
    else:
        if not is_open and position < len(message):
            return None
    return fixed if fixed >= CUT_CHARACTERS and spoken >= CUT_WORDS else None


def _near(readings: Iterable[Spoken], shelf: _Shelf) -> Answers:
    """The patterns most of whose words a message holds, and those whose code it names."""
    found: Answers = {}
    patterns = [
        (known, set(safe_tokens(known.pattern)), code_word(known.entry.error_code))
        for known in shelf.documented
    ]
    for reading in islice(readings, NEAR_READINGS):
        spoken = set(tokens(reading.message))
        for known, wanted, code in patterns:
            held = wanted & spoken
            share = shelf.words.weight(held) / shelf.words.weight(wanted) if wanted else 0
            if code not in spoken and (len(held) < NEAR_WORDS or share < NEAR):
                continue
            order = (code not in spoken, -share, *_rank(known.entry, len(held), reading), *_name(known.entry))
            found.setdefault(known.entry.id, (order, _match(known, reading)))
    return found
