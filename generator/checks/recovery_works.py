"""E0407: the recovery meets the error, ends without one, and achieves what it should."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import place


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a recovery that has nothing to recover from, that raises, or that misses its aim.

    Without a `try` statement there is none of these to be said: E0401 reports that.
    """
    tried = case.outcome("unrecovered", "trigger")
    if tried and not case.is_raised_by(tried):
        fields, line = place(case.record, "unrecovered", "trigger")
        yield Finding(
            "the `try` block of `tryCatchPattern` does not raise the error",
            case.file.at(*fields, line=line),
            notes=(str(tried),),
            help="let `setup` define the failing values",
        )
        return
    recovery = case.outcome("recovered", "recovery")
    if recovery and tried is None and "SyntaxError" not in recovery.bases:
        return
    if recovery and recovery.kind == "raised":
        fields, line = place(case.record, "recovered", "recovery", recovery.line or 1)
        yield Finding(
            "`tryCatchPattern` does not recover",
            case.file.at(*fields, line=line),
            notes=(str(recovery),),
        )
        return
    expected = case.outcome("recovered", "expect")
    if recovery and expected and not expected.is_true:
        fields, line = place(case.record, "recovered", "expect", expected.line or 1)
        yield Finding(
            "`recovered.expect` does not hold after the recovery",
            case.file.at(*fields, line=line),
            notes=(str(expected),),
        )


CHECK = Check("E0407", "the recovery works", run)
