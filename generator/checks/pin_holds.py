"""E0502: the pinned source holds the excerpt, and on the record's line the `raise` that it speaks of."""

from collections.abc import Iterator

from generator import raises
from generator.checks import Check, class_fix, is_range_right, line_fix, quoted
from generator.model import Case, Corpus, Finding
from generator.template import TemplateError, template


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each part of the record that the pinned source contradicts.

    An excerpt that is the pinned source's was read by E0302 and E0303; of one whose range is wrong, which
    E0301 reports, no line has a number.
    """
    record, pinned, excerpt = case.record, case.pinned, case.excerpt
    verification = record.verification
    is_elsewhere = verification is not None and (verification.native or verification.read_in)
    if pinned is None or pinned.lines is None or is_elsewhere:
        return
    if excerpt is not None and is_range_right(case):
        if list(pinned.lines[excerpt.first_line - 1 : excerpt.last_line]) == excerpt.lines:
            return
        if record.source_code is not None:
            yield Finding(
                f"`sourceCode` is not what lines {excerpt.first_line}-{excerpt.last_line} are",
                case.file.at("sourceCode"),
                notes=(f"read in {pinned.origin}",),
                help="copy the lines anew, or leave the excerpt out to have it read at build time",
            )
    statement = raises.read(pinned.lines, 1, record.line_number)
    if isinstance(statement, str):
        yield Finding(
            f"no `raise` starts on line {record.line_number} of the pinned source",
            case.file.at("lineNumber"),
            notes=(f"{statement} ({pinned.origin})",),
            fix=line_fix(case),
        )
        return
    if statement.error_class not in (None, record.error_class.rpartition(".")[2]):
        yield Finding(
            f"the pinned source raises `{statement.error_class}`",
            case.file.at("errorClass"),
            notes=(f"line {record.line_number} of {pinned.origin}",),
            fix=class_fix(case),
        )
    if statement.message is not None and not (verification and verification.built_at):
        try:
            written = template(statement.message).pattern().literals
        except TemplateError:
            return
        if written != case.template.pattern().literals:
            yield Finding(
                "`errorMessage` is not what the pinned source writes",
                case.file.at("errorMessage"),
                notes=(f"line {record.line_number} of {pinned.origin} writes {quoted(statement.message)}",),
            )


CHECK = Check("E0502", "the pinned source holds what the record says", run)
