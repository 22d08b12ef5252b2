"""What is wrong, where, and what to do about it: the one value by which every floor reports.

A diagnostic is data. Nothing here prints; `cli` shows what `render` returns.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
Style = Literal["full", "concise"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: 1-based lines and columns (in code points), the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text and the name by which users know it (relative, POSIX)."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a finding that has one right answer: `text` in the place of what stands at `span`.

    `title` says what is done, as an order without its end.
    """

    title: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `message` is true when read alone; the cure stands in `help`, for programs in `fix`.

    `path` may name a place that is no record (`pyproject.toml`); `span` is None where a whole file is
    meant. `notes` are facts beside the finding, in the order in which they are to be read.
    """

    code: str
    message: str
    path: str
    span: Span | None = None
    severity: Severity = "error"
    notes: tuple[str, ...] = ()
    help: str | None = None
    fix: Fix | None = None

    @property
    def position(self) -> tuple[str, int, int, str, str]:
        """The sort key: by path, place, code and message."""
        line, column = (self.span.line, self.span.column) if self.span else (1, 1)
        return (self.path, line, column, self.code, self.message)


class Rejected(Exception):  # noqa: N818 - a verdict about the input, not an error of the program
    """Raised to end a stage whose output would be meaningless; carries why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(found.message for found in self.diagnostics))


def has_errors(diagnostics: Iterable[Diagnostic], *, strict: bool = False) -> bool:
    """Whether any finding is an error; with `strict`, whether there is any finding."""
    return any(strict or found.severity == "error" for found in diagnostics)


def count(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    every = list(diagnostics)
    numbers = [
        (sum(1 for one in every if one.severity == severity), severity) for severity in ("error", "warning")
    ]
    said = [f"{number} {word}{'s' * (number != 1)}" for number, word in numbers if number]
    return ", ".join(said) or "no findings"


def render(
    diagnostics: Iterable[Diagnostic],
    *,
    style: Style = "full",
    lines: Callable[[str], Sequence[str]] = lambda path: (),  # noqa: ARG005 - knows no file
    is_coloured: bool = False,
) -> str:
    """The findings as text, in the order given; empty for none.

    `concise` is one line each; `full` quotes the place and adds notes and help. `lines` gives the lines
    of the file that messages call `path`.
    """
    if style == "concise":
        return "".join(f"{_concise(one)}\n" for one in diagnostics)
    return "".join(f"{_full(one, lines(one.path) if one.span else (), is_coloured)}\n" for one in diagnostics)


WIDTH = 100  # columns of a quoted line that are shown
_COLOURS = {"error": "1;31", "warning": "1;33", "mark": "1;34"}


def _concise(one: Diagnostic) -> str:
    line, column = (one.span.line, one.span.column) if one.span else (1, 1)
    message = printable(" ".join(one.message.split()))
    return f"{printable(one.path)}:{line}:{column}: {one.severity}[{one.code}] {message}"


def _full(one: Diagnostic, lines: Sequence[str], is_coloured: bool) -> str:  # noqa: FBT001 - private
    def paint(text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if is_coloured else text

    said = [f"{paint(f'{one.severity}[{one.code}]', one.severity)}: "]
    said[0] += "\n  ".join(map(printable, one.message.split("\n")))
    margin = " "
    if one.span is None:
        said.append(f"{margin}{paint('-->', 'mark')} {printable(one.path)}")
    else:
        margin = " " * len(str(one.span.line))
        place = f"{printable(one.path)}:{one.span.line}:{one.span.column}"
        said.append(f"{margin}{paint('-->', 'mark')} {place}")
        if one.span.line <= len(lines):
            text, start, length = _quoted(lines[one.span.line - 1], one.span)
            bar = paint("|", "mark")
            said += [
                f"{margin} {bar}",
                f"{paint(str(one.span.line), 'mark')} {bar} {text}".rstrip(),
                f"{margin} {bar} {' ' * start}{paint('^' * length, one.severity)}",
            ]
    for word, texts in (("note", one.notes), ("help", (one.help,) if one.help else ())):
        for text in texts:
            head = f"{margin} {paint('=', 'mark')} {word}: "
            indent = " " * (len(margin) + len(word) + 5)
            said.append(head + f"\n{indent}".join(map(printable, text.split("\n"))))
    return "\n".join(said) + "\n"


def _quoted(line: str, span: Span) -> tuple[str, int, int]:
    """The line as shown, and where and how far it is underlined, in columns of a terminal."""
    end = span.end_column if span.end_line == span.line else len(line) + 1
    first = max(0, span.column - 1 - WIDTH // 2) if len(line) > WIDTH else 0
    shown = line[first : first + WIDTH]
    before, marked = (
        line[first : span.column - 1],
        line[span.column - 1 : max(end, span.column) - 1],
    )
    head = "…" if first else ""
    tail = "…" if first + WIDTH < len(line) else ""
    text = head + printable(shown) + tail
    start = len(head) + sum(map(_columns, before))
    length = sum(map(_columns, marked[: WIDTH - len(before)]))
    return text, start, max(1, length)


def printable(text: str) -> str:
    """One line of text that changes nothing on a terminal but what stands there."""
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character == "\t":
        return "    "
    is_visible = character.isprintable() or unicodedata.category(character) == "Zs"
    return character if is_visible else "\N{REPLACEMENT CHARACTER}"


def _columns(character: str) -> int:
    visible = _visible(character)
    if len(visible) > 1:
        return len(visible)
    if unicodedata.category(visible) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(visible) in {"W", "F"} else 1
