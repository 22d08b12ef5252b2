"""Findings to text: each module of this folder is one `--format`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generator.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Rendering:
    """A way to show findings. `is_result` says that programs read it: it goes to standard output.

    `render` takes the findings in order, the lines of the file that messages call by a name, and whether
    colour may be used.
    """

    name: str
    render: Callable[[Sequence[Diagnostic], Callable[[str], Sequence[str]], bool], str]
    is_result: bool = False
