"""Where records are looked up: a built site in a folder, one on the web, or records without a site.

Each is a `Library`: it gives the files of the look-up index and of the API by their output paths.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from generator import __version__, shards
from generator.shards import Entry, Meta, Shard

SECONDS = 15.0  # that an answer of a host may take
LARGEST = 20 * 2**20  # bytes of a file that a host may send


class LibraryUnavailable(Exception):  # noqa: N818 - a state of what was asked, not a fault of the program
    """What was asked for cannot be read; says why."""


class Library(Protocol):
    """Files by output path, and the address below which readers find its pages; empty if there is none."""

    @property
    def base(self) -> str:
        """Where readers find its pages."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises LibraryUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Built:
    """A site in a folder."""

    folder: Path
    base: str

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises LibraryUnavailable."""
        try:
            return (self.folder / path).read_bytes()
        except OSError as error:
            raise LibraryUnavailable(f"{self.folder / path}: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class Planned:
    """Files that were made of records just now and are in no folder."""

    files: Mapping[str, bytes]
    base: str = ""

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises LibraryUnavailable."""
        try:
            return self.files[path]
        except KeyError as error:
            raise LibraryUnavailable(f"there is no {path}") from error


@dataclass(frozen=True, slots=True)
class Remote:
    """A site on the web. What was fetched is kept in `cache`, and read there when the host does not answer.

    `tell` is told when that happens.
    """

    base: str
    cache: Path
    tell: Callable[[str], None]

    def read(self, path: str) -> bytes:
        """The file's bytes, as the host has it now or as it was fetched last. Raises LibraryUnavailable."""
        import urllib.error  # noqa: PLC0415 - slow to import, and what is on this disk needs no host
        import urllib.request  # noqa: PLC0415 - as above

        kept = self.cache / hashlib.sha256(self.base.encode()).hexdigest()[:16] / path
        tag = kept.with_name(f"{kept.name}.etag")
        request = urllib.request.Request(  # noqa: S310 - of `base`, which begins with http
            f"{self.base}{path}", headers={"User-Agent": f"pagefault/{__version__}"}
        )
        if kept.is_file() and tag.is_file():
            request.add_header("If-None-Match", tag.read_text(encoding="utf-8"))
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - as above
                data: bytes = answer.read(LARGEST + 1)
                name = answer.headers.get("ETag")
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return kept.read_bytes()
            if error.code == 404:
                raise LibraryUnavailable(f"{self.base}{path}: there is no such file") from error
            return self._kept(kept, f"{self.base}{path}: the host answered {error.code}")
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            return self._kept(kept, f"{self.base}{path}: {why}")
        if len(data) > LARGEST:
            raise LibraryUnavailable(f"{self.base}{path}: it has more than {LARGEST // 2**20} MiB")
        _keep(kept, data)
        if name:
            _keep(tag, name.encode())
        return data

    def _kept(self, file: Path, why: str) -> bytes:
        try:
            data = file.read_bytes()
        except OSError:
            raise LibraryUnavailable(why) from None
        self.tell(f"{why}: what was fetched before is shown")
        return data


def _keep(file: Path, data: bytes) -> None:
    """Keeps a file whole or not at all; a cache that cannot be written is no reason to give no answer."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.new")
        fresh.write_bytes(data)
        fresh.replace(file)
    except OSError:
        return


def record(library: Library, id: str) -> dict[str, object]:  # noqa: A002 - the field's name
    """The record with that id as the API has it. Raises LibraryUnavailable."""
    # An index from elsewhere may say anything, and paths of the cache are made of this.
    if re.fullmatch(r"[0-9a-f]{16}", id) is None:
        raise LibraryUnavailable(f"{id!r} is no id of a record")
    data = library.read(f"api/errors/{id}.json")
    try:
        found: object = msgspec.json.decode(data)["record"]
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise LibraryUnavailable(f"api/errors/{id}.json is no record: {error}") from error
    if not isinstance(found, dict):
        raise LibraryUnavailable(f"api/errors/{id}.json is no record")
    return found


def entries(library: Library) -> tuple[Entry, ...]:
    """The index's entries of all records, by id. Raises LibraryUnavailable."""
    found: dict[str, Entry] = {}
    try:
        meta = msgspec.json.decode(library.read("lookup/meta.json"), type=Meta)
        for number in range(meta.shards):
            data = library.read(f"lookup/{shards.name(number, meta.shards)}.json")
            for one in msgspec.json.decode(data, type=Shard).entries:
                found[one.id] = one
    except msgspec.DecodeError as error:
        raise LibraryUnavailable(f"the look-up index is damaged: {error}") from error
    return tuple(found[one] for one in sorted(found) if found[one].kind == "record")


def address(library: Library, path: str | None) -> str:
    """Where a reader finds a page; empty for a place without one, and for a site that stands nowhere."""
    if path is None or not library.base:
        return ""
    # A folder has no server that would add the file's name.
    return library.base + (path if library.base.startswith("file:") else path.removesuffix("index.html"))
