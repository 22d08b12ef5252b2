"""E0401: a record that claims proof says what to run, on what, and what is to come of it."""

from collections.abc import Iterator

from generator import subjects
from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import split_fix, tried


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each gap; a warning where code is run but nothing says what it must achieve."""
    claims, record = case.claims, case.record
    if claims is None:
        return
    known = sorted(subjects.bundled())
    if claims.subject is None:
        yield Finding(
            "`verification` names no `subject`",
            case.file.at("verification"),
            help=f"name the code under test: {', '.join(known)}",
        )
    elif case.subject is None:
        yield Finding(
            f"unknown subject `{claims.subject}`",
            case.file.at("verification", "subject"),
            help=f"the bundled subjects are {', '.join(known)}",
        )
    if claims.trigger is None:
        yield Finding(
            "`verification` has no `trigger`",
            case.file.at("verification"),
            help="give code that raises the error, or say in `unproven` why it cannot be run",
        )
    if record.example_fix and split_fix(record.example_fix) is None:
        yield Finding(
            "`exampleFix` has no `# before` and `# after` parts",
            case.file.at("exampleFix"),
            help="put each of the two marks on a line of its own, once",
        )
    if record.try_catch_pattern and tried(record.try_catch_pattern) is None:
        yield Finding(
            "`tryCatchPattern` has no `try` statement",
            case.file.at("tryCatchPattern"),
            help="write the call in a `try` block, as readers would",
        )
    for field, code, given, wanted in (
        ("exampleFix", record.example_fix, claims.fixed, "fixed.expect"),
        ("validationCode", record.validation_code, claims.guarded, "guarded"),
        ("typeGuard", record.type_guard, claims.guarded, "guarded"),
        ("tryCatchPattern", record.try_catch_pattern, claims.recovered, "recovered.expect"),
    ):
        if code and given is None:
            yield Finding(
                f"nothing says what `{field}` must achieve",
                case.file.at(field),
                severity="warning",
                help=f"add `verification.{wanted}`",
            )


CHECK = Check("E0401", "a claim of proof says what to run", run)
