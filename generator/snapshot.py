"""What a commit holds of all that a run reads, in a folder of its own: the working tree is left as it is.

Records whose files are as they were are read where they lie. The others, and what stands beside records, are
written into the folder: regular files alone, none of them too large, at paths that lead nowhere else.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator import config, document, schema
from generator.history import History, HistoryUnavailable
from generator.scope import is_guide
from generator.settings import Rest, Settings

LARGEST = 256 * 2**20  # bytes of one file
MOST = 2**30  # bytes of all


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The settings with which the commit is read, and where its templates are.

    `changed` are the locations of files that are not as they were; None stands for all.
    """

    settings: Settings
    folders: tuple[Path, ...]
    changed: frozenset[str] | None

    def is_same(self, location: str) -> bool:
        """Whether the record at a location is read from the same file on both sides."""
        return self.changed is not None and bool(location) and location not in self.changed


@dataclass(frozen=True, slots=True)
class Place:
    """Where a commit is written to."""

    history: History
    commit: str
    folder: Path

    def inside(self, path: Path) -> str | None:
        """A path of the working tree or of this place, from the uppermost folder; None for one elsewhere."""
        path = Path(os.path.normpath(path))
        if path.is_relative_to(self.folder):
            return path.relative_to(self.folder).as_posix()
        return self.history.inside(path)

    def write(self, files: Mapping[str, str], longest: Callable[[str], int]) -> None:
        """Writes files of the commit, but those that are longer than they may be.

        Raises HistoryUnavailable.
        """
        sized = zip(files, self.history.blobs([*files.values()]), strict=True)
        wanted = {path: blob for path, blob in sized if blob.size <= longest(path)}
        if sum(blob.size for blob in wanted.values()) > MOST:
            raise HistoryUnavailable(f"what changed since {self.commit[:10]} was more than {MOST >> 20} MiB")
        for path, data in zip(wanted, self.history.read(wanted.values()), strict=True):
            target = self.folder / path
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    def write_below(self, path: Path) -> Path:
        """Writes all that lies below a folder, or a file, and gives where. Raises HistoryUnavailable."""
        inside = self.inside(path)
        if inside is None:
            return path
        self.write(self.history.files(self.commit, [self.history.top / inside]), lambda _: LARGEST)
        return self.folder / inside


def configuration(place: Place, file: Path | None, name: str) -> config.Project | None:
    """What the commit's configuration says; None where it has none. Raises HistoryUnavailable."""
    if file is None or (inside := place.inside(file)) is None:
        return None
    there = place.write_below(file)
    if not there.is_file():
        there.parent.mkdir(parents=True, exist_ok=True)
        return config.load(None, name, place.folder / Path(inside).parent)[0]
    return config.load(there, name, there.parent)[0]


def take(then: Settings, now: Settings, place: Place, folders: Sequence[Path]) -> Snapshot:
    """The commit as it is to be read. `then` and `now` are the settings of both sides.

    `folders` are those of its templates. Raises HistoryUnavailable.
    """
    inside = place.inside(then.records)
    if inside is None:
        raise HistoryUnavailable("the records of that commit lie in another repository")
    history, commit = place.history, place.commit
    records = place.folder / inside
    records.mkdir(parents=True, exist_ok=True)
    start = 0 if inside == "." else len(inside) + 1
    changed = None
    if inside == history.inside(now.records):
        changed = frozenset(path[start:] for path in history.changed(commit, [now.records]))
    files = history.files(commit, [history.top / inside])
    place.write(
        {path: name for path, name in files.items() if _is_wanted(path[start:], changed)},
        lambda path: LARGEST if path.endswith((".jsonl", ".jsonl.gz")) else document.LIMITS.size,
    )

    def named(path: Path) -> str:
        """What messages call a file: the same as in the working tree."""
        if path.is_relative_to(place.folder):
            return now.name(history.top / path.relative_to(place.folder))
        return now.name(path)

    return Snapshot(
        replace(
            then,
            records=records,
            out=place.folder / "site",
            cache=now.cache,
            rest=None if changed is None else Rest(now.records, changed),
            name=named,
            say=now.say,
        ),
        tuple(_templates(place, folders)),
        None if changed is None else frozenset(f"{records.name}/{name}" for name in changed),
    )


def _is_wanted(name: str, changed: frozenset[str] | None) -> bool:
    """Whether a file is written, by its path from the folder of records."""
    if schema.is_record(name):
        return changed is None or name in changed
    return name.rpartition("/")[2] in schema.NOT_RECORDS or is_guide(name)


def _templates(place: Place, folders: Sequence[Path]) -> Iterator[Path]:
    """Where the templates of the commit are: those that did not change, where they lie now."""
    for folder in folders:
        inside = place.inside(folder)
        if inside is not None and place.history.changed(place.commit, [place.history.top / inside]):
            yield place.write_below(folder)
        else:
            yield folder
