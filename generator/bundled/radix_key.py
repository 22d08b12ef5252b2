"""The bundled subject `sglang.RadixKey`: a sequence of token ids within a namespace.

An independent implementation of what `RadixKey` does in sgl-project/sglang,
python/sglang/srt/mem_cache/radix_cache.py, commit 0132848349585cfe6aae51c4941cbae872505f8a
(release 0.5.19). Names, message texts and results are upstream's; the code is not. Left out:
`hash_page`, which needs upstream's compiled extension and raises none of the class's own errors.
Upstream trusts its callers: limits below 0, pages of 0 or fewer units and token ids of any sequence
type do whatever Python makes of them, and so they do here; nothing may be tidied up.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any


class RadixKey:
    """Token ids, or with `is_bigram` their pairs of neighbours, as the units of a prefix tree.

    `limit` hides the raw tokens from that position on; a slice has none. An empty `cache_salt` is None.
    Keys are compared only within one namespace: `extra_key` and `cache_salt`.
    """

    __slots__ = ("cache_salt", "extra_key", "is_bigram", "limit", "token_ids")

    def __init__(
        self,
        token_ids: Any,
        extra_key: str | None = None,
        is_bigram: bool = False,  # noqa: FBT001, FBT002 - upstream's interface
        limit: int | None = None,
        cache_salt: str | None = None,
    ) -> None:
        self.token_ids = token_ids
        self.extra_key = extra_key
        self.is_bigram = is_bigram
        self.limit = limit
        self.cache_salt = cache_salt or None

    def _raw_len(self) -> int:
        count = len(self.token_ids)
        return self.limit if self.limit is not None and self.limit < count else count

    def raw_token_ids(self) -> Any:
        """Return the token ids up to the limit: themselves where it hides none, else a copy."""
        count = self._raw_len()
        return self.token_ids if count == len(self.token_ids) else self.token_ids[:count]

    def _unit_count(self) -> int:
        count = self._raw_len()
        if not self.is_bigram:
            return count
        return count - 1 if count > 0 else 0

    def __len__(self) -> int:
        """Count the units: tokens up to the limit, or one fewer where they are pairs."""
        return self._unit_count()

    def __iter__(self) -> Iterator[Any]:
        """Yield the units: tokens, or tuples of two."""
        tokens = self.token_ids
        if self.is_bigram:
            yield from ((tokens[n], tokens[n + 1]) for n in range(self._unit_count()))
        elif self._raw_len() == len(tokens):
            yield from tokens
        else:
            yield from (tokens[n] for n in range(self._raw_len()))

    def __getitem__(self, idx: int | slice) -> "RadixKey":
        """Return the units at `idx` as a key of the same namespace: one for an int, which may be negative.

        Raises IndexError for an int outside the key, which names the position counted from the front,
        and ValueError for a slice whose step is not 1.
        """
        if isinstance(idx, int):
            count = len(self)
            at = idx + count if idx < 0 else idx
            if not 0 <= at < count:
                raise IndexError(f"RadixKey index out of range: {at}")
            idx = slice(at, at + 1)
        start, stop, step = idx.indices(len(self))
        if step != 1:
            raise ValueError("RadixKey slice step must be 1")
        if not self.is_bigram:
            taken = self.token_ids[start:stop]
        elif start < stop:
            taken = self.token_ids[start : stop + 1]
        else:
            taken = array("q")
        return RadixKey(taken, self.extra_key, is_bigram=bool(self.is_bigram), cache_salt=self.cache_salt)

    def __repr__(self) -> str:
        shown = self.token_ids[:10]
        return (
            f"RadixKey(extra_key={self.extra_key!r}, cache_salt={self.cache_salt!r}, "
            f"token_ids={shown}{'...' if len(self.token_ids) > 10 else ''}, is_bigram={self.is_bigram})"
        )

    def page_aligned(self, page_size: int) -> "RadixKey":
        """Return the key without its last, incomplete page; itself where a page is one unit."""
        return self if page_size == 1 else self[: len(self) // page_size * page_size]

    def maybe_to_bigram_view(
        self,
        is_eagle: bool,  # noqa: FBT001 - upstream's interface
        value: Any = None,
    ) -> tuple["RadixKey", Any]:
        """Make this very key one of pairs if `is_eagle`, and return it with as much of `value` as it has.

        A key that is one of pairs already keeps `value` as it is.
        """
        if is_eagle and not self.is_bigram:
            self.is_bigram = True
            value = value if value is None else value[: len(self)]
        return self, value

    def _check_compatible(self, other: "RadixKey") -> None:
        for name in ("extra_key", "cache_salt"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(
                    f"RadixKey operations require matching {name}, but got "
                    f"self.{name}={mine!r} != other.{name}={theirs!r}"
                )

    def match(self, other: "RadixKey", page_size: int = 1) -> int:
        """Count the leading units that both keys share, rounded down to whole pages.

        Raises ValueError for another `extra_key`, then for another `cache_salt`, then AssertionError for
        token ids of another type (upstream asserts it, so not under `python -O`).
        """
        self._check_compatible(other)
        mine, theirs = self.token_ids, other.token_ids
        assert type(mine) is type(theirs), (type(mine), type(theirs))  # noqa: S101 - upstream's check
        tokens = _shared(mine, theirs)
        units = min(tokens - 1 if self.is_bigram else tokens, len(self), len(other))
        if self.is_bigram:
            units = max(0, units)
            return units // page_size * page_size if page_size > 1 else units
        return units if page_size == 1 else units // page_size * page_size

    def child_key(self, page_size: int = 1) -> Any:
        """Return what a tree files this key under: its first `page_size` units and its namespace.

        Hashable. The limit is not looked at, and a key with fewer pairs raises IndexError.
        """
        tokens = self.token_ids
        units: Any
        if self.is_bigram and page_size != 1:
            units = tuple((tokens[n], tokens[n + 1]) for n in range(page_size))
        elif self.is_bigram:
            units = (tokens[0], tokens[1])
        else:
            units = tokens[0] if page_size == 1 else tuple(tokens[:page_size])
        if self.cache_salt is not None:
            return (self.extra_key, self.cache_salt), units
        return units if self.extra_key is None else (self.extra_key, units)


def _shared(first: Any, second: Any) -> int:
    """Count the leading tokens that are equal.

    Slices of doubling length are compared, so that a long shared prefix costs few comparisons.
    """
    end = min(len(first), len(second))
    low, length = 0, 1
    while low < end:
        high = min(low + length, end)
        if first[low:high] != second[low:high]:
            return low + _bisected(first[low:high], second[low:high])
        low, length = high, 2 * length
    return end


def _bisected(first: Any, second: Any) -> int:
    """Count the leading tokens that are equal in two slices of one length that are not equal."""
    return bisect_left(range(1, len(first)), 1, key=lambda count: int(first[:count] != second[:count]))
