"""SARIF 2.1.0, which code scanning and editors read."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec

from generator import __version__, codes
from generator.diagnostics import Diagnostic, Span
from generator.renderings import Rendering, encodable

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],  # noqa: ARG001 - the signature of renderings
    is_coloured: bool,  # noqa: ARG001, FBT001 - as above
) -> str:
    """One run with every code as a rule and every finding as a result."""
    names = codes.names()
    order = {code: number for number, code in enumerate(names)}
    content = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pagefault",
                        "semanticVersion": __version__,
                        "rules": [
                            {"id": code, "shortDescription": {"text": name}} for code, name in names.items()
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, order[one.code]) for one in found],
            }
        ],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"


def _result(one: Diagnostic, rule: int) -> dict[str, object]:
    file = {"uri": quote(one.path, errors="surrogateescape")}
    place: dict[str, object] = {"artifactLocation": file}
    if one.span is not None:
        place["region"] = _region(one.span)
    text = [one.message, *one.notes, *([f"help: {one.help}"] if one.help else [])]
    result: dict[str, object] = {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": one.severity,
        "message": {"text": encodable("\n".join(text))},
        "locations": [{"physicalLocation": place}],
    }
    if one.fix is not None:
        replacement = {
            "deletedRegion": _region(one.fix.span),
            "insertedContent": {"text": encodable(one.fix.text)},
        }
        result["fixes"] = [
            {
                "description": {"text": encodable(one.fix.title)},
                "artifactChanges": [{"artifactLocation": file, "replacements": [replacement]}],
            }
        ]
    return result


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


RENDERING = Rendering("sarif", render, is_result=True)
