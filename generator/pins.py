"""The pinned source itself, from wherever it can be had, to hold a record against.

In this order: a local clone, the release that `repo.yaml` names (the package installed here, or a wheel,
fetched if need be and checked by its hash), the network. Nothing that is read is imported.
"""

import subprocess
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from generator import subjects, wheels
from generator.excerpts import split, wheel_of
from generator.model import Pinned, Record, Repository
from generator.wheels import WheelUnavailable

SECONDS = 20.0  # for git, and for the network
LARGEST = 4 * 2**20  # bytes of one file


class Pins:
    """Reads pinned files, each once."""

    def __init__(self, *, clones: Mapping[str, Path], cache: Path) -> None:
        """`clones` are folders by `owner/name`; `cache` is where fetched wheels lie."""
        self._clones = clones
        self._cache = cache
        self._read: dict[tuple[str, str, str], Pinned] = {}

    def read(self, record: Record, repository: Repository | None) -> Pinned:
        """The record's file at its pin."""
        key = (record.repo, record.analyzed_sha, record.file_path)
        if key not in self._read:
            self._read[key] = self._find(record, repository)
        return self._read[key]

    def _find(self, record: Record, repository: Repository | None) -> Pinned:
        tried = []
        for source in (self._clone, self._package, self._wheel, self._network):
            found = source(record, repository)
            if found is not None and found.lines is not None:
                return found
            if found is not None:
                tried.append(found.origin)
        return Pinned(None, "; ".join(tried))

    def _clone(self, record: Record, repository: Repository | None) -> Pinned | None:  # noqa: ARG002 - one signature
        folder = self._clones.get(record.repo)
        if folder is None:
            return None
        origin = f"the clone at {folder}"
        try:
            data = _git(folder, "blob", f"{record.analyzed_sha}:{record.file_path}")
            if data is not None:
                return _pinned(data, origin)
            is_there = _git(folder, "-e", f"{record.analyzed_sha}^{{commit}}") is not None
        except FileNotFoundError:
            return Pinned(None, f"{origin} cannot be read without git")
        except (OSError, subprocess.SubprocessError) as error:
            return Pinned(None, f"{origin} cannot be read ({type(error).__name__})")
        return Pinned(None, f"{origin} has no such {'file at that commit' if is_there else 'commit'}")

    @staticmethod
    def _package(record: Record, repository: Repository | None) -> Pinned | None:
        package = repository.package if repository else None
        if package is None or package.commit != record.analyzed_sha:
            return None
        if not record.file_path.startswith(package.prefix):
            return None
        file = subjects.installed_file(package.requirement, record.file_path.removeprefix(package.prefix))
        if file is None:
            return Pinned(None, f"{package.requirement} is not installed here, or does not hold it")
        try:
            return _pinned(file.read_bytes(), f"the installed {package.requirement}")
        except OSError as error:
            return Pinned(None, f"the installed {package.requirement} cannot be read ({error.strerror})")

    def _wheel(self, record: Record, repository: Repository | None) -> Pinned | None:
        house = repository.wheel if repository else None
        if house is None or house.commit != record.analyzed_sha:
            return None
        if not record.file_path.startswith(house.prefix):
            return Pinned(None, f"{house.requirement} does not hold it")
        member = record.file_path.removeprefix(house.prefix)
        try:
            text = wheels.read(wheels.fetch(wheel_of(house), self._cache), member)
        except WheelUnavailable as error:
            return Pinned(None, str(error))
        return Pinned(tuple(split(text)), f"the released {house.requirement}")

    @staticmethod
    def _network(record: Record, repository: Repository | None) -> Pinned | None:  # noqa: ARG004 - one signature
        address = (
            f"https://raw.githubusercontent.com/{record.repo}/{record.analyzed_sha}/{quote(record.file_path)}"
        )
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:
                data = answer.read(LARGEST + 1)
        except (OSError, HTTPException, ValueError) as error:
            return Pinned(None, f"GitHub does not give it ({_why(error)})")
        return _pinned(data, "GitHub")


def _git(folder: Path, *what: str) -> bytes | None:
    """What `git cat-file` writes in a folder; None where it knows no such thing.

    Raises OSError and subprocess.SubprocessError.
    """
    done = subprocess.run(
        ["git", "-C", str(folder), "cat-file", *what],  # noqa: S607 - whichever git the user has
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )
    return None if done.returncode else done.stdout


def _why(error: Exception) -> object:
    """What the network said, without the words of the library that asked it."""
    return error.reason if isinstance(error, URLError) and not isinstance(error, HTTPError) else error


def _pinned(data: bytes, origin: str) -> Pinned:
    if len(data) > LARGEST:
        return Pinned(None, f"{origin} has it, and it is larger than {LARGEST} bytes")
    try:
        return Pinned(tuple(split(data.decode())), origin)
    except UnicodeDecodeError:
        return Pinned(None, f"{origin} has it, and it is no UTF-8")
