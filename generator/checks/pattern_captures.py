"""E0206: the holes capture the values that were used."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each value of `captures` that is not what its hole holds, or has no hole."""
    outcome = case.outcome("trigger", "trigger")
    if case.pattern is None or case.claims is None or not case.claims.captures:
        return
    names = case.holes
    found = case.pattern.captures(outcome.text) if outcome and outcome.frame else None
    for name, value in case.claims.captures.items():
        at = case.file.at("verification", "captures", name)
        holes = [n for n, known in enumerate(names) if name in (known, case.template.names[n])]
        if not holes:
            yield Finding(
                f"`captures` names `{name}`, which is no hole of the template",
                at,
                help=f"the holes are {', '.join(f'`{known}`' for known in names) or 'none'}",
            )
        elif found is not None and found[holes[0]] != value:
            yield Finding(
                f"hole `{name}` captured `{found[holes[0]]}`, not `{value}`",
                at,
                notes=(f"raised `{outcome.text if outcome else ''}`",),
            )


CHECK = Check("E0206", "the holes capture the values that were used", run)
