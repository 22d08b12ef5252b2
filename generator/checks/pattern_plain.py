"""E0202: the pattern is written as it is published, without typed or named groups."""

from collections.abc import Iterator

from generator.checks import Check, rewriting
from generator.model import Case, Corpus, Finding
from generator.pattern import PatternError, parse


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One warning that names what was read as something else."""
    if case.head.message_pattern is None:
        # The one that the template implies, to the letter.
        return
    try:
        pattern, notes = parse(case.record.message_pattern)
    except PatternError:
        return
    if notes:
        yield Finding(
            "`messagePattern` is not written as it is published",
            case.file.at("messagePattern"),
            severity="warning",
            notes=tuple(dict.fromkeys(f"`{note.found}` is read as {note.meaning}" for note in notes)),
            help=f"write `{pattern.text}`",
            fix=rewriting(case, pattern.text, "messagePattern"),
        )


CHECK = Check("E0202", "the pattern is written in its plain form", run)
