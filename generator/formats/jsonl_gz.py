"""JSON, one item a line, compressed."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme

LINES = 100  # that are held at once


def encode(page: Page, theme: Theme) -> bytes:  # noqa: ARG001 - the signature of formats
    """The lines, compressed without a time, so that the same records are the same bytes."""
    if not isinstance(items := page.made, Iterable):
        raise TypeError(f"{page.path}: lines are made of a list")
    return b"".join(_packed(iter(items)))


def _packed(items: Iterator[object]) -> Iterator[bytes]:
    packer, encoder = zlib.compressobj(wbits=31), msgspec.json.Encoder()
    while lines := list(islice(items, LINES)):
        yield packer.compress(encoder.encode_lines(lines))
    yield packer.flush()


FORMAT = Format("jsonl_gz", encode)
