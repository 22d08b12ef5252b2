"""The index in pieces: a reader fetches the right ones, and they stay as they are."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import shards
from generator.pattern import Hole, Pattern, parse
from generator.shards import Entry, Shard, fnv, shard
from tests.test_lookup import patterns


def entry(number: int, pattern: Pattern, **fields: Any) -> Entry:
    """An entry of that pattern, numbered."""
    return Entry(
        id=f"{number:016x}",
        repo="acme/widgets",
        slug=f"slug-{number}",
        error_class="ValueError",
        segments=tuple(pattern.as_json()),
        holes=tuple(str(n) for n, one in enumerate(pattern.segments) if isinstance(one, Hole)),
        file="a.py",
        line=1,
        **fields,
    )


def corpus(count: int) -> list[Entry]:
    """Entries whose messages share common words, and hold two words that few others do."""
    texts = (
        f"the {word(number)} of the {word(number * 7 + 3)} must be a number, got (.+?)"
        for number in range(count)
    )
    return [entry(number, parse(text)[0]) for number, text in enumerate(texts)]


def word(number: int) -> str:
    """A word for every number, without digits."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number * 7919:07}")


@pytest.mark.parametrize(("text", "value"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_hash_is_fnv_1a(text: str, value: int) -> None:
    """The published values of the 32-bit hash."""
    assert value == fnv(text)


@given(st.lists(patterns(), max_size=12), st.data())
def test_a_message_leads_to_its_shard(known: list[Pattern], data: st.DataObject) -> None:
    """The shards of a pattern's own message, its holes filled with few words, hold it."""
    entries = [entry(number, one) for number, one in enumerate(known)]
    meta, filed = shard(entries)

    for one in entries:
        values = [
            part if isinstance(part, str) else data.draw(st.sampled_from(["7", "a b", "é", "[1, 2]"]))
            for part in one.segments
        ]
        names = shards.words(meta).shards_of("".join(values))
        assert len(names) <= shards.PER_MESSAGE + 1
        assert one in [found for name in names for found in filed[name].entries]


def test_words_of_values_do_not_crowd_out_those_of_the_pattern() -> None:
    """A message of common words with a value of many rare ones still leads to its record."""
    texts = [f"{one} must be {two}" for one in ("this", "that") for two in map(word, range(20))]
    entries = [entry(number, parse(text)[0]) for number, text in enumerate([*texts, "this must be (.+?)"])]
    meta, filed = shard(entries)

    names = shards.words(meta).shards_of("this must be " + " ".join(map(word, range(100, 200))))

    assert entries[-1] in [found for name in names for found in filed[name].entries]


def test_every_shard_exists() -> None:
    """As many as `meta` says, also empty ones, about twenty filings in each: a reader never meets a hole."""
    meta, filed = shard(corpus(1_000))

    assert 128 == meta.shards == len(filed)
    assert 2_000 >= sum(len(one.entries) for one in filed.values()) >= 1_900
    assert (shards.Meta(1, (), has_loose=False), {"0": Shard()}) == shard([])


def test_a_record_more_changes_two_shards() -> None:
    """Neither the common words nor where others are filed depends on one record."""
    entries = corpus(1_000)
    meta, filed = shard(entries)

    for changed in ([*entries, entry(5_000, parse("no widget fits (.+?) and its frame")[0])], entries[:-1]):
        other, others = shard(changed)
        assert meta == other
        assert len([name for name in filed if filed[name] != others[name]]) <= shards.FILINGS


def test_an_edit_changes_two_shards() -> None:
    """What is shown of a record stands in the shards of its words alone."""
    entries = corpus(1_000)
    _, filed = shard(entries)
    moved = entry(500, parse(corpus(501)[500].segments[0].__str__() + "(.+?)")[0], function="f")

    _, others = shard([*entries[:500], moved, *entries[501:]])

    assert 1 <= len([name for name in filed if filed[name] != others[name]]) <= shards.FILINGS
