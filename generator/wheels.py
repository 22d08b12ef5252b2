"""Released wheels as pinned text: fetched once, checked by their hash, read member by member.

Nothing of a wheel is installed, imported or unpacked. The values of a `Wheel` come from a record
file and are treated as hostile.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path

MEMBER_LIMIT = 4 * 1024 * 1024
"""Bytes of the largest member that `read` returns."""

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


def cached(wheel: Wheel, cache: Path) -> Path | None:
    """Find the wheel's path below `cache`; None where it is absent, unreadable or altered."""
    path = cache / "wheels" / wheel.file
    try:
        return path if _digest(path) == wheel.sha256 else None
    except OSError:
        return None


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
            _download(wheel, Path(folder), tried=tried, timeout=timeout)
            arrived = Path(folder) / wheel.file
            if not arrived.is_file():
                others = ", ".join(sorted(other.name for other in Path(folder).iterdir()))
                raise _unavailable(tried, f"brought {others or 'nothing'}, not {wheel.file}")
            if (digest := _digest(arrived)) != wheel.sha256:
                raise _unavailable(tried, f"{wheel.file} has sha256 {digest}, pinned is {wheel.sha256}")
            return arrived.replace(place / wheel.file)
    except OSError as error:
        raise _unavailable(tried, error.strerror or error) from error


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


def _download(wheel: Wheel, folder: Path, *, tried: str, timeout: float) -> None:
    """Have pip put the wheel for the pinned Python and platform into `folder`."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary=:all:"]
    command += ["--python-version", wheel.python, "--platform", wheel.platform]
    command += ["--dest", os.fspath(folder), wheel.requirement]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unavailable(tried, f"not done after {timeout:g} seconds") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = [line for line in lines if line.startswith("ERROR:")] or lines[-1:]
        raise _unavailable(tried, " ".join(said) or f"exit status {done.returncode}")


def _digest(path: Path) -> str:
    """Return the sha256 of the file's bytes as hex, reading piece by piece. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unavailable(tried: str, why: object) -> WheelUnavailable:
    """Make the exception, its message on one line whatever pip or the system said."""
    return WheelUnavailable(" ".join(f"{tried}: {why}".split()))
