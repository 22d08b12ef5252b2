"""What is installed: the files of a distribution, and what of it can be imported.

A working folder that is installed as a link has no list of its files: then they are those that are there now.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path


def recorded(distribution: str) -> str:
    """The list of a distribution's files, each with its digest, as installing writes it; empty where none is.

    Of one that is installed as a link to a working folder, the files there as they are now.
    """
    found = metadata.distribution(distribution)
    folder = linked(found)
    if folder is None:
        return found.read_text("RECORD") or ""
    files = sorted(file for name in _packages(folder, distribution) for file in _python(folder / name))
    return "".join(
        f"{file.relative_to(folder).as_posix()},sha256={hashlib.sha256(file.read_bytes()).hexdigest()},\n"
        for file in files
    )


def site(distribution: str) -> Path:
    """The folder that an installed distribution's files are listed from."""
    found = metadata.distribution(distribution)
    return linked(found) or Path(str(found.locate_file("")))


def linked(found: metadata.Distribution) -> Path | None:
    """The folder that an editable installation imports from; None of any other."""
    told = found.read_text("direct_url.json") or ""
    if '"editable": true' not in told and '"editable":true' not in told:
        return None
    for file in found.files or ():
        if file.suffix == ".pth":
            with suppress(OSError, UnicodeDecodeError, ValueError):
                for line in Path(str(found.locate_file(file))).read_text(encoding="utf-8").splitlines():
                    if not line.startswith("import") and (folder := Path(line)).is_dir():
                        return folder
    return None


def sources() -> tuple[Path, ...]:
    """The packages and modules of working folders that are installed as links: they may be edited."""
    return tuple(one for place, _ in _installed() for one in _linked_sources(place))


def stamps() -> frozenset[tuple[str, int, int]]:
    """What the file system says of all that is installed: while that is the same, so is this."""
    found = set()
    for place, time in _installed():
        found.add((place, time, 0))
        for source in _linked_sources(place):
            for file in _python(source):
                with suppress(OSError):
                    status = file.stat()
                    found.add((str(file), status.st_mtime_ns, status.st_size))
    return frozenset(found)


def _installed() -> Iterator[tuple[str, int]]:
    """Where it is noted what is installed, and since when: nanoseconds."""
    for entry in sys.path:
        # An entry may be an archive, or nothing at all; behind walls it may not be looked into.
        with suppress(OSError), os.scandir(entry or ".") as inside:
            for one in inside:
                if one.name.endswith((".dist-info", ".egg-info")):
                    yield one.path, one.stat().st_mtime_ns


def _linked_sources(place: str) -> list[Path]:
    # Most have no such file: to ask the library of each would take long.
    if os.path.exists(f"{place}/direct_url.json"):  # noqa: PTH110 - for each of many
        found = metadata.Distribution.at(place)
        # Behind walls a folder may be there that may not be looked into.
        with suppress(OSError):
            if (folder := linked(found)) is not None:
                named = (folder / name for name in _packages(folder, found.metadata["Name"]))
                # What we are ourselves is no subject: it is known by `subjects.own_code`.
                return [one for one in named if one != Path(__file__).parent]
    return []


def _packages(folder: Path, distribution: str) -> list[str]:
    """What a working folder has to import: the package or module of the distribution's name, else all."""
    own = _own(distribution)
    names = sorted(
        path.name
        for path in folder.iterdir()
        if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.is_file())
    )
    return [name for name in names if name.removesuffix(".py") == own] or names


def _python(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from (file for file in path.rglob("*.py") if file.is_file())


def _own(distribution: str) -> str:
    return distribution.lower().replace("-", "_").replace(".", "_")


def modules(distribution: str) -> list[str]:
    """What to import of an installed distribution: the module of its own name, else all it brings."""
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return []
    folder = linked(found)
    listed = (found.read_text("top_level.txt") or "").split() or sorted(
        {name.removesuffix(".py") for name in _packages(folder, distribution)}
        if folder is not None
        else {
            file.parts[0].removesuffix(".py")
            for file in found.files or ()
            if file.suffix == ".py" and ".." not in file.parts
        }
    )
    own = _own(distribution)
    names = [name for name in listed if name.isidentifier() and not name.startswith("_")]
    return [own] if own in names else names
