"""Records of measurements, read and edited where they lie: in a file each, or all in one."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, cast

MARK = "\n\nSeen again in round "

Record = dict[str, Any]


def read(folder: Path) -> Iterator[Record]:
    """Every record, one after the other."""
    for path in _files(folder):
        with _opened(path, "rb") as lines:
            for line in lines:
                yield json.loads(line)["record"]


def edit(folder: Path, many: int, mark: str) -> list[Record]:
    """Changes the documentation of so many records, which lie far apart; these as they are now.

    The same ones are changed each time; the text differs as the mark does.
    """
    files = _files(folder)
    if len(files) == 1:
        return _edit_lines(files[0], many, mark)
    changed = []
    for number in _chosen(len(files), many):
        line, record = _edited(files[number].read_bytes(), mark)
        files[number].write_bytes(line)
        changed.append(record)
    return changed


def _edit_lines(path: Path, many: int, mark: str) -> list[Record]:
    """The same, where all are lines of one file: it is written anew."""
    with _opened(path, "rb") as lines:
        chosen = set(_chosen(sum(1 for _ in lines), many))
    changed = []
    other = path.with_name(f"new.{path.name}")
    with _opened(path, "rb") as lines, _opened(other, "wb") as new:
        for number, line in enumerate(lines):
            if number in chosen:
                edited, record = _edited(line, mark)
                changed.append(record)
            new.write(edited if number in chosen else line)
    other.replace(path)
    return changed


def _edited(line: bytes, mark: str) -> tuple[bytes, Record]:
    whole = json.loads(line)
    record = whole["record"]
    record["documentation"] = f"{record['documentation'].partition(MARK)[0]}{MARK}{mark}."
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", record


def _chosen(count: int, many: int) -> list[int]:
    return [number * count // many for number in range(min(many, count))]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.json*") if path.is_file())


def _opened(path: Path, mode: Literal["rb", "wb"]) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, mode, 6))
    return path.open(mode)
