"""Facts by key on disk: what running code did, and finished bytes. Never a judgement.

Each entry carries the digest of its data, so whatever happens to a file, the worst is a miss.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Part of every key: a new layout of entries never reads old ones.
VERSION = "1"


def digest(*parts: bytes | str) -> str:
    """SHA-256 over the parts, each with its length before it; 64 hex digits."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def key(kind: str, **parts: str) -> str:
    """The key of an entry, from its kind and every named input."""
    named = [text for name in sorted(parts) for text in (name, parts[name])]
    return digest(VERSION, kind, *named)


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of entries. With `root` None nothing is kept and everything is a miss."""

    root: Path | None

    def get(self, name: str) -> bytes | None:
        """The data under a key, or None: absent, unreadable and damaged are all the same."""
        if self.root is None:
            return None
        try:
            path = self._path(self.root, name)
            entry = path.read_bytes()
        except OSError:
            return None
        head, _, data = entry.partition(b"\n")
        with suppress(OSError):
            # So that what is used outlives what is not.
            os.utime(path)
        return data if head.decode("ascii", "replace") == digest(name, data) else None

    def put(self, name: str, data: bytes) -> None:
        """Keeps the data, whole or not at all. A disk that refuses costs the entry, not the build."""
        if self.root is None:
            return
        path = self._path(self.root, name)
        temporary = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as stream:
                stream.write(digest(name, data).encode() + b"\n" + data)
            Path(temporary).replace(path)
        except OSError:
            if temporary is not None:
                with suppress(OSError):
                    Path(temporary).unlink()

    def prune(self, size: int) -> int:
        """Removes what was longest not used until `size` bytes are left; how many entries it removed."""
        if self.root is None:
            return 0
        entries: list[tuple[int, int, str]] = []
        # Not by `Path.glob`, which takes four times as long, in every build.
        with suppress(OSError):
            for folder in [one for one in os.scandir(self.root) if len(one.name) == 2]:
                for one in os.scandir(folder):
                    status = one.stat()
                    entries.append((status.st_mtime_ns, status.st_size, one.path))
        held, removed = sum(length for _, length, _ in entries), 0
        for _, length, path in sorted(entries):
            if held <= size:
                break
            with suppress(OSError):
                Path(path).unlink()
                held, removed = held - length, removed + 1
        return removed

    @staticmethod
    def _path(root: Path, name: str) -> Path:
        return root / name[:2] / name[2:]
