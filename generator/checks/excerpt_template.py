"""E0303: the message written in the `raise` statement is the template."""

import ast
import re
from collections.abc import Iterator

from generator import raises
from generator.checks import Check, has_message, is_range_right, rewriting, shown_line
from generator.model import Case, Corpus, Finding
from generator.template import Template, TemplateError, template

_NAMES = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a template that the source does not write."""
    excerpt, record, verification = case.excerpt, case.record, case.record.verification
    is_elsewhere = verification is not None and (verification.native or verification.built_at)
    if excerpt is None or is_elsewhere or not is_range_right(case):
        return
    statement = raises.read_text(excerpt.text, excerpt.first_line, record.line_number)
    if isinstance(statement, str):
        return
    if statement.message is None:
        yield Finding(
            f"the `raise` on line {record.line_number} does not write out its message",
            case.file.at("errorMessage"),
            notes=(shown_line(case, excerpt),),
            help="say in `verification.builtAt` where it is built",
        )
        return
    if statement.message == record.error_message:
        return
    try:
        written = template(statement.message)
    except TemplateError:
        return
    if _plain(written) != _plain(case.template):
        yield Finding(
            "`errorMessage` is not what the source writes",
            case.file.at("errorMessage"),
            notes=(f"line {record.line_number} writes `{statement.message}` ({excerpt.origin})",),
            help="copy the template from the source",
            fix=rewriting(case, statement.message, "errorMessage")
            if has_message(case, statement) or _is_raised(case, written)
            else None,
        )


def _is_raised(case: Case, written: Template) -> bool:
    """Whether what was raised is what the source writes there."""
    pattern = written.pattern()
    return bool(case.messages) and all(pattern.captures(message) is not None for message in case.messages)


def _plain(one: Template) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Fixed text and hole names, with each expression spelled in one way."""
    return one.pattern().literals, tuple(_spelled(name) for name in one.names)


def _spelled(expression: str) -> str:
    # Python writes it so, too, or cannot read it.
    if _NAMES.fullmatch(expression):
        return expression
    try:
        return ast.unparse(ast.parse(expression.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return expression


CHECK = Check("E0303", "the source writes the template", run)
