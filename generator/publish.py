"""Files to a folder: only what changed is written, only what we wrote is removed, all or nothing.

State is kept in `.pagefault/` inside the output folder: `files.json`, the digest of every file of the
last pass; and during a pass `stage/` with the new bytes and then `pass.json`, which says what is to be
moved and removed. Until `pass.json` stands, nothing outside has been touched and the stage is worthless;
once it stands, the pass can be completed by anyone, and the next command does so. Nothing is synced to
the disk: files are compared by what they hold, so a build after a power cut mends what that cut short.
"""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from generator.model import File

STATE = ".pagefault"
_FILES = "files.json"
_PASS = "pass.json"  # noqa: S105 - a file's name
_STAGE = "stage"


class Unpublishable(Exception):  # noqa: N818 - a state of the output folder, not a fault of the program
    """The output folder cannot be written as it must be; says which path and why."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a pass did, as output paths in order."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


class _Pass(msgspec.Struct, frozen=True):
    """A pass that is decided: staged file name by output path, paths to remove, digests afterwards."""

    moves: dict[str, str]
    removals: list[str]
    files: dict[str, str]


def publish(files: Sequence[File], out: Path) -> Changes:
    """Makes the folder hold exactly these files beside what is not ours.

    Raises Unpublishable before anything is touched: if a path is taken by a file that no build of ours
    wrote, if two of the paths cannot stand side by side, or if the disk refuses.
    """
    with _locked(out):
        complete(out)
        known = _known(out)
        new = {file.path: hashlib.sha256(file.data).hexdigest() for file in files}
        folded: dict[str, str] = {}
        for path in sorted(new):
            other = folded.setdefault(path.casefold(), path)
            if other != path:
                raise Unpublishable(f"{other} and {path} are one file where case is ignored")
        if len(new) != len(files):
            raise Unpublishable("two pages have the same output path")
        for folder in sorted({str(parent) for path in new for parent in _parents(path)}):
            if folder in new:
                raise Unpublishable(f"{folder} is to be a file and a folder")
            if not (folder in known and _is_ours(out, folder)):
                _refuse_other(out / folder)
        changed = [file for file in files if _digest(out / file.path) != new[file.path]]
        for file in changed:
            if not _holds_ours_alone(out, file.path, known):
                _refuse_foreign(out / file.path, is_known=file.path in known)
        removals = sorted(path for path in known.keys() - new.keys() if _is_ours(out, path))
        if changed or removals or known != new:
            _run(changed, _Pass({}, removals, new), out)
        return Changes(
            tuple(sorted(file.path for file in changed)),
            tuple(removals),
            len(files) - len(changed),
        )


def resume(out: Path) -> bool:
    """Completes what an interrupted build left; whether there was anything. Raises Unpublishable."""
    if not any((out / STATE / name).exists() for name in (_PASS, _STAGE)):
        return False
    with _locked(out):
        return complete(out)


def complete(out: Path) -> bool:
    """Finishes a pass that was interrupted, drops a stage that was never decided; whether it did either.

    For the holder of the lock; others call `resume`.
    """
    state = out / STATE
    try:
        decided = msgspec.json.decode((state / _PASS).read_bytes(), type=_Pass)
    except FileNotFoundError:
        if not (state / _STAGE).is_dir():
            return False
        shutil.rmtree(state / _STAGE)
        return True
    except msgspec.DecodeError as error:
        raise Unpublishable(f"{state / _PASS} is damaged: remove {state} and build again") from error
    for path in (*decided.moves, *decided.moves.values(), *decided.removals):
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise Unpublishable(f"{state / _PASS} leads out of {out}: remove {state} and build again")
    # A file that becomes a folder, or a folder that becomes a file, has to go first.
    folders = {str(parent) for path in decided.moves for parent in _parents(path)}
    for path in decided.removals:
        if path in folders or any(str(parent) in decided.moves for parent in _parents(path)):
            _remove(path, out)
    for path, staged in decided.moves.items():
        source = state / _STAGE / staged
        if source.exists():
            target = out / path
            _make_folder(target.parent)
            source.replace(target)
    for path in decided.removals:
        _remove(path, out)
    _write(state / _FILES, msgspec.json.encode(decided.files, order="sorted"))
    (state / _PASS).unlink()
    shutil.rmtree(state / _STAGE, ignore_errors=True)
    return True


def _run(changed: Sequence[File], decided: _Pass, out: Path) -> None:
    state = out / STATE
    stage = state / _STAGE
    moves: dict[str, str] = {}
    try:
        _make_folder(stage)
        for number, file in enumerate(changed):
            _write(stage / str(number), file.data)
            moves[file.path] = str(number)
        _write(state / _PASS, msgspec.json.encode(msgspec.structs.replace(decided, moves=moves)))
    except OSError as error:
        shutil.rmtree(stage, ignore_errors=True)
        (state / _PASS).unlink(missing_ok=True)
        raise Unpublishable(f"{error.filename or out}: {error.strerror or error}") from error
    try:
        complete(out)
    except OSError as error:
        raise Unpublishable(
            f"{error.filename or out}: {error.strerror or error}; the next build completes this one"
        ) from error


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.write_bytes(data)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _make_folder(folder: Path) -> None:
    """Makes a folder and those above it, as far as they are missing, open to readers whatever the umask."""
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)


def _known(out: Path) -> dict[str, str]:
    """Digests of what the last pass left, by path; nothing if there was none."""
    try:
        return msgspec.json.decode((out / STATE / _FILES).read_bytes(), type=dict[str, str])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}


def _digest(path: Path) -> str | None:
    """Of a file; None for everything else, also for a link to one."""
    try:
        if path.is_symlink():
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _parents(path: str) -> Sequence[PurePosixPath]:
    """The folders of an output path below the output folder, innermost first."""
    return PurePosixPath(path).parents[:-1]


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
    places = [out / path, *(out / parent for parent in _parents(path))]
    return (out / path).is_file() and not any(place.is_symlink() for place in places)


def _holds_ours_alone(out: Path, path: str, known: Mapping[str, str]) -> bool:
    """Whether a folder stands at a path, with files of ours in it and in each folder below, and no others."""
    folder = out / path
    if folder.is_symlink() or not folder.is_dir():
        return False
    inside = {each.relative_to(out).as_posix(): each for each in folder.rglob("*")}
    files = {name for name, each in inside.items() if each.is_symlink() or not each.is_dir()}
    filled = {str(parent) for name in files for parent in _parents(name)}
    return (
        path in filled
        and inside.keys() - files <= filled
        and all(name in known and _is_ours(out, name) for name in files)
    )


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
    try:
        _make_folder(out / STATE)
        with (out / STATE / "lock").open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise Unpublishable(f"{error.filename or out}: {error.strerror or error}") from error
