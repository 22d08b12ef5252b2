"""E0402: every script ends by itself, and its setup succeeds."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding, Outcome
from generator.probe import place

_CURES = {
    "timed out": "make it end, or make it smaller",
    "crashed": "a snippet must end by returning or raising",
}


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each lost script, but one alone for a setup that raised or lost them all."""
    if case.observed is None or case.claims is None:
        return
    lost: list[tuple[str, str, Outcome]] = []
    for one in case.observed.observations:
        setup = one.outcomes.get("setup")
        if setup and setup.kind == "raised":
            fields, line = place(case.record, one.name, "setup", setup.line or 1)
            yield Finding(
                f"`setup` {setup}",
                case.file.at(*fields, line=line),
                help="every snippet runs after it: nothing of this record was proven",
            )
            return
        # A lost child answers for all its steps, whichever it was.
        role = next(role for role in one.outcomes if role != "setup")
        if one.outcomes[role].kind in _CURES:
            lost.append((one.name, role, one.outcomes[role]))
    deadline = case.observed.walls[:1]
    if 1 < len(lost) == len(case.observed.observations) and case.claims and case.claims.setup:
        _, _, outcome = lost[0]
        yield Finding(
            f"every snippet {outcome}",
            case.file.at("verification", "setup"),
            notes=deadline if outcome.kind == "timed out" else (),
            help=f"`setup` is part of each: {_CURES[outcome.kind]}",
        )
        return
    for name, role, outcome in lost:
        fields, line = place(case.record, name, role)
        yield Finding(
            f"`{name}` {outcome}",
            case.file.at(*fields, line=line),
            notes=deadline if outcome.kind == "timed out" else (),
            help=_CURES[outcome.kind],
        )


CHECK = Check("E0402", "every script ends by itself", run)
