"""E0401: a record that claims proof says what to run, on what, and what is to come of it."""

import ast
import difflib
from collections.abc import Iterator

from generator import subjects
from generator.checks import Check, rewriting
from generator.diagnostics import Span
from generator.model import Case, Corpus, Finding
from generator.probe import split_fix, tried


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each gap, on either side; a warning where code is run but has nothing to achieve."""
    claims, record = case.claims, case.record
    if claims is None:
        return
    known = sorted(subjects.bundled())
    named = ", ".join(f"`{name}`" for name in known)
    if claims.subject is None:
        yield Finding(
            "`verification` names no `subject`",
            _key(case, "verification"),
            help=f"name the code under test: {named}, or `package==version`",
        )
    elif case.subject is None:
        close = difflib.get_close_matches(claims.subject, known, n=1)
        likely = difflib.get_close_matches(claims.subject, known, n=2, cutoff=0.8)
        yield Finding(
            f"unknown subject `{claims.subject}`",
            case.file.at("verification", "subject"),
            help=f"did you mean `{close[0]}`?"
            if close
            else f"known subjects: {named}, or `package==version`",
            fix=rewriting(case, likely[0], "verification", "subject") if len(likely) == 1 else None,
        )
    if claims.trigger is None:
        yield Finding(
            "`verification` has no `trigger`",
            _key(case, "verification"),
            help="give code that raises the error, or say in `unproven` why it cannot be run",
        )
    if record.example_fix and split_fix(record.example_fix) is None:
        yield Finding(
            "`exampleFix` has no `# before` and `# after` parts",
            case.file.at("exampleFix"),
            help="put each of the two marks on a line of its own, once",
        )
    if record.try_catch_pattern and _parses(record.try_catch_pattern) and not tried(record.try_catch_pattern):
        yield Finding(
            "`tryCatchPattern` has no `try` statement at its top level",
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
    for claim, given, code, missing in (
        ("fixed", claims.fixed, record.example_fix, "`exampleFix`"),
        (
            "guarded",
            claims.guarded,
            record.validation_code or record.type_guard,
            "`validationCode` or `typeGuard`",
        ),
        ("recovered", claims.recovered, record.try_catch_pattern, "`tryCatchPattern`"),
    ):
        if given is not None and not code:
            yield Finding(
                f"`{claim}` claims something of {missing}, which the record does not have",
                case.file.at("verification", claim),
                help="write the code, or remove the claim",
            )


def _key(case: Case, field: str) -> Span | None:
    """The place of a field's name, for what is missing in its value."""
    return next(entry.key.span for entry in case.file.node.entries if entry.key.text == field)


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


CHECK = Check("E0401", "a claim of proof says what to run", run)
