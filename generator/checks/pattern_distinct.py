"""E0207: the pattern matches no message of another record of its repository."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for each other record, one of whose messages the pattern matches too."""
    if case.pattern is None:
        return
    for other in corpus.by_repo[case.record.repo]:
        if other.record.id == case.record.id:
            continue
        message = next((one for one in other.messages if case.pattern.captures(one)), None)
        if message is not None:
            yield Finding(
                f"`messagePattern` also matches a message of {other.file.path}",
                case.file.at("messagePattern"),
                notes=(f"raised there `{message}`",),
                help="make the fixed text of the two patterns tell them apart",
            )


CHECK = Check("E0207", "the pattern matches no other record's message", run)
