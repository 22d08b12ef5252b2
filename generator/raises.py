"""`raise` statements read out of lines of source that need not parse as a whole.

An excerpt begins and ends in the middle of things, so a statement is cut out by its tokens, up to the
end of the line on which its brackets are balanced, and only that is parsed. Most say a class and a text in
a form that one expression knows, and need neither.
"""

import ast
import io
import keyword
import re
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# Keyword arguments that hold the message where it is not the first argument.
_MESSAGE_KEYWORDS = ("msg", "message")
# Of these, another part or another turn may have come before.
_REBINDING = (ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith)
_STARTS = re.compile(r"\s*raise\b")

# The usual form: `raise Some.Error("one " f"{two}") from three`, behind the text perhaps `% (four, five)` or
# `.format(six)`; or no text, but `raise Some.Error(seven)`. Values are such as are written in one way only: a
# hole is called as it stands.
_DOTTED = r"[A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z_][A-Za-z0-9_]*+)*+"
_VALUE = (
    rf"{_DOTTED}(?:\((?:{_DOTTED}(?:, {_DOTTED})*+)?\)|\[(?:{_DOTTED}|0|[1-9][0-9]{{0,8}})\]|\.{_DOTTED})*+"
)
_BLANK = r"[ \t\n]*+"
_VALUES = rf"{_BLANK}{_VALUE}(?:{_BLANK},{_BLANK}{_VALUE})*+(?:{_BLANK},)?{_BLANK}"
_HEAD = re.compile(rf"raise[ \t]++({_DOTTED})\({_BLANK}(?:({_DOTTED})(?=[ ,)%]))?")
_PIECE = re.compile(
    "|".join(
        rf"({quote}[^\\\x00-\x1f\ud800-\udfff{quote}]*+{quote}"
        rf"|f{quote}(?:{text}|{{{{|}}}}|{{{_VALUE}(?:![rsa])?(?::(?:{text})?)?}})*+{quote})(?!{quote}){_BLANK}"
        for quote in ("'", '"')
        for text in [rf"[^\\{{}}\x00-\x1f\ud800-\udfff{quote}]++"]
    )
)
_TAIL = re.compile(
    rf"{_BLANK}(?:%{_BLANK}({_VALUE}|\({_VALUES}\))|(\.format\({_VALUES}\)))?{_BLANK}(?:,{_BLANK})?\)"
    rf"(?:[ \t]++from[ \t]++(?:None|({_DOTTED})))?[ \t]*+(?:#[^\x00-\x1f\ud800-\udfff]*+)?(?=\n|\Z)"
)
_HOLE = re.compile(r"\{([^{}!:]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_KEYWORDS = frozenset(keyword.kwlist)


@dataclass(frozen=True, slots=True)
class Raise:
    """One `raise` statement: its lines, class and message.

    `error_class` is the last name of what is raised, None for a bare `raise` and for what is no class.
    `message` is the template that is written, with literal braces doubled; None where it cannot be read, and
    `why` says why. `is_alone` says that the class is given nothing else: then it is all that is printed.
    `built_line` is the line on which the message is written, where that is not the statement's own.
    """

    first_line: int
    last_line: int
    error_class: str | None
    message: str | None
    is_alone: bool = True
    built_line: int | None = None
    why: str = ""


def read(lines: Sequence[str], first_line: int, at: int) -> Raise | str:
    """The `raise` statement that starts on line `at` (1-based, like `first_line`), or why there is none."""
    return read_text("\n".join(lines), first_line, at) if lines else _outside(first_line, first_line - 1, at)


# Two checks ask for the same one.
@lru_cache(maxsize=4)
def read_text(text: str, first_line: int, at: int) -> Raise | str:
    """As `read`, of lines in one text."""
    offset, last_line = at - first_line, first_line + text.count("\n")
    if not first_line <= at <= last_line:
        return _outside(first_line, last_line, at)
    # Only the first line's indentation is in the way; that of others may stand in a string.
    line, *rest = text.split("\n", offset)[offset].split("\n", 1)
    if not line.strip().startswith("raise"):
        return f"line {at} is `{line.strip()[:80]}`"
    text = "\n".join([line.lstrip(), *rest])
    return _usual(text, at) or _read(text, at)


def _outside(first_line: int, last_line: int, at: int) -> str:
    return f"line {at} is outside lines {first_line}-{last_line}"


def _usual(text: str, at: int) -> Raise | None:
    """The statement with which a text begins, if it is in the usual form: what `_read` would say of it."""
    head = _HEAD.match(text)
    if head is None:
        return None
    pieces: list[str] = []
    end = head.end()
    while head[2] is None and (found := _PIECE.match(text, end)) is not None:
        pieces.append(found[1] or found[2])
        end = found.end()
    tail = _TAIL.match(text, end) if pieces or head[2] else None
    if tail is None:
        return None
    names, written = [head[1], head[2] or ""], []
    for piece in pieces:
        if piece[0] != "f":
            written.append(piece[1:-1] if tail[2] else _doubled(piece[1:-1]))
            continue
        # What an f-string writes is its template; filled again it is none.
        if tail[1] or tail[2]:
            return None
        written.append(piece[2:-1])
        names += _HOLE.findall(piece.replace("{{", ""))
    names += [part for part in tail.groups() if part]
    if not _KEYWORDS.isdisjoint(_NAME.findall(" ".join(names))):
        return None
    message = "".join(written) if written else None
    return Raise(at, at + text.count("\n", 0, tail.end()), _class(head[1].rpartition(".")[2]), message)


def _read(text: str, at: int) -> Raise | str:
    statement = _statement(text)
    if statement is None:
        return f"the statement on line {at} does not end within the excerpt"
    try:
        tree = _parsed(statement)
        if isinstance(tree, str):
            return f"line {at} starts no statement that can be read"
        first = tree.body[0] if tree.body else None
        if not isinstance(first, ast.Raise):
            return f"line {at} is no `raise` statement"
        error_class, message = _raised(first.exc)
    except RecursionError:
        return f"line {at} starts no statement that can be read"
    return Raise(at, at + statement.count("\n") - 1, error_class, message)


def every(text: str) -> tuple[tuple[Raise, str], ...]:
    """Every `raise` statement of a whole file, in order, each with the qualified name of its function.

    That is empty at the module's level. A message that is put in a variable just before is read there.
    Nothing of a file that Python cannot read: `unreadable` says why.
    """
    tree = _parsed(text)
    return () if isinstance(tree, str) else _every(tree)


def unreadable(text: str) -> str:
    """Why Python cannot read a file; empty if it can."""
    tree = _parsed(text)
    return tree if isinstance(tree, str) else ""


def _parsed(text: str) -> ast.Module | str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a compiler says of the source is not our news
            return ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except ValueError:
        return "it holds NUL characters"
    except (RecursionError, MemoryError):
        return "it is nested too deeply"


def _every(tree: ast.Module) -> tuple[tuple[Raise, str], ...]:
    found: list[tuple[Raise, str]] = []
    waiting: list[tuple[ast.AST, str, _Block | None]] = [(tree, "", None)]
    while waiting:
        node, name, block = waiting.pop()
        if isinstance(node, ast.Raise):
            found.append((_statement_of(node, block), name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}" if name else node.name
            block = None
        for _, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                waiting.append((value, name, block))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                waiting += [(child, name, _Block(value, n, block)) for n, child in enumerate(value)]
            elif isinstance(value, list):
                waiting += [(child, name, block) for child in value if isinstance(child, ast.AST)]
    return tuple(sorted(found, key=lambda one: one[0].first_line))


@dataclass(frozen=True, slots=True)
class _Block:
    """Where a statement stands: the statements of its block, its index, and the block around that."""

    statements: list[ast.stmt]
    index: int
    around: "_Block | None"


def _statement_of(node: ast.Raise, block: _Block | None) -> Raise:
    end = node.end_lineno or node.lineno
    raised, built_line = node.exc, None
    if isinstance(raised, ast.Name) and _name(raised) is None:
        # `error = ValueError("…")` and then `raise error`.
        built = _assigned(raised.id, block)
        if built is not None and isinstance(built[0], ast.Call):
            raised, built_line = built[0], built[1]
    error_class, message = _raised(raised)
    alone = isinstance(raised, ast.Call) and len(raised.args) + len(raised.keywords) == 1
    if message is None and isinstance(raised, ast.Call):
        for argument in _messages(raised):
            built = _assigned(argument.id, block) if isinstance(argument, ast.Name) else None
            if built is not None and (message := _template(built[0])) is not None:
                built_line = built[1]
                break
    why = "" if message is not None else _why_unread(raised, error_class)
    return Raise(
        node.lineno, end, error_class, message, alone, built_line if message is not None else None, why
    )


def _assigned(name: str, block: _Block | None) -> tuple[ast.expr, int] | None:
    """What a variable holds for certain at a statement, and the line on which that is written.

    That is what it was given before it in its block or one around it, and what was added since. None where
    another way may lead there: a branch, a loop or a handler that gives it something too.
    """
    added: list[ast.expr] = []
    while block is not None:
        for statement in reversed(block.statements[: block.index]):
            match statement:
                case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name:
                    whole = value
                    for one in reversed(added):
                        whole = ast.BinOp(whole, ast.Add(), one)
                    return whole, statement.lineno
                case ast.AnnAssign(target=ast.Name(id=known), value=ast.expr() as value) if known == name:
                    return (value, statement.lineno) if not added else None
                case ast.AugAssign(target=ast.Name(id=known), op=ast.Add(), value=value) if known == name:
                    added.append(value)
                case _ if _binds(statement, name):
                    return None
        around = block.around
        if around is not None:
            outer = around.statements[around.index]
            if isinstance(outer, _REBINDING) and _binds(outer, name):
                return None
        block = around
    return None


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(statement)
    )


def _why_unread(raised: ast.expr | None, error_class: str | None) -> str:
    """Why no message is read of what is raised."""
    if raised is None:
        return "raised again"
    if error_class is None:
        return "a variable or a function's answer is raised"
    if not isinstance(raised, ast.Call) or not (raised.args or raised.keywords):
        return "no message is given"
    first = _messages(raised)[:1]
    match first:
        case []:
            return "no message is given"
        case [ast.Name() | ast.Attribute() | ast.Subscript()]:
            return "the message is a value from elsewhere"
        case [ast.IfExp()]:
            return "one of two messages is given"
        case [ast.Call() | ast.Await()]:
            return "a function makes the message"
    return "the message is no text, or is put together in another way"


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
    messages = (message for node in _messages(exception) if (message := _template(node)) is not None)
    return _name(exception.func), next(messages, None)


def _messages(call: ast.Call) -> list[ast.expr]:
    """The arguments that may be the message."""
    return call.args[:1] + [keyword.value for keyword in call.keywords if keyword.arg in _MESSAGE_KEYWORDS]


def _name(node: ast.expr | None) -> str | None:
    """The class's name; None for a variable or a method, which say nothing of the class."""
    return _class(
        node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    )


def _class(name: str) -> str | None:
    return name if name.lstrip("_")[:1].isupper() else None


def _template(node: ast.expr) -> str | None:
    """The template that an expression writes: a literal, an f-string, `+`, `%` or `.format`."""
    match node:
        case ast.Constant(value=str() as text):
            return _doubled(text)
        case ast.JoinedStr(values=values):
            parts = [_part(value) for value in values]
            return None if None in parts else "".join(part for part in parts if part)
        case ast.BinOp(op=ast.Add()):
            return _joined(node)
        case ast.BinOp(left=left, op=ast.Mod()):
            written = _literal(left)
            return None if written is None else _doubled(written)
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return _literal(value)
    return None


def _literal(node: ast.expr) -> str | None:
    """A text that is written out, perhaps in pieces that are added up."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _literal(left), _literal(right)
            return None if first is None or second is None else first + second
    return None


def _joined(node: ast.BinOp) -> str | None:
    """The template of a sum of texts: what is no text of its own is a hole.

    None where no operand is text: numbers are added up, too. None of `%` beside other holes, which would be
    read as text.
    """
    operands: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        operands.insert(0, left.right)
        left = left.left
    operands.insert(0, left)
    texts = [_template(one) for one in operands]
    if all(text is None for text in texts):
        return None
    holes = [
        text is None or isinstance(one, ast.JoinedStr) for one, text in zip(operands, texts, strict=True)
    ]
    if any(holes) and any(
        isinstance(one, ast.BinOp | ast.Call) and t for one, t in zip(operands, texts, strict=True)
    ):
        return None
    return "".join(_hole(one) if text is None else text for one, text in zip(operands, texts, strict=True))


def _hole(node: ast.expr) -> str:
    """What stands for an expression's value: `str` is what a hole does."""
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[value], keywords=[]):
            return _braced(ast.unparse(value))
        case ast.Call(func=ast.Name(id="repr"), args=[value], keywords=[]):
            return _braced(ast.unparse(value), "!r")
    return _braced(ast.unparse(node))


def _braced(expression: str, behind: str = "") -> str:
    # Two braces would be one of text.
    return f"{{{' ' * expression.startswith('{')}{expression}{behind}}}"


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
    return _braced(ast.unparse(node.value), f"{conversion}{spec}")


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
