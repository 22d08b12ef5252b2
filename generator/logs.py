"""A log as stretches of whole lines, within bounds whatever it holds."""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

BLOCK = 1 << 15  # bytes that are looked through at once
HALF = 1 << 15  # bytes of a long line that are read, at its beginning and at its end

_CUT = "\u2026".encode()  # stands where the middle of a long line was left out
_COLORS = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of an open file, as they come."""
    while block := file.read(BLOCK):
        yield block


def stretches(log: Iterable[bytes], least: int) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines without colors, with how many bytes and line ends were read for them.

    Of a line longer than two halves both ends are left. A stretch has `least` bytes, but the last. It is cut
    at the same places, however the bytes come.
    """
    rest = b""
    kept: list[bytes] = []
    held = size = ends = 0
    for part in _parts(log):
        size, ends = size + len(part), ends + part.count(b"\n")
        data = rest + part
        cut = data.rfind(b"\n") + 1
        whole, rest = data[:cut], data[cut:]
        if len(rest) > 2 * HALF:
            rest = rest[:HALF] + _CUT + rest[-HALF:]
        kept.append(_plain(whole))
        held += len(kept[-1])
        if held >= least:
            yield b"".join(kept), size, ends
            kept, held, size, ends = [], 0, 0, 0
    yield b"".join(kept) + _plain(rest), size, ends


def _plain(text: bytes) -> bytes:
    return _COLORS.sub(b"", text) if b"\x1b" in text else text


def _parts(log: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, `BLOCK` at a time."""
    kept: list[bytes] = []
    size = 0
    for block in log:
        start = 0
        while size + len(block) - start >= BLOCK:
            end = start + BLOCK - size
            yield b"".join([*kept, block[start:end]])
            kept, size, start = [], 0, end
        if start < len(block):
            kept.append(block[start:])
            size += len(block) - start
    if size:
        yield b"".join(kept)
