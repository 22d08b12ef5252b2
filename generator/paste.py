"""What a paste says: the error messages in whatever a terminal, a log or a notebook printed.

The browser's twin is `templates/static/paste.js`; `tests/vectors/` and `tests/test_paste.py` hold the two
together, so every step is one that both languages do alike: ASCII classes, explicit white space, and sizes
counted in UTF-16 units.

Nobody knows where a message ends in a text, or what stands before it in a log line. So a paste has several
*readings*, best first, and the patterns of records decide: a reading that is none matches nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from generator.frames import Frame, frames_above, location
from generator.terminal import END, Line, rest_after, shape, text_lines, unescaped

HEADS = 16  # errors of one kind (see `_tier`) that are read
READINGS = 8  # of one error
BARE = 16  # lines that are read although they name no class
BLOCK = 24  # lines of a message
MESSAGE = 8_000  # units of a message
NAME = 200  # units of a class's name, with its module
COLONS = 40  # of one line, behind a name
BOUNDARIES, QUOTED = 6, 12  # of one line, and of one kind of quote
STEPS = 5_000  # lines that are looked at for frames, over all errors of a paste

# Sets beyond ASCII are said by what is not in them: so they compile in microseconds.
_LETTER = r"[^\x00-@\[-^`{-\x7f]"  # [A-Za-z_\u0080-\U0010ffff]
_WORD = r"[^\x00-/:-@\[-^`{-\x7f]"  # [A-Za-z0-9_\u0080-\U0010ffff]
_NAMED = re.compile(
    rf"[^\x00-@\[-\x7f]{_WORD}*"
    r"(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Timeout|Group|Failure|Fault|NotFound|Missing)"
)
_CAMEL = re.compile("[A-Z][a-z0-9]+[A-Z]")
_PART = re.compile(rf"{_LETTER}{_WORD}*")
_NAME_CHARACTER = re.compile(r"[^\x00-\-/:;=?@\[-^`{-\x7f]")  # [A-Za-z0-9_.<>\u0080-\U0010ffff]
_WORDS = re.compile(rf"{_WORD}{{2,}}")
_MARKS = re.compile(r"[ \t|>]*(?:E {3,})?")
_PREFIXES = (_MARKS, re.compile("[A-Z]{4,8}:[A-Za-z0-9_.]{1,200}:"), re.compile(r"##\[[a-z]{1,20}\]"))
_REPORT = re.compile(rf"(?:[Ee]rror|ERROR|[Ww]arning|WARNING|[Ff]atal|FATAL|CRITICAL)(?!{_WORD})")
_STAMP = re.compile(r"\[?[0-9]{4}[-/][0-9]{2}|\[[0-9]{1,4}[-/:][0-9]")
_RULE = re.compile(r"[ \t]*[|+]*[-=_~*#+]{4}|[ \t|]*\+-")
_ENDS = (
    "Traceback (most recent call last)",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Exception Group Traceback",
    "FAILED ",
    "ERROR ",
    "```",
    ">>> ",
    "$ ",
)
_SUMMARIES = ("FAILED ", "ERROR ")
_OPENERS, _CLOSERS = "([{", ")]}"
_BOUNDARIES = re.compile(r": | - |\] |\| |\t|\) ")
_QUOTES = "\"'`"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One reading of a paste: a message, and what is known of how it came about.

    `error_class` is the name as printed, perhaps with its module, or None; `frames` are outermost first.
    `is_cut` says that the message may go on where the paste ends, `is_sure` that the name is a class's:
    it has frames, or is named as exceptions are. Readings of one error share `head`.
    """

    error_class: str | None
    message: str
    frames: tuple[Frame, ...] = ()
    is_cut: bool = False
    is_sure: bool = False
    head: int = 0


@dataclass(frozen=True, slots=True)
class _Head:
    """`Class: message` in a line: where the name begins and the message does, both 0-based."""

    index: int
    start: int
    name: str
    begin: int
    frames: tuple[Frame, ...]
    is_sure: bool


def spoken(text: str) -> tuple[Spoken, ...]:
    """The readings of a text, best first: errors with frames, last first, then others, then bare lines."""
    lines = text_lines(text)
    found: dict[tuple[str | None, str], Spoken] = {}
    number = 0
    heads = _heads(lines)
    for head in heads:
        number = _add(found, _readings(lines, head), number)
    for readings in _bare(lines, has_frames=any(head.frames for head in heads)):
        number = _add(found, readings, number)
    return tuple(found.values())


def _add(found: dict[tuple[str | None, str], Spoken], readings: Iterator[Spoken], number: int) -> int:
    """Adds the readings of an error that say something new; the number of the next error."""
    is_new = False
    for one in readings:
        key = (one.error_class, one.message)
        if key not in found:
            found[key] = replace(one, head=number)
            is_new = True
    return number + is_new


def _heads(lines: list[Line]) -> list[_Head]:
    """The best heads first."""
    tiers: tuple[list[_Head], ...] = ([], [], [], [])
    steps = STEPS
    for index in range(len(lines) - 1, -1, -1):
        text = lines[index].text
        if ":" not in text and not _is_name(text.strip(" \t|")):
            continue
        above = lines[index - 1].text if index else ""
        count = 0
        for start, name, begin in _names(text):
            kind = _kind(name)
            marks = _MARKS.match(text)
            is_first = marks is not None and start <= marks.end()
            if kind == 0 and not (is_first and above[:1] in {" ", "\t"} and above.strip(" \t")):
                continue
            frames: tuple[Frame, ...] | None = None
            if steps > 0:
                frames, used = frames_above(lines, index, shape(text[:start]))
                steps -= used
            if frames is None and (kind == 0 or begin > len(text)):
                continue
            tier = 0 if frames is not None else 3 if kind < 2 else 1 if is_first else 2
            if tier == 1 and text[:start].lstrip(" \t|>").startswith("E "):
                frames = location(lines, index)
            if len(tiers[tier]) < HEADS:
                tiers[tier].append(_Head(index, start, name, begin, frames or (), kind == 2 or tier == 0))
            count += 1
            if count == 2:
                break
        if len(tiers[0]) >= HEADS:
            break
    return [head for tier in tiers for head in tier]


def _names(text: str) -> Iterator[tuple[int, str, int]]:
    """Each `name: ` of a line, or the name that is all of it: where it begins, the name, what follows."""
    at = -1
    for _ in range(COLONS):
        at = text.find(":", at + 1)
        if at < 0:
            break
        if text[at + 1 : at + 2] not in {"", " "}:
            continue
        start = at
        while start > 0 and at - start < NAME and _NAME_CHARACTER.match(text[start - 1]):
            start -= 1
        name = text[start:at]
        whole = name.replace(".<locals>.", ".")
        bracket = max(whole.rfind("<"), whole.rfind(">"))
        if bracket >= 0:
            whole = name = whole[bracket + 1 :]
            start = at - len(name)
        if _is_name(whole):
            yield start, whole, at + 2
    bare = text.strip(" \t|")
    if at < 0 and _is_name(bare):
        yield text.index(bare), bare, len(text) + 1


def _is_name(text: str) -> bool:
    """Whether it is a name, perhaps dotted."""
    return 0 < len(text) <= NAME and all(map(_PART.fullmatch, text.split(".")))


def _kind(name: str) -> int:
    """2 for what is named as exceptions are, 1 for what may be a class, 0 for any other name."""
    module, _, last = name.rpartition(".")
    if _NAMED.fullmatch(last) or (module and last in {"error", "timeout"}):
        return 2
    return 1 if _CAMEL.match(last) or (module and "A" <= last[0] <= "Z") else 0


def _readings(lines: list[Line], head: _Head) -> Iterator[Spoken]:
    """The messages that a head may begin."""
    text = lines[head.index].text
    opener = text[head.start - 1 : head.start]
    if opener and opener in _QUOTES:
        inner, end = unescaped(text, head.begin, opener)
        if end >= 0:
            yield from _as_printed(inner, is_cut=False, head=head)
    block = [text[head.begin :], *_continuation(lines, head)]
    end = head.index + len(block)
    is_last = all(not line.text.strip(" \t") for line in lines[end : end + BLOCK])
    for size in _sizes(block):
        is_cut = (is_last and size == len(block)) or lines[head.index + size - 1].is_cut
        yield from _as_printed("\n".join(block[:size]), is_cut=is_cut, head=head)


def _as_printed(message: str, *, is_cut: bool, head: _Head | None = None) -> Iterator[Spoken]:
    """The message as it stands there, and without the white space at its end, which may be the terminal's."""
    stripped = message.rstrip(" \t\n")
    is_cut = is_cut or stripped.endswith(("...", "…"))
    for text in (message, stripped) if message != stripped else (stripped,):
        if head is None:
            yield Spoken(None, text, (), is_cut)
        else:
            yield Spoken(head.name, text, head.frames, is_cut, head.is_sure)


def _continuation(lines: list[Line], head: _Head) -> list[str]:
    """The lines after a head that may belong to its message; the last of them is not blank."""
    prefix = lines[head.index].text[: head.start]
    if prefix.lstrip(" ").startswith(_SUMMARIES):
        return []
    form = shape(prefix)
    near = (lines[n].text for n in (head.index - 1, head.index + 1) if 0 <= n < len(lines))
    is_each = bool(form) and (
        prefix.lstrip(" |>").startswith("E ") or any(rest_after(one, form) is not None for one in near)
    )
    found: list[str] = []
    for line in lines[head.index + 1 : head.index + BLOCK]:
        rest = rest_after(line.text, form) if form else None
        if line is END or ((rest is None) == is_each and form):
            break
        text = rest if rest is not None else line.text
        if text.startswith(_ENDS) or _RULE.match(text) or _STAMP.match(text) or _is_place(text):
            break
        found.append(text)
    while found and not found[-1].strip(" \t"):
        found.pop()
    return found


def _is_place(text: str) -> bool:
    """Whether a line is pytest's `path.py:12: ValueError`, or a frame."""
    end = text.find(".py:")
    return (end > 0 and " " not in text[:end]) or text.lstrip(" ").startswith('File "')


def _sizes(block: list[str]) -> list[int]:
    """How many lines of a block to read as the message: the likeliest first, then from all down to one.

    Likeliest is that the message goes on over lines that are indented or stand within its brackets. Other
    lines may be its own, or notes, or the next thing that was printed.
    """
    likely, depth = 1, _depth(block[0])
    while likely < len(block) and block[likely].strip(" \t"):
        if depth <= 0 and block[likely][0] not in " \t":
            break
        depth += _depth(block[likely])
        likely += 1
    rest = [size for size in range(len(block), 0, -1) if size != likely]
    return [likely, *rest[:1], *rest[1:][-(READINGS - 2) :]]


def _depth(text: str) -> int:
    """How many more brackets a text opens than it closes."""
    return sum((one in _OPENERS) - (one in _CLOSERS) for one in text)


def _bare(lines: list[Line], *, has_frames: bool) -> Iterator[Iterator[Spoken]]:
    """The readings of a text that names no class: each line, last first, then all of it if it is short."""
    meant = [n for n, line in enumerate(lines) if line is not END and line.text.strip(" \t")]
    spoken = (n for n in reversed(meant) if len(_WORDS.findall(lines[n].text)) > 1)
    for index in islice(spoken, BARE):
        yield _line_readings(lines[index], is_last=index == meant[-1])
    whole = (
        [line.text for line in lines[meant[0] : meant[0] + BLOCK + 1]][: meant[-1] - meant[0] + 1]
        if meant
        else []
    )
    if not has_frames and 1 < len(whole) <= BLOCK and END.text not in whole:
        yield (
            reading
            for size in _sizes(whole)
            for reading in _as_printed("\n".join(whole[:size]).lstrip(" \t"), is_cut=size == len(whole))
        )


def _line_readings(line: Line, *, is_last: bool) -> Iterator[Spoken]:
    """The messages that a line may hold: what follows a prefix, all of it, what it quotes.

    In a line that begins as logs and reports do, the shortest is the likeliest: a pattern that begins with
    a hole would take the prefix for its value.
    """
    text = line.text.strip(" \t")
    is_cut = is_last or line.is_cut
    if text.startswith("::") and (at := text.find("::", 2)) > 0:
        # An annotation of GitHub's, whose own line ends are written so.
        yield from _as_printed(text[at + 2 :].partition("%0A")[0].replace("%25", "%"), is_cut=False)
    starts = [found.end() for found in islice(_BOUNDARIES.finditer(text), BOUNDARIES)]
    starts += [found.end() for form in _PREFIXES if (found := form.match(text)) and found.end()]
    is_prefixed = _STAMP.match(text) or _REPORT.match(text)
    for start in (*sorted(starts, reverse=True), 0) if is_prefixed else (0, *sorted(starts)):
        if not start or " " in text[start:]:
            yield from _as_printed(text[start:].lstrip(" \t"), is_cut=is_cut)
    for opener in _QUOTES:
        at, count = text.find(opener), 0
        while at >= 0 and count < QUOTED:
            inner, end = unescaped(text, at + 1, opener)
            if end < 0:
                break
            if " " in inner:
                yield from _as_printed(inner, is_cut=False)
            # An apostrophe may be no quote: what is between two quotes is tried too.
            at, count = text.find(opener, end if opener == "'" else end + 1), count + 1
