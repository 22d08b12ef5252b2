"""E0203: the pattern is the one that the template implies, or the record says why not."""

from collections.abc import Iterator

from generator.checks import Check, quoted, removal, rewriting
from generator.diagnostics import Span
from generator.model import Case, Corpus, Finding
from generator.nodes import Scalar
from generator.pattern import Pattern, agrees


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a pattern that differs without a reason, or for a reason without a difference.

    Where what was raised shows that the template is the one at fault, the finding stands there.
    """
    if case.pattern is None:
        return
    verification = case.record.verification
    reason = verification.pattern_reason if verification else None
    if case.head.message_pattern is None and reason is None:
        return
    implied = case.template.pattern()
    is_implied = agrees(case.pattern, implied)
    if case.pattern.text == implied.text and reason is not None:
        yield Finding(
            "`patternReason` explains a difference that is not there",
            case.file.at("verification", "patternReason"),
            help="remove it",
            fix=removal(case, "verification", "patternReason"),
        )
    elif not is_implied and reason is None and _fits(case.pattern, case) and not _fits(implied, case):
        yield Finding(
            "`errorMessage` is not what was raised, as `messagePattern` is",
            case.file.at("errorMessage"),
            notes=(f"raised {quoted(case.messages[0])}",),
            help="write the message as the source does, with `{holes}` for what varies",
        )
    elif not is_implied and reason is None:
        yield _difference(case, case.pattern, implied)


def _fits(pattern: Pattern, case: Case) -> bool:
    return all(pattern.captures(message) is not None for message in case.messages)


def _difference(case: Case, pattern: Pattern, meant: Pattern) -> Finding:
    """Stands at the first character that differs, where the file shows it as it is read."""
    written, implied = pattern.text, meant.text
    part = next(
        (n for n, (a, b) in enumerate(zip(written, implied, strict=False)) if a != b),
        min(len(written), len(implied)),
    )
    return Finding(
        "`messagePattern` is not what `errorMessage` implies",
        _place(case, part) if written == case.record.message_pattern else case.file.at("messagePattern"),
        notes=(
            f"they part at character {part + 1}: `{written[part:][:40]}`, implied `{implied[part:][:40]}`",
        ),
        help=f"write `{implied}`, or say why not in `verification.patternReason`",
        # What was raised shows which of the two is wrong.
        fix=rewriting(case, implied, "messagePattern")
        if _fits(meant, case) and not _fits(pattern, case)
        else None,
    )


def _place(case: Case, offset: int) -> Span | None:
    node, text = case.file.find("messagePattern"), case.record.message_pattern
    if not isinstance(node, Scalar):
        return case.file.at("messagePattern")
    return node.place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


CHECK = Check("E0203", "the pattern is the one that the template implies", run)
