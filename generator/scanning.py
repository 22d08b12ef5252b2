"""Which records' messages a log of any size holds, and how often.

Most lines hold none. So a stretch of log is first cut into words, and every pattern is filed under one word
that its messages hold whole: where that is missing, the pattern is done with. Where it is there, the fixed
text around it is looked for as it stands, and only then is a place read (see `sightings`).

What is rare in patterns may be in every line of a log. A word that was often met in vain is left for the one,
among the pattern's words, that was so least.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from msgspec import Struct

from generator.logs import stretches
from generator.pattern import Hole, Pattern
from generator.shards import Entry
from generator.sightings import REACH, Key, Sighting, Sought, sighting

CONTEXT = 1 << 16  # bytes that are kept for the message above a traceback
SHOWN = 500  # characters of a message
TELLING = 6  # bytes of fixed text that are looked for, if a pattern has such
IDLE = 4  # times that a word may lead to nothing before another is tried

# Numbers are no words here: a log is full of them.
_WORDS = bytes(n if n >= 0x80 or n == 0x5F or chr(n).isalpha() else 0x20 for n in range(256))
_PIECES = re.compile(r'[^\n"\\]+')
_TRACEBACK = b"Traceback (most recent call last)"
_CHAIN = re.compile(
    rb"[ \t]|$|Traceback \(most|During handling of the above|The above exception was"
    rb"|[A-Za-z_][A-Za-z0-9_.]*(?:: |$)"
)


class Count(Struct, frozen=True):
    """How often a record's message was said; where first (a 1-based line), and what that was."""

    entry: Entry
    count: int
    first_line: int
    first_message: str


class Scan(Struct, frozen=True):
    """What a log holds: the records, most frequent first, and its size."""

    counts: tuple[Count, ...]
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Whole lines from `lowest` to `highest`.

    `base` is the offset of `text`, `line` how many lines are before `lowest`.
    """

    text: bytes
    lowest: int
    highest: int
    base: int
    line: int


@dataclass(slots=True, eq=False)
class _Wanted:
    """Records with one pattern and class while a log is read.

    `words` are all that a message of it holds. `where` and `end` are the offsets of the line that said it
    last, and of that line's end.
    """

    entries: list[Entry]
    sought: Sought
    keys: tuple[Key, ...]
    words: frozenset[bytes]
    count: int = 0
    first_line: int = 0
    first_message: str = ""
    where: int = -1
    end: int = -1
    last: Sighting | None = None

    def rarest(self, frequency: Counter[bytes]) -> tuple[bytes, Key]:
        """The word that is counted least, the longest of such, and its key."""
        return min(
            ((word, key) for key in self.keys for word in key.words),
            key=lambda found: (frequency[found[0]], -len(found[0]), found[0]),
        )


def scan(
    log: Iterable[bytes], entries: Iterable[Entry], tell: Callable[[int], None] = lambda _: None
) -> Scan:
    """Counts the messages of records in a log, whose bytes may be cut anywhere.

    `tell` is told now and then how many bytes were read. Memory is bounded, whatever the log holds: see
    `logs.stretches`.
    """
    shelf = _Shelf(entries)
    text = b""
    size = lines = base = 0  # `base` is the offset of `text`
    here = _Stretch(text, 0, 0, 0, 0)
    around: list[set[bytes]] = [set(), set()]  # the words of the stretches before and here
    for part, raw, ends in chain(stretches(log, REACH), [(b"", 0, 0)]):
        size, lines = size + raw, lines + ends
        dropped = max(0, here.lowest - CONTEXT)
        lowest, highest = here.lowest - dropped, here.highest - dropped
        text, base = text[dropped:] + part, base + dropped
        words = set(part.translate(_WORDS).split())
        # What follows may belong to the last message.
        here = _Stretch(text, lowest, highest, base, here.line)
        shelf.look(here, around[1], around[0] | around[1] | words)
        here = _Stretch(text, highest, len(text), base, here.line + text.count(b"\n", lowest, highest))
        around = [around[1], words]
        tell(size)
    has_rest = bool(text) and not text.endswith(b"\n")
    return Scan(shelf.counts(), lines + has_rest, size)


class _Shelf:
    """The records that are looked for, each under the word that is likely to be missing."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        known: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
        for entry in entries:
            known[entry.segments, entry.error_class.rpartition(".")[2]].append(entry)
        self._wanted = [_wanted(alike) for alike in known.values()]
        frequency = Counter(word for one in self._wanted for key in one.keys for word in key.words)
        self._filed: dict[bytes, list[tuple[_Wanted, Key]]] = defaultdict(list)
        self._idle: Counter[bytes] = Counter()
        for one in self._wanted:
            word, key = one.rarest(frequency)
            self._filed[word].append((one, key))

    def look(self, stretch: _Stretch, words: set[bytes], around: set[bytes]) -> None:
        """Counts what is said in a stretch; `around` are its words and those of its neighbours."""
        for word in sorted(self._filed.keys() & words):
            is_said = [
                words.issuperset(key.words) and around.issuperset(one.words) and _find(one, key, stretch)
                for one, key in self._filed.get(word, ())
            ]
            if not all(is_said):
                self._idle[word] += 1
                if self._idle[word] % IDLE == 0:
                    self._file_anew(word, is_said)

    def _file_anew(self, word: bytes, is_said: list[bool]) -> None:
        """Files patterns under those of their words that were met in vain least."""
        kept = []
        for (one, key), said in zip(self._filed.pop(word), is_said, strict=True):
            best, other = one.rarest(self._idle)
            if said or 2 * self._idle[best] >= self._idle[word]:
                kept.append((one, key))
            else:
                self._filed[best].append((one, other))
        if kept:
            self._filed[word] = kept

    def counts(self) -> tuple[Count, ...]:
        """What was found, most frequent first, then as it came."""
        found = [
            Count(entry, one.count, one.first_line, one.first_message)
            for one in self._wanted
            if one.count
            for entry in one.entries
        ]
        found.sort(key=lambda one: (-one.count, one.first_line, one.entry.repo, one.entry.id))
        return tuple(found)


def _find(one: _Wanted, key: Key, stretch: _Stretch) -> bool:
    """Counts a record where its key's piece stands; whether it was said anywhere."""
    text, highest = stretch.text, stretch.highest
    at = text.find(key.piece, stretch.lowest, highest)
    is_said = False
    while at >= 0:
        found = sighting(text, at, key, one.sought)
        after = at + len(key.piece)
        if found is not None:
            is_said = True
            if stretch.base + found.begin > one.where:
                _count(one, found, stretch)
            # A line says a message once.
            after = max(after, text.find(b"\n", at, highest) + 1 or highest)
        at = text.find(key.piece, after, highest)
    return is_said


def _count(one: _Wanted, found: Sighting, stretch: _Stretch) -> None:
    text, lowest, begin = stretch.text, stretch.lowest, found.begin
    last, one.last, one.where = one.last, found, stretch.base + begin
    end, one.end = one.end - stretch.base, stretch.base + found.end
    if last is not None and last.message == found.message and _is_traceback(text, last.above, end, begin):
        return
    one.count += 1
    if one.count == 1:
        # A message may begin before the stretch.
        one.first_line = (
            1 + stretch.line + text.count(b"\n", lowest, begin) - text.count(b"\n", begin, lowest)
        )
        one.first_message = found.message[:SHOWN]


def _is_traceback(text: bytes, above: bytes | None, end: int, begin: int) -> bool:
    """Whether just a traceback stands between two lines, the first ending at `end`: both say one error.

    Not if the first itself ends a traceback, with `above` before its head.
    """
    between = text[end:begin].lstrip(b"\r\n") if end >= 0 else b""
    marks, head, _ = between.partition(_TRACEBACK)
    if not head or b"\n" in marks or marks == above:
        return False
    return all(
        one.startswith(marks.rstrip()) and _CHAIN.match(one[len(marks) :]) for one in between.splitlines()
    )


def _wanted(entries: list[Entry]) -> _Wanted:
    """By what a message can be found: pieces of fixed text, or else its class."""
    sought = Sought.of(entries[0].pattern, entries[0].error_class)
    pieces = list(_pieces(sought.pattern))
    keys = [key for key in pieces if len(key.piece) >= TELLING] or pieces
    words = {word for key in pieces for word in key.words}
    if sought.is_weak or not keys:
        head = sought.error_class + b": "
        named = head.translate(_WORDS).split()
        keys.append(Key(tuple(named), head, 0, -len(head)))
        words.update(named if sought.is_weak else ())
    return _Wanted(entries, sought, tuple(keys), frozenset(words))


def _pieces(pattern: Pattern) -> Iterator[Key]:
    """Fixed text that stands in one line, with those of its words that touch no hole."""
    ends = 0
    segments = pattern.segments
    for number, segment in enumerate(segments):
        if isinstance(segment, Hole):
            continue
        for found in _PIECES.finditer(segment):
            lines = ends + segment.count("\n", 0, found.start())
            piece = found[0].encode()
            words = piece.translate(_WORDS).split()
            if words and number and not found.start() and piece.startswith(words[0]):
                del words[0]
            is_last = found.end() == len(segment) and number < len(segments) - 1
            if words and is_last and piece.endswith(words[-1]):
                del words[-1]
            if words:
                lead = None if number or lines else len(segment[: found.start()].encode())
                yield Key(tuple(words), piece, lines, lead)
        ends += segment.count("\n")
