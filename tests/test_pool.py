"""`generator.pool`: what upstream's pool does, odd results included; its order; its lock."""

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import pytest
import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from generator.pool import LogicalHostPool

PAGE = 16
SIZE = 64


@pytest.fixture
def pool() -> LogicalHostPool:
    """Return four pages of sixteen slots, all free."""
    return LogicalHostPool(SIZE, PAGE)


def evaluate(call: str, pool: LogicalHostPool) -> object:
    """Evaluate a call as a record would write it; the pool's user is not held to its types."""
    names = {"LogicalHostPool": LogicalHostPool, "pool": pool, "torch": torch}
    return eval(call, names)  # noqa: S307 - the calls stand in this file


def slots(start: int, stop: int) -> list[int]:
    """Return the slot ids from `start` up to `stop`."""
    return list(range(start, stop))


# What raises.

SIZE_MESSAGE = "LogicalHostPool size must be page-aligned, got size={}, page_size={}"
ALLOC_MESSAGE = "LogicalHostPool allocation must be page-aligned, got need_size={}, page_size=16"
FREE_MESSAGE = "LogicalHostPool free must be page-aligned, got len(indices)={}, page_size=16"
NOT_CONVERTED = "not all arguments converted during string formatting"

RAISED = (
    ("LogicalHostPool(1000, 16)", ValueError, SIZE_MESSAGE.format(1000, 16)),
    ("LogicalHostPool(8, 16)", ValueError, SIZE_MESSAGE.format(8, 16)),
    ("LogicalHostPool(64.5, 16)", ValueError, SIZE_MESSAGE.format(64.5, 16)),
    ("LogicalHostPool('%d', 16)", ValueError, SIZE_MESSAGE.format("%d", 16)),
    (
        "LogicalHostPool(-16, 16)",
        RuntimeError,
        "upper bound and lower bound inconsistent with step sign",
    ),
    ("LogicalHostPool('64', 16)", TypeError, NOT_CONVERTED),
    (
        "LogicalHostPool(None, 16)",
        TypeError,
        "unsupported operand type(s) for %: 'NoneType' and 'int'",
    ),
    (
        "LogicalHostPool(64, '16')",
        TypeError,
        "unsupported operand type(s) for %: 'int' and 'str'",
    ),
    ("pool.alloc(37)", ValueError, ALLOC_MESSAGE.format(37)),
    ("pool.alloc(-1)", ValueError, ALLOC_MESSAGE.format(-1)),
    ("pool.alloc(1000)", ValueError, ALLOC_MESSAGE.format(1000)),
    ("pool.alloc(17.0)", ValueError, ALLOC_MESSAGE.format(17.0)),
    ("pool.alloc(True)", ValueError, ALLOC_MESSAGE.format("True")),
    ("pool.alloc(torch.tensor([17]))", ValueError, ALLOC_MESSAGE.format("tensor([17])")),
    ("pool.alloc(torch.tensor(17))", ValueError, ALLOC_MESSAGE.format(17)),
    (
        "pool.alloc(16.0)",
        TypeError,
        "slice indices must be integers or None or have an __index__ method",
    ),
    ("pool.alloc('16')", TypeError, NOT_CONVERTED),
    ("pool.alloc(None)", TypeError, "unsupported operand type(s) for %: 'NoneType' and 'int'"),
    ("pool.free(torch.arange(16)[:5])", ValueError, FREE_MESSAGE.format(5)),
    ("pool.free(torch.zeros(2, 16))", ValueError, FREE_MESSAGE.format(2)),
    ("pool.free([1, 2])", ValueError, FREE_MESSAGE.format(2)),
    ("pool.free(torch.tensor(3))", TypeError, "len() of a 0-d tensor"),
    ("pool.free(list(range(16)))", AttributeError, "'list' object has no attribute 'to'"),
    ("pool.free([])", AttributeError, "'list' object has no attribute 'to'"),
    ("pool.free(None)", TypeError, "object of type 'NoneType' has no len()"),
)


@pytest.mark.parametrize(("call", "error", "message"), RAISED)
def test_a_wrong_call_raises_upstreams_message_and_changes_nothing(
    pool: LogicalHostPool, call: str, error: type[Exception], message: str
) -> None:
    """The class and the whole text are upstream's under the pinned torch; every slot stays free."""
    with pytest.raises(error) as caught:
        evaluate(call, pool)
    assert error is type(caught.value)
    assert message == str(caught.value)
    assert slots(0, SIZE) == pool.free_slots.tolist()
    assert pool.available_size() == SIZE


def test_a_page_of_no_slots_divides_by_zero() -> None:
    """It is not the ValueError that one might catch; the wording is the interpreter's."""
    with pytest.raises(ZeroDivisionError, match=r"\b(modulo|division) by zero\Z"):
        LogicalHostPool(1024, 0)


def test_alignment_is_asked_before_capacity(pool: LogicalHostPool) -> None:
    """An exhausted pool refuses a size that is no whole page, and has None for one that is."""
    pool.alloc(SIZE)
    with pytest.raises(ValueError, match="need_size=37"):
        pool.alloc(37)
    assert pool.alloc(PAGE) is None


# What is accepted.


@pytest.mark.parametrize("size", [0, 8 // 16 * 16])
def test_a_pool_of_no_slots_is_accepted(size: int) -> None:
    """Rounding a size below one page down gives a pool that can hand out nothing."""
    empty = LogicalHostPool(size, PAGE)
    assert empty.available_size() == 0
    assert empty.alloc(PAGE) is None


def test_a_whole_float_is_accepted_as_a_size() -> None:
    """64.0 divides by 16, and torch counts up to it."""
    pool = evaluate("LogicalHostPool(64.0, 16)", LogicalHostPool(0, 1))
    assert isinstance(pool, LogicalHostPool)
    assert slots(0, 64) == pool.free_slots.tolist()
    assert isinstance(pool.size, float)


TAKEN: tuple[tuple[str, list[int], int], ...] = (
    ("pool.alloc(16)", slots(0, 16), 48),
    ("pool.alloc(64)", slots(0, 64), 0),
    ("pool.alloc(0)", [], 64),
    ("pool.alloc(-16)", slots(0, 48), 16),
    ("pool.alloc(-64)", [], 64),
    ("pool.alloc(False)", [], 64),
    ("pool.alloc(torch.tensor(32))", slots(0, 32), 32),
    ("pool.alloc(torch.tensor([32]))", slots(0, 32), 32),
)


@pytest.mark.parametrize(("call", "taken", "left"), TAKEN)
def test_an_allocation_takes_the_first_slots(
    pool: LogicalHostPool, call: str, taken: list[int], left: int
) -> None:
    """A negative size counts from the end: the silent corruption that upstream allows too."""
    result = evaluate(call, pool)
    assert isinstance(result, torch.Tensor)
    assert torch.int64 is result.dtype
    assert (len(taken),) == result.shape
    assert taken == result.tolist()
    assert left == pool.available_size()


@pytest.mark.parametrize("call", ["pool.alloc(80)", "pool.alloc(16 * 10**30)"])
def test_more_than_is_free_gives_none(pool: LogicalHostPool, call: str) -> None:
    """No exception says that the pool is too small; nothing is taken."""
    assert evaluate(call, pool) is None
    assert pool.available_size() == SIZE


RETURNED: tuple[tuple[str, int, list[int]], ...] = (
    ("pool.free(torch.arange(16))", 16, slots(0, 16)),
    ("pool.free(torch.arange(32).reshape(16, 2))", 16, slots(0, 32)),
    ("pool.free(torch.arange(16).reshape(16, 1, 1))", 16, slots(0, 16)),
    ("pool.free(torch.arange(32)[::2])", 16, list(range(0, 32, 2))),
    ("pool.free(torch.arange(16, dtype=torch.int32))", 16, slots(0, 16)),
    ("pool.free(torch.arange(16) + 0.75)", 16, slots(0, 16)),
    ("pool.free(torch.tensor([True] * 16))", 16, [1] * 16),
    ("pool.free(torch.arange(900, 916))", 16, slots(900, 916)),
    ("pool.free(-torch.arange(16))", 16, [-number for number in range(16)]),
    ("pool.free(torch.zeros(0))", 0, []),
    ("pool.free(torch.zeros(0, 3))", 0, []),
    ("pool.free(torch.zeros(16, 0))", 0, []),
)


@pytest.mark.parametrize(("call", "count", "back"), RETURNED)
def test_freed_indices_are_counted_by_length_and_taken_as_flat_integers(
    pool: LogicalHostPool, call: str, count: int, back: list[int]
) -> None:
    """Ids are never looked at: any number comes back as a slot, and is handed out again."""
    pool.alloc(SIZE)
    assert count == evaluate(call, pool)
    assert len(back) == pool.available_size()
    again = pool.alloc(len(back))
    assert again is not None
    assert torch.int64 is again.dtype
    assert back == again.tolist()


def test_a_page_freed_twice_is_there_twice(pool: LogicalHostPool) -> None:
    """A pool of 64 slots then has 96 free ones, and gives two callers the same page."""
    page = pool.alloc(2 * PAGE)
    assert page is not None
    for _ in range(2):
        assert len(page) == pool.free(page)
    assert pool.available_size() == 96
    every = pool.alloc(96)
    assert every is not None
    assert slots(32, 64) + slots(0, 32) * 2 == every.tolist()


def test_clearing_forgets_what_is_held_and_what_was_released(pool: LogicalHostPool) -> None:
    """Every slot is free again, once and in ascending order."""
    held = pool.alloc(3 * PAGE)
    assert held is not None
    pool.free(held[:PAGE])
    pool.clear()
    assert slots(0, SIZE) == pool.free_slots.tolist()
    assert pool.available_size() == SIZE


STATE = (
    *(("size", 64), ("logical_size", 64), ("page_size", 16), ("device", "cpu")),
    *(("layout", "layer_first"), ("dtype", torch.uint8), ("layer_num", 0), ("start_layer", 0)),
    *(("end_layer", 0), ("size_per_token", 0), ("kv_buffer", None), ("allocator", None)),
    ("can_use_write_back_jit", True),
)


@pytest.mark.parametrize(("name", "value"), STATE)
def test_a_pool_describes_itself(pool: LogicalHostPool, name: str, value: object) -> None:
    """The attributes that upstream's cache controllers read are there."""
    assert value == getattr(pool, name)


def test_any_layout_is_kept() -> None:
    """The layout means nothing to a pool without tensors, so nothing checks it."""
    layout = "page_first"
    assert layout == LogicalHostPool(SIZE, PAGE, layout).layout


NOTHING = (
    *("pool.destroy()", "pool.get_page_buffer_meta(torch.arange(16))"),
    "pool.backup_from_device_all_layer(None, torch.arange(16), torch.arange(16), 'kernel')",
    "pool.load_to_device_per_layer(None, torch.arange(16), torch.arange(16), 0, 'kernel')",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel', is_draft=True)",
    "pool.set_from_flat_data_page(0, torch.zeros(0))",
)


@pytest.mark.parametrize("call", NOTHING)
def test_there_is_no_data_to_move(pool: LogicalHostPool, call: str) -> None:
    """The transfers of a pool with tensors are accepted and do nothing."""
    assert evaluate(call, pool) is None
    assert pool.available_size() == SIZE


@pytest.mark.parametrize(
    "call",
    ["pool.get_data_page(3)", "pool.get_data_page(3, False)", "pool.get_dummy_flat_data_page()"],
)
def test_a_page_holds_no_bytes(pool: LogicalHostPool, call: str) -> None:
    """A page of data is an empty uint8 tensor, and no slot holds a key."""
    page = evaluate(call, pool)
    assert isinstance(page, torch.Tensor)
    expected = (torch.uint8, (0,), "cpu")
    assert expected == (page.dtype, tuple(page.shape), page.device.type)
    assert pool.get_ksize_per_token() == 0


# Joining what was released.


def test_released_slots_are_joined_once_and_only_when_needed(
    pool: LogicalHostPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any number of frees copies nothing; the first allocation that needs them copies once."""
    joins = 0
    join = torch.cat

    def counted(parts: tuple[torch.Tensor, ...]) -> torch.Tensor:
        nonlocal joins
        joins += 1
        return join(parts)

    monkeypatch.setattr(torch, "cat", counted)
    for _ in range(3):
        page = pool.alloc(PAGE)
        assert page is not None
        pool.free(page)
    pool.alloc(PAGE)
    assert joins == 0
    taken = pool.alloc(2 * PAGE)
    assert joins == 1
    assert taken is not None
    assert slots(0, 32) == taken.tolist()


def test_a_single_released_tensor_becomes_the_empty_free_list_itself(
    pool: LogicalHostPool,
) -> None:
    """Nothing is copied then, so the caller's tensor and the pool's list are one."""
    everything = pool.alloc(SIZE)
    assert everything is not None
    pool.free(everything)
    taken = pool.alloc(PAGE)
    assert taken is not None
    assert everything.data_ptr() == taken.data_ptr()


# The order.


class PoolBesideQueue(RuleBasedStateMachine):
    """A pool, used as it is meant to be, beside a plain queue of slot ids."""

    pages = st.integers(0, 5)

    def __init__(self) -> None:
        super().__init__()
        self.pool = LogicalHostPool(SIZE, PAGE)
        self.queue = deque(range(SIZE))
        self.held: list[torch.Tensor] = []

    @rule(pages=pages)
    def alloc(self, pages: int) -> None:
        """Whole pages come from the front, or None where fewer are free."""
        taken = self.pool.alloc(pages * PAGE)
        if pages * PAGE > len(self.queue):
            assert taken is None
            return
        assert taken is not None
        expected = [self.queue.popleft() for _ in range(pages * PAGE)]
        assert expected == taken.tolist()
        self.held.append(taken)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        """Give back what was handed out: it goes to the end."""
        back = self.held.pop(data.draw(st.integers(0, len(self.held) - 1), label="which"))
        expected = len(back)
        assert expected == self.pool.free(back)
        self.queue.extend(back.tolist())

    @precondition(lambda self: self.held)
    @rule()
    def free_everything(self) -> None:
        """Several allocations can go back in one call."""
        back = torch.cat(self.held)
        self.held = []
        self.pool.free(back)
        self.queue.extend(back.tolist())

    @rule(size=st.integers(-SIZE, 2 * SIZE).filter(lambda size: size % PAGE != 0))
    def refuse(self, size: int) -> None:
        """Ask for a size that is no whole page: nothing changes."""
        with pytest.raises(ValueError, match=f"got need_size={size}, page_size={PAGE}$"):
            self.pool.alloc(size)

    @rule()
    def clear(self) -> None:
        """All slots are free again, in order."""
        self.pool.clear()
        self.queue = deque(range(SIZE))
        self.held = []

    @invariant()
    def no_slot_is_lost_or_doubled(self) -> None:
        """Every slot is either free or held by one."""
        expected = len(self.queue)
        assert expected == self.pool.available_size()
        assert account(self.pool, self.held)


def account(pool: LogicalHostPool, held: Sequence[torch.Tensor]) -> bool:
    """Whether every slot id of the pool is there exactly once, in the pool or in what is held."""
    inside = [pool.free_slots, *pool.release_slots]
    found = sorted(int(slot) for part in (*inside, *held) for slot in part)
    return found == slots(0, pool.size) and pool.available_size() == sum(map(len, inside))


TestAPoolUsedAsMeantIsAQueue = PoolBesideQueue.TestCase
TestAPoolUsedAsMeantIsAQueue.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


# The lock.


@runtime_checkable
class Lock(Protocol):
    """What the pool's lock must be able to do for the door before it."""

    def acquire(self, blocking: bool = True) -> bool:  # noqa: FBT001, FBT002 - threading's form
        """Take it; without `blocking`, say whether it could be taken at once."""

    def release(self) -> None:
        """Give it back."""


class NoLock:
    """Stands in for a lock and lets everyone in."""

    def acquire(self, blocking: bool = True) -> bool:  # noqa: ARG002, FBT001, FBT002 - as above
        """Let the caller in."""
        return True

    def release(self) -> None:
        """Nothing: nobody was kept out."""


class Crossing:
    """Makes the threads inside a pool meet at every read of its state, whatever the scheduler does.

    A reader stands still, the value it read in its hand, until no thread is on its way any more:
    each one stands at a read too, waits before the lock, or has ended. Then all that stand go on.
    `meetings` counts how often, `most` is the largest number that stood together.
    """

    patience = 30.0
    """Seconds after which a reader gives up, so that a fault is a failure and never a hang."""

    def __init__(self, threads: int) -> None:
        self.running = threads
        self.standing = 0
        self.waiting = 0
        self.meetings = 0
        self.most = 0
        self._changed = threading.Condition()

    def meet(self) -> None:
        """Stand at a read."""
        with self._changed:
            meeting = self.meetings
            self.standing += 1
            self._look()
            if not self._changed.wait_for(lambda: meeting != self.meetings, self.patience):
                raise TimeoutError("the other threads neither read nor wait nor end")

    @contextmanager
    def before_lock(self) -> Iterator[None]:
        """Count the caller among those who wait for the lock."""
        with self._changed:
            self.waiting += 1
            self._look()
        yield
        with self._changed:
            self.waiting -= 1

    def leave(self) -> None:
        """End."""
        with self._changed:
            self.running -= 1
            self._look()

    def _look(self) -> None:
        if self.standing and self.standing + self.waiting == self.running:
            self.most = max(self.most, self.standing)
            self.standing = 0
            self.meetings += 1
            self._changed.notify_all()


class Door:
    """A context manager before a lock; whoever finds it taken is counted as waiting."""

    def __init__(self, lock: Lock, crossing: Crossing) -> None:
        self.lock = lock
        self.crossing = crossing

    def __enter__(self) -> None:
        if not self.lock.acquire(blocking=False):
            with self.crossing.before_lock():
                self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class CrossedPool(LogicalHostPool):
    """A pool whose readers meet at a crossing, once there is one."""

    crossing: Crossing | None = None

    def __getattribute__(self, name: str) -> object:
        value = super().__getattribute__(name)
        if name in {"free_slots", "release_slots", "num_release_slots"}:
            crossing = super().__getattribute__("crossing")
            if isinstance(crossing, Crossing):
                crossing.meet()
        return value


Job = Callable[[], Sequence[torch.Tensor]]
THREADS = 8


def cross(
    pool: CrossedPool, jobs: Sequence[Job], *, locked: bool
) -> tuple[Crossing, list[Future[Sequence[torch.Tensor]]]]:
    """Run the jobs in a thread each and have them meet; unless `locked`, the pool has no lock."""
    crossing = Crossing(len(jobs))
    lock = pool.lock if locked else NoLock()
    assert isinstance(lock, Lock)

    def run(job: Job) -> Sequence[torch.Tensor]:
        try:
            return job()
        finally:
            crossing.leave()

    pool.lock, pool.crossing = Door(lock, crossing), crossing
    with ThreadPoolExecutor(len(jobs)) as executor:
        futures = [executor.submit(run, job) for job in jobs]
    pool.crossing = None
    return crossing, futures


def alloc_one(pool: LogicalHostPool) -> Sequence[torch.Tensor]:
    """Take a page and hold it."""
    page = pool.alloc(PAGE)
    return [] if page is None else [page]


def alloc_and_free(pool: LogicalHostPool, rounds: int) -> Sequence[torch.Tensor]:
    """Take two pages a round, give back the one held for longest; return what is left."""
    held: deque[torch.Tensor] = deque()
    for _ in range(rounds):
        for _ in range(2):
            held.extend(alloc_one(pool))
        if held:
            pool.free(held.popleft())
    return list(held)


def test_threads_that_allocate_at_once_get_different_pages() -> None:
    """However the threads are forced to meet inside the pool, the lock lets in one at a time."""
    pool = CrossedPool(THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, [lambda: alloc_one(pool)] * THREADS, locked=True)
    held = [page for future in futures for page in future.result()]
    assert len(held) == THREADS
    assert account(pool, held)
    assert crossing.most == 1


def test_without_the_lock_they_all_get_the_same_page() -> None:
    """The same threads under the same forcing: it is the lock that the test above proves."""
    pool = CrossedPool(THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, [lambda: alloc_one(pool)] * THREADS, locked=False)
    held = [page for future in futures for page in future.result()]
    assert [slots(0, PAGE)] * THREADS == [page.tolist() for page in held]
    assert not account(pool, held)
    assert crossing.most == THREADS


def freeing(pool: LogicalHostPool) -> list[Job]:
    """Take all pages; return a job for each of them that gives it back."""

    def job(page: torch.Tensor) -> Job:
        return lambda: [page] * (pool.free(page) - PAGE)

    pages = [page for _ in range(THREADS) for page in alloc_one(pool)]
    return [job(page) for page in pages]


def test_threads_that_free_at_once_lose_no_page() -> None:
    """Each page given back is counted."""
    pool = CrossedPool(THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, freeing(pool), locked=True)
    assert not [page for future in futures for page in future.result()]
    assert account(pool, [])
    assert crossing.most == 1


def test_without_the_lock_all_but_one_are_lost() -> None:
    """Each thread writes the count that it had read before any other wrote."""
    pool = CrossedPool(THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, freeing(pool), locked=False)
    assert not [page for future in futures for page in future.result()]
    assert pool.available_size() == PAGE
    assert not account(pool, [])
    assert crossing.most == THREADS


def test_threads_that_allocate_and_free_lose_and_double_no_page() -> None:
    """The pool is too small for all of them, so that they join, exhaust and refill it."""
    pool = CrossedPool(2 * THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, [lambda: alloc_and_free(pool, 5)] * THREADS, locked=True)
    held = [page for future in futures for page in future.result()]
    assert account(pool, held)
    assert crossing.most == 1
    assert crossing.meetings > THREADS * 5


def test_without_the_lock_allocating_and_freeing_fails_the_same_check() -> None:
    """Pages are held twice, or a thread stumbles over what another one is doing."""
    pool = CrossedPool(2 * THREADS * PAGE, PAGE)
    crossing, futures = cross(pool, [lambda: alloc_and_free(pool, 5)] * THREADS, locked=False)
    failed = [future for future in futures if future.exception() is not None]
    held = [page for future in futures if future not in failed for page in future.result()]
    assert failed or not account(pool, held)
    assert crossing.most == THREADS


@pytest.fixture
def hasty_scheduler() -> Iterator[None]:
    """Let the interpreter switch threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_scheduler")
def test_threads_left_to_themselves_lose_and_double_no_page() -> None:
    """Eight threads, a thousand allocations, nothing forced."""
    pool = LogicalHostPool(2 * THREADS * PAGE, PAGE)
    with ThreadPoolExecutor(THREADS) as executor:
        futures = [executor.submit(alloc_and_free, pool, 64) for _ in range(THREADS)]
    held = [page for future in futures for page in future.result()]
    assert account(pool, held)


class Entrance:
    """Stands in for a lock and counts how often it is entered."""

    def __init__(self) -> None:
        self.entered = 0

    def __enter__(self) -> None:
        self.entered += 1

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("call", "entered"),
    [
        ("pool.clear()", 1),
        ("pool.alloc(16)", 1),
        ("pool.alloc(80)", 1),
        ("pool.free(torch.arange(16))", 1),
        ("pool.available_size()", 0),
    ],
)
def test_changes_run_under_the_lock(pool: LogicalHostPool, call: str, entered: int) -> None:
    """Checks included; asking for the size does not wait for anyone."""
    pool.lock = entrance = Entrance()
    evaluate(call, pool)
    assert entered == entrance.entered


def test_the_lock_is_re_entrant_and_free_after_an_error(pool: LogicalHostPool) -> None:
    """Who holds it can still call the pool, and a call that raises gives it back."""
    lock = pool.lock
    assert isinstance(lock, Lock)
    assert lock.acquire(blocking=False)
    assert lock.acquire(blocking=False)
    with pytest.raises(ValueError, match="need_size=1,"):
        pool.alloc(1)
    lock.release()
    lock.release()
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(lock.acquire, blocking=False).result()
