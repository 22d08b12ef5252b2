"""Where releases come from: wheels that pip brings, or the tags of a local clone.

Nothing of a release is installed, imported or unpacked. What is fetched lies in the cache, by the name and
hash of its wheel, so that a second look needs no network.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Protocol

import msgspec

from generator import history, wheels
from generator.excerpts import wheel_of
from generator.history import HistoryUnavailable
from generator.model import Drift, Edition, Repository
from generator.statements import Copy
from generator.wheels import Wheel, WheelMissing, WheelUnavailable

NEWEST = 8  # releases that are looked through where none are named
LARGEST = wheels.MEMBER_LIMIT  # bytes of one file
FILES = 20_000  # Python files of one release
TAGS = 500

_FINAL = re.compile(r"v?[0-9]+(\.[0-9]+)*(\.post[0-9]+)?")


class ReleaseUnavailable(Exception):  # noqa: N818 - a state of the surroundings, which callers expect
    """A release, or the list of them, cannot be had; one line says why."""


class ReleaseMissing(ReleaseUnavailable):
    """There is no such release, or none in a form that is read."""


class Releases(Protocol):
    """The releases of a repository."""

    @property
    def pinned(self) -> str:
        """The version that records are pinned to."""

    @property
    def commit(self) -> str:
        """The pin."""

    def listed(self) -> tuple[str, ...]:
        """Every version, oldest first. Raises ReleaseUnavailable."""

    def copy(self, version: str) -> Copy:
        """A release's files. Raises ReleaseUnavailable."""


def chosen(releases: Releases, wanted: str | None) -> tuple[str, ...]:
    """The versions that are meant, oldest first, with the pinned one.

    `wanted` is a list such as `0.5.16,0.5.18..0.5.23`, a range from its first to its last version. Without
    it these are the `NEWEST` final ones; the pinned one takes the place of the oldest if it is none of them.
    Raises ReleaseUnavailable.
    """
    if wanted is None:
        final = [one for one in releases.listed() if _FINAL.fullmatch(one)]
        newest = final[-NEWEST:]
        if releases.pinned in newest:
            return tuple(newest)
        return (releases.pinned, *newest[1:])
    parts = [part.strip() for part in wanted.split(",") if part.strip()]
    if all(".." not in part for part in parts) and not isinstance(releases, Tags):
        # What is named needs no list; but then it is in the order that is written.
        named = dict.fromkeys(parts)
        return tuple(sorted({*named, releases.pinned}, key=_order))
    listed = releases.listed()
    found: set[str] = {releases.pinned}
    for part in parts:
        first, dots, last = part.partition("..")
        ends = [_place(one, listed) for one in ((first, last) if dots else (first,))]
        if ends[0] > ends[-1]:
            raise ReleaseUnavailable(f"`{part}` ends before it begins")
        found.update(one for one in listed[ends[0] : ends[-1] + 1] if not dots or _FINAL.fullmatch(one))
    order = {one: number for number, one in enumerate(listed)}
    # A pin that no tag names has no place among them.
    return tuple(sorted(found, key=lambda one: order.get(one, -1)))


def _place(version: str, listed: Sequence[str]) -> int:
    for name in (version, f"v{version}"):
        if name in listed:
            return listed.index(name)
    raise ReleaseUnavailable(f"there is no release `{version}`")


def _is_plain(path: str) -> bool:
    """Whether a path leads down from the root, and can be shown."""
    parts = path.split("/")
    is_down = not {"", ".", ".."}.intersection(parts)
    return is_down and len(path) <= 400 and path.isprintable() and "\\" not in path


def _order(version: str) -> tuple[tuple[int, int, str], ...]:
    """The order of versions: numbers by their value, `1.1rc1` before `1.1` and that before `1.1.post1`."""
    parts = [
        (1, int(one), "") if one.isdigit() else (2 if one == "post" else 0, 0, one)
        for one in re.findall(r"[0-9]+|[a-z]+", version)
    ]
    return (*parts, (1, -1, ""))


class _Ledger(msgspec.Struct):
    """What the cache knows of a package.

    Its versions, oldest first; file and hash of fetched wheels; versions of which the index has no wheel.
    """

    versions: list[str] = []
    wheels: dict[str, tuple[str, str]] = {}
    missing: set[str] = set()


class Wheels:
    """The wheels of the package that a `repo.yaml` names."""

    def __init__(
        self,
        repository: Repository,
        cache: Path,
        known: Drift | None,
        *,
        is_offline: bool,
        say: Callable[[str], None],
    ) -> None:
        """`known` is the last table: a release has the hash that it had. Raises ReleaseUnavailable."""
        release = repository.wheel or repository.package
        if release is None:
            raise ReleaseUnavailable(f"{repository.repo}: its `repo.yaml` names no `wheel` and no `package`")
        name, _, version = release.requirement.partition("==")
        if not version or name == "python" or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise ReleaseUnavailable(f"{release.requirement} comes in no wheel")
        self.name, self.pinned, self.commit = name, version, release.commit
        self._prefix = release.prefix
        house = repository.wheel
        # A package of Python alone has one wheel for all; else the one for this machine is as good.
        self._targets: list[tuple[str | None, str | None]] = (
            [(house.python, house.platform)] if house else [(None, "any"), (None, None)]
        )
        self._pin = wheel_of(house) if house else None
        self._cache = cache
        self._known = {one.version: one for one in known.releases} if known else {}
        self._is_offline = is_offline
        self._say = say
        self._file = cache / "releases" / f"{name}.json"
        self._ledger = self._load()

    def listed(self) -> tuple[str, ...]:
        """Every version with a wheel, as the index lists them; offline, as it did."""
        if not self._is_offline:
            said: WheelUnavailable | None = None
            for python, platform in self._targets:
                try:
                    found = wheels.versions(self.name, python, platform)
                except WheelUnavailable as error:
                    said = error
                    continue
                self._ledger.versions = [*reversed(found)]
                self._save()
                break
            else:
                if not self._ledger.versions:
                    raise ReleaseUnavailable(str(said))
                self._say(f"{said}: taking the list of the last time")
        if not self._ledger.versions:
            raise ReleaseUnavailable(f"the cache has no list of {self.name}'s releases")
        return tuple(self._ledger.versions)

    def copy(self, version: str) -> Copy:
        """The files of a release's wheel."""
        wheel = self._wheel(version)
        try:
            data = wheels.cached(wheel, self._cache)
            if data is None and self._is_offline:
                raise ReleaseUnavailable(f"the cache does not hold {wheel.file}")
            if data is None:
                self._say(f"fetching {wheel.requirement}")
                data = wheels.fetch(wheel, self._cache)
            return self._opened(data, Edition(version, wheel.file, wheel.sha256, self._commit(version)))
        except WheelUnavailable as error:
            raise ReleaseUnavailable(str(error)) from error

    def _commit(self, version: str) -> str | None:
        known = self._known.get(version)
        return self.commit if version == self.pinned else known.commit if known else None

    def _wheel(self, version: str) -> Wheel:
        requirement = f"{self.name}=={version}"
        if self._pin is not None and version == self.pinned:
            return self._pin
        known = self._known.get(version)
        noted = self._ledger.wheels.get(version)
        if known is not None and known.file and known.sha256:
            noted = (known.file, known.sha256)
        try:
            if noted is not None:
                return wheels.named(requirement, *noted)
            if version in self._ledger.missing:
                raise ReleaseMissing(f"there is no wheel of {requirement}")
            if self._is_offline:
                raise ReleaseUnavailable(f"the cache does not hold {requirement}")
            self._say(f"fetching {requirement}")
            wheel = self._taken(requirement)
        except ValueError as error:
            raise ReleaseUnavailable(str(error)) from error
        self._ledger.wheels[version] = (wheel.file, wheel.sha256)
        self._save()
        return wheel

    def _taken(self, requirement: str) -> Wheel:
        Wheel(requirement, "3.11", "any", "a.whl", "0" * 64)  # its form alone, before it is part of a command
        for target in self._targets:
            try:
                return wheels.take(requirement, *target, self._cache)
            except WheelUnavailable as error:
                said = error
        if isinstance(said, WheelMissing):
            self._ledger.missing.add(requirement.partition("==")[2])
            self._save()
            raise ReleaseMissing(f"there is no wheel of {requirement}")
        raise ReleaseUnavailable(str(said))

    def _opened(self, path: Path, edition: Edition) -> Copy:
        texts = {
            f"{self._prefix}{name}": text.replace("\r\n", "\n")
            for name, text in wheels.texts(path, ".py").items()
            if _is_plain(f"{self._prefix}{name}")
        }
        return Copy(edition, tuple(sorted(texts)), texts.get)

    def _load(self) -> _Ledger:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=_Ledger)
        except (OSError, msgspec.DecodeError):
            return _Ledger()

    def _save(self) -> None:
        partly = self._file.with_suffix(f".{os.getpid()}")
        # A disk that refuses costs time, not the table.
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            partly.write_bytes(msgspec.json.encode(self._ledger))
            partly.replace(self._file)


class Tags:
    """The tags of a local clone."""

    def __init__(self, folder: Path, pattern: str, commit: str) -> None:
        """`pattern` as in `v*`; `commit` is the pin. Raises ReleaseUnavailable."""
        self.commit = commit
        self._folder = folder
        form = "--format=%(refname) %(objectname) %(*objectname)"
        said = self._git("for-each-ref", "--sort=version:refname", form, "refs/tags")
        found = {}
        for line in said.decode(errors="replace").splitlines():
            ref, _, objects = line.partition(" ")
            name = ref.removeprefix("refs/tags/")
            if fnmatchcase(name, pattern) and re.fullmatch("[A-Za-z0-9][A-Za-z0-9._+!/-]{0,99}", name):
                found[name] = objects.split()[-1]
        if not found:
            raise ReleaseUnavailable(f"the clone at {folder} has no tag `{pattern}`")
        self._tags = dict([*found.items()][-TAGS:])
        same = [name for name, one in self._tags.items() if one == commit]
        self.pinned = same[0] if same else commit[:10]

    def listed(self) -> tuple[str, ...]:
        """The tags, as versions are ordered."""
        return tuple(self._tags)

    def copy(self, version: str) -> Copy:
        """The files of a tag's commit."""
        commit = self.commit if version == self.pinned else self._tags.get(version, "")
        if not re.fullmatch("[0-9a-f]{40}", commit):
            raise ReleaseUnavailable(f"the clone at {self._folder} has no tag `{version}`")
        blobs: dict[str, tuple[str, int]] = {}
        for line in self._git("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
            about, _, name = line.decode(errors="surrogateescape").partition("\t")
            _, kind, blob, size = (*about.split(), "", "", "", "")[:4]
            # No link, no other repository.
            if name.endswith(".py") and _is_plain(name) and kind == "blob" and int(size) <= LARGEST:
                blobs[name] = (blob, int(size))
        if len(blobs) > FILES or sum(size for _, size in blobs.values()) > wheels.LARGEST:
            raise ReleaseUnavailable(f"`{version}` holds more Python files than are read")
        texts = cache(lambda: self._texts({name: blob for name, (blob, _) in blobs.items()}))
        return Copy(
            Edition(version, None, None, commit), tuple(sorted(blobs)), lambda name: texts().get(name)
        )

    def _texts(self, blobs: dict[str, str]) -> dict[str, str]:
        """What files hold, by their names; nothing of one that is no text."""
        said = self._git(
            "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs.values()).encode()
        )
        found, start = {}, 0
        for name in blobs:
            end = said.index(b"\n", start)
            size = int(said[start:end].split()[-1])
            with suppress(UnicodeDecodeError):
                found[name] = said[end + 1 : end + 1 + size].decode().replace("\r\n", "\n")
            start = end + size + 2
        return found

    def _git(self, *command: str, given: bytes = b"") -> bytes:
        tried = f"`git {command[0]}` in {self._folder}"
        try:
            done = history.ask(self._folder, command, given)
        except HistoryUnavailable as error:
            raise ReleaseUnavailable(f"{tried} failed: {error}") from error
        if done.returncode:
            said = " ".join(done.stderr.decode(errors="replace").split())
            raise ReleaseUnavailable(f"{tried}: {said[:300]}")
        return done.stdout
