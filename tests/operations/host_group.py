"""What `HostPoolGroup` is asked, and where its original stands."""

import dataclasses
import enum
import random
from collections.abc import Iterator
from typing import Any

import torch

from generator.bundled.host_group import HostPoolGroup, PoolEntry, PoolName
from generator.pool import LogicalHostPool
from tests.differential import Case
from tests.operations.odd import Odd
from tests.operations.pool import pool_names

ODD_NAMES = (
    *("'kv'", "'swa'", "'x'", "''", "' '", "None", "0", "1", "True", "1.0", "()", "('a',)", "b'kv'"),
    *("[]", "{}", "'PoolName.KV'", "PoolName.KV", "PoolName.SWA", "PoolName.DRAFT_SWA", "PoolName"),
)
ODD_POOLS = (
    *("None", "0", "'pool'", "pool", "Odd()", "Odd(layout='x')", "Odd(layout='x', page_size=2)"),
    *("Odd(layout=1, page_size=2, device=3)", "Odd(layout=1, page_size=2, device=3, size=4)"),
    "Odd(layout=1, page_size=2, device=3, size=4, logical_size=5)",
    "Odd(layout=1, page_size=2, device=3, size=4, logical_size=5, can_use_write_back_jit=0)",
    "Odd(layout=1, page_size=2, device=3, size=4, logical_size=5, can_use_write_back_jit='x')",
    *("Odd(can_use_write_back_jit=True)", "Odd(can_use_write_back_jit=None)"),
    *("Odd(can_use_write_back_jit=torch.tensor([1, 0]))", "Logged('a', log)", "Logged('b', log, 0)"),
)
ODD_FLAGS = ("True", "False", "1", "0", "None", "'x'", "''", "[]", "[0]", "torch.tensor([1, 0])")
ODD_ENTRIES = (
    *("None", "0", "1", "''", "'kv'", "[]", "()", "{}", "set()", "iter([])", "range(0)", "range(2)"),
    *("[None]", "['kv']", "[0, 1]", "{1: 2}", "Odd()", "PoolName", "PoolEntry", "torch.tensor([1, 2])"),
    *("(KV, SWA)", "[KV, SWA]", "[SWA, KV]", "iter([KV, SWA])", "[KV, KV]", "[SWA, SWA]", "[KV, None]"),
    *("[None, KV]", "{0: KV}", "{'a': KV}.values()", "[SWA, MAMBA]", "[KV, ANCHOR]", "[ANCHOR]"),
    *("[KV, ANCHOR, ANCHOR]", "[Odd(name='x')]", "[Odd(name='x', is_primary_index_anchor=False)]"),
    *("[Odd(name='x', is_primary_index_anchor=True)]", "[KV, Odd(name='x')]", "Backwards([KV, SWA])"),
    *("{Odd(name='x', is_primary_index_anchor=0)}", "{Odd(name='x', is_primary_index_anchor=1)}"),
    *("{Odd(name='x', is_primary_index_anchor=0, host_pool=pool)}", "[KV, SWA, MAMBA, KV]"),
    "{Odd(name='x', is_primary_index_anchor=1, host_pool=pool)}",
    "{Odd(name='x', is_primary_index_anchor=1, host_pool=pool): 0}",
    "[Odd(name='x', is_primary_index_anchor=0, host_pool=pool), KV]",
    "[Odd(name=torch.tensor(1), is_primary_index_anchor=0, host_pool=pool), KV]",
)
GROUP_READS = (
    *("[name.value for name in PoolName]", "[str(name) for name in PoolName]", "[*PoolName]"),
    *("[name.name for name in PoolName]", "f'{PoolName.KV}'", "f'{PoolName.KV:>9}'", "'%s' % PoolName.KV"),
    *("PoolName('swa')", "PoolName('x')", "PoolName['SWA']", "PoolName['swa']", "PoolName.KV == 'kv'"),
    *("{'kv': 1}[PoolName.KV]", "'-'.join([PoolName.KV, PoolName.SWA])", "isinstance(PoolName.KV, str)"),
    *("PoolName.KV.upper()", "PoolName.KV < PoolName.SWA", "sorted(PoolName)", "PoolName()"),
    *("repr(PoolEntry(1, 2, 3, 4))", "PoolEntry(1, 2, 3, 4) == PoolEntry(1, 2, 3, 4)", "hash(KV)"),
    *("PoolEntry(1, 2, 3, 4) == PoolEntry(1, 2, 3, 4, True)", "PoolEntry()", "PoolEntry(1, 2, 3)"),
    *("PoolEntry(*range(11))", "vars(PoolEntry(1, 2, 3, 4, host_evict_fn=5))", "PoolEntry(x=1)"),
    *("group.get_entry() is group.entries[0]", "group.get_entry(None) is group.anchor_entry"),
    *("group.get_pool(None) is group.entries[0].host_pool", "group.get_pool()", "group.size_per_token"),
    *("group.absent", "group.entries is group.entries", "group.get_entry('kv', 1)", "sorted(vars(group))"),
    *("setattr(group, 'size_per_token', 1)", "group.alloc()", "group.alloc(16, 'kv')", "group.free()"),
    *("group.free(take(0), 'kv')", "group.add_entry()", "group.clear()", "group.destroy()", "len(group)"),
    *("group.available_size()", "group.available_size('swa')", "group.available_size(pool='mamba')"),
    *("HostPoolGroup()", "HostPoolGroup([KV], 1)", "HostPoolGroup(entries=[KV])", "HostPoolGroup(pools=[])"),
    *("given.append(MAMBA)", "(group := HostPoolGroup(given))", "group.entries is given"),
    *("setattr(group.anchor_entry, 'host_pool', Odd(size_per_token=7))", "setattr(group, 'entries', [])"),
    *("group.clear(1)", "group.destroy(1)", "group.available_size('kv', 1)", "group.get_entry(name='kv')"),
)
GROUP_STATE = (
    "[entry.name for entry in group.entries]",
    "[*group.entry_map]",
    "[entry.name for entry in group.entry_map.values()]",
    "(group.anchor_entry.name, group.can_use_write_back_jit, group.supports_per_pool_backup_indices)",
    "(group.layout, group.page_size, group.device, group.size, group.logical_size)",
    "(len(log), log[-9:])",
)


class Backwards(list[object]):
    """A list that is iterated from its end, and indexed from its start."""

    def __iter__(self) -> Iterator[object]:
        return reversed(self)


class Logged(LogicalHostPool):
    """A pool that writes down how it is called."""

    def __init__(self, name: str, log: list[object], is_able: object = True) -> None:  # noqa: FBT002
        super().__init__(64, 16, layout=f"layout of {name}")
        self.name = name
        self.log = log
        self.can_use_write_back_jit = is_able  # type: ignore[assignment] # odd on purpose
        self.size_per_token = len(name)

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in {"alloc", "free", "clear", "destroy", "available_size"} and "log" in vars(self):
            self.log.append((vars(self)["name"], name))
        return value


def group_names() -> dict[str, object]:
    """Return what operations on a group may name: pools, a log of their calls, what they handed out."""
    log: list[object] = []
    values: dict[str, object] = {"torch": torch, "Odd": Odd, "Logged": Logged, "Backwards": Backwards}
    keys = {"keep", "take", "peek"}
    kept = {name: value for name, value in pool_names().items() if name in keys}
    return {**values, **kept, "log": log, "pool": LogicalHostPool(64, 16), "LogicalHostPool": LogicalHostPool}


def group_operations(chance: random.Random) -> Iterator[str]:
    """Yield every odd value once in every place, each on a new group, then calls at random without end."""

    def entry(name: str, pool: str, flag: str) -> str:
        return f"PoolEntry({name}, {pool}, None, None, {flag})"

    def logged() -> str:
        return f"Logged({chance.choice('abcd')!r}, log, {chance.choice(('True', 'True', 'False'))})"

    def some_name() -> str:
        return chance.choice((*("PoolName.KV", "'swa'", "PoolName.MAMBA", "'x'") * 5, *ODD_NAMES))

    def some_entry() -> str:
        pool = chance.choice((*(logged() for _ in range(20)), *ODD_POOLS))
        return entry(some_name(), pool, chance.choice((*("False",) * 20, *ODD_FLAGS)))

    def constructed() -> str:
        entries = ", ".join(some_entry() for _ in range(chance.choice((0, 1, 2, 2, 3, 4))))
        return f"(group := HostPoolGroup([{entries}]))"

    def constructed_soundly() -> str:
        first = entry("PoolName.KV", logged(), chance.choice(("True", "False")))
        second = entry("PoolName.SWA", logged(), "False")
        return f"(group := HostPoolGroup([{first}, {second}]))"

    def added() -> str:
        return f"group.add_entry({some_entry()})"

    def allocated() -> str:
        size = chance.choice(("16", "16", "32", "64", "0", "37", "-16", "1000", "None", "'16'", "16.0"))
        reclaim = chance.choice(
            (
                "",
                "",
                ", reclaim=log.append",
                ", reclaim=lambda n: group.clear()",
                ", reclaim=1",
                ", reclaim=0",
            )
        )
        return f"keep(group.alloc({size}, pool={some_name()}{reclaim}))"

    def freed() -> str:
        back = chance.choice(("take(0)", "take(1)", "peek(0)", "peek(1)[:5]", "None", "[]", "16"))
        return f"group.free({back}, pool={some_name()})"

    def read() -> str:
        return chance.choice(
            (*GROUP_READS, f"group.get_entry({some_name()}).name", f"group.available_size({some_name()})")
        )

    yield "(KV := PoolEntry(PoolName.KV, Logged('kv', log), None, None, True))"
    yield "(ANCHOR := PoolEntry('anchor', Logged('anchor', log), None, None, True))"
    yield "(SWA := PoolEntry(PoolName.SWA, Logged('swa', log, False), None, None))"
    yield "(MAMBA := PoolEntry('mamba', Logged('mamba', log), None, None))"
    yield "(given := [KV, SWA])"
    new = "(group := HostPoolGroup([KV, SWA]))"
    for value in ODD_ENTRIES:
        yield f"(group := HostPoolGroup({value}))"
    for value in ODD_NAMES:
        yield f"(group := HostPoolGroup([{entry(value, 'pool', '0')}, KV]))"
        yield f"(group := HostPoolGroup([KV, {entry(value, 'pool', '0')}, {entry(value, 'pool', '1')}]))"
        yield from (new, f"group.add_entry({entry(value, 'pool', '0')})", f"group.get_entry({value}).name")
        yield from (f"group.add_entry({entry(value, 'None', '1')})", f"group.alloc(16, pool={value})")
        yield from (f"group.free(torch.arange(16), pool={value})", f"group.available_size({value})")
        yield f"group.get_pool({value}) is pool"
    for value in ODD_POOLS:
        yield f"(group := HostPoolGroup([{entry('0', value, '0')}, KV]))"
        yield f"(group := HostPoolGroup([{entry('0', value, '0')}]))"
        added_entry = f"group.add_entry({entry('0', value, '0')})"
        yield from (
            new,
            added_entry,
            added_entry,
            "group.add_entry(MAMBA)",
            "group.clear()",
            "group.destroy()",
        )
    for value in ODD_FLAGS:
        yield f"(group := HostPoolGroup([{entry('0', 'pool', value)}, KV]))"
        yield f"(group := HostPoolGroup([SWA, {entry('0', 'pool', value)}]))"
        yield from (new, f"group.add_entry({entry('0', 'pool', value)})")
        yield f"group.add_entry({entry('PoolName.KV', 'pool', value)})"
    for value in ODD_ENTRIES:
        yield from (new, f"group.add_entry({value})")
    for call in GROUP_READS:
        yield from (new, call)
    kinds = {allocated: 30, freed: 20, added: 12, constructed: 10, constructed_soundly: 10, read: 15}
    while True:
        (kind,) = chance.choices(tuple(kinds), tuple(kinds.values()))
        yield kind()


_GROUP = "sglang/srt/mem_cache/pool_host/group.py"
CASE = Case(
    subject="sglang.HostPoolGroup",
    repository="sgl-project/sglang",
    source="generator/bundled/host_group.py",
    bundled={"HostPoolGroup": HostPoolGroup, "PoolEntry": PoolEntry, "PoolName": PoolName},
    member=_GROUP,
    definitions=(
        ("sglang/srt/mem_cache/hicache_storage.py", "PoolName"),
        (_GROUP, "PoolEntry"),
        (_GROUP, "HostPoolGroup"),
    ),
    imports={"Enum": enum.Enum, "dataclass": dataclasses.dataclass},
    names=group_names,
    operations=group_operations,
    watched=GROUP_STATE,
    requires=("torch",),
)
