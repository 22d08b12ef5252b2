"""What a process that builds again keeps from one build to the next: values with what they were made of."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Memory:
    """The last value of each name. It changes no answer: what was made of other inputs is made anew."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[object, Any]] = {}

    def of(self, kind: str, name: str, inputs: object, make: Callable[[], T]) -> T:
        """What `make` returns, which depends on nothing but `inputs`; kept if these equal the last ones."""
        kept = self._kept.get((kind, name))
        if kept is not None and (kept[0] is inputs or kept[0] == inputs):
            value: T = kept[1]
            return value
        made = make()
        self._kept[kind, name] = (inputs, made)
        return made
