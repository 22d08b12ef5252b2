"""Long lists, cut so that a new entry touches one page.

Pages of a fixed length would all shift behind an insertion. Here where a list is cut depends on the
entries alone: each has a rank drawn from its own name, and lists are cut before entries of the highest
ranks until the parts are short enough. Whatever was inserted or removed in whatever order, the same
entries make the same parts, and an insertion changes the part it falls into, or cuts that in two.
"""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

_RANKS = 64


def cut(names: Iterable[str], most: int) -> list[range]:
    """Where the parts of a list are, in order: each has 1 to `most` entries, whose names are distinct."""
    ranks = [_rank(name) for name in names]
    return list(_cut(range(len(ranks)), ranks, max(ranks, default=0), most))


def _cut(part: range, ranks: Sequence[int], level: int, most: int) -> list[range]:
    if len(part) <= most:
        return [part]
    starts = [part.start, *(n for n in part[1:] if ranks[n] >= level), part.stop]
    if len(starts) == 2 and level == 0:
        return [part]
    pieces = [range(a, b) for a, b in pairwise(starts)]
    return [small for piece in pieces for small in _cut(piece, ranks, level - 1, most)]


def _rank(name: str) -> int:
    """How often 2 divides a number drawn from the name: half of all names have 0, a quarter 1."""
    number = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=_RANKS // 8).digest())
    return (number & -number).bit_length() - 1 if number else _RANKS
