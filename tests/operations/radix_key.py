"""What `RadixKey` is asked, and where its original stands."""

import random
from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

import torch

from generator.bundled.radix_key import RadixKey
from tests.differential import Case
from tests.operations.odd import Odd

ODD_TOKENS = (
    *(
        "array('q', [5, 6, 7])",
        "array('q')",
        "array('q', [5])",
        "array('q', range(40))",
        "array('I', [5, 6])",
    ),
    *("array('d', [1.0, float('nan'), 2.0])", "[5, 6, 7]", "[]", "(5, 6, 7)", "range(5, 8)", "range(10**30)"),
    *(
        "'567'",
        "''",
        "b'567'",
        "{0: 5, 1: 6, 2: 7}",
        "{5, 6}",
        "None",
        "5",
        "iter([5, 6])",
        "[[5], [6], [7]]",
    ),
    *("[5, None, 'x']", "torch.tensor([5, 6, 7])", "torch.tensor([[5, 6], [7, 8]])", "torch.tensor(5)"),
    *("[float('nan')] * 3", "[(5, 6), (6, 7)]", "memoryview(b'567')", "deque([5, 6])"),
)
ODD_BIGRAMS = ("True", "False", "1", "0", "None", "'x'", "''", "[]", "0.0", "torch.tensor([1, 0])")
ODD_LIMITS = (
    *(
        "None",
        "0",
        "1",
        "2",
        "3",
        "99",
        "-1",
        "-3",
        "True",
        "False",
        "1.5",
        "0.5",
        "2.0",
        "-0.5",
        "'2'",
        "[]",
    ),
    *("Decimal(2)", "Decimal('0.5')", "Fraction(1, 2)", "float('nan')", "float('inf')", "10**30", "-10**30"),
    *("torch.tensor(2)", "torch.tensor([2])", "torch.tensor([1, 2])", "1j", "torch.tensor(1.5)"),
)
ODD_SPACES = (
    *("None", "''", "'a'", "'b'", "0", "False", "1", "()", "('a', 'b')", "[]", "b'a'", "float('nan')", "nan"),
    *("torch.tensor([1, 2])", "torch.tensor(1)", "'a\\nb'", "'{x}'", "Odd"),
)
ODD_INDICES_OF_KEY = (
    *(str(number) for number in range(-9, 10)),
    *("True", "False", "10**30", "-10**30", "40", "-40", "1.0", "'0'", "None", "...", "(0, 1)", "[0]"),
    *("Decimal(1)", "torch.tensor(0)", "torch.tensor([0])", "range(2)", "float('nan')", "1j", "b'0'", "Odd"),
    *("slice(None)", "slice(0, 2)", "slice(1, None)", "slice(None, -1)", "slice(-2, None)", "slice(2, 1)"),
    *("slice(0, 10**30)", "slice(-10**30, None)", "slice(3, 3)", "slice(99, None)", "slice(None, None, 1)"),
    *("slice(None, None, 2)", "slice(None, None, -1)", "slice(None, None, 0)", "slice(0, 0, 2)"),
    *("slice(None, None, True)", "slice(None, None, 10**30)", "slice(None, None, None)", "slice(0, 1.5)"),
    *("slice('a', None)", "slice(None, None, 1.0)", "slice(None, None, 'x')", "slice(True, 2)"),
    *("slice(torch.tensor(0), torch.tensor(2))", "slice(torch.tensor([0, 1]), None)"),
)
ODD_PAGES = (
    *("1", "2", "3", "4", "7", "0", "-1", "-2", "True", "False", "1.0", "2.0", "0.5", "0.0", "'2'", "None"),
    *("[]", "Decimal(2)", "Fraction(3, 2)", "10**30", "-10**30", "float('nan')", "float('inf')", "1j"),
    *("torch.tensor(2)", "torch.tensor([1, 2])", "torch.tensor(1)"),
)
KEY_READS = (
    *(
        "len(key)",
        "list(key)",
        "repr(key)",
        "seen(key.raw_token_ids())",
        "key.raw_token_ids() is key.token_ids",
    ),
    *(
        "bool(key)",
        "key == other",
        "key == key",
        "hash(key) == hash(key)",
        "key.absent",
        "key.absent",
    ),
    *("setattr(key, 'absent', 1)", "5 in key", "(5, 6) in key", "[*reversed(key)]", "next(iter(key))"),
    *(
        "key.page_aligned(1) is key",
        "key.maybe_to_bigram_view(False)[0] is key",
        "key[0] is key",
        "key[:] is key",
    ),
    *(
        "key[0:1, 2]",
        "key.match()",
        "key.match(key)",
        "other.match(key, 2)",
        "key.match(None)",
        "key.match([5])",
    ),
    *("key.match('x')", "key.match(Odd)", "key.child_key(page_size=2)", "key.page_aligned()", "key.hash_of"),
    *("seen(key.maybe_to_bigram_view(True))", "seen(key.maybe_to_bigram_view(True, torch.arange(9)))"),
    *("seen(key.maybe_to_bigram_view(1, [1, 2, 3, 4]))", "seen(key.maybe_to_bigram_view('', 'x'))"),
    *("seen(key.maybe_to_bigram_view(True, 5))", "seen(key.maybe_to_bigram_view(is_eagle=True, value=()))"),
    *(
        "key.maybe_to_bigram_view()",
        "RadixKey()",
        "RadixKey([5], 'a', False, 1, 's', 2)",
        "RadixKey(tokens=[])",
    ),
    *(
        "seen(RadixKey([5], 'a', True, 1, 's'))",
        "seen(RadixKey(token_ids=[5], cache_salt=''))",
        "sorted(key)",
    ),
    *("setattr(key, 'token_ids', None)", "delattr(key, 'extra_key')", "delattr(key, 'cache_salt')"),
    *("delattr(key, 'limit')", "delattr(key, 'is_bigram')", "setattr(other, 'limit', 'x')", "min(key)"),
)


def seen(value: object) -> object:
    """Show all of a key, of tensors, and of tuples of them, in plain values."""
    if type(value).__name__ == "RadixKey":
        slots = ("token_ids", "extra_key", "cache_salt", "is_bigram", "limit")
        return {name: seen(getattr(value, name, "absent")) for name in slots}
    if isinstance(value, torch.Tensor):
        return f"tensor of {value.tolist()}"
    if isinstance(value, tuple):
        return tuple(seen(item) for item in value)
    return value


def key_names() -> dict[str, object]:
    """Return what operations on keys may name."""
    values = {"array": array, "deque": deque, "torch": torch, "Decimal": Decimal, "Fraction": Fraction}
    return {**values, "Odd": Odd, "seen": seen, "nan": float("nan")}


def key_operations(chance: random.Random) -> Iterator[str]:
    """Yield every odd value once in every place, then calls at random without end."""

    def constructed(name: str, **odd: str) -> str:
        short = chance.choice(("5", "5, 6", "5, 6, 7", "5, 6, 8", "5, 9", "*range(5, 30)", "*range(5, 60)"))
        tokens = chance.choice((f"array('q', [{short}])", f"array('q', [{short}])", f"[{short}]"))
        sound = {
            "extra_key": chance.choice(("None", "None", "None", "'a'", "'b'")),
            "is_bigram": chance.choice(("False", "False", "True")),
            "limit": chance.choice(("None", "None", "None", "2", "4", "20")),
            "cache_salt": chance.choice(("None", "None", "None", "'s'", "'t'", "''")),
        }
        given = ", ".join(f"{each}={value}" for each, value in {"token_ids": tokens, **sound, **odd}.items())
        return f"({name} := RadixKey({given}))"

    def plain(name: str, **odd: str) -> str:
        given = {"token_ids": "array('q', [5, 6, 7, 8])", "is_bigram": "False", "limit": "None"} | odd
        return f"({name} := RadixKey({', '.join(f'{each}={value}' for each, value in given.items())}))"

    def pages() -> str:
        return chance.choice((*("1", "1", "2", "3", "4") * 6, *ODD_PAGES))

    def some_key() -> str:
        return constructed(chance.choice(("key", "other")))

    def odd_key() -> str:
        places = {
            "token_ids": ODD_TOKENS,
            "extra_key": ODD_SPACES,
            "is_bigram": ODD_BIGRAMS,
            "limit": ODD_LIMITS,
            "cache_salt": ODD_SPACES,
        }
        chosen = chance.sample(tuple(places), chance.choice((1, 1, 2)))
        odd = {place: chance.choice(places[place]) for place in chosen}
        return constructed(chance.choice(("key", "other")), **odd)

    def taken() -> str:
        return f"seen(key[{chance.choice(ODD_INDICES_OF_KEY)}])"

    def matched() -> str:
        first, second = chance.sample(("key", "other"), 2)
        return f"{first}.match({second}, {pages()})"

    def aligned() -> str:
        return f"seen(key.page_aligned({pages()}))"

    def filed() -> str:
        return f"seen(key.child_key({pages()}))"

    def read() -> str:
        return chance.choice(KEY_READS)

    def shown(odd: Mapping[str, str]) -> Iterator[str]:
        """Yield calls of every method on a new key, beside a plain one of the same kind."""
        kind = {each: value for each, value in odd.items() if each == "is_bigram"}
        yield from (plain("key", **odd), plain("other", **kind), "len(key)", "list(key)", "repr(key)")
        yield from ("seen(key[0])", "seen(key[-1])", "seen(key[1:])", "seen(key[2:9])", "seen(key[::2])")
        yield from ("seen(key[3])", "seen(key.raw_token_ids())", "key.match(other)", "other.match(key, 2)")
        yield from ("key.match(key)", "seen(key.child_key())", "seen(key.child_key(2))")
        yield from ("seen(key.page_aligned(2))", "seen(key.maybe_to_bigram_view(True, [1, 2, 3, 4]))")

    for is_bigram in ("False", "True"):
        for values, place in (
            (ODD_TOKENS, "token_ids"),
            (ODD_LIMITS, "limit"),
            (ODD_SPACES, "extra_key"),
            (ODD_SPACES, "cache_salt"),
        ):
            for value in values:
                yield from shown({"is_bigram": is_bigram, place: value})
        yield from (plain("key", is_bigram=is_bigram, limit="3"), plain("other", is_bigram=is_bigram))
        for value in ODD_INDICES_OF_KEY:
            yield from (f"seen(key[{value}])", f"seen(other[{value}])")
        for value in ODD_PAGES:
            yield from (f"seen(key.page_aligned({value}))", f"seen(key.child_key({value}))")
            yield from (f"other.match(other, {value})", f"key.match(other, page_size={value})")
    for value in ODD_BIGRAMS:
        yield from shown({"is_bigram": value})
    for value in ODD_TOKENS:
        yield from (plain("key", token_ids=value), plain("other", token_ids=value), "key.match(other)")
    for call in KEY_READS:
        yield from (plain("key"), plain("other"), call)
    kinds = {matched: 30, some_key: 20, taken: 15, odd_key: 10, aligned: 8, filed: 8, read: 5}
    while True:
        (kind,) = chance.choices(tuple(kinds), tuple(kinds.values()))
        yield kind()


CASE = Case(
    subject="sglang.RadixKey",
    repository="sgl-project/sglang",
    source="generator/bundled/radix_key.py",
    bundled={"RadixKey": RadixKey},
    member="sglang/srt/mem_cache/radix_cache.py",
    definitions=(("sglang/srt/mem_cache/radix_cache.py", "RadixKey"),),
    imports={"array": array},
    names=key_names,
    operations=key_operations,
    watched=("seen(key)", "seen(other)"),
)
