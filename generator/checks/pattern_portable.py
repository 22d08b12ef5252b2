"""E0201: the pattern lies in the subset that Python and JavaScript read alike."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding
from generator.nodes import Scalar
from generator.pattern import PatternError, parse


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding, at the first character that is outside the subset."""
    text = case.record.message_pattern
    try:
        parse(text)
    except PatternError as error:
        node = case.file.find("messagePattern")
        line = text.count("\n", 0, error.offset) + 1
        column = error.offset - text.rfind("\n", 0, error.offset)
        yield Finding(
            f"{error.message} in `messagePattern`",
            node.place(line, column, 1) if isinstance(node, Scalar) else case.file.at("messagePattern"),
            help=error.cure,
        )


CHECK = Check("E0201", "the pattern is portable", run)
