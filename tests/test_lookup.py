"""The index finds what trying every pattern would find."""

from hypothesis import given
from hypothesis import strategies as st

from generator.lookup import Index, safe_tokens, tokens
from generator.pattern import Pattern, parse
from generator.template import template

words = st.sampled_from(["page", "Pool", "size", "x", "got", "é", "_id", "42", "must be", "="])
pieces = st.lists(st.one_of(words, st.sampled_from([" ", ", ", "\n", "(", ""])), min_size=1, max_size=6)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """A pattern of a template of words and holes."""
    parts = draw(st.lists(st.one_of(words, st.sampled_from([" ", "{a}", "{b}"])), min_size=1, max_size=7))
    return template("".join(parts)).pattern()


def test_tokens_are_folded_words_of_two_letters_or_more() -> None:
    """Words keep digits, underscores and letters beyond ASCII; only ASCII is folded."""
    assert ["got", "need_size", "37", "äÖ"] == tokens("Got need_size=37, äÖ x")


def test_words_that_touch_a_hole_are_not_safe() -> None:
    """What stands directly beside a hole may be longer in a message."""
    pattern, _ = parse("pool size(.+?)end got (.+?) of all")

    assert ["pool", "got", "of", "all"] == safe_tokens(pattern)


@given(st.lists(patterns(), max_size=8), pieces)
def test_index_finds_what_trying_all_finds(known: list[Pattern], text: list[str]) -> None:
    """For any patterns and message, the index and the trial of every pattern agree."""
    message = "".join(text)

    expected = [number for number, one in enumerate(known) if one.captures(message) is not None]

    assert expected == Index(known).matches(message)


@given(patterns(), st.lists(st.sampled_from(["7", "page", "a b", "é"]), min_size=7, max_size=7))
def test_filled_pattern_is_found(one: Pattern, values: list[str]) -> None:
    """A pattern is found by its own text with any values in the holes."""
    filler = iter(values)
    message = "".join(part if isinstance(part, str) else next(filler) for part in one.segments)

    assert [0] == Index([one]).matches(message)


def test_few_candidates_are_tried() -> None:
    """A message of a corpus of a thousand patterns is tried against one."""
    known = [
        template(f"word{number} is not what was asked for, got {{x}}").pattern() for number in range(1000)
    ]
    index = Index(known)

    assert [437] == list(index.candidates("word437 is not what was asked for, got 3"))
