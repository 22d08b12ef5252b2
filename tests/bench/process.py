"""What one command takes: its time, that of its processors, the memory of its process tree, what it wrote."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAUSE = 0.05  # seconds between two looks at the memory
SHARE = 0.02  # of a processor that looking may take: to count a large process's pages holds it up

Entry = tuple[int, int, int]  # a file's number, time of change and size


@dataclass(frozen=True, slots=True)
class Run:
    """What a command took.

    `wall` and `cpu` in seconds, the latter of all its processes, `others` of those of other programs;
    `memory` in bytes, the most that the whole tree held at once, pages that processes share counted once;
    `files` and `written` (bytes) are of what was written anew or changed, `stored` the bytes of what it keeps
    between runs and wrote.
    """

    wall: float
    cpu: float
    memory: int
    others: float = 0.0
    files: int = 0
    written: int = 0
    stored: int = 0


class Failed(Exception):  # noqa: N818 - it says what happened
    """A command that did not succeed; says how it ended, and what it said."""


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Run:
    """Runs a command to its end. Raises Failed."""
    os.sync()
    log = folder / "output.txt"
    with log.open("wb") as said:
        busy, start = _busy(), time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        watch = _Watch(process.pid)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall, busy = time.perf_counter() - start, _busy() - busy
    watch.end()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        told = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise Failed(f"{' '.join(command)} ended with {process.returncode}:\n{told}")
    cpu = usage.ru_utime + usage.ru_stime
    return Run(wall, cpu, watch.most, max(0.0, busy - cpu))


def _busy() -> float:
    """Seconds that all processors were at work, for whomever."""
    line = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    user, nice, system, _, _, *interrupts = map(int, line.split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


class _Watch(threading.Thread):
    """Looks at the memory of a process and all below it, until the end."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._pid = pid
        self._is_over = threading.Event()

    def run(self) -> None:
        pause = PAUSE / 5  # what is short is not to be missed
        while not self._is_over.wait(pause):
            start = time.thread_time()
            self.most = max(self.most, sum(map(_memory, _tree(self._pid))))
            pause = max(PAUSE, (time.thread_time() - start) / SHARE)

    def end(self) -> None:
        self._is_over.set()
        self.join()


def _tree(pid: int) -> list[int]:
    """A process and all below it that are there."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, task.read_bytes().split())
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found


def _memory(pid: int) -> int:
    """The bytes that a process holds, its share of what it has in common with others; 0 if it is gone."""
    for name, field in (("smaps_rollup", b"Pss:"), ("status", b"VmRSS:")):
        try:
            lines = Path(f"/proc/{pid}/{name}").read_bytes().splitlines()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        for line in lines:
            if line.startswith(field):
                return 1024 * int(line.split()[1])
    return 0


def state(folder: Path) -> dict[str, Entry]:
    """The files below a folder, by their paths; none where there is no folder."""
    found: dict[str, Entry] = {}
    waiting = [folder] if folder.is_dir() else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                else:
                    known = entry.stat(follow_symlinks=False)
                    found[entry.path] = (known.st_ino, known.st_mtime_ns, known.st_size)
    return found


def written(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[int, int]:
    """How many files are new or changed, and their bytes."""
    sizes = [entry[-1] for path, entry in after.items() if before.get(path) != entry]
    return len(sizes), sum(sizes)
