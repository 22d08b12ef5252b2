"""E0201: the pattern lies in the subset that Python and JavaScript read alike."""

import re
from collections.abc import Iterator

from generator.checks import Check, rewriting
from generator.model import Case, Corpus, Finding
from generator.nodes import Scalar
from generator.pattern import Pattern, PatternError, parse

# How other dialects write that something varies.
_HOLE = r"(?:\((?:\?:|\?P?<\w+>)?[^()|]{1,40}\)|(?:\.|\\[dDwWsS]|\[[^\[\]]{1,40}\])[*+]?\??)"


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding, at the first character that is outside the subset."""
    if case.head.message_pattern is None:
        # The one that the template implies, to the letter.
        return
    text = case.record.message_pattern
    try:
        parse(text)
    except PatternError as error:
        node, implied = case.file.find("messagePattern"), case.template.pattern()
        line = text.count("\n", 0, error.offset) + 1
        column = error.offset - text.rfind("\n", 0, error.offset)
        yield Finding(
            f"{error.message} in `messagePattern`",
            node.place(line, column, 1) if isinstance(node, Scalar) else case.file.at("messagePattern"),
            help=error.cure,
            fix=rewriting(case, implied.text, "messagePattern") if _is_spelled(text, implied) else None,
        )


def _is_spelled(text: str, implied: Pattern) -> bool:
    """Whether a text is the pattern that the template implies, in another dialect."""
    parts = (
        "".join(_character(one) for one in segment) if isinstance(segment, str) else _HOLE
        for segment in implied.segments
    )
    return bool(re.fullmatch(rf"(?:\^|\\A)?{''.join(parts)}(?:\$|\\[Zz])?", text))


def _character(one: str) -> str:
    blank = r"|\\s[*+]?" if one.isspace() else ""
    return rf"(?:\\?{re.escape(one)}{blank})"


CHECK = Check("E0201", "the pattern is portable", run)
