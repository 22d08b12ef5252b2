"""E0204: the pattern matches every message really raised, from its first to its last character."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding that names the messages which are not matched as a whole."""
    if case.pattern is None:
        return
    missed = [message for message in case.messages if case.pattern.captures(message) is None]
    if missed:
        others = (f"and {len(missed) - 1} more",) if len(missed) > 1 else ()
        yield Finding(
            "`messagePattern` does not match what was raised",
            case.file.at("messagePattern"),
            notes=(f"raised `{missed[0]}`", *others),
            help=f"the template implies `{case.template.pattern().text}`",
        )


CHECK = Check("E0204", "the pattern matches every message raised", run)
