"""The lines of source that a record is about, and where they were read."""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from generator import quotes, subjects, wheels
from generator.model import Excerpt, Record, Repository, Wheelhouse
from generator.subjects import Installation
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
    """Reads excerpts; each release, and each file in it, once."""

    def __init__(self, cache: Path) -> None:
        """`cache` is the folder in which fetched wheels lie."""
        self._cache = cache
        self._wheels: dict[Wheel, Path | None] = {}
        self._texts: dict[tuple[Wheel, str], list[str] | None] = {}
        self._installations: dict[str, Installation | None] = {}
        self._files: dict[tuple[str, str], list[str] | None] = {}

    def excerpt(self, record: Record, repository: Repository | None) -> Excerpt | None:
        """The record's own excerpt, else the lines around its place in the pinned release, else None."""
        if record.source_code is not None:
            first = record.source_code_start
            return None if first is None else Excerpt(record.source_code, first, "kept in the record")
        found = self.around(record, record.file_path, record.line_number, repository)
        return found if found and record.line_number <= found.last_line else None

    def around(self, record: Record, file: str, line: int, repository: Repository | None) -> Excerpt | None:
        """The lines around a place of the record's repository at its pin; None where they are not at hand.

        They are read from the wheel that the repository names, or from the package as it is installed here;
        else they are the record's own excerpt, if it holds the place. Behind the file's end they are its last
        ones.
        """
        return self._released(record, file, line, repository) or _kept(record, file, line)

    def _released(
        self, record: Record, file: str, line: int, repository: Repository | None
    ) -> Excerpt | None:
        house = repository.wheel if repository else None
        if house is not None and record.analyzed_sha == house.commit and file.startswith(house.prefix):
            lines = self._lines(wheel_of(house), file.removeprefix(house.prefix))
            return _around(lines, line, f"read from the released {house.requirement}")
        package = repository.package if repository else None
        if package is None or record.analyzed_sha != package.commit or not file.startswith(package.prefix):
            return None
        lines = self._installed(package.requirement, file.removeprefix(package.prefix))
        return _around(lines, line, f"read from the installed {package.requirement}")

    def has(self, repository: Repository) -> bool:
        """Whether the repository's release is at hand."""
        if house := repository.wheel:
            return self._wheel(wheel_of(house)) is not None
        package = repository.package
        return package is not None and self._installation(package.requirement) is not None

    def matching(self, repository: Repository) -> Iterator[tuple[str, str]]:
        """The files that `repository.sites` name, by their paths; none where its release is not at hand."""
        for prefix, names, lines in self._release(repository):
            for name in names:
                path = f"{prefix}{name}"
                if any(fnmatchcase(path, one) for one in repository.sites) and (text := lines(name)):
                    yield path, "\n".join(text) + "\n"

    def _release(
        self, repository: Repository
    ) -> Iterator[tuple[str, Sequence[str], Callable[[str], list[str] | None]]]:
        """The prefix of a release's paths, their names, and what reads one."""
        if house := repository.wheel:
            wheel = wheel_of(house)
            if (file := self._wheel(wheel)) is not None:
                yield house.prefix, sorted(wheels.members(file)), partial(self._lines, wheel)
        elif (package := repository.package) and (found := self._installation(package.requirement)):
            yield package.prefix, sorted(found.members), partial(self._installed, package.requirement)

    def _installation(self, requirement: str) -> Installation | None:
        if requirement not in self._installations:
            self._installations[requirement] = subjects.installation(requirement)
        return self._installations[requirement]

    def _installed(self, requirement: str, member: str) -> list[str] | None:
        if (requirement, member) not in self._files:
            release = self._installation(requirement)
            file = release.file(member) if release else None
            try:
                text = file.read_text(encoding="utf-8") if file else None
            except (OSError, UnicodeDecodeError):
                text = None
            self._files[requirement, member] = None if text is None else split(text)
        return self._files[requirement, member]

    def _wheel(self, wheel: Wheel) -> Path | None:
        if wheel not in self._wheels:
            self._wheels[wheel] = wheels.cached(wheel, self._cache)
        return self._wheels[wheel]

    def _lines(self, wheel: Wheel, member: str) -> list[str] | None:
        path = self._wheel(wheel)
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


def _kept(record: Record, file: str, line: int) -> Excerpt | None:
    """The record's own excerpt, if that line of that file is in it."""
    text, first = record.source_code, record.source_code_start
    if text is None or first is None or file != record.file_path:
        return None
    kept = Excerpt(text, first, "kept in the record")
    return kept if first <= line <= kept.last_line else None


def _around(lines: list[str] | None, line: int, origin: str) -> Excerpt | None:
    if lines is None:
        return None
    line = min(line, len(lines))
    first = max(1, line - AROUND)
    before = quotes.opening("\n".join(lines), first)
    return Excerpt("\n".join(lines[first - 1 : line + AROUND]), first, origin, before, lines)
