"""Printed text as lines: without colours and control characters, unpacked from JSON, within bounds.

The browser does the same in `templates/static/paste.js`. Sizes count UTF-16 units, because those are what
JavaScript counts: a text must be cut at the same place by both.
"""

import re
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

FIRST, LAST = 200_000, 800_000  # units of a text that are read, at its beginning and at its end
FIRST_LINES, LAST_LINES = 1_000, 5_000
LINE = 8_000  # units of a line
PREFIX = 200  # units before a message that can be the same before every line

# CSI, OSC (never over the end of a line: one that was cut off would swallow the text), the others.
_ESCAPES = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]?|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~]?)|\\^\\[\\[[0-9;]{0,20}m"
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_STOP = re.compile("[\\\\\"'`]")
_HEX = re.compile("[0-9a-fA-F]+")
_MEANINGS = {"n": "\n", "r": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "", "f": ""}
_ESCAPED = "Traceback (most recent call last):\\n"
_DOCKER = '{"log":"'


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and whether its end was left out."""

    text: str
    is_cut: bool = False


# Stands between texts that were printed apart. It can be no line of a text: those hold no control characters.
END = Line("\0")


def beginning(text: str, units: int) -> str:
    """As much of a text as that many UTF-16 units hold, in whole characters."""
    text = text[:units]
    if len(text) * 2 <= units or text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "ignore")


def ending(text: str, units: int) -> str:
    """The same of a text's end."""
    text = text[-units:] if units else ""
    if len(text) * 2 <= units or text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass")[-units * 2 :].decode("utf-16-le", "ignore")


def text_lines(text: str) -> list[Line]:
    """The lines of a text, of a long one those at its beginning and its end."""
    text = _whole(text)
    parts = [text]
    if len(beginning(text, FIRST + LAST)) < len(text):
        parts = [beginning(text, FIRST), ending(text, LAST)]
    lines: list[Line] = []
    for part in parts:
        if lines:
            lines += [Line(lines.pop().text, is_cut=True), END]
        for row in _ends(_clean(part).split("\n"), END.text):
            lines += [END] if row == END.text else _unpacked(row)
    return _unquoted(_ends(lines, END))


def _ends(rows: list[T], between: T) -> list[T]:
    """The first rows and the last ones of many."""
    if len(rows) <= FIRST_LINES + LAST_LINES:
        return rows
    return [*rows[:FIRST_LINES], between, *rows[-LAST_LINES:]]


def _whole(text: str) -> str:
    """The text with pairs of surrogates joined and single ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _clean(text: str) -> str:
    text = _ESCAPES.sub("", text) if "\x1b" in text or "^[[" in text else text
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _unpacked(row: str) -> list[Line]:
    """A row as it is, or the lines of the text that it holds as a string, its line ends escaped."""
    if row.startswith(_DOCKER):
        # Each row is a line of one text.
        inside, _ = unescaped(row, len(_DOCKER), '"')
        return _inner(inside)
    at = row.find(_ESCAPED)
    if at < 0:
        return [_bounded(row)]
    inside, end = unescaped(row, at, row[at - 1] if at and row[at - 1] in "\"'" else "")
    # What else the row says stands before, so that the last error is the one that was unpacked.
    around = row[:at] + (row[end:] if end >= 0 else "")
    return [_bounded(around), END, *_inner(inside), END]


def _inner(text: str) -> list[Line]:
    return [_bounded(line) for line in _clean(_whole(text)).removesuffix("\n").split("\n")[-LAST_LINES:]]


def _bounded(row: str) -> Line:
    text = beginning(row, LINE)
    return Line(text, is_cut=len(text) < len(row))


def unescaped(text: str, start: int, closer: str) -> tuple[str, int]:
    r"""What a string literal holds from `start` to its `closer`, and where that stands.

    Without a closer, what the rest of the text holds, and -1. Of escapes it knows JSON's and `\xNN`.
    """
    pieces: list[str] = []
    position = start
    while found := _STOP.search(text, position):
        at = found.start()
        pieces.append(text[position:at])
        if found[0] == closer:
            return "".join(pieces), at
        position = at + 1
        if found[0] != "\\":
            pieces.append(found[0])
            continue
        letter = text[position : position + 1]
        digits = text[position + 1 : position + {"u": 5, "x": 3}.get(letter, 1)]
        if letter in {"u", "x"} and _HEX.fullmatch(digits) and len(digits) == (4 if letter == "u" else 2):
            pieces.append(chr(int(digits, 16)))
            position += 1 + len(digits)
        else:
            pieces.append(_MEANINGS.get(letter, f"\\{letter}"))
            position += len(letter)
    pieces.append(text[position:])
    return "".join(pieces), -1


def _unquoted(lines: list[Line]) -> list[Line]:
    """The lines without Markdown's fences, and without `>` if it stands before all of them."""
    lines = [line for line in lines if not line.text.lstrip(" >").startswith(("```", "~~~"))]
    if all(line is END or line.text[:1] in {"", ">"} for line in lines):
        return [line if line is END else Line(line.text[1:].removeprefix(" "), line.is_cut) for line in lines]
    return lines


def shape(prefix: str) -> str:
    """What stands before a message, with every number as `0`; empty if it is too long to be a prefix."""
    return re.sub("[0-9]+", "0", prefix) if beginning(prefix, PREFIX) == prefix else ""


def rest_after(text: str, form: str) -> str | None:
    """What follows a prefix of that shape; None for a line without it."""
    at = 0
    for number, character in enumerate(form):
        if at >= len(text) and not form[number:].strip(" "):
            return ""
        if character == "0":
            end = at
            while "0" <= text[end : end + 1] <= "9":
                end += 1
            if end == at:
                return None
            at = end
        elif text[at : at + 1] == character:
            at += 1
        else:
            return None
    return text[at:]
