"""E0402: every script ends by itself, and its setup succeeds."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import place

_LOST = {
    "timed out": ("ran into the deadline", "make it end, or make it smaller"),
    "crashed": ("ended its process", "a snippet must end by returning or raising"),
}


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each lost script, and one for a setup that raised."""
    observations = case.observed.observations if case.observed else ()
    has_setup_failed = False
    for one in observations:
        setup = one.outcomes.get("setup")
        if setup and setup.kind == "raised" and not has_setup_failed:
            has_setup_failed = True
            fields, line = place(case.record, one.name, "setup", setup.line or 1)
            yield Finding(
                f"`setup` {setup}",
                case.file.at(*fields, line=line),
                help="every snippet runs after it: nothing of this record was proven",
            )
        role, outcome = next(
            ((role, each) for role, each in one.outcomes.items() if role != "setup"),
            ("", None),
        )
        if outcome and outcome.kind in _LOST:
            what, cure = _LOST[outcome.kind]
            fields, line = place(case.record, one.name, role)
            why = f" ({outcome.text})" if outcome.text else ""
            yield Finding(f"`{one.name}` {what}{why}", case.file.at(*fields, line=line), help=cure)


CHECK = Check("E0402", "every script ends by itself", run)
