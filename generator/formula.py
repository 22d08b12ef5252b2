"""Arithmetic over what a message's holes hold: how a page turns a reader's 37 into 48.

A record writes it as Python writes whole numbers: `-(-need_size // page_size) * page_size`. Names are the
holes', `len(indices)` too, and `{1}` is the hole that has a number for a name; there are `+ - * // %`,
`min` and `max`. It is kept in postfix form, which a browser computes without running code:
templates/static/formula.js does, with the same answers.
"""

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 200  # characters of a formula
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}

# A whole number, the place of a hole, or an operator on what stands before it.
Step = int | dict[str, int] | str


class FormulaError(ValueError):
    """A formula that is none; says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in postfix form."""

    steps: tuple[Step, ...]

    def value(self, values: Sequence[str]) -> str | None:
        """What it makes of the holes' texts; None where one is no whole number, or a divisor is zero."""
        stack: list[int] = []
        for step in self.steps:
            match step:
                case int():
                    stack.append(step)
                case dict():
                    text = values[step["hole"]]
                    if _WHOLE.fullmatch(text) is None:
                        return None
                    stack.append(int(text))
                case "neg":
                    stack.append(-stack.pop())
                case _:
                    right, left = stack.pop(), stack.pop()
                    if step in {"//", "%"} and right == 0:
                        return None
                    stack.append(_applied(step, left, right))
        return str(stack[0])

    def unfit(self, values: Sequence[str]) -> tuple[int, ...]:
        """The places of the holes that it needs and whose texts are no whole numbers."""
        needed = {step["hole"]: None for step in self.steps if isinstance(step, dict)}
        return tuple(place for place in needed if _WHOLE.fullmatch(values[place]) is None)


def _applied(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//":
            return left // right
        case "%":
            return left % right
        case "min":
            return min(left, right)
        case _:
            return max(left, right)


def formula(text: str, holes: Sequence[str]) -> Formula:
    """The formula that a text writes, over the named holes. Raises FormulaError."""
    if len(text) > LONGEST:
        raise FormulaError(f"it is longer than {LONGEST} characters")
    steps: list[Step] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a compiler says of it is not our news
            _walk(ast.parse(text.strip(), mode="eval").body, [_spelt(hole) for hole in holes], steps)
    except FormulaError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError("it is no Python expression") from error
    return Formula(tuple(steps))


def _spelt(hole: str) -> str:
    """A hole's name as it is spelt when it is read out of a formula: with other quotes, perhaps."""
    try:
        return ast.unparse(ast.parse(hole, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return hole


def _walk(node: ast.expr, holes: Sequence[str], steps: list[Step]) -> None:
    """Adds a node's steps. The text's length bounds how deep this goes."""
    written = ast.unparse(node)
    # A number is one, also where a hole has it for a name.
    if written in holes and not isinstance(node, ast.Constant):
        steps.append({"hole": holes.index(written)})
        return
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool) and abs(value) < 2**53:
            steps.append(value)
        case ast.Set(elts=[ast.Constant() as name]) if ast.unparse(name) in holes:
            steps.append({"hole": holes.index(ast.unparse(name))})
        case ast.Name() | ast.Attribute():
            known = ", ".join(f"`{{{hole}}}`" if hole.isdigit() else f"`{hole}`" for hole in holes)
            raise FormulaError(
                f"`{written}` is none of the holes {known}" if known else "the message has no holes"
            )
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _walk(operand, holes, steps)
            steps.append("neg")
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            _walk(left, holes, steps)
            _walk(right, holes, steps)
            steps.append(_OPERATORS[type(operator)])
        case ast.Call(func=ast.Name(id=("min" | "max") as name), args=[first, *others], keywords=[]) if (
            others
        ):
            _walk(first, holes, steps)
            for other in others:
                _walk(other, holes, steps)
                steps.append(name)
        case _:
            raise FormulaError(f"`{written}` is no whole-number arithmetic")
