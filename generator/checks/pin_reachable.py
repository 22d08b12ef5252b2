"""E0503: the pinned source could be read, where that was asked for."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One warning that says what was tried."""
    if case.pinned is not None and case.pinned.lines is None:
        yield Finding(
            "the pinned source could not be read, so nothing was compared with it",
            case.file.at("analyzedSha"),
            severity="warning",
            notes=(case.pinned.origin,),
            help=f"name a clone with `--clone {case.record.repo}=PATH`, or a release in `repo.yaml`",
        )


CHECK = Check("E0503", "the pinned source can be read", run)
