"""What `LogicalHostPool` is asked, and where its original stands."""

import functools
import random
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

import torch

from generator.pool import LogicalHostPool
from tests.differential import Case

ODD_VALUES = (
    *("0", "-1", "-16", "-17", "15", "1000", "10**30", "-10**30", "True", "False", "None"),
    *("16.0", "17.0", "64.0", "0.5", "-16.0", "float('nan')", "float('inf')", "16j"),
    *("'64'", "''", "'%d'", "b'64'", "[]", "[16]", "(16,)", "{}", "range(16)", "torch.uint8"),
    *("Decimal(64)", "Fraction(64)", "Fraction(1, 3)"),
    *("torch.tensor(16)", "torch.tensor(17)", "torch.tensor([16])", "torch.tensor([17])"),
    *("torch.tensor([16, 16])", "torch.tensor([])", "torch.tensor(16.0)", "torch.tensor(True)"),
)
ODD_INDICES = (
    *(
        "None",
        "[]",
        "[1, 2]",
        "list(range(16))",
        "'x' * 16",
        "''",
        "{}",
        "range(16)",
        "16",
        "bytes(16)",
    ),
    *("torch.tensor(3)", "torch.arange(15)", "torch.arange(16).reshape(16, 1)"),
    *("torch.arange(32).reshape(16, 2)", "torch.arange(32).reshape(2, 16)", "torch.zeros(16, 0)"),
    *("torch.zeros(0, 3)", "torch.zeros(0)", "torch.zeros(0, dtype=torch.int64)"),
    *("torch.arange(16) + 0.75", "torch.tensor([True] * 16)", "torch.ones(16, requires_grad=True)"),
    *("torch.arange(16, dtype=torch.int32)", "torch.arange(900_000, 900_016)", "-torch.arange(16)"),
    *("torch.arange(32)[::2]", "torch.empty(16, device='meta')", "torch.arange(16).to_sparse()"),
    *("pool.free_slots", "pool.free_slots[:16]", "pool"),
)
POOL_READS = (
    *("pool.available_size()", "pool.size", "pool.logical_size", "pool.page_size", "pool.device"),
    *("pool.layout", "pool.dtype", "pool.layer_num", "pool.start_layer", "pool.end_layer"),
    *("pool.size_per_token", "pool.kv_buffer", "pool.allocator", "pool.can_use_write_back_jit"),
    *("pool.lock", "pool.absent", "pool.num_release_slots", "pool.get_ksize_per_token()"),
    *("pool.get_dummy_flat_data_page()", "pool.get_data_page(0)", "pool.get_data_page(0, False)"),
    *("pool.get_data_page(None, flat=True)", "pool.get_page_buffer_meta(None)", "pool.destroy()"),
    "pool.backup_from_device_all_layer(None, None, None, 'kernel')",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel')",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel', is_draft=True)",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel', True)",
    *("pool.set_from_flat_data_page(0, None)", "entries(pool, lambda: pool.clear())"),
    *("entries(pool, lambda: pool.available_size())", "entries(pool, lambda: pool.free(take(0)))"),
    "entries(pool, lambda: pool.alloc(pool.page_size))",
)
WRONG_CALLS = (
    *("LogicalHostPool()", "LogicalHostPool(64)", "LogicalHostPool(64, 16, 'x', 1)"),
    *("LogicalHostPool(size=64, page_size=16, pages=4)", "pool.alloc()", "pool.alloc(16, 16)"),
    *("pool.alloc(size=16)", "pool.free()", "pool.free(take(0), 16)", "pool.free(index=take(0))"),
    *("pool.clear(1)", "pool.available_size(1)", "pool.get_data_page()", "pool.destroy(1)"),
    *(
        "pool.get_page_buffer_meta()",
        "pool.set_from_flat_data_page(0)",
        "pool.get_ksize_per_token(0)",
    ),
    *("pool.backup_from_device_all_layer()", "pool.load_to_device_per_layer(None)"),
)


class Entrance:
    """Stands in for a pool's lock and counts how often it is entered."""

    def __init__(self) -> None:
        self.entered = 0

    def __enter__(self) -> None:
        self.entered += 1

    def __exit__(self, *_: object) -> None:
        pass


def entries(pool: LogicalHostPool, call: Callable[[], object]) -> int:
    """Count how often the pool's lock is entered during the call."""
    lock, entrance = pool.lock, Entrance()
    pool.lock = entrance
    try:
        call()
    finally:
        pool.lock = lock
    return entrance.entered


def pool_names() -> dict[str, object]:
    """Return what operations on a pool may name: what was handed out so far, and constructors."""
    held: list[torch.Tensor] = []

    def keep(result: torch.Tensor | None) -> torch.Tensor | None:
        held.extend([] if result is None else [result])
        return result

    def take(number: int) -> torch.Tensor:
        return held.pop(number % len(held)) if held else torch.arange(0)

    def peek(number: int) -> torch.Tensor:
        return held[number % len(held)] if held else torch.arange(0)

    values = {"torch": torch, "Decimal": Decimal, "Fraction": Fraction, "entries": entries}
    return {**values, "keep": keep, "take": take, "peek": peek}


def pool_operations(chance: random.Random) -> Iterator[str]:
    """Yield every odd call once, each on a new pool, then calls at random without end."""

    def number() -> int:
        return chance.randrange(64)

    def constructed() -> str:
        page = chance.choice((1, 2, 4, 8, 16, 32))
        size = page * chance.choice((0, 1, 2, 4, 8, 16, 64))
        sound = f"(pool := LogicalHostPool({size}, {page}))"
        layout = f"(pool := LogicalHostPool({size}, page_size={page}, layout='page_first'))"
        odd_size = f"(pool := LogicalHostPool({chance.choice(ODD_VALUES)}, {page}))"
        odd_page = f"(pool := LogicalHostPool({size}, {chance.choice(ODD_VALUES)}))"
        odd_pair = "(pool := LogicalHostPool({}, {}))".format(*chance.choices(ODD_VALUES, k=2))
        return chance.choice((sound, sound, sound, layout, odd_size, odd_page, odd_pair))

    def allocated() -> str:
        pages = chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 80, -1, -3))
        return f"keep(pool.alloc(pool.page_size * {pages}))"

    def allocated_odd() -> str:
        return f"keep(pool.alloc({chance.choice(ODD_VALUES)}))"

    def freed() -> str:
        return f"pool.free(take({number()}))"

    def freed_again() -> str:
        return f"pool.free(peek({number()}))"

    def freed_part() -> str:
        return f"pool.free(peek({number()})[:{number()}])"

    def freed_odd() -> str:
        return f"pool.free({chance.choice(ODD_INDICES)})"

    def altered() -> str:
        return f"peek({number()}).add_(1)"

    def read() -> str:
        return chance.choice(POOL_READS)

    def called_wrongly() -> str:
        return chance.choice(WRONG_CALLS)

    def cleared() -> str:
        return "pool.clear()"

    for value in ODD_VALUES:
        yield from (f"(pool := LogicalHostPool({value}, 16))", "pool.alloc(16)")
        yield from (f"(pool := LogicalHostPool(64, {value}))", "pool.alloc(16)")
        yield from ("(pool := LogicalHostPool(64, 16))", f"pool.alloc({value})", "pool.alloc(16)")
    for value in ODD_INDICES:
        yield from ("(pool := LogicalHostPool(64, 16))", "keep(pool.alloc(64))")
        yield from (f"pool.free({value})", f"pool.free({value})", "pool.alloc(32)")
    for call in (*POOL_READS, *WRONG_CALLS):
        yield from ("(pool := LogicalHostPool(64, 16))", call)
    kinds = {allocated: 30, freed: 24, allocated_odd: 10, freed_odd: 10, read: 8, constructed: 6}
    kinds |= {freed_again: 5, called_wrongly: 4, freed_part: 3, altered: 2, cleared: 2}
    while True:
        (kind,) = chance.choices(tuple(kinds), tuple(kinds.values()))
        yield kind()


CASE = Case(
    subject="sglang.LogicalHostPool",
    repository="sgl-project/sglang",
    source="generator/pool.py",
    bundled={"LogicalHostPool": LogicalHostPool},
    member="sglang/srt/mem_cache/memory_pool_host.py",
    definitions=(
        ("sglang/srt/mem_cache/pool_host/base.py", "synchronized"),
        ("sglang/srt/mem_cache/memory_pool_host.py", "LogicalHostPool"),
    ),
    imports={"torch": torch, "threading": threading, "wraps": functools.wraps},
    names=pool_names,
    operations=pool_operations,
    watched=("pool.available_size()", "pool.free_slots"),
    requires=("torch",),
)
