"""E0203: the pattern is the one that the template implies, or the record says why not."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.pattern import agrees


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a pattern that differs without a reason, or for a reason without a difference."""
    if case.pattern is None:
        return
    verification = case.record.verification
    reason = verification.pattern_reason if verification else None
    implied = case.template.pattern()
    is_implied = agrees(case.pattern, implied)
    if not is_implied and reason is None:
        yield Finding(
            "`messagePattern` is not what `errorMessage` implies",
            case.file.at("messagePattern"),
            notes=_difference(case.pattern.text, implied.text),
            help=f"write `{implied.text}`, or say why not in `verification.patternReason`",
        )
    elif is_implied and reason is not None:
        yield Finding(
            "`patternReason` explains a difference that is not there",
            case.file.at("verification", "patternReason"),
            help="remove it",
        )


def _difference(written: str, implied: str) -> tuple[str, ...]:
    at = next(
        (n for n, (a, b) in enumerate(zip(written, implied, strict=False)) if a != b),
        min(len(written), len(implied)),
    )
    return (f"they part at character {at + 1}: `{written[at:][:40]}`, implied `{implied[at:][:40]}`",)


CHECK = Check("E0203", "the pattern is the one that the template implies", run)
