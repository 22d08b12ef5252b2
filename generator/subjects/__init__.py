"""Code under test: each module of this folder describes one bundled subject."""

import hashlib
from functools import cache
from importlib import metadata, util
from pathlib import Path

from generator import subjects
from generator.model import Subject
from generator.registry import discover

# For code that is about no subject: a guide's plain Python.
PYTHON = Subject(name="", imports="", module="generator", is_bundled=False)


@cache
def bundled() -> dict[str, Subject]:
    """The bundled subjects by name."""
    return {subject.name: subject for subject in discover(subjects, Subject)}


def source_file(subject: Subject) -> Path:
    """The subject's source. Nothing is imported: the main process runs no code under test.

    Raises ModuleNotFoundError.
    """
    spec = util.find_spec(subject.module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {subject.module}", name=subject.module)
    return Path(spec.origin)


def versions(subject: Subject) -> dict[str, str]:
    """Installed versions of what the subject requires; empty text for what is absent."""
    found = {}
    for name in subject.requires:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found


def source_digest(subject: Subject) -> str:
    """SHA-256 of the subject's source bytes."""
    return hashlib.sha256(source_file(subject).read_bytes()).hexdigest()
