"""The folder is the registry: every module of a plug-in folder holds one value of the folder's kind."""

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def discover(package: ModuleType, kind: type[T]) -> tuple[T, ...]:
    """The one value of `kind` that each module of the package defines, in the modules' name order.

    Raises TypeError naming a module that defines none or several: a plug-in that is not found would be
    a check that silently does not run.
    """
    found: list[T] = []
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda one: one.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        values = [value for value in vars(module).values() if type(value) is kind]
        if len(values) != 1:
            raise TypeError(f"{module.__name__} must define one {kind.__name__}, not {len(values)}")
        found += values
    return tuple(found)
