# ruff: noqa: ARG002 - upstream's interface is kept whole, and a pool without tensors has no use for most of it
"""The bundled subject `sglang.LogicalHostPool`: a pool of token slots that holds no KV tensor.

An independent implementation of what `LogicalHostPool` does in sgl-project/sglang,
python/sglang/srt/mem_cache/memory_pool_host.py, commit 0132848349585cfe6aae51c4941cbae872505f8a
(release 0.5.19). Names, message texts and results are upstream's; the code is not. Upstream trusts
its callers, and so does this: negative sizes pass, a slot can be freed twice, ids are never looked
at. The pages tell users about it, so nothing here may be tidied up.
"""

import threading
from contextlib import AbstractContextManager

import torch


class LogicalHostPool:
    """Hands out the slot ids 0 to `size - 1` in pages of `page_size` slots, first in, first out.

    Raises ValueError unless `size % page_size == 0`; whatever `%` and `torch.arange` make of other
    values (a page of 0 slots, a negative size, a string) is raised as it comes.
    """

    free_slots: torch.Tensor
    """Slot ids ready to be handed out, in that order: int64, (n,)."""
    release_slots: list[torch.Tensor]
    """What was freed since, in that order and not yet joined to `free_slots`: each int64, (n,)."""
    num_release_slots: int
    """How many ids `release_slots` holds."""

    def __init__(self, size: int, page_size: int, layout: str = "layer_first") -> None:
        if size % page_size != 0:
            raise ValueError(
                f"LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}"
            )
        self.size = self.logical_size = size
        self.page_size = page_size
        self.layout = layout
        self.device = "cpu"
        self.dtype = torch.uint8
        self.layer_num = self.start_layer = self.end_layer = self.size_per_token = 0
        self.kv_buffer = None
        self.allocator = None
        self.can_use_write_back_jit = True
        self.lock: AbstractContextManager[object] = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Make every slot free again, in ascending order; forget what is held outside."""
        with self.lock:
            self.free_slots = torch.arange(self.size, dtype=torch.int64)
            self.release_slots = []
            self.num_release_slots = 0

    def destroy(self) -> None:
        """Nothing: there are no buffers to release."""

    def available_size(self) -> int:
        """How many slots are free, released ones included; one freed twice counts twice."""
        return len(self.free_slots) + self.num_release_slots

    def alloc(self, need_size: int) -> torch.Tensor | None:
        """Take the `need_size` slots that have been free for longest: int64, (need_size,).

        None where fewer are free. A negative multiple of the page takes all of `free_slots` but
        that many. Raises ValueError unless `need_size % page_size == 0`, even where no slot is
        free.
        """
        with self.lock:
            if need_size % self.page_size != 0:
                raise ValueError(
                    "LogicalHostPool allocation must be page-aligned, "
                    f"got need_size={need_size}, page_size={self.page_size}"
                )
            if need_size > self.available_size():
                return None
            if need_size > len(self.free_slots):
                self._join_released()
            ready = self.free_slots
            taken, self.free_slots = ready[:need_size], ready[need_size:]
            return taken

    def free(self, indices: torch.Tensor) -> int:
        """Take slots back and return `len(indices)`; 0 where `indices` has no element.

        `indices`: any number type and shape; read as int64, flattened. Only the first dimension is
        counted, so (16, 2) passes as 16 and gives 32 slots back. Raises ValueError unless
        `len(indices) % page_size == 0`.
        """
        with self.lock:
            count = len(indices)
            if count % self.page_size != 0:
                raise ValueError(
                    "LogicalHostPool free must be page-aligned, "
                    f"got len(indices)={count}, page_size={self.page_size}"
                )
            released = indices.to(device="cpu", dtype=torch.int64).flatten()
            if len(released) == 0:
                return 0
            self.release_slots.append(released)
            self.num_release_slots += len(released)
            return count

    def _join_released(self) -> None:
        """Append the released slots to `free_slots`.

        Done only when an allocation needs them: at every `free` it would copy the whole list each
        time (upstream's pull request 33998).
        """
        if len(self.release_slots) == 1 and len(self.free_slots) == 0:
            (self.free_slots,) = self.release_slots
        elif self.release_slots:
            self.free_slots = torch.cat((self.free_slots, *self.release_slots))
        self.release_slots = []
        self.num_release_slots = 0

    def backup_from_device_all_layer(
        self,
        device_pool: object,
        host_indices: object,
        device_indices: object,
        io_backend: object,
    ) -> None:
        """Nothing: there is no data to move."""

    def load_to_device_per_layer(
        self,
        device_pool: object,
        host_indices: object,
        device_indices: object,
        layer_id: object,
        io_backend: object,
        *,
        is_draft: bool = False,
    ) -> None:
        """Nothing: there is no data to move."""

    def get_data_page(
        self,
        index: object,
        flat: object = True,  # noqa: FBT002 - upstream's interface
    ) -> torch.Tensor:
        """Return an empty page: uint8, (0,)."""
        return self.get_dummy_flat_data_page()

    def get_dummy_flat_data_page(self) -> torch.Tensor:
        """Return an empty page: uint8, (0,)."""
        return torch.empty(0, dtype=torch.uint8)

    def set_from_flat_data_page(self, index: object, data_page: object) -> None:
        """Nothing: there is no data to move."""

    def get_page_buffer_meta(self, indices: object) -> None:
        """None: there is no buffer to describe."""

    def get_ksize_per_token(self) -> int:
        """0 bytes: a slot holds no key."""
        return 0
