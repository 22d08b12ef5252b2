"""E0124: a removed error says since when and why."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each part of a removal that is missing, or that belongs to none."""
    record = case.record
    for field, value in (("removedIn", record.removed_in), ("reason", record.reason)):
        if record.status == "removed" and value is None:
            yield Finding(
                f"a removed error needs `{field}`",
                case.file.at("status"),
                help=f"add `{field}`: the page stays, and tells readers since when and why the error is gone",
            )
        elif record.status is None and value is not None:
            yield Finding(
                f"`{field}` is given for an error that is not removed",
                case.file.at(field),
                help="add `status: removed`, or remove it",
            )


CHECK = Check("E0124", "a removed error says since when and why", run, is_form=True)
