"""Long lists, cut where their entries alone decide."""

from hypothesis import given
from hypothesis import strategies as st

from generator.chapters import cut

NAMES = st.sets(st.text("abcdefgh", min_size=1, max_size=6), min_size=0, max_size=300)


def parts(names: set[str], most: int = 20) -> list[list[str]]:
    """The entries of each part, in order."""
    ordered = sorted(names)
    return [[ordered[n] for n in part] for part in cut(ordered, most)]


@given(NAMES)
def test_parts_hold_everything_once_in_order(names: set[str]) -> None:
    """No part is empty unless the list is, and none is too long."""
    found = parts(names)

    assert sorted(names) == [name for part in found for name in part]
    assert all(1 <= len(part) <= 20 for part in found) or not names


@given(NAMES, st.text("abcdefgh", min_size=1, max_size=6))
def test_a_new_entry_touches_one_part(names: set[str], name: str) -> None:
    """It falls into a part, or that part is cut; all the others stay as they are."""
    before, after = parts(names), parts(names | {name})

    gone = [part for part in before if part not in after]
    come = [part for part in after if part not in before]
    assert len(gone) <= 1
    assert sorted({name, *(one for part in gone for one in part)}) == sorted(
        one for part in come for one in part
    ) or (name in names and not come)


def test_long_lists_are_cut() -> None:
    """A hundred thousand entries have parts of fifty on average, not of one or two."""
    names = [f"error-{number:06}" for number in range(100_000)]

    assert 300 < len(cut(names, 300)) < 3_000
