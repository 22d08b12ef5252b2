"""Whether a log says a message: what may stand before one in a line, where it ends, and what only quotes it.

A log says a message where the rest of a line is all of it, or the rest with lines that continue it, or a
string in a line. Before it there may be what loggers and tools print; with anything else it is another
sentence. Source that a traceback quotes, and the summary of a test run, repeat a message and are no message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.pattern import Pattern
from generator.shards import WEAK
from generator.terminal import rest_after, shape, unescaped

LINES = 24  # of a message
REACH = 8_192  # bytes around a place in which its message lies; a line may be longer
STARTS = 6  # places of one line where a message may begin
_BEFORE = 400  # bytes of what stands before a message that are looked at

_NAME = rb"[A-Za-z_\x80-\xff][A-Za-z0-9_.\x80-\xff]*"
_HEAD = re.compile(rb"(?:^|[^A-Za-z0-9_.\x80-\xff])(" + _NAME + rb")(?:: |(\()['\"])$")
_EXCEPTION = re.compile(
    rb"[A-Z\x80-\xff][A-Za-z0-9_\x80-\xff]*"
    rb"(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Timeout|Group|Failure|Fault|NotFound|Missing)"
)
# A dot ends no place where lines are cut: what `$` means is the end of what stands before a message.
_LOGGED = re.compile(
    rb"(?:^|[^A-Za-z0-9_])(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|CRITICAL|FATAL|SEVERE|CRIT"
    rb"|trace|debug|info|notice|warn(?:ing)?|error|critical|fatal|Error|Warning|Fatal)"
    rb"(?::[A-Za-z0-9_.]{0,200}:|[\])>|: \t-]+(?:\[?[A-Za-z0-9_.:/-]{1,200}\]?[ \t]+)?)$"
    rb"|(?:^|[ \t\[])[0-9][0-9:.,TZ/+-]*\]?[ \t]+$"
    rb"|std(?:out|err) [FP] $|##\[[a-z]{1,20}\]$|^::[a-z]+ ?[^:]*::$"
)
_ENDS = (b": ", b" - ", b"] ", b"| ", b"\t", b") ")
_MARKS = re.compile(rb"[ \t|>]*(?:E {3,})?")
_BOUNDARY = re.compile(rb": | - |\] |\| |\t|\) ")
_SUMMARY = re.compile(rb"(?:FAILED|ERROR) [^ ]+\.py")
_RAISE = re.compile(rb"(?:^|[ \t>])raise[ \t(]")
_JSON = (b"{", b"[{")
_STRING = re.compile(rb'\\.|"')
_ESCAPED = re.compile(r'["\\]')
_NO_MORE = re.compile(
    r"Traceback \(most recent|During handling of the|The above exception|\[?[0-9]{4}[-/][0-9]{2}|\[[0-9]"
    r"|[A-Z]{4,8}[: ]|[A-Za-z_][A-Za-z0-9_.]*(?:Error|Exception|Warning): |[{] ?\"|[|+ ]*[-=_~*#+]{4}"
)


@dataclass(frozen=True, slots=True)
class Key:
    """A piece of fixed text of one line, and those of its words that no hole touches.

    `lines` counts the line ends of fixed text before it. `lead` is how many bytes of the message stand before
    it, None where that varies.
    """

    words: tuple[bytes, ...]
    piece: bytes
    lines: int
    lead: int | None


@dataclass(frozen=True, slots=True)
class Sought:
    """A message that is looked for.

    `first` is the first line of the fixed text that begins it, empty if a hole does. `last` is likewise of
    the last line of what ends it, as much as a string holds unchanged. `is_weak` says that so many texts are
    like it that it must stand behind its class.
    """

    pattern: Pattern
    error_class: bytes
    first: bytes
    last: bytes
    is_weak: bool
    has_lines: bool

    @classmethod
    def of(cls, pattern: Pattern, error_class: str) -> "Sought":
        """What is looked for by a record's pattern and class; of the class its last name counts."""
        first, last = pattern.segments[0], pattern.segments[-1]
        return cls(
            pattern,
            error_class.rpartition(".")[2].encode(),
            first.partition("\n")[0].encode() if isinstance(first, str) else b"",
            max(_ESCAPED.split(last.rpartition("\n")[2]), key=len).encode() if isinstance(last, str) else b"",
            not isinstance(first, str) and (pattern.fixed < WEAK or pattern.words < 2),
            any("\n" in text for text in pattern.literals),
        )


@dataclass(frozen=True, slots=True)
class Sighting:
    """A message that was said: where its first line begins, where that ends, and what it says.

    `above` is what would stand before the head of the traceback that this ends, None if it ends none.
    """

    begin: int
    end: int
    message: str
    above: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Prefix:
    """What stands before a message, and before its class.

    `quote` opened a string that the message is, else it is empty.
    """

    text: str
    has_class: bool = False
    quote: str = ""


def sighting(text: bytes, at: int, key: Key, sought: Sought) -> Sighting | None:
    """The message that has a key's piece at `at`; None where the text says something else there."""
    begin, end = line_around(text, at)
    if text.find(sought.last, begin, end + REACH) < 0:
        return None
    opener = _string(text, begin, at)
    if opener is not None:
        inside, closer = unescaped(text[opener:end].decode(errors="replace"), 0, '"')
        if closer >= 0 and (message := _quoted(inside.encode(errors="replace"), key, sought)) is not None:
            return Sighting(begin, end, message)
        if text.startswith(_JSON, begin):
            return None
    return _said(text, begin, at, key, sought)


def _quoted(text: bytes, key: Key, sought: Sought) -> str | None:
    """The message in a string. A string in it is not looked into: it is what the outer one says."""
    at, count = text.find(key.piece), 0
    while at >= 0 and count < STARTS:
        if (found := _said(text, line_around(text, at)[0], at, key, sought)) is not None:
            return found.message
        at, count = text.find(key.piece, at + 1), count + 1
    return None


def _said(text: bytes, begin: int, at: int, key: Key, sought: Sought) -> Sighting | None:
    """The same of what is no string; the line around `at` begins at `begin`."""
    for start in _starts(text, begin, at, key, sought):
        first, last = line_around(text, start)
        prefix = _prefix(text, first, start, sought)
        if prefix is None and not sought.first:
            # With what stands before, a value at the beginning would pass for longer.
            return None
        if prefix is None or (sought.is_weak and not prefix.has_class):
            continue
        message = _message(text, start, last, prefix, sought)
        if message is not None:
            above = prefix.text.encode(errors="replace") if prefix.has_class else None
            return Sighting(first, last, message, above)
    return None


def line_around(text: bytes, at: int) -> tuple[int, int]:
    """Where the line around a place begins and ends, without its end."""
    begin = text.rfind(b"\n", 0, at) + 1
    begin = max(begin, text.rfind(b"\r", begin, at) + 1)
    end = text.find(b"\n", at)
    end = len(text) if end < 0 else end
    carriage = text.find(b"\r", at, end)
    return begin, carriage if carriage >= 0 else end


def _starts(text: bytes, begin: int, at: int, key: Key, sought: Sought) -> Iterator[int]:
    """Where the message may begin, in the line that begins at `begin` or in one above."""
    if key.lead is not None:
        start = at - key.lead
        if start >= begin and text.startswith(sought.first, start):
            yield start
        return
    if key.lines == 0 and not sought.first:
        marks = _MARKS.match(text, begin, at)
        head = marks.end() if marks else begin
        ends = [found.end() for found in _BOUNDARY.finditer(text, head, at)]
        yield from reversed([head, *ends[:STARTS]])
        return
    # A value may have lines too: then there are more above than the fixed text has.
    lowest, line = max(0, begin - REACH), begin
    for _ in range(key.lines):
        line = text.rfind(b"\n", lowest, max(line - 1, 0)) + 1
    if not sought.first:
        marks = _MARKS.match(text, line)
        yield marks.end() if marks else line
        return
    start, count = text.find(sought.first, line, at), 0
    while start >= 0 and count < STARTS:
        yield start
        start, count = text.find(sought.first, start + 1, at), count + 1
    start = text.rfind(sought.first, lowest, line)
    if start >= 0 and text.count(b"\n", start, at) < LINES:
        yield start


def _prefix(text: bytes, first: int, start: int, sought: Sought) -> _Prefix | None:
    """What stands before a message in the line that begins at `first`; None if it makes it no message."""
    before = text[max(first, start - _BEFORE) : start]
    if _RAISE.search(before) or _SUMMARY.match(text, first):
        return None
    if before[:1] in {b" ", b"\t"} and _is_source(text, first):
        return None
    head = _HEAD.search(before)
    if head is None:
        return _Prefix(before.decode(errors="replace")) if _may_precede(before) else None
    text_before = before[: head.start(1)].decode(errors="replace")
    name = head[1].rpartition(b".")[2]
    if name == sought.error_class:
        quote = before[-1:].decode() if head[2] else text_before[-1:]
        return _Prefix(text_before, has_class=True, quote=quote if quote in {"'", '"'} else "")
    # Without its class, a message of another class would pass for this one's.
    return None if head[2] or _EXCEPTION.fullmatch(name) else _Prefix(text_before)


def _may_precede(before: bytes) -> bool:
    """Whether loggers and tools print such a text before a message."""
    if not before or before.endswith(_ENDS) or _LOGGED.search(before):
        return True
    marks = _MARKS.match(before)
    return marks is not None and marks.end() == len(before)


def _is_source(text: bytes, first: int) -> bool:
    """Whether a traceback's frame stands above the line that begins at `first`."""
    above = text[max(0, first - _BEFORE) : first].rstrip(b"\r\n").rpartition(b"\n")[2]
    return above.lstrip(b" \t|").startswith(b'File "')


def _message(text: bytes, start: int, end: int, prefix: _Prefix, sought: Sought) -> str | None:
    """What is said from `start`, if it is all of what is looked for."""
    captures = sought.pattern.captures
    rest = text[start:end].decode(errors="replace")
    if prefix.quote:
        inner, closer = unescaped(rest, 0, prefix.quote)
        return inner if closer >= 0 and captures(inner) is not None else None
    if captures(rest) is not None:
        return rest
    stripped = rest.rstrip(" \t")
    if stripped != rest and captures(stripped) is not None:
        return stripped
    # What a value's lines are like, only a message shows that surely begins here.
    is_open = prefix.has_class or sought.has_lines
    lines = [rest]
    for line in _below(text, end, shape(prefix.text)):
        if _NO_MORE.match(line) or not (is_open or line[:1] in {" ", "\t"} or _depth(lines) > 0):
            break
        lines.append(line)
        whole = "\n".join(lines)
        for one in (whole, whole.rstrip(" \t")):
            if captures(one) is not None:
                return one
    return None


def _below(text: bytes, end: int, form: str) -> Iterator[str]:
    """The lines below, without what stands before each if it is of that form."""
    nearby = text[end : end + REACH].decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = nearby.split("\n")[1:LINES]
    if form and lines and (form.startswith("E ") or rest_after(lines[0], form) is not None):
        for line in lines:
            if (rest := rest_after(line, form)) is None:
                return
            yield rest
    else:
        yield from lines


def _depth(lines: list[str]) -> int:
    """How many more brackets the lines open than they close."""
    return sum((one in "([{") - (one in ")]}") for line in lines for one in line)


def _string(text: bytes, begin: int, at: int) -> int | None:
    """Where the string begins around a place, in a line that is JSON or has strings as values; else None."""
    opener = None
    for found in _STRING.finditer(text, begin, at):
        if found[0] == b'"':
            opener = found.end() if opener is None else None
    if opener is None:
        return None
    is_value = text.startswith(_JSON, begin) or text[opener - 2 : opener - 1] == b"="
    return opener if is_value else None
