"""E0208: the pattern has enough fixed text to claim nobody else's messages."""

from collections.abc import Iterator

from generator.checks import Check, pattern_field
from generator.model import Case, Corpus, Finding

# Of 70,000 patterns read from real packages, those below these bounds caused four in five of all
# matches of foreign messages.
LEAST_CHARACTERS = 12
LEAST_WORDS = 2
GOOD_CHARACTERS = 16


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a pattern that is too general; a warning for one that nearly is."""
    if case.pattern is None:
        return
    fixed, words = case.pattern.fixed, case.pattern.words
    if fixed >= GOOD_CHARACTERS and words >= LEAST_WORDS:
        return
    field = pattern_field(case)
    extent = f"{fixed} character{'s' * (fixed != 1)} and {words} word{'s' * (words != 1)} of fixed text"
    if fixed < LEAST_CHARACTERS or words < LEAST_WORDS:
        yield Finding(
            f"`{field}` is too general: {extent}",
            case.file.at(field),
            help=f"it needs at least {LEAST_CHARACTERS} characters and {LEAST_WORDS} words outside its holes",
        )
    else:
        yield Finding(
            f"`{field}` is rather general: {extent}",
            case.file.at(field),
            severity="warning",
            help=f"{GOOD_CHARACTERS} characters outside the holes claim hardly any other message",
        )


CHECK = Check("E0208", "the pattern is specific", run)
