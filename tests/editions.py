"""Fabricated releases: small wheels in a cache, and records of the package, for whoever follows them."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

PIN = "0123456789012345678901234567890123456789"
NEXT = "9876543210987654321098765432109876543210"
NAME = "acme"

# What the pinned release has: a message each that stays, moves, goes to another file, changes, and goes.
POOL = '''\
class Pool:
    def alloc(self, size):
        """Takes slots."""
        if size < 0:
            raise ValueError(f"size must not be negative, got {size}")
        if size % 16:
            raise ValueError(f"size must be page-aligned, got size={size}")
        return size

    def free(self, index):
        if index in self.free_slots:
            raise KeyError(f"slot {index} was freed before, and is free")
        if index > self.size:
            raise IndexError("no slot has this number")


def check(kind):
    if kind == 1:
        raise TypeError(f"kind {kind} is none of those that are known")
    if kind == 2:
        raise TypeError(f"kind {kind} is none of those that are known")
'''
OTHER = """\
def load(path):
    raise OSError(f"the state at {path} cannot be loaded")


class Missing(LookupError):
    def __init__(self, name):
        super().__init__(_("nothing is called {name} in here").format(name=name))


def find(name):
    raise Missing(name)
"""
PINNED = {"acme/pool.py": POOL, "acme/other.py": OTHER}
# One release in which each of these has another fate.
LATER = {
    "acme/pool.py": '"""A line more."""\n\n'
    + POOL.replace(
        '            raise ValueError(f"size must not be negative, got {size}")\n', "            pass\n"
    )
    .replace("was freed before, and is free", "was freed before and cannot be freed again")
    .replace("no slot has this number", "never")
    .replace("kind == 2", "kind == 2 or kind == 3"),
    "acme/state.py": "\n" + OTHER.partition("\n\n\n")[0] + "\n",
    "acme/other.py": OTHER.partition("\n\n\n")[2]
    + '\n\ndef new():\n    raise RuntimeError("nobody has met this one before")\n',
}

RECORD = """\
# A comment that stays.
repo: acme/widgets
errorMessage: {message}
errorClass: {kind}
filePath: src/{file}
lineNumber: {line}   # where it is raised
analyzedSha: "{pin}"
documentation: Something about it.
tags: [widgets]
"""
MESSAGES = {
    "negative": ("'size must not be negative, got {size}'", "ValueError", "acme/pool.py", 5),
    "aligned": ("'size must be page-aligned, got size={size}'", "ValueError", "acme/pool.py", 7),
    "freed": ("'slot {index} was freed before, and is free'", "KeyError", "acme/pool.py", 12),
    "number": ("no slot has this number", "IndexError", "acme/pool.py", 14),
    "kind": ("'kind {kind} is none of those that are known'", "TypeError", "acme/pool.py", 19),
    "loaded": ("'the state at {path} cannot be loaded'", "OSError", "acme/other.py", 2),
    "called": ("'nothing is called {name} in here'", "Missing", "acme/other.py", 11),
}
FURTHER = {
    "kind": "verification:\n  unproven: nobody runs it\n  sites: [src/acme/pool.py:21]\n",
    "called": "verification:\n  unproven: nobody runs it\n  builtAt: src/acme/other.py:7\n",
}


def wheel(cache: Path, version: str, files: Mapping[str, str]) -> tuple[str, str]:
    """Put a wheel below the cache; its file's name and hash."""
    folder = cache / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def corpus(folder: Path, releases: Mapping[str, Mapping[str, str]], pinned: str = "1.0") -> tuple[Path, Path]:
    """Write records, and releases into a cache that has the index's list; both folders."""
    records, cache = folder / "records", folder / "cache"
    home = records / "acme" / "widgets"
    home.mkdir(parents=True)
    held = {version: wheel(cache, version, files) for version, files in releases.items()}
    file, sha256 = held[pinned]
    (home / "repo.yaml").write_text(
        f"repo: acme/widgets\ntitle: Widgets\n# The pin.\nwheel:\n  requirement: {NAME}=={pinned}\n"
        f'  python: "3.11"\n  platform: any\n  file: {file}\n  sha256: {sha256}\n'
        f'  commit: "{PIN}"\n  prefix: src/\nsites: [src/acme/*.py]\n'
    )
    for slug, (message, kind, path, line) in MESSAGES.items():
        text = RECORD.format(message=message, kind=kind, file=path, line=line, pin=PIN)
        (home / f"{slug}.yaml").write_text(f"slug: {slug}\n{text}{FURTHER.get(slug, '')}")
    (cache / "releases").mkdir()
    ledger = {"versions": [*releases], "wheels": held}
    (cache / "releases" / f"{NAME}.json").write_text(json.dumps(ledger))
    return records, cache
