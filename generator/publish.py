"""Files to a folder: only what changed is written, only what we wrote is removed, all or nothing.

What is published comes in *units*: a record's files, or one page of the site. A unit has a key that names
everything its bytes depend on, so a unit whose key is the last pass's needs neither rendering nor writing.

State is kept in `.pagefault/` inside the output folder. `files.db` says what the last pass left: of every
file its unit, its digest, and what the file system said of it. During a pass `stage/` holds the new files as
they will lie in the output, and `next.db` what is to be; then `pass.json` says what is to be removed. Until
that stands, nothing outside has been touched and stage and `next.db` are worthless; once it stands, the pass
can be completed by anyone, and the next command does so. Nothing is synced to the disk: after a power cut,
files that are not as they were left are found by their size and time.
"""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from generator import state
from generator.model import File
from generator.stage import STAGE, STATE, Made, Unpublishable, digest, make_folder, parents, stage

_FILES = "files.db"
_NEXT = "next.db"
_PASS = "pass.json"  # noqa: S105 - a file's name


@dataclass(frozen=True, slots=True)
class Changes:
    """What a pass did, as output paths in order."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


class _Pass(msgspec.Struct, frozen=True):
    """A pass that is decided: what is removed before anything is moved, and what after that."""

    first: list[str]
    removals: list[str]


class Publication:
    """One pass over an output folder: what is added, and what was there and still is.

    Whoever makes one holds the folder's lock until it is closed. Nothing outside the state's folder is
    touched before `finish`.
    """

    def __init__(self, out: Path, *, is_fresh: bool = False) -> None:
        """With `is_fresh`, no unit is taken for what it was. Raises Unpublishable, OSError."""
        self.out = out
        self._state = out / STATE
        self._is_fresh = is_fresh
        complete(out)
        self._is_empty = os.listdir(out) == [STATE]  # noqa: PTH208 - names are enough
        self._tables: sqlite3.Connection | None = None
        self._known = state.opened(self._state / _FILES)
        self._broken = state.broken(self._known, out, self._state / _FILES) if self._known else {}
        # Of a pass that knows of no other, all units are seen: there may be many.
        self._seen: set[str] = set()
        self._dropped: set[str] = set()

    @property
    def is_intact(self) -> bool:
        """Whether every file of the last pass is as it was left."""
        return self._known is not None and not self._broken

    def close(self) -> None:
        """Closes what is open."""
        for tables in (self._known, self._tables):
            if tables is not None:
                tables.close()

    def drop(self) -> None:
        """Removes what was not finished."""
        with suppress(OSError):
            (self._state / _NEXT).unlink(missing_ok=True)
        shutil.rmtree(self._state / STAGE, ignore_errors=True)

    def fact(self, name: str) -> bytes | None:
        """What the last pass noted beside its files."""
        if self._known is None:
            return None
        row = self._known.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    @cached_property
    def keys(self) -> dict[str, bytes]:
        """The key of every unit all of whose files are as they were left."""
        if self._known is None or self._is_fresh:
            return {}
        found: dict[str, bytes] = dict(self._known.execute("SELECT name, key FROM units"))
        for unit, mended in self._broken.values():
            if mended is None:
                found.pop(unit, None)
        return found

    def is_as(self, unit: str, key: bytes) -> bool:
        """Whether a unit has that key, and its files are as they were left."""
        return self.keys.get(unit) == key

    def of(self, unit: str) -> dict[str, Made]:
        """The files of a unit that are as they were left, by their paths."""
        if self._known is None:
            return {}
        rows = self._known.execute(
            "SELECT path, digest, size, time, inode FROM files WHERE unit = ?", (unit,)
        )
        found = {}
        for path, hashed, size, time, inode in rows:
            if path not in self._broken:
                found[path] = Made(path, hashed, size, time, inode, is_staged=False)
            elif (mended := self._broken[path][1]) is not None:
                found[path] = mended
        return found

    def stage(self, unit: str, files: Sequence[File]) -> list[Made]:
        """Puts a unit's files into the stage, those that lie in the output already excepted."""
        known = self.of(unit)
        return [stage(str(self.out), file.path, file.data, known) for file in files]

    def keep(self, unit: str) -> None:
        """Says that a unit is what it was."""
        self._seen.add(unit)

    def add(self, unit: str, key: bytes, made: Sequence[Made]) -> None:
        """Says what a unit is now. Raises Unpublishable."""
        if self._known is not None and not any(one.is_staged for one in made):
            last = self._known.execute("SELECT key FROM units WHERE name = ?", (unit,)).fetchone()
            paths = self._known.execute("SELECT path FROM files WHERE unit = ?", (unit,))
            if last == (key,) and {path for (path,) in paths} == {one.path for one in made}:
                self.keep(unit)
                return
        tables = self._next
        old = {path for (path,) in tables.execute("SELECT path FROM files WHERE unit = ?", (unit,))}
        if self._known is not None:
            self._seen.add(unit)
        for one in made:
            folded = one.path.casefold()
            holder = tables.execute("SELECT unit FROM files WHERE path = ?", (one.path,)).fetchone()
            if holder is not None and holder[0] != unit:
                if self._is_seen(holder[0]):
                    raise Unpublishable("two pages have the same output path")
                # Of a unit that is gone, or that will be made again.
                tables.execute("DELETE FROM units WHERE name = ?", holder)
            tables.execute(
                "REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(one.path, unit, one.digest, one.size, one.time, one.inode),
                    None if folded == one.path else folded,
                ),
            )
            if one.is_staged:
                tables.execute("INSERT OR IGNORE INTO temp.fresh VALUES (?)", (one.path,))
        for path in old - {one.path for one in made}:
            tables.execute("DELETE FROM files WHERE path = ?", (path,))
            self._dropped.add(path)
        tables.execute("REPLACE INTO units VALUES (?, ?)", (unit, key))

    def _is_seen(self, unit: str) -> bool:
        """Whether a unit was added or kept."""
        return self._known is None or unit in self._seen

    def digests(self, start: str) -> Iterator[tuple[str, bytes]]:
        """The paths that begin so with their digests, in order, as far as their units were added or kept."""
        rows = (self._tables or self._known or self._next).execute(
            "SELECT path, digest, unit FROM files WHERE path >= ? AND path < ? ORDER BY path",
            (start, f"{start}\U0010ffff"),
        )
        # All at once: what is added meanwhile has no say.
        yield from [(path, digest) for path, digest, unit in rows.fetchall() if self._is_seen(unit)]

    @property
    def folders(self) -> dict[str, tuple[int, int]]:
        """How many files there are of what was added or kept, and their bytes, by the path's first part."""
        tables = self._tables or self._known
        found: dict[str, tuple[int, int]] = {}
        for path, size, unit in tables.execute("SELECT path, size, unit FROM files") if tables else ():
            if self._is_seen(unit):
                name = path.partition("/")[0]
                count, held = found.get(name, (0, 0))
                found[name] = (count + 1, held + size)
        return found

    def finish(self, facts: Mapping[str, bytes] | None = None) -> Changes:
        """Makes the folder hold exactly what was added or kept, beside what is not ours; notes facts.

        Raises Unpublishable before anything is touched: if a path is taken by a file that no build of ours
        wrote, if two of the paths cannot stand side by side, or if the disk refuses.
        """
        if not self._is_changed(facts or {}):
            return Changes((), (), sum(count for count, _ in self.folders.values()))
        removals, first = self._drop_unseen(), set[str]()
        tables = self._next
        self._check()
        for path in removals:
            if state.below(tables, path) or any(state.holds(tables, str(parent)) for parent in parents(path)):
                first.add(path)
        tables.execute("DELETE FROM facts")
        tables.executemany("INSERT INTO facts VALUES (?, ?)", (facts or {}).items())
        (count,) = tables.execute("SELECT count(*) FROM files").fetchone()
        written = tuple(self._fresh())
        tables.commit()
        tables.close()
        self._tables = None
        if self._known is not None:
            self._known.close()
            self._known = None
        try:
            _write(self._state / _PASS, msgspec.json.encode(_Pass(sorted(first), removals)))
        except OSError:
            (self._state / _PASS).unlink(missing_ok=True)
            raise
        try:
            complete(self.out)
        except OSError as error:
            raise Unpublishable(
                f"{error.filename or self.out}: {error.strerror or error}; the next build completes this one"
            ) from error
        return Changes(written, tuple(removals), count - len(written))

    def read(self, path: str) -> bytes:
        """The bytes of a file that is to be. Raises OSError."""
        try:
            return (self._state / STAGE / path).read_bytes()
        except FileNotFoundError:
            return (self.out / path).read_bytes()

    def _is_changed(self, facts: Mapping[str, bytes]) -> bool:
        """Whether anything is to be other than the last pass left it, be it in our notes alone."""
        if self._known is None or self._tables is not None or self._broken.keys() & self._mended():
            return True
        units = self._known.execute("SELECT name FROM units")
        if any(name not in self._seen for (name,) in units):
            return True
        return dict(self._known.execute("SELECT name, value FROM facts")) != facts

    def _mended(self) -> set[str]:
        return {path for path, (_, mended) in self._broken.items() if mended is not None}

    @property
    def _next(self) -> sqlite3.Connection:
        """What is to be, beginning with what is."""
        if self._tables is None:
            path = self._state / _NEXT
            path.unlink(missing_ok=True)
            if self._known is not None:
                shutil.copyfile(self._state / _FILES, path)
            self._tables = state.connect(path)
            # In a file of its own: there are many where all is new.
            self._tables.execute("CREATE TEMP TABLE fresh (path TEXT PRIMARY KEY) WITHOUT ROWID")
            if self._known is None:
                self._tables.executescript(state.TABLES)
            for path_of, (_, mended) in self._broken.items():
                # Hashed, and found to be what it was: from now on by its new time.
                if mended is not None:
                    self._tables.execute(
                        "UPDATE files SET size = ?, time = ?, inode = ? WHERE path = ?",
                        (mended.size, mended.time, mended.inode, path_of),
                    )
        return self._tables

    def _fresh(self) -> Iterator[str]:
        """The paths of what was staged, in order. What is changed meanwhile is not missed for it."""
        last = ""
        while True:
            rows = self._next.execute(
                "SELECT path FROM temp.fresh WHERE path > ? ORDER BY path LIMIT 1000", (last,)
            ).fetchall()
            if not rows:
                return
            yield from (path for (path,) in rows)
            ((last,),) = rows[-1:]

    def _drop_unseen(self) -> list[str]:
        """Takes out what belongs to units that are gone; what of ours is to be removed, in order."""
        tables = self._next
        # Also units one of whose files became another's: they are no units any more, and have others.
        names = tables.execute("SELECT name FROM units UNION SELECT unit FROM files").fetchall()
        for (name,) in names:
            if not self._is_seen(name):
                rows = tables.execute("SELECT path FROM files WHERE unit = ?", (name,))
                self._dropped.update(path for (path,) in rows)
                tables.execute("DELETE FROM files WHERE unit = ?", (name,))
                tables.execute("DELETE FROM units WHERE name = ?", (name,))
        return sorted(
            path for path in self._dropped if not state.holds(tables, path) and _is_ours(self.out, path)
        )

    def _check(self) -> None:
        """Raises Unpublishable for paths that cannot stand beside others, or in whose place others stand."""
        tables = self._next
        folders = set[str]()
        for path in self._fresh():
            if not self._is_empty and self._adopts(path):
                tables.execute("DELETE FROM temp.fresh WHERE path = ?", (path,))
                continue
            for other in state.alike(tables, path):
                first, second = sorted((path, other))
                raise Unpublishable(f"{first} and {second} are one file where case is ignored")
            if state.below(tables, path):
                raise Unpublishable(f"{path} is to be a file and a folder")
            for folder in map(str, parents(path)):
                if folder in folders:
                    break
                folders.add(folder)
                if state.holds(tables, folder):
                    raise Unpublishable(f"{folder} is to be a file and a folder")
                if not (self._is_empty or (self._knows(folder) and _is_ours(self.out, folder))):
                    _refuse_other(self.out / folder)
            if not (self._is_empty or self._holds_ours_alone(path)):
                _refuse_foreign(self.out / path, is_known=self._knows(path))

    def _adopts(self, path: str) -> bool:
        """Whether a stranger's file at a path is what is to be there: there is nothing to lose."""
        target = self.out / path
        if self._knows(path) or not target.is_file():
            return False
        (wanted,) = self._next.execute("SELECT digest FROM files WHERE path = ?", (path,)).fetchone()
        if digest(target) != wanted or not _is_ours(self.out, path):
            return False
        status = target.lstat()
        self._next.execute(
            "UPDATE files SET size = ?, time = ?, inode = ? WHERE path = ?",
            (status.st_size, status.st_mtime_ns, status.st_ino, path),
        )
        (self._state / STAGE / path).unlink()
        return True

    def _knows(self, path: str) -> bool:
        """Whether the last pass left a file there."""
        return self._known is not None and state.holds(self._known, path)

    def _holds_ours_alone(self, path: str) -> bool:
        """Whether a folder stands at a path, with files of ours in it and in each folder below."""
        folder = self.out / path
        if folder.is_symlink() or not folder.is_dir():
            return False
        inside = {each.relative_to(self.out).as_posix(): each for each in folder.rglob("*")}
        files = {name for name, each in inside.items() if each.is_symlink() or not each.is_dir()}
        filled = {str(parent) for name in files for parent in parents(name)}
        return (
            path in filled
            and inside.keys() - files <= filled
            and all(self._knows(name) and _is_ours(self.out, name) for name in files)
        )


@contextmanager
def publication(out: Path, *, is_fresh: bool = False) -> Iterator[Publication]:
    """A pass over the folder, one at a time; what is not finished is dropped. Raises Unpublishable."""
    was_there = out.exists()
    with _locked(out):
        one = Publication(out, is_fresh=is_fresh)
        try:
            yield one
            one.drop()
        except Exception:
            one.drop()
            raise
        finally:
            # Of a process that is stopped the next command removes what was not finished.
            one.close()
            if not (was_there or (out / STATE / _FILES).exists()):
                shutil.rmtree(out / STATE, ignore_errors=True)
                with suppress(OSError):
                    out.rmdir()


def publish(files: Sequence[File], out: Path) -> Changes:
    """Makes the folder hold exactly these files, each a unit, beside what is not ours.

    Raises Unpublishable as `Publication.finish` does.
    """
    with publication(out) as one:
        for file in files:
            made = one.stage(file.path, [file])
            one.add(file.path, made[0].digest, made)
        if len({file.path for file in files}) != len(files):
            raise Unpublishable("two pages have the same output path")
        return one.finish()


def resume(out: Path) -> bool:
    """Completes what an interrupted build left; whether there was anything. Raises Unpublishable."""
    if not any((out / STATE / name).exists() for name in (_PASS, STAGE, _NEXT)):
        return False
    with _locked(out):
        return complete(out)


def complete(out: Path) -> bool:
    """Finishes a pass that was interrupted, drops a stage that was never decided; whether it did either.

    For the holder of the lock; others call `resume`.
    """
    place = out / STATE
    try:
        decided = msgspec.json.decode((place / _PASS).read_bytes(), type=_Pass)
    except FileNotFoundError:
        is_left = (place / STAGE).is_dir() or (place / _NEXT).exists()
        if (place / STAGE).is_dir():
            shutil.rmtree(place / STAGE)
        (place / _NEXT).unlink(missing_ok=True)
        return is_left
    except msgspec.DecodeError as error:
        raise Unpublishable(f"{place / _PASS} is damaged: remove {place} and build again") from error
    for path in (*decided.first, *decided.removals):
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise Unpublishable(f"{place / _PASS} leads out of {out}: remove {place} and build again")
    # A file that becomes a folder, or a folder that becomes a file, has to go first.
    for path in decided.first:
        _remove(path, out)
    if (place / STAGE).is_dir():
        _move(str(place / STAGE), str(out))
    for path in decided.removals:
        if path not in decided.first:
            _remove(path, out)
    if (place / _NEXT).exists():
        (place / _NEXT).replace(place / _FILES)
    (place / _PASS).unlink()
    shutil.rmtree(place / STAGE, ignore_errors=True)
    return True


def _move(source: str, target: str) -> None:
    """Moves what is staged to its place: a folder that is not there yet at once, files one by one."""
    with os.scandir(source) as inside:
        entries = list(inside)
    for one in entries:
        place = f"{target}/{one.name}"
        if one.is_dir(follow_symlinks=False) and os.path.isdir(place):  # noqa: PTH112 - for each folder
            _move(one.path, place)
        else:
            os.replace(one.path, place)  # noqa: PTH105 - for each file


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _refuse_other(folder: Path) -> None:
    """Raises Unpublishable for what stands where a folder is to stand."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Unpublishable(f"{folder} is in the way: a folder is to stand there")


def _refuse_foreign(target: Path, *, is_known: bool) -> None:
    """Raises Unpublishable for what stands where a file is to stand, unless a build of ours wrote it."""
    if target.is_symlink() or target.is_dir() or (target.exists() and not is_known):
        raise Unpublishable(f"{target} was not written by a build: move it, or choose another --out")


def _is_ours(out: Path, path: str) -> bool:
    """Whether what a build wrote at a path is still there: no link, and not behind one."""
    places = [out / path, *(out / parent for parent in parents(path))]
    return (out / path).is_file() and not any(place.is_symlink() for place in places)


def _remove(path: str, out: Path) -> None:
    """Removes a file, and the folders that this leaves empty.

    What is no file any more is a folder that took its place, or behind a file that did, in a pass that was
    interrupted.
    """
    if (out / path).is_file():
        (out / path).unlink()
    _prune((out / path).parent, out)


def _prune(folder: Path, out: Path) -> None:
    """Removes folders that a removal left empty, up to the output folder."""
    while folder != out and (not folder.is_dir() or not any(folder.iterdir())):
        # An interrupted pass may have removed the inner ones.
        if folder.is_dir():
            folder.rmdir()
        folder = folder.parent


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """One build at a time in one output folder; the lock goes with its process."""
    lock = out / STATE / "lock"
    try:
        while True:
            make_folder(f"{out}/{STATE}")
            with lock.open("a") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)
                # Whoever had it may have removed the folder that it had made for nothing.
                if lock.exists() and os.path.samestat(os.fstat(stream.fileno()), lock.stat()):
                    yield
                    return
    except OSError as error:
        raise Unpublishable(f"{error.filename or out}: {error.strerror or error}") from error
