"""E0301: the excerpt, its line numbers and the raising line agree."""

from collections.abc import Iterator

from generator import raises
from generator.checks import Check, line_fix, rewriting
from generator.diagnostics import Fix
from generator.model import Case, Corpus, Finding
from generator.nodes import Scalar


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:  # noqa: ARG001 - the signature of checks
    """One finding for each of the excerpt's fields that contradicts the others."""
    record = case.record
    given = (record.source_code, record.source_code_start, record.source_code_end)
    if given == (None, None, None):
        return
    names = ("sourceCode", "sourceCodeStart", "sourceCodeEnd")
    missing = [name for name, value in zip(names, given, strict=True) if value is None]
    if record.source_code is None or not (record.source_code_start and record.source_code_end):
        there = next(name for name in names if name not in missing)
        yield Finding(
            f"`{there}` is given without {' and '.join(f'`{name}`' for name in missing)}",
            case.file.at(there),
            help="give all three, or none to have the excerpt read from the source itself",
        )
        return
    start, end = record.source_code_start, record.source_code_end
    count = record.source_code.count("\n") + 1
    if end < start:
        yield Finding(
            f"`sourceCodeEnd` {end} lies before `sourceCodeStart` {start}",
            case.file.at("sourceCodeEnd"),
            help=f"from line {start} the excerpt ends on line {start + count - 1}",
        )
        return
    if end - start + 1 != count:
        lines = record.source_code.split("\n")
        first, last = end - count + 1, start + count - 1
        # Which of the two is wrong is shown by the line that raises, if it is by anything.
        is_end_right = _raises(lines, first, record.line_number) and not _raises(
            lines, start, record.line_number
        )
        yield Finding(
            f"`sourceCode` has {count} line{'s' * (count != 1)}, lines {start}-{end} are {end - start + 1}",
            case.file.at("sourceCodeStart" if is_end_right else "sourceCodeEnd"),
            help=f"up to line {end} it starts on line {first}"
            if is_end_right
            else f"from line {start} it ends on line {last}",
            fix=_without_last_line(case)
            if not lines[-1] and end - start + 2 == count
            else rewriting(case, first, "sourceCodeStart")
            if is_end_right
            else rewriting(case, last, "sourceCodeEnd")
            if _raises(lines, start, record.line_number)
            else None,
        )
        return
    if not start <= record.line_number <= end:
        yield Finding(
            f"`lineNumber` {record.line_number} lies outside the excerpt's lines {start}-{end}",
            case.file.at("lineNumber"),
            help="lines are counted in the file, not in the excerpt",
            fix=line_fix(case),
        )


def _without_last_line(case: Case) -> Fix | None:
    """What keeps a block's last line end out of its text."""
    node = case.file.find("sourceCode")
    if not isinstance(node, Scalar) or not node.is_block or node.span.end_column != node.span.column + 1:
        return None
    return Fix("write `|-`", node.span, "|-") if node.content else None


def _raises(lines: list[str], first_line: int, at: int) -> bool:
    return at in raises.find(lines, first_line)


CHECK = Check("E0301", "the excerpt and its line numbers agree", run)
