"""E0302: on the record's line starts a `raise` of the record's class."""

from collections.abc import Iterator

from generator import raises
from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding, at the line number or at the class, whichever the excerpt contradicts."""
    excerpt, record = case.excerpt, case.record
    if excerpt is None or (case.claims is not None and case.claims.native):
        return
    if not excerpt.first_line <= record.line_number <= excerpt.last_line:
        return
    statement = raises.read(excerpt.lines, excerpt.first_line, record.line_number)
    if isinstance(statement, str):
        starts = raises.find(excerpt.lines, excerpt.first_line)
        near = min(starts, key=lambda line: abs(line - record.line_number), default=None)
        yield Finding(
            f"no `raise` of {record.error_class} starts on line {record.line_number}",
            case.file.at("lineNumber"),
            notes=(f"{statement} ({excerpt.origin})",),
            help=f"the nearest `raise` starts on line {near}" if near else None,
        )
    elif statement.error_class not in (None, record.error_class.rpartition(".")[2]):
        yield Finding(
            f"line {record.line_number} raises {statement.error_class}, not {record.error_class}",
            case.file.at("errorClass"),
            notes=(f"read in the excerpt ({excerpt.origin})",),
            help=f"write `{statement.error_class}`",
        )


CHECK = Check("E0302", "the record's line raises its class", run)
