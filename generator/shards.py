"""The look-up index in pieces: a reader who pastes a message fetches the few that can hold its record.

Every pattern is filed under its *anchor*, the rarest of its safe words (see `lookup`), and under one word
more, for messages that are cut off or nearly match. The shard of a word is its FNV-1a hash modulo their
number. How rare a word is, is known to the builder and the reader alike by `Meta.common`: the commonest words
in groups. All other words count as equally rare, and the longer one comes first.

What changes when: a record that comes or goes changes the two shards of its words. Only when that takes
a listed word over a power of two, or the number of patterns over one, does `Meta` change, and with it shards
of other records. Words are counted in powers of two for just this reason.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from generator.lookup import safe_tokens, tokens
from generator.pattern import Hole, Pattern

PER_SHARD = 28  # filings, on average at most; so 14 at least, and about 20
FILINGS = 2  # of a pattern
COMMON = 2_000  # words that are listed, at most
LEAST = 8  # patterns that hold a word which is listed
OPENING = 4  # safe words of a pattern that a message which is cut off probably still holds
PER_MESSAGE = 8  # shards
RARE = 5  # of these, for words that are not listed, as long as there are listed ones
LOOSE = ""  # files the patterns that have no safe word
_DIGIT = re.compile("[0-9]")
_CODE = re.compile("[A-Za-z]{1,20}[0-9]{2,9}")
WEAK = 16  # fixed characters below which a match may be a stranger's


class Entry(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """What a result shows of a record, or of a place that raises an error which no record explains.

    `segments` are those of `Pattern.as_json`, `holes` a name for each number among them. `slug` and
    `standing` are None for a site, `function` where it was not observed. `error_code` is the program's
    own. `computed` is reserved for messages that are put together at run time.
    """

    id: str
    repo: str
    error_class: str
    segments: tuple[str | int, ...]
    holes: tuple[str, ...]
    file: str
    line: int
    slug: str | None = None
    error_code: str | None = None
    function: str | None = None
    standing: Literal["proven", "read", "unproven"] | None = None
    is_removed: bool = False
    kind: Literal["record", "site"] = "record"
    computed: None = None

    @property
    def pattern(self) -> Pattern:
        """The pattern of `segments`."""
        return Pattern(tuple(Hole(part) if isinstance(part, int) else part for part in self.segments))


class Shard(Struct, frozen=True):
    """The entries of the words whose hash leads here, by repository and slug."""

    entries: tuple[Entry, ...] = ()


class Meta(Struct, frozen=True, rename="camel"):
    """What must be known before a look-up: the number of shards (a power of two), and the common words.

    Each text of `common` is a group of words with spaces between, the commonest group first.
    """

    shards: int
    common: tuple[str, ...]
    has_loose: bool


@dataclass(frozen=True, slots=True)
class Words:
    """How rare words are: the group of each listed one, 1 being the rarest."""

    shards: int
    groups: Mapping[str, int]
    has_loose: bool

    def order(self, word: str) -> tuple[int, bool, int, str]:
        """Sorts rare words first; among equals those that are no numbers or names with numbers."""
        return (self.groups.get(word, 0), _DIGIT.search(word) is not None, -len(word), word)

    def weight(self, words_of: Iterable[str]) -> int:
        """How much it says that two texts share these words: a listed one says half."""
        return sum(1 if word in self.groups else 2 for word in words_of)

    def shard(self, word: str) -> str:
        """The name of the shard that files a word."""
        return name(fnv(word) % self.shards, self.shards)

    def shards_of(self, message: str) -> list[str]:
        """The shards where a message's record is probably filed, likeliest first, `PER_MESSAGE` at most.

        A message holds words of values, which no list knows and which look rare. So listed words keep some
        places.
        """
        spoken = sorted(set(tokens(message)), key=self.order)
        rare = [word for word in spoken if word not in self.groups]
        listed = [word for word in spoken if word in self.groups]
        free = max(PER_MESSAGE - RARE, PER_MESSAGE - len(rare))
        # What may be a code names its record by itself.
        codes = [word for word in rare if _CODE.fullmatch(word)][:1]
        chosen = [*codes, *rare[:RARE], *listed[:free], *rare[RARE:]]
        shards = [self.shard(word) for word in list(dict.fromkeys(chosen))[:PER_MESSAGE]]
        return list(dict.fromkeys([*shards, self.shard(LOOSE)] if self.has_loose else shards))

    def filings(self, entry: Entry) -> tuple[str, ...]:
        """The words that file an entry: its anchor, then its code or the rarest of how it begins."""
        safe = safe_tokens(entry.pattern)
        if not safe:
            return (LOOSE,)
        anchor = min(safe, key=self.order)
        if code := code_word(entry.error_code):
            return (anchor, code)
        opening = safe[:OPENING] if anchor not in safe[:OPENING] else safe
        second = min((word for word in opening if word != anchor), key=self.order, default=None)
        # What many files hold is a large shard, for everybody who asks for it.
        return (anchor,) if second is None or second in self.groups else (anchor, second)


def code_word(code: str | None) -> str | None:
    """The word that a program's code for its error is in a message; None for a code that is no such word."""
    found = _CODE.fullmatch(code or "")
    return tokens(found[0])[0] if found else None


def fnv(word: str) -> int:
    """FNV-1a of 32 bits over the word's UTF-8."""
    state = 0x811C9DC5
    for byte in word.encode():
        state = ((state ^ byte) * 0x01000193) & 0xFFFFFFFF
    return state


def name(number: int, shards: int) -> str:
    """A shard's name: hexadecimal, all of one length."""
    return f"{number:0{len(f'{shards - 1:x}')}x}"


def words(meta: Meta) -> Words:
    """What a reader knows by `meta`."""
    count = len(meta.common)
    groups = {word: count - n for n, group in enumerate(meta.common) for word in group.split(" ")}
    return Words(meta.shards, groups, meta.has_loose)


def shard(entries: Sequence[Entry]) -> tuple[Meta, dict[str, Shard]]:
    """The index of the entries: what must be known, and every shard by its name, also the empty ones."""
    patterns = [entry.pattern for entry in entries]
    meta = Meta(
        _power(-(-len(entries) * FILINGS // PER_SHARD)),
        _common(patterns),
        any(not safe_tokens(pattern) for pattern in patterns),
    )
    known = words(meta)
    filed: dict[str, dict[str, Entry]] = defaultdict(dict)
    for entry in entries:
        for word in known.filings(entry):
            filed[known.shard(word)][entry.id] = entry
    names = [name(number, meta.shards) for number in range(meta.shards)]
    return meta, {one: Shard(tuple(sorted(filed[one].values(), key=_place))) for one in names}


def _place(entry: Entry) -> tuple[str, str, str]:
    return entry.repo, entry.slug or "", entry.id


def _power(number: int) -> int:
    """The least power of two that is no less."""
    return 1 << max(number - 1, 0).bit_length()


def _common(patterns: Iterable[Pattern]) -> tuple[str, ...]:
    """The words that many patterns hold, grouped by how many in powers of two, the commonest first."""
    frequency = Counter(word for pattern in patterns for word in set(safe_tokens(pattern)))
    least = LEAST
    while sum(count >= least for count in frequency.values()) > COMMON:
        least *= 2
    groups: dict[int, list[str]] = defaultdict(list)
    for word, count in frequency.items():
        if count >= least:
            groups[count.bit_length()].append(word)
    # A group without words would put the others' numbers off.
    return tuple(" ".join(sorted(groups[size])) for size in sorted(groups, reverse=True))
