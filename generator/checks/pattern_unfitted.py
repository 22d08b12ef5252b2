"""E0209: the pattern is not fitted to the one message that was tried."""

from collections.abc import Iterator

from generator.checks import Check, pattern_field, quoted
from generator.model import Case, Corpus, Finding

# What holes really hold: numbers, names, text of tensors and lists, paths, quotes, lines.
VALUES = ("0", "-1", "3.5", "None", "name", "'a b'", "tensor([17])", "[1, 2]", "/a/b.py", "é", "a\nb")


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for a hand-written pattern that refuses other values; a warning for one trigger alone.

    Where it refuses what was raised, E0204 says so.
    """
    if case.claims is None or not case.template.names or case.pattern is None:
        return
    is_fitting = all(case.pattern.captures(message) is not None for message in case.messages)
    if case.claims.pattern_reason is not None and is_fitting:
        missed = next((text for text in _filled(case) if case.pattern.captures(text) is None), None)
        if missed is not None:
            field = pattern_field(case)
            yield Finding(
                f"`{field}` refuses other values than those that were tried",
                case.file.at(field),
                notes=(f"not matched: {quoted(missed)}",),
                help="let each hole of the template be a hole of the pattern",
            )
    if case.claims.trigger and not case.claims.more:
        yield Finding(
            "one trigger alone is tried for a template with holes",
            case.file.at("verification", "trigger"),
            severity="warning",
            help="add further values under `more`, of other types and sizes",
        )


def _filled(case: Case) -> Iterator[str]:
    """The template with each value in all holes, and in one hole at a time."""
    count = len(case.template.names)
    for value in VALUES:
        yield case.template.fill([value] * count)
        for hole in range(count):
            yield case.template.fill([value if other == hole else "1" for other in range(count)])


CHECK = Check("E0209", "the pattern is not fitted to one message", run)
