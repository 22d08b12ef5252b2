"""E0303: the message written in the `raise` statement is the template."""

import ast
from collections.abc import Iterator

from generator import raises
from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.template import Template, TemplateError, template


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a template that the source does not write."""
    excerpt, record, claims = case.excerpt, case.record, case.claims
    if excerpt is None or (claims is not None and (claims.native or claims.built_at)):
        return
    statement = raises.read(excerpt.lines, excerpt.first_line, record.line_number)
    if isinstance(statement, str):
        return
    if statement.message is None:
        yield Finding(
            "the message is not written in the `raise` statement",
            case.file.at("errorMessage"),
            notes=(f"line {record.line_number}, read in {excerpt.origin}",),
            help="say in `verification.builtAt` where it is built",
        )
        return
    try:
        written = template(statement.message)
    except TemplateError:
        return
    if _plain(written) != _plain(case.template):
        yield Finding(
            "`errorMessage` is not what the source writes",
            case.file.at("errorMessage"),
            notes=(f"line {record.line_number} writes `{statement.message}`",),
            help="copy the template from the source",
        )


def _plain(one: Template) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Fixed text and hole names, with each expression spelled in one way."""
    return one.pattern().literals, tuple(_spelled(name) for name in one.names)


def _spelled(expression: str) -> str:
    try:
        return ast.unparse(ast.parse(expression.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return expression


CHECK = Check("E0303", "the source writes the template", run)
