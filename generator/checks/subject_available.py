"""E0409: the code under test can be run here."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding

_CURES = {
    "bundled": "install what it needs, for instance with `pip install 'pagefault[torch]'`",
    "package": "install `{0.name}`",
    "python": "run pagefault with Python {0.version}",
    "pagefault": "install what it needs",
}


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One warning that says why nothing of the record was run."""
    observations = case.observed.observations if case.observed else ()
    outcomes = [outcome for one in observations for outcome in one.outcomes.values()]
    missing = next((one for one in outcomes if one.kind == "unavailable"), None)
    if missing and case.claims and case.subject:
        yield Finding(
            f"`{case.claims.subject}` cannot be run here: {missing.text}",
            case.file.at("verification", "subject"),
            severity="warning",
            help=_CURES[case.subject.kind].format(case.subject),
        )


CHECK = Check("E0409", "the code under test is available", run)
