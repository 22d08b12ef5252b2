"""Code under test: what is bundled (each module of this folder describes one), and what is installed.

Nothing here imports any of it: the main process runs no code under test.
"""

import hashlib
import os
import platform
import re
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from pathlib import Path

from generator import distributions, subjects
from generator.model import Subject
from generator.registry import discover

# For code that is about no subject: a guide's plain Python.
PYTHON = Subject(name="", kind="python", imports="", module="")

_PINNED = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([A-Za-z0-9.!+_-]+)")


@cache
def bundled() -> dict[str, Subject]:
    """The bundled subjects by name."""
    return {subject.name: subject for subject in discover(subjects, Subject)}


def resolve(name: str) -> Subject | None:
    """The subject of that name: a bundled one, `package==version`, or `python==3.11`; None for no subject.

    A package is one whether it is installed or not: `why_absent` says.
    """
    if name in bundled():
        return bundled()[name]
    pinned = _PINNED.fullmatch(name)
    if pinned is None:
        return None
    distribution, version = pinned.groups()
    if distribution == "python":
        return Subject(name=name, kind="python", imports="", module="", version=version)
    modules = distributions.modules(distribution)
    return Subject(
        name=name,
        kind="package",
        imports="".join(f"import {module}\n" for module in modules),
        module=modules[0] if modules else distribution,
        requires=(distribution,),
        version=version,
    )


def roots(subject: Subject) -> tuple[Path, ...]:
    """The files or folders whose frames count as inside the subject. Raises ModuleNotFoundError."""
    if subject.kind == "python":
        return (Path(sysconfig.get_path("stdlib")),)
    file = source_file(subject)
    is_folder = subject.kind == "package" and file.name == "__init__.py"
    return (file.parent if is_folder else file,)


def source_file(subject: Subject) -> Path:
    """The file of the subject's module. Raises ModuleNotFoundError."""
    return _file(subject.module)


def _file(module: str) -> Path:
    spec = util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {module}", name=module)
    return Path(spec.origin)


def weight(subject: Subject) -> int:
    """How much there may be to import, in bytes of the lists of files of what is required; 0 for Python."""
    with suppress(metadata.PackageNotFoundError):
        return sum(len(distributions.recorded(distribution)) for distribution in subject.requires)
    return 0


def versions(subject: Subject) -> dict[str, str]:
    """Installed versions of what the subject requires; empty text for what is absent."""
    found = {}
    for name in subject.requires:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found


@cache
def installed() -> str:
    """Digest of the names and versions of everything installed: what a subject uses is among it."""
    found: set[str] = set()
    for entry in sys.path:
        # An entry may be an archive, or nothing at all; behind walls it may not be looked into.
        with suppress(OSError):
            names = os.listdir(entry or ".")  # noqa: PTH208 - an entry may be no path that can be one
            found |= {name for name in names if name.endswith((".dist-info", ".egg-info"))}
    return hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()


def is_outdated() -> bool:
    """Whether our own code, or what is installed, is not what it was when this process first looked."""
    return installed.__wrapped__() != installed() or own_code.__wrapped__() != own_code()


def why_absent(subject: Subject) -> str:
    """Why the subject cannot be run here, in words; empty if it can.

    Other versions than the one that a record speaks of do not prove it. Of a version only the public part
    counts, and of Python's own the minor version: `3.11` is every 3.11.
    """
    installed = versions(subject)
    if absent := [name for name, version in installed.items() if not version]:
        return f"{' and '.join(absent)} not installed"
    if subject.kind == "python" and subject.version:
        minor = ".".join(subject.version.split(".")[:2])
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        return "" if minor == here else f"this is Python {here}, the record is about {minor}"
    if subject.kind == "package":
        (name, version), *_ = installed.items()
        public = version.partition("+")[0]
        if public != subject.version:
            return f"{name} {public} is installed, the record is about {subject.version}"
    return ""


def source_digest(subject: Subject) -> str:
    """SHA-256 of the subject's source bytes; of a package, of the list of its files' digests."""
    if subject.kind == "python":
        return hashlib.sha256(platform.python_version().encode()).hexdigest()
    if subject.kind == "package":
        return hashlib.sha256(distributions.recorded(subject.requires[0]).encode()).hexdigest()
    if subject.kind == "pagefault":
        return own_code()
    return module_digest(subject.module)


@cache
def own_code() -> str:
    """SHA-256 of all of us: a finding may come from anywhere. What runs does not change while it runs."""
    files = sorted(Path(subjects.__path__[0]).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def module_digest(module: str) -> str:
    """SHA-256 of a module's source bytes. Raises ModuleNotFoundError."""
    return hashlib.sha256(_file(module).read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Installation:
    """A release as it is installed: the folder of its files, and their list, or None for any there."""

    folder: Path
    recorded: str | None

    def file(self, member: str) -> Path | None:
        """The file of that path below the folder, or None if the release does not hold it."""
        if self.recorded is not None and f"\n{member}," not in f"\n{self.recorded}":
            return None
        path = (self.folder / member).resolve()
        return path if path.is_relative_to(self.folder.resolve()) and path.is_file() else None

    @property
    def members(self) -> tuple[str, ...]:
        """The paths of the files that the release is said to hold; none where no list is kept."""
        return tuple(line.partition(",")[0] for line in (self.recorded or "").splitlines())


def installation(requirement: str) -> Installation | None:
    """The installed release, or None unless exactly that one is; `python==3.11.7` is the standard library."""
    subject = resolve(requirement)
    if subject is None or subject.kind not in {"package", "python"}:
        return None
    if subject.kind == "python":
        is_here = platform.python_version() == subject.version
        return Installation(Path(sysconfig.get_path("stdlib")), None) if is_here else None
    if why_absent(subject):
        return None
    distribution = subject.requires[0]
    return Installation(distributions.site(distribution), distributions.recorded(distribution))


def installed_file(requirement: str, member: str) -> Path | None:
    """A file of an installed release, by its path below the folder that packages lie in; None without it."""
    found = installation(requirement)
    return found.file(member) if found else None
