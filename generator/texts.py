"""Texts that a file writes, wherever in it: what messages are built of where no `raise` writes them."""

import ast
import warnings
from dataclasses import dataclass

from generator import raises


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a file: its lines (1-based), its function as `raises.every` names it, and its template."""

    first_line: int
    last_line: int
    function: str
    template: str


def every(text: str) -> tuple[Text, ...]:
    """Every text of a file, or of a statement, in order; nothing where Python cannot read it.

    Texts of several parts are one. Those that stand alone, as docstrings do, are none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a compiler says of the source is not our news
            tree = ast.parse(text)
        found: list[tuple[int, Text]] = []
        waiting: list[tuple[ast.AST, str]] = [(tree, "")]
        while waiting:
            node, function = waiting.pop()
            match node:
                case ast.Expr(value=ast.Constant()):
                    continue
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    function = f"{function}.{name}" if function else name
                case ast.Constant() | ast.JoinedStr() | ast.BinOp() | ast.Call():
                    if written := _written(node):
                        place = (node.lineno, node.end_lineno or node.lineno)
                        found.append((node.col_offset, Text(*place, function, written)))
                        continue
            waiting += [(child, function) for child in ast.iter_child_nodes(node)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(one for _, one in sorted(found, key=lambda each: (each[1].first_line, each[0])))


def functions(text: str) -> tuple[str, ...]:
    """The function or class that each line of a file stands in, as `every` names it; empty outside of any."""
    names = [""] * (text.count("\n") + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as above
            waiting: list[tuple[ast.AST, str]] = [(ast.parse(text), "")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(names)
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}" if function else node.name
            last = node.end_lineno or node.lineno
            # What is within comes later, and stands in its own.
            names[node.lineno - 1 : last] = [function] * (last - node.lineno + 1)
        waiting += [(child, function) for child in ast.iter_child_nodes(node)]
    return tuple(names)


def _written(node: ast.expr) -> str | None:
    """The template that an expression is, if it is one."""
    if isinstance(node, ast.Constant):
        # Not doubled, as in a `raise`: `_("{name} is missing").format(…)` has a hole.
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)
    ):
        return None
    statements = raises.every(f"raise Exception({ast.unparse(node)})")
    return statements[0][0].message if statements else None
