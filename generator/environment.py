"""The environment in which templates are rendered: what they say is what Jinja says, only sooner."""

import json
from collections.abc import Callable, MutableMapping
from types import BuiltinMethodType
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context, Macro

from generator.escaping import shown

# `json.dumps` makes an encoder for each value.
_IN_ORDER = json.JSONEncoder(sort_keys=True).encode
# Of these the attribute is meant, and not an item of the same name.
_METHODS = frozenset(dir(dict))


class Generator(CodeGenerator):
    """Has blocks gather their parts, where Jinja hands each of them on, and `shown` escape texts.

    Items of dictionaries are read where they are asked for.
    """

    def write_commons(self) -> None:
        """Begins a function."""
        super().write_commons()
        self.writeline("shown = environment.shown")

    def enter_frame(self, frame: Frame) -> None:
        """Begins to gather: a frame without a parent is a template's or a block's."""
        super().enter_frame(frame)
        if frame.parent is None:
            self.buffer(frame)

    def leave_frame(self, frame: Frame, with_python_scope: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature of Jinja
        """Hands on what was gathered, if anything: what is joined with nothing is copied for it."""
        if frame.parent is None:
            self.writeline(f"if {frame.buffer}: yield concat({frame.buffer})")
        super().leave_frame(frame, with_python_scope=with_python_scope)

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - the name in Jinja
        """Reads an item in place, without a call, as `Hasty.getattr` does."""
        if node.attr in _METHODS:
            super().visit_Getattr(node, frame)
            return
        # One name will do however deep this goes: nothing is evaluated between giving it and reading it.
        self.write(f"(it[{node.attr!r}] if type(it := ")
        self.visit(node.node, frame)
        self.write(f") is dict and {node.attr!r} in it else environment.getattr(it, {node.attr!r}))")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("shown(")


def _json(value: object, **options: Any) -> str:
    if options != {"sort_keys": True}:
        return json.dumps(value, **options)
    return "[]" if value == [] else _IN_ORDER(value)


class Direct(Context):
    """Calls at once what most calls are of, where Jinja looks whether more than arguments is wanted."""

    def call(self, called: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        """What a call gives."""
        given = args
        if type(called) is Macro:
            # It wants to know what is escaped where it is called.
            given = (self.eval_ctx, *args)
        elif type(called) is not BuiltinMethodType:
            return super().call(called, *args, **options)
        options.pop("_block_vars", None)
        options.pop("_loop_vars", None)
        try:
            return called(*given, **options)
        except StopIteration:
            # What that comes to is said there.
            return super().call(called, *args, **options)


class Hasty(Environment):
    """For contexts that are mappings, and texts that mostly hold nothing to escape."""

    code_generator_class = Generator
    context_class = Direct
    shown = staticmethod(shown)

    def __init__(self, **options: Any) -> None:
        # There are as many templates as there are files.
        super().__init__(cache_size=-1, **options)
        self.policies["json.dumps_function"] = _json

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The attribute, or else the item."""
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What a template knows anyway: one mapping, where Jinja looks through a chain of two."""
        return {**self.globals, **(d or {})}
