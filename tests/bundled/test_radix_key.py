"""`generator.bundled.radix_key`: positions, slices, namespaces, pairs, limits."""

from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.bundled.radix_key import RadixKey

KEY = RadixKey(array("q", [5, 6, 7]), "lora-a", cache_salt="tenant")
PAIRS = RadixKey(array("q", [5, 6, 7]), is_bigram=True)
LIMITED = RadixKey([5, 6, 7, 8], limit=2)
EMPTY = RadixKey(array("q"))


def evaluate(call: str) -> Any:
    """Evaluate a call as a record would write it; the key's user is not held to its types."""
    keys = {"KEY": KEY, "PAIRS": PAIRS, "LIMITED": LIMITED, "EMPTY": EMPTY}
    return eval(call, {**keys, "RadixKey": RadixKey, "array": array})  # noqa: S307 - the calls stand in this file


# What raises.

OUTSIDE = "RadixKey index out of range: {}"
STEP = "RadixKey slice step must be 1"
EXTRA_KEY = "RadixKey operations require matching extra_key, but got self.extra_key={} != other.extra_key={}"
SALT = "RadixKey operations require matching cache_salt, but got self.cache_salt={} != other.cache_salt={}"
NO_INDICES = "'{}' object has no attribute 'indices'"

RAISED = (
    ("KEY[3]", IndexError, OUTSIDE.format(3)),
    ("KEY[-4]", IndexError, OUTSIDE.format(-1)),
    ("KEY[-9]", IndexError, OUTSIDE.format(-6)),
    ("KEY[10**20]", IndexError, OUTSIDE.format(10**20)),
    ("PAIRS[2]", IndexError, OUTSIDE.format(2)),
    ("LIMITED[2]", IndexError, OUTSIDE.format(2)),
    ("EMPTY[0]", IndexError, OUTSIDE.format(0)),
    ("EMPTY[-1]", IndexError, OUTSIDE.format(-1)),
    ("EMPTY[False]", IndexError, OUTSIDE.format("False")),
    ("KEY[::2]", ValueError, STEP),
    ("KEY[::-1]", ValueError, STEP),
    ("EMPTY[0:0:2]", ValueError, STEP),
    ("KEY[::0]", ValueError, "slice step cannot be zero"),
    ("KEY[1.0]", AttributeError, NO_INDICES.format("float")),
    ("KEY['0']", AttributeError, NO_INDICES.format("str")),
    ("KEY[None]", AttributeError, NO_INDICES.format("NoneType")),
    ("KEY[0, 1]", AttributeError, NO_INDICES.format("tuple")),
    ("KEY[:1.5]", TypeError, "slice indices must be integers or None or have an __index__ method"),
    ("KEY.match(RadixKey(KEY.token_ids, 'b'))", ValueError, EXTRA_KEY.format("'lora-a'", "'b'")),
    ("KEY.match(RadixKey(KEY.token_ids))", ValueError, EXTRA_KEY.format("'lora-a'", None)),
    ("PAIRS.match(RadixKey(KEY.token_ids, ''))", ValueError, EXTRA_KEY.format(None, "''")),
    ("KEY.match(RadixKey([5], 'b', cache_salt='c'))", ValueError, EXTRA_KEY.format("'lora-a'", "'b'")),
    ("KEY.match(RadixKey([5], 'lora-a', cache_salt='c'))", ValueError, SALT.format("'tenant'", "'c'")),
    ("KEY.match(RadixKey([5], 'lora-a', cache_salt=''))", ValueError, SALT.format("'tenant'", None)),
    (
        "EMPTY.match(RadixKey([]))",
        AssertionError,
        "(<class 'array.array'>, <class 'list'>)",
    ),
    ("KEY.match([5, 6, 7])", AttributeError, "'list' object has no attribute 'extra_key'"),
    ("KEY.match(None)", AttributeError, "'NoneType' object has no attribute 'extra_key'"),
    ("KEY.match(KEY, 0)", ZeroDivisionError, None),
    ("KEY.page_aligned(0)", ZeroDivisionError, None),
    ("EMPTY.child_key()", IndexError, "array index out of range"),
    ("RadixKey([]).child_key()", IndexError, "list index out of range"),
    ("PAIRS.child_key(3)", IndexError, "array index out of range"),
    ("len(RadixKey([5, 6], limit=-1))", ValueError, "__len__() should return >= 0"),
    ("len(RadixKey([5, 6], limit=1.5))", TypeError, "'float' object cannot be interpreted as an integer"),
    ("len(RadixKey(None))", TypeError, "object of type 'NoneType' has no len()"),
    ("setattr(KEY, 'value', 1)", AttributeError, None),
)


@pytest.mark.parametrize(("call", "error", "message"), RAISED)
def test_a_wrong_call_raises_upstreams_message(
    call: str, error: type[Exception], message: str | None
) -> None:
    """The class and the text are upstream's, or the interpreter's own (None)."""
    with pytest.raises(error) as caught:
        evaluate(call)
    assert error is type(caught.value)
    assert message in {None, str(caught.value)}


# What is accepted.

RETURNED = (
    ("len(KEY), len(PAIRS), len(LIMITED), len(EMPTY)", (3, 2, 2, 0)),
    ("list(KEY), list(PAIRS), list(LIMITED)", ([5, 6, 7], [(5, 6), (6, 7)], [5, 6])),
    ("KEY[0].token_ids", array("q", [5])),
    ("KEY[-1].token_ids", array("q", [7])),
    ("KEY[True].token_ids", array("q", [6])),
    ("PAIRS[1].token_ids", array("q", [6, 7])),
    ("PAIRS[1:1].token_ids", array("q")),
    ("PAIRS[:1].is_bigram", True),
    ("RadixKey('567', is_bigram=True)[0:0].token_ids", array("q")),
    ("KEY[1:].token_ids", array("q", [6, 7])),
    ("KEY[2:1].token_ids", array("q")),
    ("KEY[-99:99].token_ids", array("q", [5, 6, 7])),
    ("KEY[::1].token_ids", array("q", [5, 6, 7])),
    ("LIMITED[0:9].token_ids, LIMITED[0:9].limit", ([5, 6], None)),
    ("KEY[0].extra_key, KEY[0].cache_salt", ("lora-a", "tenant")),
    ("RadixKey([5], cache_salt='').cache_salt", None),
    ("RadixKey([5], extra_key='').extra_key", ""),
    ("LIMITED.raw_token_ids(), LIMITED.token_ids", ([5, 6], [5, 6, 7, 8])),
    ("KEY.raw_token_ids() is KEY.token_ids", True),
    ("KEY.match(KEY), PAIRS.match(PAIRS), EMPTY.match(EMPTY)", (3, 2, 0)),
    ("EMPTY.match(RadixKey(array('q', [5])))", 0),
    ("KEY.match(KEY, 2), KEY.match(KEY, 4), KEY.match(KEY, -2)", (2, 0, 4)),
    ("PAIRS.match(PAIRS, 0), PAIRS.match(PAIRS, -2)", (2, 2)),
    ("LIMITED.match(RadixKey([5, 6, 7, 8])), RadixKey([5, 6, 7, 8]).match(LIMITED)", (2, 2)),
    ("RadixKey([5, 6, 7]).match(RadixKey([5, 6, 7, 8], is_bigram=True))", 3),
    ("RadixKey([5, 6, 7], is_bigram=True).match(RadixKey([5, 6, 7, 8]))", 2),
    ("KEY.page_aligned(1) is KEY", True),
    ("KEY.page_aligned(2).token_ids", array("q", [5, 6])),
    ("KEY.page_aligned(4).token_ids", array("q")),
    ("KEY.child_key()", (("lora-a", "tenant"), 5)),
    ("RadixKey([5, 6], 'a').child_key(2)", ("a", (5, 6))),
    ("RadixKey([5, 6]).child_key(), RadixKey([5, 6]).child_key(9)", (5, (5, 6))),
    ("PAIRS.child_key(), PAIRS.child_key(2)", ((5, 6), ((5, 6), (6, 7)))),
    ("LIMITED.child_key(3)", (5, 6, 7)),
    (
        "repr(KEY)",
        "RadixKey(extra_key='lora-a', cache_salt='tenant', token_ids=array('q', [5, 6, 7]), is_bigram=False)",
    ),
    (
        "repr(RadixKey([*range(11)], limit=2))",
        f"RadixKey(extra_key=None, cache_salt=None, token_ids={[*range(10)]}..., is_bigram=False)",
    ),
)


@pytest.mark.parametrize(("call", "value"), RETURNED)
def test_a_call_returns_what_upstreams_does(call: str, value: object) -> None:
    """Odd results included: a tree that relied on them would find them here."""
    assert value == evaluate(call)


def test_a_key_becomes_one_of_pairs_in_place() -> None:
    """What belongs to its tokens is cut to its pairs, the first time only."""
    key = RadixKey([5, 6, 7])
    assert (key, [1, 2, 3]) == key.maybe_to_bigram_view(is_eagle=False, value=[1, 2, 3])
    assert (key, [1, 2]) == key.maybe_to_bigram_view(is_eagle=True, value=[1, 2, 3])
    assert (key, [1, 2, 3]) == key.maybe_to_bigram_view(is_eagle=True, value=[1, 2, 3])
    assert (key, None) == key.maybe_to_bigram_view(is_eagle=True)
    assert [(5, 6), (6, 7)] == list(key)


tokens = st.lists(st.integers(0, 1), max_size=40)


@given(common=tokens, first=tokens, second=tokens)
def test_matching_counts_the_common_prefix(common: list[int], first: list[int], second: list[int]) -> None:
    """Whatever its length: the doubling slices and the bisection find what a walk does."""
    mine, theirs = [*common, *first], [*common, *second]
    pairs = zip(mine, theirs, strict=False)
    expected = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(mine), len(theirs)))
    assert expected == RadixKey(mine).match(RadixKey(theirs))
    key = RadixKey(mine, is_bigram=True)
    assert max(0, expected - 1) == key.match(RadixKey(theirs, is_bigram=True))


@given(
    length=st.integers(0, 12), start=st.integers(-15, 15), stop=st.integers(-15, 15), is_bigram=st.booleans()
)
def test_a_slice_holds_the_units_that_a_lists_slice_holds(
    length: int,
    start: int,
    stop: int,
    is_bigram: bool,  # noqa: FBT001
) -> None:
    """Pairs included: a slice of them takes one raw token more, and an empty one takes none."""
    key = RadixKey([*range(length)], is_bigram=is_bigram)
    assert list(key)[start:stop] == list(key[start:stop])
