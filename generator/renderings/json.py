"""One JSON document: `{"version": 1, "findings": […], "errors": n, "warnings": n}`.

A finding has `code severity message path line column endLine endColumn notes help`; lines and columns
count from 1, columns in code points, the end is exclusive; the four are null for a file as a whole. Fields
may be added; `version` changes if one changes its meaning.
"""

from collections.abc import Callable, Sequence

import msgspec

from generator.diagnostics import Diagnostic
from generator.renderings import Rendering, encodable

VERSION = 1


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],  # noqa: ARG001 - the signature of renderings
    is_coloured: bool,  # noqa: ARG001, FBT001 - as above
) -> str:
    """The document, in one line."""
    content = {
        "version": VERSION,
        "findings": [
            {
                "code": one.code,
                "severity": one.severity,
                "message": encodable(one.message),
                "path": encodable(one.path),
                "line": one.span and one.span.line,
                "column": one.span and one.span.column,
                "endLine": one.span and one.span.end_line,
                "endColumn": one.span and one.span.end_column,
                "notes": [encodable(note) for note in one.notes],
                "help": one.help and encodable(one.help),
            }
            for one in found
        ],
        "errors": sum(1 for one in found if one.severity == "error"),
        "warnings": sum(1 for one in found if one.severity == "warning"),
    }
    return msgspec.json.encode(content).decode() + "\n"


RENDERING = Rendering("json", render, is_result=True)
