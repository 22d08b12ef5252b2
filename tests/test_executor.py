"""`generator.executor`: an answer for each item, in order, whatever becomes of the processes."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from generator import executor
from generator.executor import Executor, Here, Poisoned, Processes

ITEMS = [(f"item {n}", str(n).encode()) for n in range(100)]
DONE = [data + b"!" for _, data in ITEMS]


def exclaim(batch: Sequence[bytes]) -> list[bytes]:
    """Answer each item with itself."""
    return [data + b"!" for data in batch]


def who(batch: Sequence[bytes]) -> list[bytes]:
    """Answer with the process that was asked."""
    return [str(os.getpid()).encode()] * len(batch)


def refuse(batch: Sequence[bytes]) -> list[bytes]:
    """Raise for one item."""
    if b"50" in batch:
        raise ValueError("fifty")
    return exclaim(batch)


def die(batch: Sequence[bytes], *, at: bytes) -> list[bytes]:
    """End the process at one item, whenever it is asked."""
    if at in batch:
        os.kill(os.getpid(), signal.SIGKILL)
    return exclaim(batch)


def die_once(batch: Sequence[bytes], *, at: bytes, mark: str) -> list[bytes]:
    """End the process at one item, the first time."""
    if at in batch and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return exclaim(batch)


def dawdle(batch: Sequence[bytes]) -> list[bytes]:
    """Take long over the first item."""
    if b"0" in batch:
        time.sleep(0.3)
    return exclaim(batch)


def count(batch: Sequence[bytes], *, folder: str) -> list[bytes]:
    """Leave a file for each time that an item is worked on."""
    for data in batch:
        with (Path(folder) / data.decode()).open("ab") as stream:
            stream.write(b".")
    return exclaim(batch)


@pytest.fixture(params=[1, 2, 3, 8])
def workers(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Work here, and in several processes."""
    with closing(executor.executor(request.param)) as made:
        yield made


@pytest.mark.parametrize("size", [None, 1, 7, 1000])
def test_answers_come_in_order(workers: Executor, size: int | None) -> None:
    """As many as there are items, at every number of processes and size of batch."""
    assert DONE == list(workers.map(exclaim, ITEMS, size=size))
    assert [] == list(workers.map(exclaim, [], size=size))
    assert DONE[:1] == list(workers.map(exclaim, ITEMS[:1], size=size))


def test_one_job_is_done_here() -> None:
    """And a single batch: a process would cost more than it gains."""
    here = str(os.getpid()).encode()
    assert {here} == set(executor.executor(1).map(who, ITEMS))
    with closing(Processes(2)) as workers:
        assert {here} == set(workers.map(who, ITEMS, size=100))
        assert here not in set(workers.map(who, ITEMS, size=10))


def test_processes_are_kept_from_call_to_call() -> None:
    """Starting them costs."""
    with closing(Processes(2)) as workers:
        first = set(workers.map(who, ITEMS, size=1))
        assert first | set(workers.map(who, ITEMS, size=1)) == first
        assert len(first) <= 2


def test_items_are_asked_for_as_they_are_needed() -> None:
    """No more of them are held than may be under way: many do not fit into memory."""
    asked: list[int] = []

    def items() -> Iterator[tuple[str, bytes]]:
        for n in range(1000):
            asked.append(n)
            yield "", b""

    with closing(Processes(2)) as workers:
        answers = workers.map(exclaim, items(), size=2)
        next(answers)
        assert len(asked) <= 2 * 2 * (executor.WINDOW + executor.AHEAD + 1)


@pytest.mark.parametrize("length", [10_000, 100_000, 3_000_000])
def test_large_items_and_answers_do_not_wait_for_each_other(workers: Executor, length: int) -> None:
    """Neither side reads while it writes, and no pipe holds all of it."""
    items = [(name, data * length) for name, data in ITEMS[:12]]
    assert [data + b"!" for _, data in items] == list(workers.map(exclaim, items, size=1))


def test_a_slow_item_keeps_nobody_waiting_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """All others that may be under way are done by then, and more are asked for after it."""
    monkeypatch.setattr(executor, "AHEAD", 1)
    with closing(Processes(2)) as workers:
        assert DONE == list(workers.map(dawdle, ITEMS, size=1))


def test_what_work_raises_is_raised_here(workers: Executor) -> None:
    """And the next call is answered all the same."""
    with pytest.raises(ValueError, match="fifty"):
        list(workers.map(refuse, ITEMS, size=4))
    assert DONE == list(workers.map(exclaim, ITEMS, size=4))


def test_what_was_not_fetched_is_no_answer_to_the_next_call(workers: Executor) -> None:
    """A caller may stop early."""
    answers = workers.map(exclaim, ITEMS, size=1)
    assert b"0!" == next(answers)
    answers.close()  # type: ignore[attr-defined]  # a generator, as all of them are
    assert DONE == list(workers.map(exclaim, ITEMS, size=1))


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("at", [b"0", b"37", b"99"])
def test_a_killed_process_costs_one_retry(tmp_path: Path, at: bytes, size: int) -> None:
    """Everything is answered, once each and in order."""
    with closing(Processes(2)) as workers:
        work = partial(die_once, at=at, mark=str(tmp_path / "mark"))
        assert DONE == list(workers.map(work, ITEMS, size=size))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("size", [1, 5])
def test_a_poison_item_is_named(size: int) -> None:
    """It ends whatever works on it, and what stood beside it in its batch does not."""
    with closing(Processes(2)) as workers:
        with pytest.raises(Poisoned, match=r"^item 37$"):
            list(workers.map(partial(die, at=b"37"), ITEMS, size=size))
        assert DONE == list(workers.map(exclaim, ITEMS, size=size))


def test_without_deaths_nothing_is_done_twice(tmp_path: Path) -> None:
    """Each item is worked on once."""
    with closing(Processes(3)) as workers:
        list(workers.map(partial(count, folder=str(tmp_path)), ITEMS, size=3))
    assert {b"."} == {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(ITEMS) == len(list(tmp_path.iterdir()))


def test_closing_ends_the_processes() -> None:
    """None is left, and a closed executor starts new ones."""
    workers = Processes(2)
    pids = {int(pid) for pid in workers.map(who, ITEMS, size=1)}
    workers.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert DONE == list(workers.map(exclaim, ITEMS, size=1))
    workers.close()


@pytest.mark.parametrize("make", [Here, lambda: Processes(2)])
def test_what_is_handed_over_is_plain_data(make: Callable[[], Executor]) -> None:
    """Bytes with a name go in, bytes come out: any engine can carry them to any machine."""
    packed = [(name, msgspec.msgpack.encode({"n": data.decode()})) for name, data in ITEMS]
    with closing(make()) as workers:
        for answer in workers.map(exclaim, packed, size=9):
            assert isinstance(answer, bytes)
