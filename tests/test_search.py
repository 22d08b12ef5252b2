"""From pastes to records: what ranks first, what counts as near, and that the browser agrees."""

import json
import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from generator import search, shards
from generator.pattern import parse
from generator.shards import Entry
from tests.browser_scripts import answers
from tests.test_lookups import own_index
from tests.test_paste import mutated


def known(text: str, **fields: Any) -> Entry:
    """An entry with a pattern; its id is made of its slug."""
    pattern, _ = parse(text)
    holes = tuple(f"hole{n}" for n, one in enumerate(pattern.as_json()) if isinstance(one, int))
    defaults = {"repo": "acme/widgets", "error_class": "ValueError", "file": "src/pool.py", "line": 53}
    return Entry(
        segments=tuple(pattern.as_json()), holes=holes, **{"slug": fields["id"], **defaults, **fields}
    )


def index(entries: Sequence[Entry]) -> dict[str, bytes]:
    """The files of an index."""
    meta, filed = shards.shard(entries)
    files = {name: msgspec.json.encode(shard) for name, shard in filed.items()}
    return {"meta": msgspec.json.encode(meta), **files}


def look_up(paste: str, *entries: Entry) -> list[tuple[str, str]]:
    """How each match matches, and its id; the browser's whole answer is the same."""
    files = index(entries)
    found = search.search(paste, files.__getitem__)
    assert json.loads(msgspec.json.encode(found)) == answers([paste], files)[0]["found"]
    return [(match.match, match.id) for match in found.matches]


SIZE = known("pool size must be positive, got (.+?)", id="size")


def test_whole_messages_match_exactly_with_their_values() -> None:
    """An answer has all that a page shows of it."""
    found = search.search("ValueError: pool size must be positive, got -3", index([SIZE]).__getitem__)

    (match,) = found.matches
    assert ("exact", "acme/widgets/size/index.html") == (match.match, match.url)
    assert {"hole1": "-3"} == match.values
    assert "pool size must be positive, got -3" == match.message
    assert [False] * 3 == [match.is_weak, match.is_cut, match.is_removed]


def test_the_same_class_ranks_first() -> None:
    """Among equal patterns, where the class is known."""
    other = known("pool size must be positive, got (.+?)", id="other", error_class="TypeError")

    assert [("exact", "size")] == look_up("ValueError: pool size must be positive, got 3", SIZE, other)
    assert [("exact", "other"), ("exact", "size")] == look_up(
        "pool size must be positive, got 3", SIZE, other
    )


def test_another_class_is_only_near() -> None:
    """The message is the record's, the error is not."""
    assert [("near", "size")] == look_up("KeyError: pool size must be positive, got 3", SIZE)


def test_frames_rank_before_text() -> None:
    """The file of the traceback settles which of several records it is."""
    longer = known("pool size must be positive, got (.+?) pages", id="longer", file="src/other.py")
    frames = 'Traceback (most recent call last):\n  File "/x/src/pool.py", line 53, in f\n    g()\n'

    text = "ValueError: pool size must be positive, got 3 pages"
    assert [("exact", "longer"), ("exact", "size")] == look_up(text, SIZE, longer)
    assert [("exact", "size"), ("exact", "longer")] == look_up(frames + text, SIZE, longer)


def test_the_last_error_is_the_one_that_is_explained() -> None:
    """What it was raised from is looked up only if the last one is unknown."""
    cause = known("no such widget: (.+?) of (.+?)", id="cause", error_class="KeyError")
    frames = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n'
    first = (
        frames
        + "KeyError: no such widget: a of b\n\nThe above exception was the direct cause of the following"
    )
    chain = f"{first} exception:\n\n{frames}ValueError: "

    assert [("exact", "size")] == look_up(f"{chain}pool size must be positive, got 3", SIZE, cause)
    assert [("exact", "cause")] == look_up(f"{chain}it failed", SIZE, cause)


def test_a_message_cut_off_is_near() -> None:
    """If it holds as much of the pattern's beginning as a record must have."""
    assert [("near", "size")] == look_up("pool size must be posi...", SIZE)
    assert [] == look_up("pool size m...", SIZE)
    assert [] == look_up("pool size may grow again...", SIZE)


def test_most_words_are_near() -> None:
    """Seven in ten, three at the least; fewer are honestly unknown."""
    assert [("near", "size")] == look_up("the pool size must be positive and got lost", SIZE)
    assert [] == look_up("the pool size is good", SIZE)


def test_a_code_is_near() -> None:
    """Another message of the program's own code leads to the code's page."""
    coded = known("`(.+?)` must be a list", id="coded", error_code="E0113")

    assert [("near", "coded")] == look_up("a.yaml:5:13: error[E0113] `line` is no number", coded, SIZE)


def test_a_site_is_told_from_a_record() -> None:
    """It has no page, and says where it is raised."""
    site = known("widget (.+?) has no frame", id="site", slug=None, kind="site")

    assert [("site", "site")] == look_up("ValueError: widget 3 has no frame", site)


def test_weak_patterns_rank_last() -> None:
    """They match strangers' messages: nothing stops at them."""
    weak = known("(.+?): got (.+?)", id="weak")

    assert [("exact", "size"), ("exact", "weak")] == look_up(
        "x: got 1\nValueError: pool size must be positive, got a: got 3", SIZE, weak
    )


@pytest.mark.parametrize("paste", ["", " \n", "\0\x1b[0m"])
def test_nothing_was_said(paste: str) -> None:
    """Without words nothing is fetched."""
    assert search.Found(None, ()) == search.search(paste, index([]).pop)


def test_the_unknown_is_told() -> None:
    """For a proposal: class, message and the innermost frame."""
    paste = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\na.Bad: what now\n'

    found = search.search(paste, index([SIZE]).__getitem__)

    assert search.Found(search.Query("a.Bad", "what now", "a.py", 3, "f"), ()) == found


def test_few_files_are_fetched() -> None:
    """Whatever is pasted, and each once."""
    fetched: list[str] = []
    many = [known(f"word{n} is not what was asked for, got (.+?)", id=f"{n}") for n in range(3_000)]
    files = index(many)

    def load(name: str) -> bytes:
        fetched.append(name)
        return files[name]

    search.search("\n".join(f"ValueError: thing{n} wants other{n * 7}" for n in range(500)), load)

    assert 1 + search.SHARDS == len(fetched) == len(set(fetched))


def test_the_browser_agrees_on_mutations() -> None:
    """All of the answer, for real pastes with something put in, taken out or cut off."""
    chance = random.Random(7)  # noqa: S311 - cases, not secrets
    pastes = [mutated(chance) for _ in range(1_500)]

    found = [json.loads(msgspec.json.encode(search.search(one, own_index().__getitem__))) for one in pastes]

    assert found == [answer["found"] for answer in answers(pastes, own_index())]
    assert {"exact", "near"} <= {match["match"] for one in found for match in one["matches"]}
