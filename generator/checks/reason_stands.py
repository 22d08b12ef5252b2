"""E0411: a record that says why it cannot be run cannot be run."""

from collections.abc import Iterator

from generator.checks import Check, removal
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding where the trigger raises the error all the same: its class, its message, its code.

    What else it raises may be the very reason.
    """
    verification = case.record.verification
    outcome = case.outcome("trigger", "trigger")
    if verification is None or verification.unproven is None or outcome is None:
        return
    is_there = outcome.frame is not None or verification.native
    is_class = outcome.kind == "raised" and outcome.type == case.record.error_class.rpartition(".")[2]
    if is_there and is_class and case.fits(outcome.text):
        yield Finding(
            "`unproven` gives a reason that no longer holds: the trigger raises the error here",
            case.file.at("verification", "unproven"),
            notes=(str(outcome),),
            help="remove `unproven`, and let the record be proven",
            fix=removal(case, "verification", "unproven"),
        )


CHECK = Check("E0411", "a reason for being unproven still holds", run, is_form=True)
