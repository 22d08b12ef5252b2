"""What became of a record in other releases, in rows and words."""

import pytest

from generator import editions
from generator.editions import Row
from generator.model import Drift, Edition, Trace

SHA, OTHER = "0" * 40, "1" * 40
RELEASES = tuple(Edition(f"{n}.0", commit=SHA if n == 2 else OTHER if n == 5 else None) for n in range(1, 6))
STANDS = Trace("same", "a b.py", 10)
DRIFT = Drift(
    "acme/widgets",
    "2.0",
    SHA,
    RELEASES,
    {
        "0" * 16: {f"{n}.0": STANDS for n in (1, 2, 3)}
        | {f"{n}.0": Trace("moved", "a b.py", 12) for n in (4, 5)}
    },
    {"1" * 16: "raised in compiled code"},
)


def test_releases_of_which_the_same_is_to_be_said_are_one_row() -> None:
    """The pinned one stands by itself, though it is like its neighbours."""
    found = editions.rows(DRIFT, "0" * 16)

    assert ["1.0", "2.0", "3.0", "4.0 to 5.0"] == [row.versions for row in found]
    assert [False, True, False, False] == [row.is_pinned for row in found]
    assert () == editions.rows(DRIFT, "1" * 16)


def test_a_place_is_linked_where_its_commit_is_known() -> None:
    """To the newest of a row's releases; nothing is guessed of a tag."""
    first, pinned, _, last = editions.rows(DRIFT, "0" * 16)

    assert editions.url("acme/widgets", first) is None
    assert f"https://github.com/acme/widgets/blob/{SHA}/a%20b.py#L10" == editions.url("acme/widgets", pinned)
    assert f"https://github.com/acme/widgets/blob/{OTHER}/a%20b.py#L12" == editions.url("acme/widgets", last)


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (STANDS, "same text, same line"),
        (Trace("moved", "a.py", 11), "same text, 1 line further down"),
        (Trace("moved", "a.py", 3), "same text, 7 lines further up"),
        (Trace("elsewhere", "b.py", 3), "same text, another file"),
        (Trace("changed", "a.py", 3, "other"), "another text"),
        (Trace("gone"), "no such message"),
        (Trace("unread", "a.py"), "its file cannot be read by the Python that looked"),
        (Trace("same", "a.py", 10, None, 3), "same text, same line; raised at 3 places"),
    ],
)
def test_each_fate_has_its_words(trace: Trace, words: str) -> None:
    """Those that a page and a terminal show."""
    assert words == editions.said(Row(RELEASES[:1], trace, is_pinned=False), STANDS)


def test_states_are_counted_for_the_records_that_are_asked_for() -> None:
    """One that is not followed counts nowhere."""
    counts = editions.totals(DRIFT, "5.0", ["0" * 16, "1" * 16, "2" * 16])

    assert {"moved": 1} == {name: number for name, number in counts.items() if number}
    assert list(editions.STATES) == list(counts)
