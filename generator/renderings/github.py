"""Workflow commands of GitHub Actions: annotations in a pull request.

A step shows ten errors and ten warnings and drops the rest without a word. So the worst come first, in the
order given; the tenth says how many more there are; and those are lines of the log below the commands.
"""

from collections.abc import Callable, Sequence

from generator import diagnostics
from generator.diagnostics import Diagnostic
from generator.renderings import Rendering, encodable, unmistakable

SHOWN = 10  # of each severity
LONGEST = 4000  # characters of an annotation's text: much longer ones are refused


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],  # noqa: ARG001 - the signature of renderings
    is_coloured: bool,  # noqa: ARG001, FBT001 - as above
) -> str:
    """One command a finding, errors first; a line for each that has no room."""
    commands, rest = [], []
    for severity in ("error", "warning"):
        every = [one for one in found if one.severity == severity]
        for number, one in enumerate(every[:SHOWN], 1):
            more = len(every) - SHOWN if number == SHOWN else 0
            commands.append(_command(one, more))
        rest += every[SHOWN:]
    return "".join(f"{line}\n" for line in (*commands, *map(_line, rest)))


def _command(one: Diagnostic, more: int) -> str:
    properties = [("file", one.path)]
    if one.span is not None:
        place = {
            "line": one.span.line,
            "col": one.span.column,
            "endLine": one.span.end_line,
            "endColumn": one.span.end_column,
        }
        # Columns are taken of a place within one line alone.
        is_within = one.span.line == one.span.end_line
        properties += [
            (name, str(n)) for name, n in place.items() if is_within or name.lower().endswith("line")
        ]
    properties.append(("title", one.code))
    text = [one.message, *one.notes]
    if one.help:
        text.append(f"help: {one.help}")
    said = "\n".join(text)
    if len(said) > LONGEST:
        said = f"{said[: LONGEST - 1]}…"
    if more:
        said += f"\nand {more} more {one.severity}{'s' * (more != 1)}: the log of this step lists them"
    about = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{one.severity} {about}::{_data(said)}"


def _line(one: Diagnostic) -> str:
    """A finding as a line of the log that is no command, nor holds one of the older form."""
    line = diagnostics.render([one], style="concise").rstrip("\n")
    return unmistakable(f"also {encodable(line)}")


def _data(text: str) -> str:
    return encodable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


RENDERING = Rendering("github", render, is_result=True)
