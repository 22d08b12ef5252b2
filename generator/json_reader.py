"""JSON as RFC 8259 has it, with the place of every value.

The reader keeps its own stack, so that no nesting can exhaust Python's.
"""

import re
from typing import Literal

from generator.diagnostics import Diagnostic, Rejected
from generator.nodes import Kind, Lines, Scalar, Tree

Expected = Literal["value", "item", "key", "member", "colon", "more", "end"]

EXPECTED: dict[Expected, str] = {
    "value": "a value",
    "item": "a value or `]`",
    "key": "a key in double quotes",
    "member": "a key in double quotes or `}`",
    "colon": "`:`",
    "end": "the end of the file",
}
CLOSING = {"[": "]", "{": "}"}
SPACE = re.compile(r"[ \t\n\r]*+")
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
WORD = re.compile(r"[-+.0-9A-Za-z_]++")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
KINDS: dict[str, Kind] = {"true": "boolean", "false": "boolean", "null": "null"}
ESCAPE = re.compile(r"\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u(....)|(.))")
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def read(lines: Lines, tree: Tree) -> None:
    """Grow `tree` from JSON text; `Rejected` at the first place that breaks the grammar."""
    text, at = lines.text, 0
    opened: list[str] = []
    expected: Expected = "value"
    while True:
        at = _skip(text, at)
        mark = text[at : at + 1]
        after: Expected = "more" if opened else "end"
        if not mark and expected == "end":
            return
        if mark == '"' and expected in {"value", "item", "key", "member"}:
            scalar, at = _string(lines, at)
            tree.add(scalar)
            expected = "colon" if expected in {"key", "member"} else after
        elif mark in CLOSING and expected in {"value", "item"}:
            tree.open(lines.span(at, at + 1), is_mapping=mark == "{")
            opened.append(mark)
            at += 1
            expected = "member" if mark == "{" else "item"
        elif opened and mark == CLOSING[opened[-1]] and expected in {"item", "member", "more"}:
            opened.pop()
            at += 1
            tree.close(lines.span(at - 1, at))
            expected = "more" if opened else "end"
        elif mark == "," and expected == "more":
            at += 1
            expected = "key" if opened[-1] == "{" else "value"
        elif mark == ":" and expected == "colon":
            at += 1
            expected = "value"
        elif (word := WORD.match(text, at)) and expected in {"value", "item"}:
            kind: Kind | None = KINDS.get(word[0])
            if kind is None and NUMBER.fullmatch(word[0]):
                kind = "number"
            if kind is None:
                raise _misplaced(lines, at, f"`{word[0][:40]}` is not a JSON value", word.end())
            span = lines.span(at, word.end())
            tree.add(Scalar(word[0], kind, span, (span.line, span.column)))
            at = word.end()
            expected = after
        else:
            wanted = EXPECTED.get(expected) or f"`,` or `{CLOSING[opened[-1]]}`"
            found = f"`{mark}`" if mark else "the end of the file"
            raise _misplaced(lines, at, f"expected {wanted}, found {found}")


def _skip(text: str, at: int) -> int:
    space = SPACE.match(text, at)
    return space.end() if space else at


def _string(lines: Lines, at: int) -> tuple[Scalar, int]:
    """Return the string that begins at a quote, and the offset behind it."""
    run = STRING.match(lines.text, at)
    end = run.end() if run else at + 1
    stop = lines.text[end : end + 1]
    if stop == '"':
        raw = lines.text[at + 1 : end]
        text = ESCAPE.sub(_unescape, raw) if "\\" in raw else raw
        span = lines.span(at, end + 1)
        content = (span.line, span.column + 1) if raw == text else None
        return Scalar(text, "string", span, content), end + 1
    if stop == "\\":
        escape = lines.text[end : end + 2]
        raise _misplaced(lines, end, f"`{escape.strip()}` begins no JSON escape", end + len(escape))
    if stop:
        what = "line end" if stop in "\r\n" else "control character"
        raise _misplaced(lines, end, f"a {what} inside a string")
    raise _misplaced(lines, at, "a string without its closing quote")


def _unescape(escape: re.Match[str]) -> str:
    high, low, four, one = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    return chr(int(four, 16)) if four else ESCAPED.get(one, one)


def _misplaced(lines: Lines, at: int, message: str, end: int | None = None) -> Rejected:
    mark = lines.text[at : at + 1]
    cure = None
    if mark in {"]", "}"} and lines.text[:at].rstrip(" \t\r\n").endswith(","):
        cure = "delete the comma before it"
    elif mark in {"/", "#"}:
        cure = "delete the comment: JSON has none"
    elif mark == "'":
        cure = "use double quotes"
    elif mark in {"\n", "\t"}:
        cure = "write `\\n` for a line end and `\\t` for a tab"
    span = lines.span(at, min(end or at + 1, len(lines.text)))
    return Rejected([Diagnostic("E0101", message, lines.path, span, help=cure)])
