"""E0405: the example raises the error before the fix, and does what it should after it."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import place


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each half that does not do what the page says."""
    before, after = case.outcome("before", "trigger"), case.outcome("after", "fix")
    if before and not case.is_raised_by(before):
        fields, line = place(case.record, "before", "trigger", before.line or 1)
        yield Finding(
            "`exampleFix` does not raise the error before the fix",
            case.file.at(*fields, line=line),
            notes=(str(before),),
        )
    expected = case.outcome("before", "expect")
    if before and case.is_raised_by(before) and expected and expected.is_true:
        fields, line = place(case.record, "before", "expect")
        yield Finding(
            "`fixed.expect` is true before the fix too, so it shows nothing",
            case.file.at(*fields, line=line),
            help="expect something that only the fix brings about",
        )
    if after and after.kind == "raised":
        fields, line = place(case.record, "after", "fix", after.line or 1)
        yield Finding(
            "`exampleFix` raises after the fix",
            case.file.at(*fields, line=line),
            notes=(str(after),),
        )
        return
    expected = case.outcome("after", "expect")
    if after and expected and not expected.is_true:
        fields, line = place(case.record, "after", "expect", expected.line or 1)
        yield Finding(
            "`fixed.expect` does not hold after the fix",
            case.file.at(*fields, line=line),
            notes=(str(expected),),
        )


CHECK = Check("E0405", "the fix works", run)
