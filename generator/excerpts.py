"""The lines of source that a record is about, and where they were read."""

from pathlib import Path

from generator import subjects, wheels
from generator.model import Excerpt, Record, Repository, Wheelhouse
from generator.wheels import Wheel, WheelUnavailable

AROUND = 18  # lines shown before and after the raising one, as in the founding records


def wheel_of(house: Wheelhouse) -> Wheel:
    """The wheel that a `repo.yaml` names. Raises ValueError for one that is no plain name or version."""
    return Wheel(
        requirement=house.requirement,
        python=house.python,
        platform=house.platform,
        file=house.file,
        sha256=house.sha256,
    )


def wanted_wheel(record: Record, repository: Repository | None) -> Wheel | None:
    """The wheel that holds the record's pinned lines, where the record does not hold them itself."""
    house = repository.wheel if repository else None
    if record.source_code is not None or house is None or record.analyzed_sha != house.commit:
        return None
    return wheel_of(house) if record.file_path.startswith(house.prefix) else None


class Sources:
    """Reads excerpts; each wheel and each file in it once."""

    def __init__(self, cache: Path) -> None:
        """`cache` is the folder in which fetched wheels lie."""
        self._cache = cache
        self._wheels: dict[Wheel, Path | None] = {}
        self._texts: dict[tuple[Wheel, str], list[str] | None] = {}
        self._files: dict[tuple[str, str], list[str] | None] = {}

    def excerpt(self, record: Record, repository: Repository | None) -> Excerpt | None:
        """The record's own excerpt, else the lines around its place in the pinned release, else None.

        The release is the wheel that the repository names, or the package as it is installed here.
        """
        if record.source_code is not None:
            first = record.source_code_start
            return None if first is None else Excerpt(record.source_code, first, "kept in the record")
        wheel = wanted_wheel(record, repository)
        if wheel is not None and repository is not None and repository.wheel is not None:
            lines = self._lines(wheel, record.file_path.removeprefix(repository.wheel.prefix))
            return _around(lines, record.line_number, f"read from the released {wheel.requirement}")
        package = repository.package if repository else None
        if package is None or record.analyzed_sha != package.commit:
            return None
        if not record.file_path.startswith(package.prefix):
            return None
        lines = self._installed(package.requirement, record.file_path.removeprefix(package.prefix))
        return _around(lines, record.line_number, f"read from the installed {package.requirement}")

    def _installed(self, requirement: str, member: str) -> list[str] | None:
        if (requirement, member) not in self._files:
            file = subjects.installed_file(requirement, member)
            try:
                text = file.read_text(encoding="utf-8") if file else None
            except (OSError, UnicodeDecodeError):
                text = None
            self._files[requirement, member] = None if text is None else split(text)
        return self._files[requirement, member]

    def _lines(self, wheel: Wheel, member: str) -> list[str] | None:
        if wheel not in self._wheels:
            self._wheels[wheel] = wheels.cached(wheel, self._cache)
        path = self._wheels[wheel]
        if path is None:
            return None
        if (wheel, member) not in self._texts:
            try:
                text = wheels.read(path, member)
            except WheelUnavailable:
                self._texts[wheel, member] = None
            else:
                self._texts[wheel, member] = split(text)
        return self._texts[wheel, member]


def split(text: str) -> list[str]:
    """The lines of a file, without their ends; a last line end begins no line."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _around(lines: list[str] | None, line: int, origin: str) -> Excerpt | None:
    if lines is None or line > len(lines):
        return None
    first = max(1, line - AROUND)
    return Excerpt("\n".join(lines[first - 1 : line + AROUND]), first, origin)
