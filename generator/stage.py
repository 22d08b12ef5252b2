"""Files as they will lie in an output folder, put beside it until all of them are there.

Any process may stage: what is handed on is where a file lies and what the file system says of it.
"""

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

import msgspec

STATE = ".pagefault"  # the folder for what is ours alone, inside the output folder
STAGE = "stage"


class Unpublishable(Exception):  # noqa: N818 - a state of the output folder, not a fault of the program
    """The output folder cannot be written as it must be; says which path and why."""


class Made(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file of a unit, as it lies in the stage; `is_staged` is False where it lies in the output already."""

    path: str
    digest: bytes
    size: int
    time: int
    inode: int
    is_staged: bool = True


def stage(out: str, path: str, data: bytes, known: Mapping[str, Made]) -> Made:
    """Puts a file into the stage of an output folder, unless it is among those that lie there as they are.

    Any process may do this. Raises OSError, and Unpublishable where a folder stands or a file where a folder
    is to stand.
    """
    digest = hashlib.sha256(data).digest()
    last = known.get(path)
    if last is not None and last.digest == digest:
        return last
    target = f"{out}/{STATE}/{STAGE}/{path}"
    try:
        make_folder(target.rpartition("/")[0])
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    except IsADirectoryError:
        raise Unpublishable(f"{path} is to be a file and a folder") from None
    except NotADirectoryError:
        folder = next(each for each in parents(path) if Path(f"{out}/{STATE}/{STAGE}/{each}").is_file())
        raise Unpublishable(f"{folder} is to be a file and a folder") from None
    try:
        _fill(handle, data)
        status = os.fstat(handle)
        if stat.S_IMODE(status.st_mode) != 0o644:
            # The umask is another than most. Some file systems know no modes.
            with suppress(PermissionError):
                os.fchmod(handle, 0o644)
    finally:
        os.close(handle)
    return Made(path, digest, status.st_size, status.st_mtime_ns, status.st_ino)


def _fill(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def make_folder(folder: str) -> None:
    """Makes a folder and those above it, as far as they are missing, open to readers whatever the umask."""
    try:
        os.mkdir(folder)  # noqa: PTH102 - for each page
    except FileNotFoundError:
        make_folder(folder.rpartition("/")[0] or "/")
        with suppress(FileExistsError):
            os.mkdir(folder)  # noqa: PTH102 - as above
    except FileExistsError:
        return
    if stat.S_IMODE(os.stat(folder).st_mode) != 0o755:  # noqa: PTH116 - as above
        with suppress(PermissionError):
            os.chmod(folder, 0o755)  # noqa: PTH101, S103 - as above, and everybody may read a site


def digest(path: Path) -> bytes | None:
    """Of a file; None for everything else, also for a link to one."""
    try:
        if path.is_symlink():
            return None
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None


def parents(path: str) -> Sequence[PurePosixPath]:
    """The folders of an output path below the output folder, innermost first."""
    return PurePosixPath(path).parents[:-1]
