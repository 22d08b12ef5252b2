"""The environment in which templates are rendered: what they say is what Jinja says, only sooner."""

import json
import re
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import escape

_MARKS = re.compile(r"[&<>\"']").search
# `json.dumps` makes an encoder for each value.
_IN_ORDER = json.JSONEncoder(sort_keys=True).encode
# Of these the attribute is meant, and not an item of the same name.
_METHODS = frozenset(dir(dict))


class Generator(CodeGenerator):
    """Has blocks gather their parts, where Jinja hands each of them on, and `Hasty.shown` escape texts."""

    def enter_frame(self, frame: Frame) -> None:
        """Begins to gather: a frame without a parent is a template's or a block's."""
        super().enter_frame(frame)
        if frame.parent is None:
            self.buffer(frame)

    def leave_frame(self, frame: Frame, with_python_scope: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Jinja
        """Hands on what was gathered."""
        if frame.parent is None:
            self.writeline(f"yield concat({frame.buffer})")
        super().leave_frame(frame, with_python_scope=with_python_scope)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.shown(")


def _json(value: object, **options: Any) -> str:
    if options != {"sort_keys": True}:
        return json.dumps(value, **options)
    return "[]" if value == [] else _IN_ORDER(value)


class Hasty(Environment):
    """For contexts that are mappings, and texts that mostly hold nothing to escape."""

    code_generator_class = Generator

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.policies["json.dumps_function"] = _json

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The attribute, or else the item."""
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def shown(self, value: object) -> str:
        """What stands in braces as HTML."""
        return value if type(value) is str and not _MARKS(value) else escape(value)
