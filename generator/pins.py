"""The pinned source itself, from wherever it can be had, to hold a record against.

In this order: a local clone, the release that `repo.yaml` names (the package installed here, or a wheel,
fetched if need be and checked by its hash), the network. Nothing that is read is imported.
"""

import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
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
        for source in (self._clone, self._release, self._network):
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
        name = f"{record.analyzed_sha}:{record.file_path}"
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), "show", name],  # noqa: S607 - whichever git the user has
                capture_output=True,
                check=True,
                timeout=SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            return Pinned(None, f"the clone at {folder} does not show it ({type(error).__name__})")
        return _pinned(done.stdout, f"the clone at {folder}")

    def _release(self, record: Record, repository: Repository | None) -> Pinned | None:
        if repository is None:
            return None
        package, house = repository.package, repository.wheel
        is_held = package is not None and record.file_path.startswith(package.prefix)
        if package is not None and is_held and package.commit == record.analyzed_sha:
            file = subjects.installed_file(package.requirement, record.file_path.removeprefix(package.prefix))
            if file is not None:
                return _pinned(file.read_bytes(), f"the installed {package.requirement}")
        if house is None or house.commit != record.analyzed_sha:
            return None
        if not record.file_path.startswith(house.prefix):
            return Pinned(None, f"{house.requirement} does not hold it")
        try:
            text = wheels.read(
                wheels.fetch(wheel_of(house), self._cache), record.file_path.removeprefix(house.prefix)
            )
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
        except (urllib.error.URLError, OSError, ValueError) as error:
            return Pinned(None, f"GitHub does not answer ({error})")
        return _pinned(data, "GitHub")


def _pinned(data: bytes, origin: str) -> Pinned:
    if len(data) > LARGEST:
        return Pinned(None, f"{origin} has it, and it is larger than {LARGEST} bytes")
    try:
        return Pinned(tuple(split(data.decode())), origin)
    except UnicodeDecodeError:
        return Pinned(None, f"{origin} has it, and it is no UTF-8")
