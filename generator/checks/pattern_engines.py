"""E0205: the walk over the pattern's segments and the regular expression engine give one answer."""

from collections.abc import Iterator

from generator.checks import Check, quoted
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each message on which the two differ, or on which the engine did not end."""
    if case.pattern is None:
        return
    for message, groups in case.matches.items():
        walked = case.pattern.captures(message)
        if isinstance(groups, str):
            yield Finding(
                f"the regular expression gave no answer for a raised message: {groups}",
                case.file.at("messagePattern"),
                notes=(f"raised {quoted(message)}",),
                help="use fewer holes",
            )
        elif groups != walked:
            yield Finding(
                "the regular expression and the walk over segments disagree",
                case.file.at("messagePattern"),
                notes=(f"raised {quoted(message)}", f"expression: {groups}", f"walk: {walked}"),
                help="this is a fault of pagefault: please report it with this record",
            )


CHECK = Check("E0205", "the walk and the regular expression agree", run)
