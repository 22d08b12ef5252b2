"""E0408: a look-alike call does what the record says, which is something else than this error."""

from collections.abc import Iterator

from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each case that does otherwise; a warning where nothing proves the words."""
    for number, one in enumerate(case.claims.instead if case.claims else ()):
        name = f"instead[{number}]"
        outcome = case.outcome(name, "call")
        if outcome is None:
            continue
        here = ("verification", "instead", number)
        code = one.call.strip()
        call = f"`{name}`" if "\n" in code else f"`{code}`"
        if case.is_raised_by(outcome):
            yield Finding(
                f"{call} raises this very error",
                case.file.at(*here, "call"),
                notes=(str(outcome),),
                help="move it to `more`",
            )
            continue
        if not (one.returns or one.raises or one.expect):
            yield Finding(
                f"nothing says what {call} does instead",
                case.file.at(*here, "call"),
                notes=(str(outcome),),
                help="add `returns`, `raises` or `expect`",
            )
            continue
        raised = {outcome.type, f"{outcome.type}: {outcome.text}"}
        if one.raises and (outcome.kind != "raised" or one.raises not in raised):
            yield Finding(
                f"{call} does not raise `{one.raises}`",
                case.file.at(*here, "raises"),
                notes=(str(outcome),),
            )
        if not one.raises and outcome.kind == "raised":
            yield Finding(
                f"{call} does not return",
                case.file.at(*here, "returns" if one.returns else "call"),
                notes=(str(outcome),),
            )
            continue
        expected = case.outcome(name, "expect")
        if expected and not expected.is_true:
            yield Finding(
                f"after {call}, `{one.expect}` does not hold",
                case.file.at(*here, "expect"),
                notes=(str(outcome), f"the expression {expected}"),
            )
        elif one.returns and not one.expect and one.returns != outcome.text:
            yield Finding(
                f"nothing proves that {call} returns {one.returns}",
                case.file.at(*here, "returns"),
                severity="warning",
                notes=(str(outcome),),
                help="add `expect`, an expression over `result`",
            )


CHECK = Check("E0408", "look-alikes do what the record says", run)
