"""What a pass left in an output folder: every file, what it was made of, and how it looked.

A file is hashed again where size, time or inode are not those that were noted, and where the time is so near
that of the note that a change might not show in it, as git does with its index.
"""

import os
import sqlite3
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from generator.stage import Made
from generator.stage import digest as digest_of

TICK = 20_000_000  # nanoseconds within which two changes of a file may have the same time
TABLES = """
CREATE TABLE files (
    path TEXT PRIMARY KEY, unit TEXT, digest BLOB, size INTEGER, time INTEGER, inode INTEGER, folded TEXT
) WITHOUT ROWID;
CREATE INDEX of_unit ON files (unit);
CREATE INDEX of_folded ON files (folded) WHERE folded IS NOT NULL;
CREATE TABLE units (name TEXT PRIMARY KEY, key BLOB) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
"""


def now(mark: Path) -> int | None:
    """The file system's own time, from a file that is written for it; None where it cannot be."""
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_bytes(b"")
        return mark.stat().st_mtime_ns
    except OSError:
        return None


def connect(path: Path) -> sqlite3.Connection:
    """A state that is to be written."""
    tables = sqlite3.connect(path, isolation_level=None)
    # The file is worthless until the pass is decided: no journal, nothing synced, one transaction.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"):
        tables.execute(f"PRAGMA {pragma}")
    tables.execute("BEGIN")
    return tables


def opened(path: Path) -> sqlite3.Connection | None:
    """What the last pass left; None if there was none, or nobody can read it."""
    if not path.is_file():
        return None
    tables = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    wanted = (("files", 7), ("units", 2), ("facts", 2))
    with suppress(sqlite3.DatabaseError):
        rows = (tables.execute(f"SELECT * FROM {table} LIMIT 1") for table, _ in wanted)  # noqa: S608 - ours
        if [len(row.description) for row in rows] == [columns for _, columns in wanted]:
            return tables
    tables.close()
    return None


def broken(tables: sqlite3.Connection, out: Path, file: Path) -> dict[str, tuple[str, Made | None]]:
    """The files that do not look as they were left, with their units; and what they are if it is the same."""
    found: dict[str, tuple[str, Made | None]] = {}
    near = file.stat().st_mtime_ns - TICK
    folder = f"{out}/"
    folders: dict[str, bool] = {"": True}

    def is_folder(path: str) -> bool:
        """Whether a folder stands there, and no link to one."""
        if path not in folders:
            with suppress(OSError):
                folders[path] = is_folder(path.rpartition("/")[0]) and stat.S_ISDIR(
                    os.lstat(folder + path).st_mode
                )
        return folders.setdefault(path, False)

    for path, unit, digest, size, time, inode in tables.execute(
        "SELECT path, unit, digest, size, time, inode FROM files"
    ):
        try:
            status = os.lstat(folder + path)
        except OSError:
            found[path] = (unit, None)
            continue
        if not is_folder(path.rpartition("/")[0]):
            found[path] = (unit, None)
            continue
        if len(folders) > 1000:
            # In the order of paths only the folders above are asked for again.
            folders = {"": True}
        same = (status.st_size, status.st_mtime_ns, status.st_ino) == (size, time, inode)
        if same and time < near:
            continue
        if digest_of(out / path) != digest:
            found[path] = (unit, None)
        elif not same:
            mended = Made(path, digest, status.st_size, status.st_mtime_ns, status.st_ino, is_staged=False)
            found[path] = (unit, mended)
    return found


def holds(tables: sqlite3.Connection, path: str) -> bool:
    """Whether there is a file at that path."""
    return tables.execute("SELECT 1 FROM files WHERE path = ?", (path,)).fetchone() is not None


def below(tables: sqlite3.Connection, path: str) -> bool:
    """Whether there is a file below that path."""
    bounds = (f"{path}/", f"{path}0")  # `0` comes behind `/`
    return (
        tables.execute("SELECT 1 FROM files WHERE path > ? AND path < ? LIMIT 1", bounds).fetchone()
        is not None
    )


def alike(tables: sqlite3.Connection, path: str) -> Iterable[str]:
    """Other paths that are the same one where case is ignored."""
    folded = path.casefold()
    rows = tables.execute("SELECT path FROM files WHERE folded = ? OR path = ?", (folded, folded))
    return [other for (other,) in rows if other != path]
