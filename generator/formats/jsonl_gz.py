"""A list as JSON, one item a line, compressed."""

import gzip

import msgspec

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme


def encode(page: Page, theme: Theme) -> bytes:  # noqa: ARG001 - the signature of formats
    """The lines, compressed without a time, so that the same records are the same bytes."""
    if not isinstance(page.context, list):
        raise TypeError(f"{page.path}: lines are made of a list")
    return gzip.compress(msgspec.json.Encoder().encode_lines(page.context), mtime=0)


FORMAT = Format("jsonl_gz", encode)
