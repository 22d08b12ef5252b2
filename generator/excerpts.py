"""The lines of source that a record is about, and where they were read."""

from pathlib import Path

from generator import wheels
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

    def excerpt(self, record: Record, repository: Repository | None) -> Excerpt | None:
        """The record's own excerpt, else the lines around its place in the pinned wheel, else None."""
        if record.source_code is not None and record.source_code_start is not None:
            return Excerpt(record.source_code, record.source_code_start, "kept in the record")
        wheel = wanted_wheel(record, repository)
        if wheel is None or repository is None or repository.wheel is None:
            return None
        lines = self._lines(wheel, record.file_path.removeprefix(repository.wheel.prefix))
        if lines is None or record.line_number > len(lines):
            return None
        first = max(1, record.line_number - AROUND)
        text = "\n".join(lines[first - 1 : record.line_number + AROUND])
        return Excerpt(text, first, f"read from the released {wheel.requirement}")

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
                self._texts[wheel, member] = text.removesuffix("\n").split("\n")
        return self._texts[wheel, member]
