"""E0403: every trigger raises the record's class."""

from collections.abc import Iterator

from generator.checks import Check, class_fix
from generator.model import Case, Corpus, Finding
from generator.probe import place


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each trigger that raises nothing or something else.

    Where the subject raised a message that is the template's under another class, the class is the lie. A
    record that says why it cannot be run does not claim that its trigger raises.
    """
    if case.claims is None:
        return
    expected = case.record.error_class.rpartition(".")[2]
    is_reported = False
    for script, outcome in case.triggered:
        is_right = outcome.kind == "raised" and outcome.type == expected
        if not script.startswith(("trigger", "more")) or is_right:
            continue
        if outcome.frame and case.template.pattern().captures(outcome.text) is not None:
            if not is_reported:
                is_reported = True
                yield Finding(
                    f"the trigger raises `{outcome.type}`, not `{case.record.error_class}`",
                    case.file.at("errorClass"),
                    notes=(str(outcome),),
                    help=f"write `{outcome.type}`",
                    fix=class_fix(case),
                )
            continue
        fields, line = place(case.record, script, "trigger", outcome.line or 1)
        yield Finding(
            f"`{script}` does not raise `{case.record.error_class}`",
            case.file.at(*fields, line=line),
            notes=(str(outcome),),
        )


CHECK = Check("E0403", "every trigger raises the record's class", run)
