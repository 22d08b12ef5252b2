"""E0206: the holes capture the values that were used."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each value of `captures` that is not what its hole holds, or has no hole."""
    if case.pattern is None or case.claims is None or not case.claims.captures:
        return
    outcome = case.outcome("trigger", "trigger")
    names = case.holes
    # Groups have no names. Where the pattern has other holes than the template, the template's are meant.
    holes = len(case.pattern.segments) - len(case.pattern.literals)
    pattern = case.pattern if holes == len(names) else case.template.pattern()
    found = pattern.captures(outcome.text) if outcome and outcome.kind == "raised" else None
    for name, value in case.claims.captures.items():
        at = case.file.at("verification", "captures", name)
        meant = [n for n, known in enumerate(names) if name in (known, case.template.names[n])]
        if not meant:
            yield Finding(
                f"`captures` names `{name}`, which is no hole of the template",
                at,
                help=f"the holes are {', '.join(f'`{known}`' for known in names)}"
                if names
                else "remove it: the template has no holes",
            )
        elif found is not None and found[meant[0]] != value:
            yield Finding(
                f"hole `{name}` captured `{found[meant[0]]}`, not `{value}`",
                at,
                notes=(str(outcome),),
            )


CHECK = Check("E0206", "the holes capture the values that were used", run)
