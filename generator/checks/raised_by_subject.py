"""E0404: the error comes from inside the code under test, not from the snippet."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import place


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each trigger, and each example of the error, whose error was raised elsewhere."""
    if case.claims is None:
        return
    expected = case.record.error_class.rpartition(".")[2]
    for script, outcome in case.triggered:
        is_claimed = script.startswith(("trigger", "more")) or case.is_raised_by(outcome)
        is_raised = outcome.kind == "raised" and outcome.type == expected
        is_outside = outcome.is_stated if case.claims.native else outcome.frame is None
        if is_claimed and is_raised and is_outside:
            fields, line = place(case.record, script, "trigger", outcome.line or 1)
            yield Finding(
                f"`{script}` raises `{expected}` outside `{case.claims.subject}`",
                case.file.at(*fields, line=line),
                notes=(str(outcome),),
                help="call the subject so that it raises; for compiled code say `native: true`",
            )


CHECK = Check("E0404", "the error comes from the code under test", run)
