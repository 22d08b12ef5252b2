"""What `SglSeparateReasoning` is asked, and where its original stands."""

import dataclasses
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import torch

from generator.bundled import reasoning
from tests.differential import Case
from tests.operations.odd import Odd

ODD_NAMES_OF_TEXT = (
    *("'answer'", "''", "' '", "'a b'", "'{x}'", "'\\n'", "None", "0", "1", "-1", "True", "False", "0.0"),
    *("float('nan')", "b''", "b'x'", "()", "(1,)", "[]", "['x']", "{}", "{'a': 1}", "range(0)", "range(2)"),
    *("Decimal(0)", "Decimal(2)", "Fraction(1, 2)", "Odd()", "Odd", "len", "...", "torch.tensor([])"),
    *("torch.tensor(0)", "torch.tensor(1)", "torch.tensor([1, 2])", "SglGen('x')", "'é' * 300", "1j"),
)
ODD_EXPRESSIONS = (
    *("None", "'text'", "''", "0", "[]", "[SglGen()]", "(SglGen(''),)", "Odd()", "Odd(name='x')", "SglGen"),
    *(
        "SglExprList",
        "SglExpr()",
        "SglExprList([])",
        "SglExprList(())",
        "SglExprList(None)",
        "SglExprList(5)",
    ),
    *("SglExprList('ab')", "SglExprList([None])", "SglExprList(iter([SglGen('x')]))", "SglExprList({})"),
    *("SglExprList([SglGen('a'), SglGen('b')])", "SglExprList([SglGen('a'), SglGen()])", "SglGen(name='x')"),
    *("SglExprList([SglGen(), SglGen('a')])", "SglExprList([SglExprList([SglGen('a')]), 'x'])"),
    *("SglExprList([SglExprList([SglGen('')]), 'x'])", "SglExprList([SglSelect('', [], 0.0, None)])"),
    *("SglSelect('s', ['a', 'b'], 0.5, 'm')", "SglSelect(None, [], 0, None)", "SglSelect('s', None, 0, 1)"),
    *("SglSeparateReasoning('m', SglGen('x'))", "SglExprList([SglSeparateReasoning('m', SglGen('x'))])"),
    *("SglExprList([SglSelect('a', [], 0, 0), SglGen('b'), SglExpr()])", "separate_reasoning(SglGen('x'))"),
)
REASONING_READS = (
    *("SglSeparateReasoning()", "SglSeparateReasoning('m')", "SglSeparateReasoning('m', None, 1)"),
    *("SglSeparateReasoning(expr=None, model_type='m').model_type", "SglGen().name", "repr(SglGen())"),
    *("repr(SglGen('x'))", "SglSelect()", "SglSelect('x', [])", "repr(SglSelect('x', [1], 0.5, 'm'))"),
    *("repr(SglExprList([SglGen('x'), 'y']))", "SglExprList()", "separate_reasoning(1, 2, 3)", "SglExpr(1)"),
    *(
        "told(separate_reasoning())",
        "told(separate_reasoning(model_type='m'))",
        "SglExpr().node_id - SglExpr().node_id",
    ),
    *(
        "separate_reasoning(SglGen('x')).expr_list[1].name",
        "sorted(vars(SglExpr()))",
        "sorted(vars(SglExprList([1])))",
    ),
    *("reasoning.process_name_for_reasoning()", "reasoning.process_name_for_reasoning('a', 'b')"),
    *(
        "reasoning.process_name_for_reasoning(name='a')",
        "reasoning.absent",
        "reasoning.model_type",
        "told(reasoning)",
    ),
    *(
        "setattr(reasoning, 'name', 'x')",
        "told(SglSelect(choices=[], name=1, temperature=2, choices_method=3))",
    ),
    "sorted(vars(SglSelect('x', [1], 0.5, 'm')))",
)


def told(value: Any, base: int | None = None) -> object:
    """Show all of an expression, and of those in a list; ids are counted from the outermost one's."""
    base = getattr(value, "node_id", 0) if base is None else base
    parts = getattr(value, "expr_list", ())
    inner = [told(part, base) for part in parts] if isinstance(parts, list | tuple) else ()
    kept = [getattr(value, name, "absent") for name in ("name", "model_type", "prev_node", "pid")]
    return type(value).__name__, getattr(value, "node_id", base) - base, kept, inner


def reasoning_names() -> dict[str, object]:
    """Return what operations on names may name."""
    return {"torch": torch, "Decimal": Decimal, "Fraction": Fraction, "Odd": Odd, "told": told}


def reasoning_operations(chance: random.Random) -> Iterator[str]:
    """Yield every odd value once in every place, then expressions at random without end."""

    def name() -> str:
        return chance.choice((*("'a'", "'b'", "'answer'") * 30, *ODD_NAMES_OF_TEXT))

    def expression(depth: int) -> str:
        if depth and chance.random() < 0.4:
            return f"SglExprList([{', '.join(expression(depth - 1) for _ in range(chance.randrange(5)))}])"
        generation, selection = f"SglGen({name()})", f"SglSelect({name()}, ['x', 'y'], 0.0, 'm')"
        return chance.choice(
            (*(generation,) * 6, *(selection,) * 4, "'text'", chance.choice(ODD_EXPRESSIONS))
        )

    yield "(reasoning := SglSeparateReasoning('qwen3', SglGen('answer')))"
    for value in ODD_NAMES_OF_TEXT:
        yield f"reasoning.process_name_for_reasoning({value})"
        yield f"SglSeparateReasoning('qwen3', SglGen({value})).name"
        yield f"SglSeparateReasoning('qwen3', SglSelect({value}, [], 0.0, None)).name"
        yield f"told(separate_reasoning(SglExprList([SglGen('x'), SglGen({value})])))[0]"
        yield f"repr(SglSeparateReasoning({value}, None))"
        yield f"setattr(reasoning, 'model_type', {value})"
    for value in ODD_EXPRESSIONS:
        yield f"(reasoning := SglSeparateReasoning('qwen3', {value}))"
        yield f"told(separate_reasoning({value}, 'qwen3'))"
    yield from REASONING_READS
    while True:
        made = expression(3)
        yield chance.choice(
            (f"(reasoning := SglSeparateReasoning('m', {made}))", f"told(separate_reasoning({made}))")
        )


_IR = "sglang/lang/ir.py"
_NAMES = ("SglExpr", "SglExprList", "SglGen", "SglSelect", "SglSeparateReasoning")
CASE = Case(
    subject="sglang.SglSeparateReasoning",
    repository="sgl-project/sglang",
    source="generator/bundled/reasoning.py",
    bundled={name: getattr(reasoning, name) for name in (*_NAMES, "separate_reasoning")},
    member=_IR,
    definitions=(
        (_IR, "SglSamplingParams"),
        *((_IR, name) for name in _NAMES),
        ("sglang/lang/api.py", "separate_reasoning"),
    ),
    imports={"dataclasses": dataclasses},
    names=reasoning_names,
    operations=reasoning_operations,
    watched=("told(reasoning)",),
)
