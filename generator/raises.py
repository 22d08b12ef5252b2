"""`raise` statements read out of lines of source that need not parse as a whole.

An excerpt begins and ends in the middle of things, so a statement is cut out by its tokens, up to the
end of the line on which its brackets are balanced, and only that is parsed.
"""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

# Keyword arguments that hold the message where it is not the first argument.
_MESSAGE_KEYWORDS = ("msg", "message")
_STARTS = re.compile(r"\s*raise\b")


@dataclass(frozen=True, slots=True)
class Raise:
    """One `raise` statement: its lines, class and message.

    `error_class` is the last name of what is raised, None for a bare `raise` and for what is no class.
    `message` is the template written in the statement, with literal braces doubled; None where it is not
    written there.
    """

    first_line: int
    last_line: int
    error_class: str | None
    message: str | None


def read(lines: Sequence[str], first_line: int, at: int) -> Raise | str:
    """The `raise` statement that starts on line `at` (1-based, like `first_line`), or why there is none."""
    offset = at - first_line
    if not 0 <= offset < len(lines):
        return f"line {at} is outside lines {first_line}-{first_line + len(lines) - 1}"
    if not lines[offset].strip().startswith("raise"):
        return f"line {at} is `{lines[offset].strip()[:80]}`"
    # Only the first line's indentation is in the way; that of others may stand in a string.
    text = _statement("\n".join([lines[offset].lstrip(), *lines[offset + 1 :]]))
    if text is None:
        return f"the statement on line {at} does not end within the excerpt"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a compiler says of the source is not our news
            tree = ast.parse(text)
        statement = tree.body[0] if tree.body else None
        if not isinstance(statement, ast.Raise):
            return f"line {at} is no `raise` statement"
        error_class, message = _raised(statement.exc)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return f"line {at} starts no statement that can be read"
    return Raise(at, at + text.count("\n") - 1, error_class, message)


def find(lines: Sequence[str], first_line: int) -> tuple[int, ...]:
    """The lines (1-based) on which a `raise` statement starts."""
    return tuple(number for number, line in enumerate(lines, first_line) if _STARTS.match(line))


def _statement(text: str) -> str | None:
    """The lines of the first logical one, or None if the text ends before its brackets do."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text + "\n").readline):
            if token.type == tokenize.NEWLINE:
                return "\n".join(text.split("\n")[: token.end[0]]) + "\n"
    except (tokenize.TokenError, SyntaxError):
        pass
    return None


def _raised(exception: ast.expr | None) -> tuple[str | None, str | None]:
    """The name of the class that is raised, and the message that is written."""
    match exception:
        case ast.Call(func=ast.Attribute(value=ast.Call() as raised, attr="with_traceback")):
            exception = raised
    if not isinstance(exception, ast.Call):
        return _name(exception), None
    written = exception.args[:1] + [
        keyword.value for keyword in exception.keywords if keyword.arg in _MESSAGE_KEYWORDS
    ]
    messages = (message for node in written if (message := _template(node)) is not None)
    return _name(exception.func), next(messages, None)


def _name(node: ast.expr | None) -> str | None:
    """The class's name; None for a variable or a method, which say nothing of the class."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name if name.lstrip("_")[:1].isupper() else None


def _template(node: ast.expr) -> str | None:
    """The template that an expression writes: a literal, an f-string, `+`, `%` or `.format`."""
    match node:
        case ast.Constant(value=str() as text):
            return _doubled(text)
        case ast.JoinedStr(values=values):
            parts = [_part(value) for value in values]
            return None if None in parts else "".join(part for part in parts if part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _template(left), _template(right)
            return None if first is None or second is None else first + second
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return _doubled(text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format"), args=_):
            return text
    return None


def _part(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _doubled(node.value)
    if not isinstance(node, ast.FormattedValue):
        return None
    conversion = f"!{chr(node.conversion)}" if node.conversion > 0 else ""
    spec = ""
    if isinstance(node.format_spec, ast.JoinedStr):
        parts = [_part(value) for value in node.format_spec.values]
        spec = ":" + "".join(part for part in parts if part)
    expression = ast.unparse(node.value)
    if expression.startswith("{"):  # two braces would be one of text
        expression = f" {expression}"
    return f"{{{expression}{conversion}{spec}}}"


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
