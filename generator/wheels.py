"""Released wheels as pinned text: fetched once, checked by their hash, read member by member.

Nothing of a wheel is installed, imported or unpacked. The values of a `Wheel` come from a record
file and are treated as hostile.
"""

import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

MEMBER_LIMIT = 4 * 1024 * 1024
"""Bytes of the largest member that `read` returns."""

LARGEST = 512 * 1024 * 1024
"""Bytes of the largest wheel that is fetched without being pinned by its hash."""

_PINNED_LARGEST = 4 * LARGEST
_WORD = r"[A-Za-z0-9][A-Za-z0-9._+!-]*"
_FORMS = {
    "requirement": re.compile(rf"{_WORD}=={_WORD}"),
    "python": re.compile(r"[0-9]+\.[0-9]+"),
    "platform": re.compile(r"[a-z0-9_]+"),
    "file": re.compile(rf"{_WORD}\.whl"),
    "sha256": re.compile(r"[0-9a-f]{64}"),
}


@dataclass(frozen=True, slots=True)
class Wheel:
    """A released wheel, pinned by its hash.

    `requirement` like "sglang==0.5.19", `python` like "3.11", `platform` like
    "manylinux_2_34_x86_64", `file` the wheel's plain name, `sha256` 64 lower-case hex digits.
    Raises ValueError where a field has another form: most become part of a command or a path.
    """

    requirement: str
    python: str
    platform: str
    file: str
    sha256: str

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value: object = getattr(self, name)
            if not isinstance(value, str) or not _FORMS[name].fullmatch(value):
                raise ValueError(f"`{value!r}` is no wheel's `{name}`")


class WheelUnavailable(Exception):  # noqa: N818 - a state of the surroundings, which callers expect
    """A wheel or a text in it cannot be had; one line says what was tried and why it failed."""


class WheelMissing(WheelUnavailable):
    """The index was asked, and has no such wheel."""


def cached(wheel: Wheel, cache: Path) -> Path | None:
    """Find the wheel's path below `cache`; None where it is absent, unreadable or altered."""
    path = cache / "wheels" / wheel.file
    try:
        return path if _digest(path) == wheel.sha256 else None
    except OSError:
        return None


def stamps(cache: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Name, size, time and inode of every wheel below `cache`: while these are the same, so are they."""
    try:
        with os.scandir(cache / "wheels") as inside:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in inside]
    except OSError:
        return ()
    return tuple(sorted((name, one.st_size, one.st_mtime_ns, one.st_ino) for name, one in found))


def fetch(wheel: Wheel, cache: Path, *, timeout: float = 600) -> Path:
    """Return the wheel's path below `cache`, downloaded by pip where `cached` has none.

    `timeout`: seconds for the whole download. The file appears at its path complete and checked or
    not at all. Raises WheelUnavailable: no pip, no network, too late, an unwritable cache, another
    file, another hash.
    """
    if (known := cached(wheel, cache)) is not None:
        return known
    tried = f"`pip download {wheel.requirement}`"
    place = cache / "wheels"
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=place) as folder:
            target = _target(wheel.python, wheel.platform)
            _download(
                wheel.requirement, target, Path(folder), tried=tried, timeout=timeout, largest=_PINNED_LARGEST
            )
            arrived = Path(folder) / wheel.file
            if not arrived.is_file():
                others = ", ".join(sorted(other.name for other in Path(folder).iterdir()))
                raise _unavailable(tried, f"brought {others or 'nothing'}, not {wheel.file}")
            if (digest := _digest(arrived)) != wheel.sha256:
                raise _unavailable(tried, f"{wheel.file} has sha256 {digest}, pinned is {wheel.sha256}")
            return arrived.replace(place / wheel.file)
    except OSError as error:
        raise _unavailable(tried, error.strerror or error) from error


def take(
    requirement: str, python: str | None, platform: str | None, cache: Path, *, timeout: float = 600
) -> Wheel:
    """Return the wheel that pip brings of a release, put below `cache`; its hash is what it has.

    `python` and `platform` as in `Wheel`; None for the ones here. Raises WheelUnavailable.
    """
    tried = f"`pip download {requirement}`"
    place = cache / "wheels"
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=place) as folder:
            target = _target(python, platform)
            _download(requirement, target, Path(folder), tried=tried, timeout=timeout, largest=LARGEST)
            arrived = sorted(Path(folder).iterdir())
            if len(arrived) != 1:
                raise _unavailable(tried, f"brought {len(arrived)} files")
            wheel = named(requirement, arrived[0].name, _digest(arrived[0]))
            arrived[0].replace(place / wheel.file)
            return wheel
    except OSError as error:
        raise _unavailable(tried, error.strerror or error) from error
    except ValueError as error:
        raise _unavailable(tried, error) from error


def named(requirement: str, file: str, sha256: str) -> Wheel:
    """Return the wheel of that file name, for a Python and a platform among those that its name lists.

    Raises ValueError for what is no wheel's name.
    """
    tags = file.removesuffix(".whl").split("-")[-3:]
    if len(tags) != 3:
        raise ValueError(f"`{file!r}` is no wheel's `file`")
    found = re.search(r"[a-z]{2}3_?([0-9]+)", tags[0])
    minor = found[1] if found else str(sys.version_info.minor)
    return Wheel(requirement, f"3.{minor}", tags[2].split(".")[0], file, sha256)


def versions(name: str, python: str | None, platform: str | None, *, timeout: float = 60) -> tuple[str, ...]:
    """The releases of a package that have a wheel, as pip's index lists them: newest first.

    Raises WheelUnavailable.
    """
    tried = f"`pip index versions {name}`"
    command = ["index", "versions", "--no-input", "--only-binary=:all:", *_target(python, platform), name]
    said = _pip(command, tried=tried, timeout=timeout, largest=LARGEST)
    for line in said.splitlines():
        if line.startswith("Available versions:"):
            return tuple(one.strip() for one in line.partition(":")[2].split(",") if one.strip())
    raise _unavailable(tried, "it lists no versions")


def read(path: Path, member: str) -> str:
    """Return the text of one member of the wheel at `path`, UTF-8, line ends as they are.

    Raises WheelUnavailable where there is no such wheel or member, or the member is no text or is
    larger than `MEMBER_LIMIT`.
    """
    tried = f"reading `{member}` in {path.name}"
    try:
        with zipfile.ZipFile(path) as archive:
            size = archive.getinfo(member).file_size
            if size > MEMBER_LIMIT:
                raise _unavailable(tried, f"{size} bytes, the limit is {MEMBER_LIMIT}")
            with archive.open(member) as file:
                # Bounded, because the size above is what the archive says of itself.
                return file.read(MEMBER_LIMIT + 1).decode("utf-8")
    except KeyError as error:
        raise _unavailable(tried, "no such member") from error
    except UnicodeDecodeError as error:
        raise _unavailable(tried, "not UTF-8") from error
    except OSError as error:
        raise _unavailable(tried, error.strerror or error) from error
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise _unavailable(tried, error) from error


def texts(path: Path, suffix: str) -> dict[str, str]:
    """Return the texts of all members whose names end so, of those at most as large as `read` takes.

    What is no UTF-8 is left out. Raises WheelUnavailable, also where all of it is larger than `LARGEST`.
    """
    found: dict[str, str] = {}
    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.endswith(suffix) or member.file_size > MEMBER_LIMIT:
                    continue
                with archive.open(member) as file, suppress(UnicodeDecodeError):
                    data = file.read(MEMBER_LIMIT + 1)
                    total += len(data)
                    if total > LARGEST:
                        raise _unavailable(f"reading {path.name}", f"more than {LARGEST // 2**20} MiB")
                    found[member.filename] = data.decode("utf-8")
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, NotImplementedError) as error:
        raise _unavailable(f"reading {path.name}", error) from error
    return found


def members(path: Path) -> tuple[str, ...]:
    """The names of all members of the wheel at `path`, in its order. Raises WheelUnavailable."""
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise _unavailable(f"listing {path.name}", error) from error


def _target(python: str | None, platform: str | None) -> list[str]:
    """The options by which pip takes what is for that Python and platform; for the ones here without."""
    options = ["--python-version", python] if python is not None else []
    return options + (["--platform", platform] if platform is not None else [])


def _download(
    requirement: str, target: list[str], folder: Path, *, tried: str, timeout: float, largest: int
) -> None:
    """Have pip put the wheel of at most `largest` bytes into `folder`."""
    command = ["download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", *target]
    _pip([*command, "--dest", os.fspath(folder), requirement], tried=tried, timeout=timeout, largest=largest)


def _pip(command: list[str], *, tried: str, timeout: float, largest: int) -> str:
    """What pip says when it has done that, writing no file of more than `largest` bytes."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", command[0], "--disable-pip-version-check", *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            # pip knows no limit.
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (largest, largest)),
        )
    except subprocess.TimeoutExpired as error:
        raise _unavailable(tried, f"not done after {timeout:g} seconds") from error
    if done.returncode != 0:
        if "[Errno 27]" in done.stderr:
            raise _unavailable(tried, f"larger than {largest // 2**20} MiB")
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = [line for line in lines if line.startswith("ERROR:")] or lines[-1:]
        # An index that cannot be reached is asked in vain, and then has no versions either.
        if "(from versions: none)" not in done.stderr and "No matching distribution" in done.stderr:
            raise WheelMissing(f"{tried}: the index has no such wheel")
        raise _unavailable(tried, " ".join(said) or f"exit status {done.returncode}")
    return done.stdout


def _digest(path: Path) -> str:
    """Return the sha256 of the file's bytes as hex, reading piece by piece. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unavailable(tried: str, why: object) -> WheelUnavailable:
    """Make the exception, its message on one line whatever pip or the system said."""
    return WheelUnavailable(" ".join(f"{tried}: {why}".split()))
