"""Workflow commands of GitHub Actions: annotations in a pull request.

A step shows ten errors and ten warnings and drops the rest without a word. So the worst come first, and
the tenth says how many more there are.
"""

from collections.abc import Callable, Sequence

from generator.diagnostics import Diagnostic
from generator.renderings import Rendering, encodable

SHOWN = 10  # of each severity


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],  # noqa: ARG001 - the signature of renderings
    is_coloured: bool,  # noqa: ARG001, FBT001 - as above
) -> str:
    """One command a finding, errors first."""
    commands = []
    for severity in ("error", "warning"):
        every = [one for one in found if one.severity == severity]
        for number, one in enumerate(every[:SHOWN], 1):
            more = len(every) - SHOWN if number == SHOWN else 0
            commands.append(_command(one, more))
    return "".join(f"{command}\n" for command in commands)


def _command(one: Diagnostic, more: int) -> str:
    properties = [("file", one.path)]
    if one.span is not None:
        properties += [
            ("line", str(one.span.line)),
            ("col", str(one.span.column)),
            ("endLine", str(one.span.end_line)),
            ("endColumn", str(one.span.end_column)),
        ]
    properties.append(("title", one.code))
    text = [one.message, *one.notes]
    if one.help:
        text.append(f"help: {one.help}")
    if more:
        text.append(f"and {more} more {one.severity}{'s' * (more != 1)}: the log has them all")
    said = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{one.severity} {said}::{_data(chr(10).join(text))}"


def _data(text: str) -> str:
    return encodable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


RENDERING = Rendering("github", render, is_result=True)
