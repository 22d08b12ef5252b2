"""`generator.words`: that what is told of two texts is true, and ends."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import words
from generator.words import Piece, excerpt, lines, pieces

texts = st.text(st.sampled_from("ab c\n.é"), max_size=60)


def joined(found: tuple[Piece, ...], *steps: str) -> str:
    """Return the pieces of some steps as one text."""
    return "".join(text for step, text in found if step in steps)


@given(texts, texts)
def test_both_texts_are_in_the_pieces(before: str, after: str) -> None:
    """What was kept and taken away is the one, what was kept and added the other."""
    found = pieces(before, after)
    assert (before, after) == (joined(found, "=", "-"), joined(found, "=", "+"))
    assert all(text for _, text in found)


@given(texts, texts)
def test_lines_are_those_of_the_texts(before: str, after: str) -> None:
    """With all of them around, nothing is left out."""
    found = lines(before, after, around=60)
    if before == after:
        assert () == found
        return
    assert before.split("\n") == [text for step, text in found if step != "+"]
    assert after.split("\n") == [text for step, text in found if step != "-"]


def test_words_are_compared_and_not_letters() -> None:
    """A reader sees which word became which."""
    assert (("=", "the "), ("-", "page"), ("+", "pages"), ("=", " of it")) == pieces(
        "the page of it", "the pages of it"
    )


def test_equal_texts_are_one_piece() -> None:
    """And two empty ones are none."""
    assert ((("=", "a b"),), ()) == (pieces("a b", "a b"), pieces("", ""))


@pytest.mark.parametrize("count", [400, 40_000])
def test_long_texts_are_compared_in_larger_parts(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By lines, and beyond these as a whole: how long it takes is known before."""
    compared = []

    def counting(_: None, old: list[str], new: list[str], *, autojunk: bool) -> SequenceMatcher[str]:
        compared.append(len(old) * len(new))
        return SequenceMatcher(None, old, new, autojunk=autojunk)

    monkeypatch.setattr(words, "SequenceMatcher", counting)
    before = "".join(f"a b {n}\n" for n in range(count))
    after = "".join(f"b a {n}\n" for n in range(count))
    found = pieces(before, after)
    assert (before, after) == (joined(found, "=", "-"), joined(found, "=", "+"))
    assert sum(compared) <= words.MOST
    assert (count == 400) is bool(compared)


def test_what_is_kept_is_cut_to_what_stands_beside_a_change() -> None:
    """Before the first and behind the last, nothing of the far end is shown."""
    text = "x" * 100
    found: tuple[Piece, ...] = (("=", text), ("-", text), ("=", text), ("+", "y"), ("=", text))
    assert (("=", "…xx"), ("-", text), ("=", "xx…xx"), ("+", "y"), ("=", "xx…")) == excerpt(found, around=2)
    assert (("=", "xxxxx"),) == excerpt((("=", "xxxxx"),), around=2)


def test_lines_far_from_a_change_are_left_out() -> None:
    """One stands for them."""
    before = "\n".join("abcdefghij")
    after = before.replace("b", "B").replace("i", "I")
    assert [
        "=a", "-b", "+B", "=c", "=…", "=h", "-i", "+I", "=j"
    ] == ["".join(piece) for piece in lines(before, after)]  # fmt: skip
