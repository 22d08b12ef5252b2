"""The bundled subject `sglang.HostPoolGroup`: several host pools behind the interface of one.

An independent implementation of what `HostPoolGroup` and `PoolEntry` do in sgl-project/sglang,
python/sglang/srt/mem_cache/pool_host/group.py, and of the names that `PoolName` gives to pools in
python/sglang/srt/mem_cache/hicache_storage.py, commit 0132848349585cfe6aae51c4941cbae872505f8a
(release 0.5.19). Names, message texts, results and the order of the checks are upstream's; the code is
not. Left out: `resolve_host_transfers` and `release_transfers`, which serve the storage backends and
raise none of the class's own errors. What a wrong entry trips over is raised as it comes, and an entry
that fails late stays in the group, so nothing here may be tidied up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class PoolName(StrEnum):
    """The pools that upstream knows; the text is the name in lower case, and equal to it."""

    KV = auto()
    MAMBA = auto()
    SWA = auto()
    INDEXER = auto()
    DEEPSEEK_V4_C4 = auto()
    DEEPSEEK_V4_C4_INDEXER = auto()
    DEEPSEEK_V4_C128 = auto()
    DEEPSEEK_V4_C4_STATE = auto()
    DEEPSEEK_V4_C4_INDEXER_STATE = auto()
    DEEPSEEK_V4_C128_STATE = auto()
    DRAFT = auto()
    DRAFT_INDEXER = auto()
    DRAFT_SWA = auto()


@dataclass
class PoolEntry:
    """A host pool and what belongs to it. A group reads the name, the pool and the anchor's flag."""

    name: PoolName
    host_pool: Any
    device_pool: Any
    layer_mapper: Callable[[int], int | None]
    is_primary_index_anchor: bool = False
    host_evict_fn: Callable[[int], Any] | None = None
    device_evict_fn: Callable[[int], Any] | None = None
    device_alloc_fn: Callable[[int], Any] | None = None
    device_free_fn: Callable[[Any], Any] | None = None
    packed_draft_device_pools: tuple[Any, ...] = ()


class HostPoolGroup:
    """Pools by name, one of which is the anchor: it answers where no pool is named.

    The anchor is the entry flagged as such, else the first one; layout, page size, device and sizes are
    those of its pool, as they were at construction. Raises ValueError for no entries, for two of one
    name and for two that are flagged, in this order.
    """

    can_use_write_back_jit: bool
    """Whether every pool can."""
    supports_per_pool_backup_indices: bool
    """Whether at least one pool can use it."""

    def __init__(self, entries: list[PoolEntry]) -> None:
        if not entries:
            raise ValueError("HostPoolGroup requires at least one pool entry.")
        names = {entry.name for entry in entries}
        if len(names) != len(entries):
            raise ValueError("HostPoolGroup pool names must be unique.")
        flagged = [entry for entry in entries if entry.is_primary_index_anchor]
        if len(flagged) > 1:
            raise ValueError("HostPoolGroup requires at most one anchor pool.")

        self.entries = [*entries]
        self.entry_map = {entry.name: entry for entry in self.entries}
        self.anchor_entry = (flagged or entries)[0]
        anchor = self.anchor_entry.host_pool
        self.layout = anchor.layout
        self.page_size = anchor.page_size
        self.device = anchor.device
        self.size = anchor.size
        self.logical_size = anchor.logical_size
        self._refresh_transfer_capabilities()

    def _refresh_transfer_capabilities(self) -> None:
        able = [entry.host_pool.can_use_write_back_jit for entry in self.entries]
        self.can_use_write_back_jit = all(able)
        self.supports_per_pool_backup_indices = any(able)

    def add_entry(self, entry: PoolEntry) -> None:
        """Register one more pool.

        Raises ValueError for a name that is taken, then for an entry flagged as anchor. The pool is
        looked at last: one without `can_use_write_back_jit` raises AttributeError and stays registered.
        """
        if entry.name in self.entry_map:
            raise ValueError(f"Host pool {entry.name} is already registered.")
        if entry.is_primary_index_anchor:
            raise ValueError("Cannot replace the anchor of an existing HostPoolGroup.")
        self.entries.append(entry)
        self.entry_map[entry.name] = entry
        self._refresh_transfer_capabilities()

    def get_entry(self, name: PoolName | None = None) -> PoolEntry:
        """Return the entry of that name, the anchor's for None; raises KeyError for an unknown one."""
        if name is None:
            return self.anchor_entry
        return self.entry_map[name]

    def get_pool(self, name: PoolName) -> Any:
        """Return the host pool of that name, as `get_entry` finds it."""
        return self.get_entry(name).host_pool

    def alloc(
        self,
        need_size: int,
        *,
        pool: PoolName | None = None,
        reclaim: Callable[[int], Any] | None = None,
    ) -> torch.Tensor | None:
        """Take slots from one pool, the anchor's for None; None where it has too few.

        With `reclaim`, which is called with `need_size`, a pool that had too few is asked once more.
        """
        source = self.get_entry(pool).host_pool
        taken: torch.Tensor | None = source.alloc(need_size)
        if taken is None and reclaim is not None:
            reclaim(need_size)
            taken = source.alloc(need_size)
        return taken

    def free(self, indices: torch.Tensor, *, pool: PoolName | None = None) -> int:
        """Give slots back to one pool, and return what its `free` does."""
        count: int = self.get_entry(pool).host_pool.free(indices)
        return count

    @property
    def size_per_token(self) -> Any:
        """Of the anchor's pool, as it is now."""
        return self.anchor_entry.host_pool.size_per_token

    def clear(self) -> None:
        """Clear every pool, in the order of the entries."""
        for entry in self.entries:
            entry.host_pool.clear()

    def destroy(self) -> None:
        """Destroy every pool, in the order of the entries."""
        for entry in self.entries:
            entry.host_pool.destroy()

    def available_size(self, pool: PoolName | None = None) -> Any:
        """Return how many slots that pool has free, the anchor's for None."""
        return self.get_entry(pool).host_pool.available_size()
