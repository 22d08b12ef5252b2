"""Where work on many items is done: here, in local processes, or behind the same seam on other machines.

The seam is two methods. `map` takes a module-level function and items of plain data (bytes with a name), and
gives an answer for each, in order; `close` ends what was started. The function sees a batch of items at once
and nothing of the caller's memory, so it may run anywhere, and again: it must be idempotent.
"""

import gc
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Protocol

Work = Callable[[Sequence[bytes]], Sequence[bytes]]
Item = tuple[str, bytes]

BATCH = 16  # items that go to a process at once
AHEAD = 2  # batches that a process has, so that it never waits for us
# Bytes that a pipe takes though nobody reads it. While a process hands over an answer it does not, so more is
# sent only to one that has nothing to do: else both would wait for each other.
ROOM = 64_000
WINDOW = 4  # batches for each process that may be done before the first of them was fetched


class Poisoned(Exception):  # noqa: N818 - a state of the item, not a fault of the program
    """An item has ended every process that worked on it; says which."""


class Executor(Protocol):
    """What does work on items."""

    def map(self, work: Work, items: Iterable[Item], *, size: int | None = None) -> Iterator[bytes]:
        """`work`'s answer for each item, in order; raises what `work` raises, and Poisoned."""

    def close(self) -> None:
        """Ends what was started."""


class Here:
    """Does all work in this process."""

    def map(self, work: Work, items: Iterable[Item], *, size: int | None = None) -> Iterator[bytes]:
        """As `Executor.map`."""
        for batch in _batches(items, size):
            yield from work([data for _, data in batch])

    def close(self) -> None:
        """Nothing was started."""


@dataclass
class _Batch:
    number: int
    items: list[Item]
    deaths: int = 0


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    waiting: deque[_Batch] = field(default_factory=deque)


class Processes:
    """Does work in processes of its own, started when first needed.

    A process that is killed costs its batch one retry. If the retry ends its process too, its items are tried
    one by one, and the one that ends a process again is named by `Poisoned`.
    """

    def __init__(self, jobs: int) -> None:
        """`jobs` is how many processes there are."""
        self._jobs = jobs
        self._workers: list[_Worker] = []

    def map(self, work: Work, items: Iterable[Item], *, size: int | None = None) -> Iterator[bytes]:
        """As `Executor.map`. One call is finished, or its iterator closed, before the next begins."""
        batches = _batches(items, size)
        first = list(islice(batches, 2))
        if len(first) < 2:
            # A process would cost more than it gains.
            yield from Here().map(work, (item for batch in first for item in batch), size=size)
            return
        try:
            yield from self._run(work, (batch for some in (first, batches) for batch in some))
        except GeneratorExit:
            # What was asked for and not fetched would be taken for answers to the next call.
            self.close()
            raise
        except BaseException:
            self.close()
            raise

    def _run(self, work: Work, batches: Iterator[list[Item]]) -> Iterator[bytes]:
        queue: deque[_Batch] = deque()
        done: dict[int, Sequence[bytes]] = {}
        asked, given, is_more = 0, 0, True
        while True:
            while is_more and len(queue) < AHEAD * self._jobs and asked < given + WINDOW * self._jobs:
                items = next(batches, None)
                if items is None:
                    is_more = False
                    break
                queue.append(_Batch(asked, items))
                asked += 1
            self._feed(work, queue)
            if given in done:
                # There is room for more now: where all was done but this one, nobody works on anything.
                yield from done.pop(given)
                given += 1
            elif not is_more and given == asked:
                return
            else:
                self._collect(work, queue, done)

    def _feed(self, work: Work, queue: deque[_Batch]) -> None:
        while len(self._workers) < self._jobs:
            self._workers.append(_start())
        for worker in sorted(self._workers, key=lambda one: len(one.waiting)):
            while queue and len(worker.waiting) < AHEAD:
                packed = ForkingPickler.dumps((work, [data for _, data in queue[0].items]))
                if worker.waiting and len(packed) > ROOM:
                    break
                worker.waiting.append(queue.popleft())
                # A process that has just died is noticed by the silence on its pipe.
                with suppress(BrokenPipeError, ConnectionResetError):
                    worker.pipe.send_bytes(packed)

    def _collect(self, work: Work, queue: deque[_Batch], done: dict[int, Sequence[bytes]]) -> None:
        """Waits for an answer at least, and takes those that are there."""
        busy = {id(one.pipe): one for one in self._workers if one.waiting}
        for pipe in connection.wait([one.pipe for one in busy.values()]):
            worker = busy[id(pipe)]
            try:
                answer = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                self._bury(worker, work, queue, done)
                continue
            batch = worker.waiting.popleft()
            if isinstance(answer, BaseException):
                raise answer
            done[batch.number] = answer

    def _bury(
        self, worker: _Worker, work: Work, queue: deque[_Batch], done: dict[int, Sequence[bytes]]
    ) -> None:
        """What a dead process had not answered is done by others; it worked on the first of it."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        queue.extendleft(reversed(list(worker.waiting)[1:]))
        culprit = worker.waiting[0]
        culprit.deaths += 1
        if culprit.deaths < 2:
            queue.appendleft(culprit)
        else:
            done[culprit.number] = [self._alone(work, item) for item in culprit.items]

    @staticmethod
    def _alone(work: Work, item: Item) -> bytes:
        """One item's answer, from a process of its own. Raises Poisoned."""
        name, data = item
        worker = _start()
        try:
            worker.pipe.send((work, [data]))
            answer = worker.pipe.recv()
        except (EOFError, ConnectionResetError, BrokenPipeError):
            raise Poisoned(name) from None
        finally:
            _end(worker)
        if isinstance(answer, BaseException):
            raise answer
        (found,) = answer
        return bytes(found)

    def close(self) -> None:
        """Ends the processes and waits for them."""
        workers, self._workers = self._workers, []
        for worker in workers:
            _end(worker)


def executor(jobs: int) -> Executor:
    """Local processes, or this one where there is to be no more than one."""
    return Processes(jobs) if jobs > 1 else Here()


def _batches(items: Iterable[Item], size: int | None) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, size or BATCH)):
        yield batch


def _start() -> _Worker:
    # Forking shares what is imported already; where it is unsafe, processes start from nothing.
    context = get_context("fork") if sys.platform == "linux" else get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, ours), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _end(worker: _Worker) -> None:
    # Processes that were started later hold this pipe too: that it is closed here does not end it.
    with suppress(BrokenPipeError, ConnectionResetError):
        worker.pipe.send(None)
    worker.pipe.close()
    worker.process.join(timeout=1)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _serve(pipe: Connection, theirs: Connection) -> None:
    """Answers batches until it is told to end, or the other end of the pipe is closed."""
    theirs.close()
    # What a caller with many objects that stay has switched off, this process needs.
    gc.enable()
    # Ctrl-C is for the process that can say something about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            asked = pipe.recv()
            if asked is None:
                return
            work, batch = asked
            try:
                answer: object = list(work(batch))
            except Exception as error:  # noqa: BLE001 - it is raised where the work was asked for
                answer = error
            pipe.send(answer)
