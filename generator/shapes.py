"""What the fields of a mapping are to who writes it: their order, what is in them, what may be left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec import inspect

from generator.nodes import Entry, Mapping, Scalar
from generator.nodes import Sequence as Items


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a mapping in order, the types within them, and what stands for each if it is left out."""

    order: tuple[str, ...]
    inner: dict[str, Any]
    absent: dict[str, object]

    def sort(self, keys: Sequence[str]) -> list[int]:
        """The places of the keys in the order of the fields."""
        places = {name: place for place, name in enumerate(self.order)}
        return sorted(range(len(keys)), key=lambda one: places.get(keys[one], len(places)))

    def within(self, field: str) -> "Shape":
        """That of a mapping in a field, or of the mappings in its list."""
        inner = self.inner.get(field)
        return shape_of(inner) if inner else FREE

    def is_idle(self, entry: Entry) -> bool:
        """Whether the entry says no more than its absence would."""
        name = entry.key.text
        if name not in self.absent:
            return False
        if isinstance(entry.value, Scalar):
            return self.absent[name] is None and _is_null(entry.value)
        return self.absent[name] == () and isinstance(entry.value, Items) and not entry.value.items

    def kept(self, node: Mapping) -> list[Entry]:
        """The entries that say something, in order; all of them where none does."""
        entries = [entry for entry in node.entries if not self.is_idle(entry)] or list(node.entries)
        return [entries[one] for one in self.sort([entry.key.text for entry in entries])]


def _is_null(node: Scalar) -> bool:
    return node.kind == "null" or (node.kind == "string" and node.text == "null")


FREE = Shape((), {}, {})


@cache
def shape_of(kind: Any) -> Shape:
    """That of a mapping that becomes a struct."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)  # noqa: S101 - for the type checker
    return Shape(
        tuple(field.encode_name for field in info.fields),
        {field.encode_name: inner for field in info.fields if (inner := _within(field.type))},
        {field.encode_name: field.default for field in info.fields if not field.required},
    )


def _within(kind: inspect.Type) -> type[Any] | None:
    """The struct that a field holds, alone or in a list."""
    while not isinstance(kind, inspect.StructType):
        if isinstance(kind, inspect.UnionType):
            kind = next(one for one in kind.types if not isinstance(one, inspect.NoneType))
        elif isinstance(kind, inspect.Metadata):
            kind = kind.type
        elif isinstance(kind, inspect.VarTupleType):
            kind = kind.item_type
        else:
            return None
    return kind.cls
