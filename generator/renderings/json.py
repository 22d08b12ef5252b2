"""One JSON document: `{"version": 1, "findings": […], "errors": n, "warnings": n}`.

A finding has `code severity message path line column endLine endColumn notes help fix`; lines and columns
count from 1, columns in code points, the end is exclusive; the four are null for a file as a whole. `fix` is
null, or has a `title`, the place of what is to be replaced, and the `text` that does. Fields may be added;
`version` changes if one changes its meaning.
"""

from collections.abc import Callable, Sequence

import msgspec

from generator.diagnostics import Diagnostic, Span
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
        "findings": [finding(one) for one in found],
        "errors": sum(1 for one in found if one.severity == "error"),
        "warnings": sum(1 for one in found if one.severity == "warning"),
    }
    return msgspec.json.encode(content).decode() + "\n"


def finding(one: Diagnostic) -> dict[str, object]:
    """A finding as plain data."""
    return {
        "code": one.code,
        "severity": one.severity,
        "message": encodable(one.message),
        "path": encodable(one.path),
        **_place(one.span),
        "notes": [encodable(note) for note in one.notes],
        "help": one.help and encodable(one.help),
        "fix": one.fix
        and {
            "title": encodable(one.fix.title),
            **_place(one.fix.span),
            "text": encodable(one.fix.text),
        },
    }


def _place(span: Span | None) -> dict[str, int | None]:
    names = ("line", "column", "endLine", "endColumn")
    if span is None:
        return dict.fromkeys(names)
    return dict(zip(names, (span.line, span.column, span.end_line, span.end_column), strict=True))


RENDERING = Rendering("json", render, is_result=True)
