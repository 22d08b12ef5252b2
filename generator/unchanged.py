"""Whether anything at all is other than when a site was last built: then there is nothing to do.

Files are compared by what the file system says of them: path, size, time and inode. Where a file's time is so
near the last look that a later change might not show in it, nothing is said to be the same, as git does with
its index; what is done then is cheap where little has changed.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from generator import facts, state, subjects
from generator.diagnostics import Diagnostic
from generator.settings import Settings

# What has no say in what is found and published.
_SILENT = frozenset(
    ("out", "cache", "jobs", "is_caching", "is_explaining", "cache_size", "start", "name", "memory", "say")
)


class Last(msgspec.Struct, frozen=True, array_like=True):
    """What a build depended on, and what it found."""

    inputs: bytes
    subjects: list[str]
    records: int
    standings: dict[str, int]
    pages: int
    diagnostics: list[Diagnostic]


def inputs(settings: Settings, folders: Iterable[Path], named: Iterable[str]) -> bytes | None:
    """What a build depends on, as a digest; None where a file changes just now, or that cannot be known.

    `folders` are those of templates, `named` the subjects of records and guides. Facts about files of pinned
    source are looked for in other places, so then nothing is known either.
    """
    since = state.now(settings.cache / "mark")
    if since is None or settings.clones is not None or not settings.is_caching:
        return None
    known_by = hashlib.sha256(f"{subjects.own_code()} {subjects.installed()} {sys.version}".encode())
    known_by.update(repr(_settings(settings)).encode())
    inventory = facts.inventory(settings, {})
    for name in sorted(named):
        subject = inventory.resolve(name)
        known = None if subject is None else (inventory.why_absent(subject), inventory.surroundings(subject))
        known_by.update(repr((name, known)).encode())
    places = [settings.records, *folders, settings.cache / "wheels"]
    if settings.logo is not None:
        places.append(settings.logo)
    for place in places:
        known_by.update(b"\0\0")
        for path, status in _files(os.fspath(place)):
            if status.st_mtime_ns >= since - state.TICK:
                return None
            stamp = (status.st_size, status.st_mtime_ns, status.st_ino, status.st_mode)
            known_by.update(f"{path}\0{stamp}".encode(errors="surrogateescape"))
    return known_by.digest()


def _settings(settings: Settings) -> Mapping[str, Any]:
    """What the user has set."""
    return {name: getattr(settings, name) for name in settings.__slots__ if name not in _SILENT}


def _files(place: str) -> Iterator[tuple[str, os.stat_result]]:
    """A file, or every file below a folder, links as such, in order."""
    try:
        with os.scandir(place) as inside:
            entries = sorted(inside, key=lambda one: one.name)
    except NotADirectoryError:
        yield place, os.lstat(place)
        return
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path)
        else:
            with suppress(OSError):
                yield entry.path, entry.stat(follow_symlinks=False)
