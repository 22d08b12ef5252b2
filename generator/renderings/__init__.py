"""Findings to text: each module of this folder is one `--format`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generator.diagnostics import Diagnostic

_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\[)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rendering:
    """A way to show findings. `is_result` says that programs read it: it goes to standard output.

    `render` takes the findings in order, the lines of the file that messages call by a name, and whether
    colour may be used.
    """

    name: str
    render: Callable[[Sequence[Diagnostic], Callable[[str], Sequence[str]], bool], str]
    is_result: bool = False


def unmistakable(text: str) -> str:
    """The text with a space in all that a runner of GitHub Actions would take for a command in a log.

    That is `::` where a line begins, after blanks, and `##[` anywhere.
    """
    return _COMMAND.sub(lambda found: f"{found[0]} ", text)


def encodable(text: str) -> str:
    """The text with a replacement character for each lone surrogate: a file's name may hold such."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
