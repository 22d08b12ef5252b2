"""E0412: what a page works out from a reader's values can be worked out, and does what it is for."""

import re
from collections.abc import Iterator

from generator import probe
from generator.checks import Check
from generator.formula import Formula, FormulaError, formula
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each formula that cannot be read, cannot be tried, or does not help."""
    for number, one in enumerate(case.claims.computed if case.claims else ()):
        here = ("verification", "computed", number)
        written = " ".join(one.value.split())
        try:
            found = formula(one.value, case.holes)
        except FormulaError as error:
            why = re.sub(rf"^`{re.escape(written)}`", "it", str(error))
            yield Finding(
                f"`{written}` cannot be worked out: {why}",
                case.file.at(*here, "value"),
                help="a formula has whole numbers below 2**53, holes, `+ - * // %`, `min` and `max`",
            )
            continue
        values = probe.said(case.record)
        value = found.value(values)
        if value is None:
            why, cure = _untried(case, found, values)
            yield Finding(
                f"`{written}` cannot be tried on the trigger's values: {why}",
                case.file.at(*here, "value"),
                help=cure,
            )
            continue
        expected = case.outcome(f"computed[{number}]", "expect")
        if expected and not expected.is_true:
            yield Finding(
                f"`{written}` is {value}, and its `expect` does not hold",
                case.file.at(*here, "expect"),
                notes=(str(expected),),
            )


def _untried(case: Case, found: Formula, values: tuple[str, ...]) -> tuple[str, str | None]:
    """Why a formula comes to nothing, and what to do."""
    unfit = found.unfit(values)
    if not unfit:
        return "it divides by zero", None
    name, text = case.holes[unfit[0]], values[unfit[0]]
    if not text:
        return f"`captures` does not give `{name}`", "give what the trigger's message has there"
    return f"`{name}` is `{text}`, no whole number", "let the trigger have a whole number there"


CHECK = Check("E0412", "values that a page works out do what they are for", run)
