"""The bundled subject `sglang.SglSeparateReasoning`: names for the reasoning part of generated text.

An independent implementation of what `SglSeparateReasoning` and the expressions that it looks into do
in sgl-project/sglang, python/sglang/lang/ir.py, and of `separate_reasoning` in
python/sglang/lang/api.py, commit 0132848349585cfe6aae51c4941cbae872505f8a (release 0.5.19). Names,
message texts and results are upstream's; the code is not. Left out: sampling parameters, adding
expressions together, and everything that runs a model.
"""

from typing import Any


class SglExpr:
    """Part of a program. `node_id` counts the parts made since the process began."""

    node_ct = 0

    def __init__(self) -> None:
        self.node_id = SglExpr.node_ct
        SglExpr.node_ct += 1
        self.prev_node = None
        self.pid = None


class SglExprList(SglExpr):
    """Parts in order."""

    def __init__(self, expr_list: list[Any]) -> None:
        super().__init__()
        self.expr_list = expr_list

    def __repr__(self) -> str:
        return f"ExprList({self.expr_list})"


class SglGen(SglExpr):
    """Text that a model will generate, stored under `name` if it has one."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self.name = name

    def __repr__(self) -> str:
        return f"Gen('{self.name}')"


class SglSelect(SglExpr):
    """One of `choices`, picked by a model and stored under `name`."""

    def __init__(
        self, name: str | None, choices: list[str], temperature: float, choices_method: object
    ) -> None:
        super().__init__()
        self.name = name
        self.choices = choices
        self.temperature = temperature
        self.choices_method = choices_method

    def __repr__(self) -> str:
        return f"Select({self.name}, choices={self.choices}, choices_method={self.choices_method})"


class SglSeparateReasoning(SglExpr):
    """The wish to have the reasoning in `expr`'s text under a name of its own.

    `name` is made from that of the last named part in `expr`, lists included; None where `expr` holds
    no generation and no selection. Raises ValueError for one that has no name.
    """

    def __init__(self, model_type: str | None, expr: Any) -> None:
        super().__init__()
        self.model_type = model_type
        self.expr = expr
        self.name: str | None = None
        self._process_expr(expr)

    def process_name_for_reasoning(self, name: Any) -> str:
        """Return the name under which the reasoning is stored; raises ValueError for an empty one."""
        if name:
            return f"{name}_reasoning_content"
        raise ValueError("name must be provided")

    def _process_expr(self, expr: Any) -> None:
        if isinstance(expr, SglExprList):
            for part in expr.expr_list:
                self._process_expr(part)
        elif isinstance(expr, SglGen | SglSelect):
            self.name = self.process_name_for_reasoning(expr.name)

    def __repr__(self) -> str:
        return f"SeparateReasoning(model_type={self.model_type}, name={self.name})"


def separate_reasoning(expr: Any = None, model_type: str | None = None) -> SglExprList:
    """Return `expr` followed by the wish to separate its reasoning."""
    return SglExprList([expr, SglSeparateReasoning(model_type, expr=expr)])
