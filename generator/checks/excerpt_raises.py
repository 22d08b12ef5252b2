"""E0302: on the record's line starts a `raise` of the record's class."""

from collections.abc import Iterator

from generator import raises
from generator.checks import Check, class_fix, is_range_right, line_fix, shown_line
from generator.model import Case, Corpus, Excerpt, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding, at the line number or at the class, whichever the excerpt contradicts.

    Where its range is wrong, which E0301 reports, no line of it has a number.
    """
    excerpt, record, verification = case.excerpt, case.record, case.record.verification
    if excerpt is None or (verification is not None and verification.native) or not is_range_right(case):
        return
    if not excerpt.first_line <= record.line_number <= excerpt.last_line:
        return
    statement = raises.read_text(excerpt.text, excerpt.first_line, record.line_number)
    if isinstance(statement, str):
        yield _unread(case, excerpt, statement)
    elif _is_seen(case):
        return
    elif _is_class(statement) and statement.error_class != record.error_class.rpartition(".")[2]:
        yield Finding(
            f"line {record.line_number} raises `{statement.error_class}`, not `{record.error_class}`",
            case.file.at("errorClass"),
            notes=(shown_line(case, excerpt),),
            help=f"write `{statement.error_class}`",
            fix=class_fix(case),
        )


def _is_seen(case: Case) -> bool:
    """Whether the trigger raised the record's class on the very line, whatever name the source has for it."""
    outcome = case.outcome("trigger", "trigger")
    return (
        outcome is not None
        and outcome.frame is not None
        and outcome.frame.line == case.record.line_number
        and case.record.file_path.endswith(outcome.frame.file)
        and outcome.type == case.record.error_class.rpartition(".")[2]
    )


def _unread(case: Case, excerpt: Excerpt, why: str) -> Finding:
    line = case.record.line_number
    starts = raises.find(excerpt.lines, excerpt.first_line)
    if line in starts:
        return Finding(
            f"the `raise` on line {line} cannot be read",
            case.file.at("sourceCode", line=line - excerpt.first_line + 1)
            if case.file.find("sourceCode")
            else case.file.at("lineNumber"),
            notes=(f"{why} ({excerpt.origin})",),
            help="quote the whole statement",
        )
    near = min(starts, key=lambda start: abs(start - line), default=None)
    return Finding(
        f"no `raise` of `{case.record.error_class}` starts on line {line}",
        case.file.at("lineNumber"),
        notes=(f"{why} ({excerpt.origin})",),
        help=f"the nearest `raise` starts on line {near}" if near else None,
        fix=line_fix(case),
    )


def _is_class(statement: raises.Raise) -> bool:
    """Whether the class is written; a name in lower case without a message may be a variable's."""
    name = (statement.error_class or "").lstrip("_")
    return bool(name) and (statement.message is not None or not name[0].islower())


CHECK = Check("E0302", "the record's line raises its class", run)
