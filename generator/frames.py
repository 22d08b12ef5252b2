"""The frames that stand above an error in a traceback, as Python, IPython and pytest print them."""

import re
from dataclasses import dataclass

from generator.terminal import END, Line, rest_after

HEIGHT = 300  # lines above an error
FRAMES = 12  # innermost ones
PLACES = 24  # lines below an error of pytest's

_TRACEBACK = "Traceback (most recent call last)"
_AROUND = ("--", "[...", "Cell ", "File ")
_DIGITS = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Frame:
    """Where code was running: a path as printed, a 1-based line, and the function if it was named."""

    file: str
    line: int
    function: str | None


def frames_above(lines: list[Line], index: int, form: str) -> tuple[tuple[Frame, ...] | None, int]:
    """The frames above a line, outermost first, None if it ends no traceback; and how many lines that took.

    `form` is the shape of what stands before every line, empty if nothing does.
    """
    found: list[Frame] = []
    is_traceback = False
    blanks = used = 0
    for at in range(index - 1, max(-1, index - HEIGHT - 1), -1):
        line = lines[at]
        used += 1
        text = rest_after(line.text, form) if form else line.text
        if text is None or line is END:
            # The first line of an exception group begins with another mark.
            is_traceback = is_traceback or (_TRACEBACK in line.text and bool(found))
            break
        if _TRACEBACK in text:
            is_traceback = True
            break
        stripped = text.strip(" \t")
        if frame := parse(stripped):
            found.append(frame)
            if len(found) == FRAMES:
                break
            blanks = 0
        elif not stripped:
            blanks += 1
            if blanks > 2:
                break
        elif text[0] not in " \t0123456789" and not text.startswith(_AROUND):
            break
    return tuple(reversed(found)) if found or is_traceback else None, used


def parse(text: str) -> Frame | None:
    """The frame that a line describes, without the white space around it."""
    if text.startswith('File "'):
        end = text.find('", line ')
        return _frame(text[6:end], text[end + 8 :]) if end >= 0 else None
    if text.startswith("File "):
        end = text.find(", in ")
        path, _, number = text[5 : end if end >= 0 else len(text)].rpartition(":")
        return _frame(path, number + text[end:] if end >= 0 else number)
    if text.startswith("Cell In"):
        path, _, number = text.partition(", line ")
        return _frame(path, number)
    end = text.find(".py:")
    if end > 0 and " " not in text[:end]:
        return _frame(text[: end + 3], text[end + 4 :].replace(": in ", ", in ", 1))
    return None


def _frame(path: str, rest: str) -> Frame | None:
    """`rest` is the line's number, perhaps with `, in function` after it."""
    digits = _DIGITS.match(rest)
    if not path or digits is None:
        return None
    _, _, function = rest.partition(", in ")
    function = function.partition("(")[0].strip(" \t")
    return Frame(path, int(digits[0]), function or None)


def location(lines: list[Line], index: int) -> tuple[Frame, ...]:
    """The place that pytest names below an error, `path.py:12: ValueError`."""
    for line in lines[index + 1 : index + PLACES]:
        if not line.text.startswith("E ") and (frame := parse(line.text)):
            return (frame,)
    return ()
