"""E0410: a bundled subject was compared with the released code that it stands for."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One warning where no comparison is on record, or one with other source than ours is now."""
    if (
        case.claims is not None
        and case.subject is not None
        and case.subject.is_bundled
        and not case.is_compared
    ):
        yield Finding(
            f"`{case.subject.name}` was not compared with upstream since its source last changed",
            case.file.at("verification", "subject"),
            severity="warning",
            notes=("what runs here proves nothing about upstream: the record counts as `read`",),
            help="run the differential test, which writes `differential.json`",
        )


CHECK = Check("E0410", "a bundled subject was compared with upstream", run)
