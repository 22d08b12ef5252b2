"""E0406: with the guards in front, the call returns, or a guard raised first."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.probe import place

# What code raises that cannot run at all; a guard that refuses raises something else.
BROKEN = frozenset(
    {
        "AttributeError",
        "ImportError",
        "IndentationError",
        "ModuleNotFoundError",
        "NameError",
        "SyntaxError",
        "UnboundLocalError",
    }
)


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a guard that cannot run or raises the error itself, or that lets it through."""
    for role in ("validationCode", "typeGuard", "guarded"):
        outcome = case.outcome("guarded", role)
        if outcome is None or outcome.kind != "raised":
            continue
        is_guard = role != "guarded"
        if is_guard and outcome.type not in BROKEN and not case.is_raised_by(outcome):
            return
        fields, line = place(case.record, "guarded", role, outcome.line or 1)
        yield Finding(
            f"`{role}` cannot run"
            if is_guard and outcome.type in BROKEN
            else f"`{role}` raises the error itself"
            if is_guard
            else "the guards let through a call that raises",
            case.file.at(*fields, line=line),
            notes=(str(outcome),),
        )


CHECK = Check("E0406", "the guards hold", run)
