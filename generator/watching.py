"""What changed below folders, told once it is whole.

What is told is found by comparing: file by file, what the file system says now and said before. A library
that hears of changes only says when to compare; without it, that is done a few times a second.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Event

STEP = 0.05  # seconds without a change after which saving is taken to be over
GRACE = 6  # steps that a file which is gone or empty is given to come back: editors save in several ways
LONGEST = 60  # steps after which is told what there is, whoever goes on writing
TURN = 0.25  # seconds from look to look, where nobody says when

Stamp = tuple[int, int, int]
Look = dict[str, Stamp]


@dataclass(frozen=True, slots=True)
class Places:
    """Folders to be watched with all below them, single files, and folders in there that are not meant."""

    trees: tuple[Path, ...]
    files: tuple[Path, ...] = ()
    ignored: tuple[Path, ...] = ()


def look(places: Places) -> Look:
    """Every file with its size, its time and its inode; what is hidden, or an editor's own, is left out."""
    found = _tops(places)
    ignored = frozenset(os.path.realpath(one) for one in places.ignored)
    for tree in places.trees:
        _below(os.path.abspath(tree), ignored, found)  # noqa: PTH100 - links are kept, as users name them
    return found


def _tops(places: Places) -> Look:
    """What is known without looking into folders."""
    found: Look = {}
    for file in places.files:
        with suppress(OSError):
            found[os.path.abspath(file)] = _stamp(file.stat())  # noqa: PTH100 - as above
    for tree in places.trees:
        # Of a folder, which one it is: what is in it has a time of its own.
        with suppress(OSError):
            found[os.path.abspath(tree)] = (1, 0, tree.stat().st_ino)  # noqa: PTH100 - as above
    return found


def _below(folder: str, ignored: frozenset[str], found: Look) -> None:
    with suppress(OSError), os.scandir(folder) as inside:
        for entry in inside:
            if entry.name.startswith(".") or entry.name.endswith("~") or entry.name == "__pycache__":
                continue
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if os.path.realpath(entry.path) not in ignored:
                        _below(entry.path, ignored, found)
                else:
                    found[entry.path] = _stamp(entry.stat())


def _stamp(status: os.stat_result) -> Stamp:
    return (status.st_size, status.st_mtime_ns, status.st_ino)


def changes(before: Look, after: Look) -> list[str]:
    """The paths that are other than they were, in order."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def settled(before: Look, look_again: Callable[[], Look], pause: Callable[[], object]) -> Look:
    """How things are once nobody writes any more: `pause` lets a step pass."""
    now = look_again()
    for step in range(LONGEST):
        pause()
        last, now = now, look_again()
        is_whole = step >= GRACE or not any(_is_fleeting(now.get(path)) for path in changes(before, now))
        if now == last and is_whole:
            break
    return now


def _is_fleeting(stamp: Stamp | None) -> bool:
    """Whether a changed file is gone or empty, as it is in the midst of being saved."""
    return stamp is None or stamp[0] == 0


def watch(places: Places, known: Look, tell: Callable[[Sequence[str]], None], stop: Event) -> None:
    """Tells what changed, each time that it is other than what was known, until it is stopped."""
    tops: Look = {}
    for is_noticed in _moments(places, stop):
        seen = _tops(places)
        if not is_noticed and seen == tops:
            continue
        tops, now = seen, look(places)
        if now == known:
            continue
        now = settled(known, lambda: look(places), lambda: stop.wait(STEP))
        found, known = changes(known, now), now
        if found and not stop.is_set():
            tell(found)


def _moments(places: Places, stop: Event) -> Iterator[bool]:
    """When to look; False where nothing was noticed in the folders, and a single file alone may be new."""
    notices = _library()
    while notices is not None and not stop.is_set():
        roots = _tops(Places(places.trees))
        # Of folders that are not there, nothing is heard when they come.
        trees = [tree for tree in places.trees if tree.is_dir()]
        if len(trees) < len(places.trees):
            break
        is_first = True
        try:
            for found in notices(trees, stop):
                yield is_first or bool(found)
                is_first = False
                if _tops(Places(places.trees)) != roots:
                    # Others of the same names, of which nothing would be heard.
                    break
        except (OSError, RuntimeError):
            # The system gives out so many watches and no more.
            break
    while not stop.wait(TURN):
        yield True


def _library() -> Callable[[Sequence[Path], Event], Iterable[object]] | None:
    """What hears of changes in folders, and of nothing now and then; None where it is not installed."""
    try:
        library = import_module("watchfiles")
    except ImportError:
        return None

    def notices(trees: Sequence[Path], stop: Event) -> Iterable[object]:
        found: Iterable[object] = library.watch(
            *trees,
            watch_filter=None,
            step=10,
            debounce=100,
            rust_timeout=int(1000 * TURN),
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=False,
        )
        return found

    return notices
