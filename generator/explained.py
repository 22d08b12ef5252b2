"""An error's page for a terminal: Markdown, with the reader's own values in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from generator.fences import fenced
from generator.nodes import HIDDEN
from generator.search import Match

_STANDINGS = {
    "proven": "proven: the build ran all that this page claims",
    "read": "read, not run",
    "unproven": "not proven",
}


def page(record: Mapping[str, Any], match: Match | None, url: str) -> str:
    """The page of a record as the API has it; what the reader met fills the holes, if it is known."""
    return plain("\n".join(_page(record, match, url)).rstrip()) + "\n"


def plain(text: str) -> str:
    """The text without what a terminal would take for orders, or show as other text than it is."""
    return HIDDEN.sub("\ufffd", text)


def _page(record: Mapping[str, Any], match: Match | None, url: str) -> list[str]:
    standing = str(record.get("standing"))
    reason = (record.get("evidence") or {}).get("reason")
    why = f": {reason}" if reason else ""
    code = f" · {record['errorCode']}" if record.get("errorCode") else ""
    lines = [
        f"# {record['errorClass']}",
        "",
        fenced(match.message if match else str(record["errorMessage"]), ""),
        "",
        f"{record['repo']}{code} · {record['severity']} · {_STANDINGS.get(standing, standing)}{why}",
        "",
    ]
    if record.get("status") == "removed":
        lines += [f"Removed in {record.get('removedIn') or 'newer releases'}.", ""]
    lines += ["## What it means", "", str(record["documentation"]), ""]
    solutions = list(record.get("solutions") or ())
    if solutions:
        lines += [f"**Do this first:** {_one_line(solutions[0])}", ""]
    if values := _values(record, match):
        lines += ["## Your values", "", *(f"- {name}: `{text}`" for name, text in values), ""]
    if solutions[1:]:
        lines += ["## Other solutions", ""]
        lines += [f"{number}. {_one_line(text)}" for number, text in enumerate(solutions[1:], 1)]
        lines.append("")
    for title, field in (
        ("Example fix", "exampleFix"),
        ("Check before the call", "validationCode"),
        ("Check the type", "typeGuard"),
        ("Recover from it", "tryCatchPattern"),
    ):
        if record.get(field):
            lines += [f"## {title}", "", fenced(str(record[field])), ""]
    texts = [record[name] for name in ("triggerScenarios", "commonSituations") if record.get(name)]
    if texts:
        lines += ["## When it happens", ""]
        for text in texts:
            lines += [str(text), ""]
    lines += [
        "## Source",
        "",
        f"{record['filePath']}:{record['lineNumber']}",
        "",
        str(record["githubUrl"]),
        "",
    ]
    if url:
        lines += ["## The whole page", "", url, ""]
    return lines


def summary(matches: Sequence[Match], urls: Sequence[str]) -> str:
    """The answers in short, best first: what one of them says, where, and what differs."""
    lines: list[str] = []
    for number, (match, url) in enumerate(zip(matches, urls, strict=True), 1):
        note = {"exact": "", "near": " (near: not the same)", "site": ""}[match.match]
        if match.is_cut:
            note = " (begins like this)"
        if match.is_weak and match.match == "exact":
            note = " (weak: its pattern has little fixed text)"
        lines += [
            f"{number}. {match.error_class}: {template(match.segments, match.holes)}{note}",
            f"   {match.repo} · {match.file}:{match.line}",
            *([f"   {url}"] if url else []),
        ]
    return plain("\n".join(lines)) + "\n" if lines else ""


def template(segments: Sequence[str | int], holes: Sequence[str]) -> str:
    """A message with the names of its holes in braces."""
    names = iter(holes)
    return "".join(part if isinstance(part, str) else f"{{{next(names)}}}" for part in segments)


def _values(record: Mapping[str, Any], match: Match | None) -> list[tuple[str, str]]:
    """What the holes hold, and what the record makes of that."""
    if match is None or match.match != "exact" or not match.values:
        return []
    from generator.formula import FormulaError, formula  # noqa: PLC0415 - few records have formulas

    shown = list(match.values.items())
    for one in record.get("computed") or ():
        try:
            value = formula(str(one["formula"]), match.holes).value(list(match.values.values()))
        except (FormulaError, KeyError, TypeError, IndexError):
            continue
        if value is not None:
            shown.append((str(one["name"]), value))
    return shown


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
