"""The files below the records folder as values: records, what `repo.yaml` says, comparisons, guides."""

import gzip
import hashlib
import os
import stat
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from generator import document, guides, plain, schema, state
from generator.diagnostics import Diagnostic, Rejected
from generator.excerpts import wanted_wheel
from generator.executor import Executor, Here, Item
from generator.guides import Guide
from generator.memory import Memory
from generator.model import Differential, Drift, RecordFile, Repository
from generator.plain import Text
from generator.settings import Rest, Settings
from generator.subjects import own_code
from generator.wheels import Wheel

LINES = (".jsonl", ".jsonl.gz")
UNPACKED = 4 * 2**30  # bytes that a compressed file may unpack to


class NoRecords(Exception):  # noqa: N818 - a state of what was asked for, not a fault of the program
    """A path that was asked for holds no record; says which."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The records that could be read, what was wrong, how many there were, and which are meant.

    What is wrong with plain records stands in their rows.
    """

    files: tuple[RecordFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    count: int
    selected: frozenset[str] | None

    def is_selected(self, path: str) -> bool:
        """Whether the record at that path is meant."""
        return self.selected is None or path in self.selected

    def found(self) -> Iterator[Diagnostic]:
        """All that is wrong with the records that are meant."""
        yield from self.diagnostics
        for file in self.files:
            row = file.body.row if isinstance(file.body, plain.Stored) else None
            if row is not None and row.found and self.is_selected(file.path):
                yield from plain.placed(row.diagnostics)

    def has_errors(self, *, strict: bool) -> bool:
        """Whether any of them is an error; with `strict`, whether there is any."""
        rows = (file.body.row for file in self.files if isinstance(file.body, plain.Stored))
        return any(one.severity == "error" or (strict and one.severity) for one in rows)


class _Line(msgspec.Struct, array_like=True, gc=False):
    """A record in a file: its line (0: it has the file for itself), its bytes, its packed row if plain."""

    number: int
    start: int
    length: int
    row: bytes | None


class _Kept(msgspec.Struct, array_like=True, gc=False):
    """What a file was when it was looked at, and what was found. `file` is where it was unpacked to."""

    name: str
    size: int
    time: int
    inode: int
    lines: list[_Line]
    file: str = ""


class _Shelf(msgspec.Struct, array_like=True):
    """What was found of all files: by which code, with whose sources at hand, and not before when."""

    code: str
    sourced: list[str]
    since: int
    files: list[_Kept]


def read_records(
    settings: Settings,
    paths: Sequence[Path] = (),
    *,
    only: frozenset[Path] | None = None,
    executor: Executor | None = None,
    sourced: frozenset[str] | None = None,
) -> Reading:
    """Every record; with `paths`, which of them are meant, or those alone if any lies outside the folder.

    `only` are files below the folder, whether they hold records or stand beside them: of all that there is,
    these are meant. `sourced` are the repositories whose source may be at hand; None has every record read
    whole. Raises NoRecords.
    """
    reader = _Reader(settings, executor or Here(), sourced)
    if only is not None:
        reader.below(settings.records)
        return _reading(reader, frozenset(map(settings.name, only)))
    root = settings.records.resolve()
    # By what they are, not by how they were written: with dots, or through a link.
    chosen = {each.resolve(): each for path in paths for each in _files_at(path)}
    is_inside = all(path.resolve().is_relative_to(root) for path in paths)
    if is_inside:
        reader.below(settings.records)
        if settings.rest is not None:
            reader.beside(settings.rest)
    else:
        for path in chosen.values():
            reader.add(path, settings.name(path), _location(path, root), _status(path))
    meant = [(path, name) for path, name in reader.names if Path(path).resolve() in chosen] if paths else []
    real = {Path(path).resolve() for path, _ in meant}
    for path in paths:
        if not any(each.resolve() in real for each in _files_at(path)):
            raise NoRecords(settings.name(path))
    return _reading(reader, frozenset(name for _, name in meant) if paths else None)


def _reading(reader: "_Reader", names: frozenset[str] | None) -> Reading:
    """What a reader read, of which the files of these names are meant; None stands for all."""
    files, found, counts = reader.read()
    if names is None:
        return Reading(tuple(files), tuple(found), counts.total(), None)
    selected = names | {one.path for one in files if _file_of(one.path) in names}
    told = tuple(one for one in found if one.path in selected)
    return Reading(tuple(files), told, sum(counts[name] for name in names), selected)


class _Reader:
    """Reads files: those that are as they were from what was kept, plain ones elsewhere, the others here."""

    def __init__(self, settings: Settings, executor: Executor, sourced: frozenset[str] | None) -> None:
        self._settings = settings
        self._executor = executor
        self._sourced = sourced
        self._files: list[tuple[str, str, str, os.stat_result | None]] = []
        # What is known of files that lie elsewhere was kept by those who read them there.
        whose = settings.records if settings.rest is None else settings.rest.folder
        name = hashlib.sha256(os.fsencode(whose.resolve())).hexdigest()[:12]
        self._place = settings.cache / f"records-{name}"
        is_kept = settings.is_caching and sourced is not None
        self._known = self._load() if is_kept else {}
        self._is_kept = is_kept and settings.rest is None

    @property
    def names(self) -> Iterator[tuple[str, str]]:
        """The path of each file, and what messages call it."""
        return ((path, name) for path, name, _, _ in self._files)

    def beside(self, rest: Rest) -> None:
        """Adds what lies elsewhere, as if all of it lay in one folder."""
        self.below(rest.folder, without=rest.without)
        self._files.sort(key=lambda one: one[2].split("/"))

    def below(self, folder: Path, *, without: frozenset[str] = frozenset()) -> None:
        """Adds every record file below a folder but some, given by their paths from there."""
        root = folder.resolve()
        start = len(os.fspath(folder)) + 1
        above, names, locations = "", "", ""
        for entry in schema.record_entries(folder):
            if without and entry.path[start:] in without:
                continue
            parent = entry.path[: -len(entry.name)]
            if parent != above:
                above = parent
                names = self._settings.name(Path(entry.path)).removesuffix(entry.name)
                locations = _location(Path(parent), root)
                locations = f"{locations}/" if locations else ""
            self.add_entry(entry, f"{names}{entry.name}", f"{locations}{entry.name}")

    def add_entry(self, entry: os.DirEntry[str], name: str, location: str) -> None:
        """Adds a file."""
        with suppress(OSError):
            self._files.append((entry.path, name, location, entry.stat(follow_symlinks=False)))

    def add(self, path: Path, name: str, location: str, status: os.stat_result | None) -> None:
        """Adds a file."""
        self._files.append((str(path), name, location, status))

    def read(self) -> tuple[list[RecordFile], list[Diagnostic], Counter[str]]:
        """The records, what is wrong with those that are no plain ones, and how many each file holds."""
        # Files that change after this may do so again without its being seen.
        since = state.now(self._place.with_suffix(".mark")) if self._is_kept else None
        kept = self._kept()
        files: list[RecordFile] = []
        found: list[Diagnostic] = []
        counts: Counter[str] = Counter()
        for (path, name, location, _), one in zip(self._files, kept, strict=True):
            for line in one.lines:
                counts[name] += 1
                place = one.file or path
                if line.row is not None:
                    files.append(RecordFile(plain.Stored(place, name, line.row), location, is_plain=True))
                    continue
                called = plain.called(name, line.number)
                record, problems = _whole(place, called, location, line, self._settings.memory)
                found += plain.placed(problems)
                if record is not None:
                    files.append(record)
            if not one.lines and not one.file:
                found += _refused(path, name)
        if since is not None and self._is_changed(kept):
            self._save(kept, since)
        return files, found, counts

    def _kept(self) -> list[_Kept]:
        """What there is in each file, in order."""
        kept: list[_Kept] = []
        asked: deque[_Line] = deque()
        count = 0

        def questions() -> Iterator[Item]:
            """What is to be looked at, as it is asked for: there may be many."""
            nonlocal count
            for path, name, _, status in self._files:
                one = self._same(name, status)
                missing: list[int] = []
                if one is None:
                    one, missing = self._lines(path, name, status)
                kept.append(one)
                if not (_is_text(name) and _is_text(path)):
                    # It cannot be handed to another process, and is read whole.
                    continue
                count += len(missing)
                for index in missing:
                    line = one.lines[index]
                    asked.append(line)
                    text = Text(name, one.file or path, line.number, line.start, line.length)
                    yield plain.called(name, line.number), msgspec.msgpack.encode(text)

        self._settings.say("read", 0, 0)
        if self._sourced is None:
            # All of them are read whole.
            for _ in questions():
                pass
            return kept
        work = partial(plain.look, sourced=self._sourced)
        for done, answer in enumerate(self._executor.map(work, questions()), 1):
            asked.popleft().row = answer or None
            self._settings.say("read", done, count)
        return kept

    def _same(self, name: str, status: os.stat_result | None) -> _Kept | None:
        """What was kept of a file that is as it was."""
        one = self._known.get(name)
        if (
            one is None
            or status is None
            or (status.st_size, status.st_mtime_ns, status.st_ino) != (one.size, one.time, one.inode)
        ):
            return None
        return one if one.file == "" or os.path.exists(one.file) else None  # noqa: PTH110 - for each file

    def _lines(self, path: str, name: str, status: os.stat_result | None) -> tuple[_Kept, list[int]]:
        """The records of a file, and which of them are to be looked at."""
        one = _Kept(name, *((status.st_size, status.st_mtime_ns, status.st_ino) if status else (0, 0, 0)), [])
        if status is None or not name.endswith(LINES):
            one.lines.append(_Line(0, 0, 0, None))
            return one, [0]
        if not stat.S_ISREG(status.st_mode):
            return one, []
        if name.endswith(".gz"):
            one.file = self._unpacked(path) or ""
            if not one.file:
                return one, []
        last = self._known.get(name)
        known = [(line, line.row) for line in last.lines if line.row] if last else []
        same = {(line.number, plain.unpacked(row).digest): row for line, row in known}
        missing = []
        for number, start, length, digest in _split(one.file or path):
            row = same.get((number, digest))
            if row is not None:
                row = plain.moved(row, start, length)
            else:
                missing.append(len(one.lines))
            one.lines.append(_Line(number, start, length, row))
        return one, missing

    def _unpacked(self, path: str) -> str | None:
        """Where the text of a compressed file is; None where it cannot be unpacked."""
        try:
            with open(path, "rb") as stream:  # noqa: PTH123 - beside the others
                name = hashlib.file_digest(stream, "sha256").hexdigest()
            target = self._settings.cache / "unpacked" / f"{name}.jsonl"
            if target.is_file():
                return str(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            partly = target.with_suffix(f".{os.getpid()}")
            try:
                with gzip.open(path) as packed, partly.open("wb") as stream:
                    while data := packed.read(2**20):
                        stream.write(data)
                        if stream.tell() > UNPACKED:
                            return None
                partly.replace(target)
            finally:
                partly.unlink(missing_ok=True)
        except (OSError, EOFError, zlib.error):
            return None
        return str(target)

    def _load(self) -> dict[str, _Kept]:
        try:
            shelf = msgspec.msgpack.decode(self._place.read_bytes(), type=_Shelf)
        except (OSError, msgspec.DecodeError):
            return {}
        if shelf.code != own_code() or shelf.sourced != sorted(self._sourced or ()):
            return {}
        near = shelf.since - state.TICK
        return {one.name: one for one in shelf.files if one.time < near}

    def _is_changed(self, kept: Sequence[_Kept]) -> bool:
        return len(kept) != len(self._known) or any(self._known.get(one.name) is not one for one in kept)

    def _save(self, kept: list[_Kept], since: int) -> None:
        named = [one for one in kept if _is_text(one.name)]
        shelf = _Shelf(own_code(), sorted(self._sourced or ()), since, named)
        temporary = self._place.with_suffix(f".{os.getpid()}")
        # A disk that refuses costs time, not the build.
        with suppress(OSError):
            temporary.write_bytes(msgspec.msgpack.encode(shelf))
            temporary.replace(self._place)


def _is_text(name: str) -> bool:
    """Whether a file's name is one: some systems allow any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _whole(
    path: str, name: str, location: str, line: _Line, memory: Memory
) -> tuple[RecordFile | None, Sequence[Diagnostic]]:
    """A record that is no plain one."""
    is_json = bool(line.number) or path.endswith(".json")
    try:
        text = (
            plain.source(name, path, line.start, line.length)
            if line.number
            else document.read(Path(path), name=name)
        )
    except Rejected as rejected:
        return None, rejected.diagnostics
    read = partial(schema.decode_text, text, location, is_json=is_json)
    return memory.of("record", name, (text, location, is_json), read)


def _refused(path: str, name: str) -> Sequence[Diagnostic]:
    """Why a file of many records holds none."""
    if os.path.islink(path) or not os.path.isfile(path):  # noqa: PTH113, PTH114 - beside the others
        try:
            document.read(Path(path), name=name)
        except Rejected as rejected:
            return rejected.diagnostics
    if os.path.getsize(path) and name.endswith(".gz"):  # noqa: PTH202 - as above
        return (Diagnostic("E0102", "cannot be read: it is not compressed by gzip, or too large", name),)
    return (Diagnostic("E0103", "the file is empty", name, help="write a record a line, or delete the file"),)


def _split(path: str) -> Iterator[tuple[int, int, int, bytes]]:
    """The lines of a file that are not blank: number from 1, first byte, bytes without the end, digest.

    No more than a record's bytes are held at once: a file of one line may be large.
    """
    most = document.LIMITS.size + 2
    with open(path, "rb") as stream:  # noqa: PTH123 - beside the others
        start, number = 0, 1
        while line := stream.readline(most):
            length, data = len(line), line.rstrip(b"\r\n")
            while not line.endswith(b"\n") and (line := stream.readline(most)):
                length += len(line)
            if data.strip():
                size = length if length > most else len(data)
                yield number, start, size, hashlib.blake2b(data, digest_size=16).digest()
            start, number = start + length, number + 1


def _file_of(path: str) -> str:
    """The file of a record's path."""
    file, _, number = path.rpartition(":")
    return file if number.isdigit() and file.endswith(LINES) else path


def _location(path: Path, root: Path) -> str:
    """A record's path from the folder that holds the records folder; empty outside."""
    try:
        return path.resolve().relative_to(root.parent).as_posix()
    except ValueError:
        return ""


def _files_at(path: Path) -> list[Path]:
    return list(schema.record_paths(path)) if path.is_dir() else [path]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands beside records: what each `repo.yaml` says and what messages call it, by repository.

    `differentials` are the comparisons of bundled subjects, by the subject's name; `drifts` what became of
    records in other releases, by repository, where that was found for the pin that `repo.yaml` names.
    """

    repositories: dict[str, Repository]
    names: dict[str, str]
    differentials: dict[str, Differential]
    diagnostics: tuple[Diagnostic, ...]
    drifts: dict[str, Drift] = field(default_factory=dict)

    @property
    def sourced(self) -> frozenset[str]:
        """The repositories whose source may be at hand."""
        return frozenset(
            repo
            for repo, one in self.repositories.items()
            if one.wheel is not None or one.package is not None
        )


def read_repositories(settings: Settings) -> Surroundings:
    """What every `repo.yaml`, `differential.json` and `drift.json` says."""
    repositories: dict[str, Repository] = {}
    names: dict[str, str] = {}
    differentials: dict[str, Differential] = {}
    found: list[Diagnostic] = []
    for path in sorted(settings.records.rglob("repo.yaml")):
        name = settings.name(path)
        repository, problems = schema.load_repository(path, name)
        found += problems
        if repository is not None:
            repositories[repository.repo] = repository
            names[repository.repo] = name
    for path in sorted(settings.records.rglob("differential.json")):
        differentials |= schema.load_differential(path)
    drifts: dict[str, Drift] = {}
    for path in sorted(settings.records.rglob("drift.json")):
        drift, problems = schema.load_drift(path, settings.name(path))
        found += problems
        known = repositories.get(drift.repo) if drift is not None else None
        release = (known.wheel or known.package) if known is not None else None
        # Of another pin than the records' it would say what is not so.
        if drift is not None and (release is None or release.commit == drift.commit):
            drifts[drift.repo] = drift
    return Surroundings(repositories, names, differentials, tuple(found), drifts)


def read_guides(settings: Settings) -> tuple[list[Guide], list[Diagnostic]]:
    """Every guide that can be read, and what is wrong with any."""
    read: list[Guide] = []
    found: list[Diagnostic] = []
    for path in sorted((settings.records / schema.GUIDES).glob("*.md")):
        guide, problems = guides.load(path, settings.name(path))
        found += problems
        if guide is not None:
            read.append(guide)
    return read, found


def wanted_wheels(settings: Settings) -> tuple[Wheel, ...]:
    """The wheels that records' excerpts are to be read from, as far as records can be read."""
    beside = read_repositories(settings)
    repositories = beside.repositories
    wanted = {
        wheel: None
        for file in read_records(settings, sourced=beside.sourced).files
        if not file.is_plain
        if (wheel := wanted_wheel(file.record, repositories.get(file.record.repo)))
    }
    return tuple(wanted)
