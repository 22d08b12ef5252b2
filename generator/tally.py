"""What a log holds, for people and for programs."""

from collections.abc import Sequence

import msgspec

from generator import explained, libraries
from generator.libraries import Library
from generator.scanning import Scan

_HEAD = ("count", "line", "class", "message", "repository", "page")
_NUMBERS = 2  # columns of them
MESSAGE = 100  # characters of a template


def urls(found: Scan, library: Library) -> tuple[str, ...]:
    """Where readers find the page of each record that was counted; empty for a site that stands nowhere."""
    return tuple(
        libraries.address(library, f"{one.entry.repo}/{one.entry.slug}/index.html") for one in found.counts
    )


def table(found: Scan, addresses: Sequence[str]) -> str:
    """A line for each record, most frequent first, below one that names the columns."""
    rows = [_HEAD]
    for one, address in zip(found.counts, addresses, strict=True):
        text = " ".join(explained.template(one.entry.segments, one.entry.holes).split())
        message = text if len(text) <= MESSAGE else f"{text[: MESSAGE - 1]}\u2026"
        rows.append(
            (str(one.count), str(one.first_line), one.entry.error_class, message, one.entry.repo, address)
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if number < _NUMBERS else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )


def as_json(found: Scan, addresses: Sequence[str]) -> bytes:
    """The same as JSON."""
    records = [
        {
            "id": one.entry.id,
            "repo": one.entry.repo,
            "slug": one.entry.slug,
            "errorClass": one.entry.error_class,
            "count": one.count,
            "firstLine": one.first_line,
            "firstMessage": one.first_message,
            "url": address or None,
        }
        for one, address in zip(found.counts, addresses, strict=True)
    ]
    return msgspec.json.encode({"records": records, "lines": found.lines, "bytes": found.bytes}) + b"\n"
