"""E0501: the link names the record's repository, full commit, path and lines."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.schema import derived_url


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a link that contradicts the record's other fields."""
    implied = derived_url(case.record)
    if case.record.github_url != implied:
        yield Finding(
            "`githubUrl` does not agree with the record's other fields",
            case.file.at("githubUrl"),
            notes=(f"they give {implied}",),
            help="correct it, or leave it out to have it derived",
        )


CHECK = Check("E0501", "the link is pinned to what the record says", run)
