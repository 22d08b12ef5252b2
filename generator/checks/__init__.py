"""What must be true of a record: each module of this folder is one check with a code of its own.

Codes are grouped as the record is read: E01xx its file and fields, E02xx the pattern, E03xx the excerpt,
E04xx behaviour, E05xx the pin, E06xx links, E07xx the site around it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from generator import raises
from generator.diagnostics import Fix, Span
from generator.model import Case, Corpus, Excerpt, Finding
from generator.nodes import Mapping, Scalar
from generator.raises import Raise
from generator.template import TemplateError, template

QUOTED = 300  # characters of a message that a finding repeats
LOOKED_AT = 200  # statements of an excerpt that are read to find the one that is meant


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be true of a record. `name` states it; `run` yields where it is not.

    `is_form` marks what holds for every record whatever it claims: its findings stay errors even where
    the record claims no proof. `is_alone` marks what depends on nothing but the record: such a check sees an
    empty corpus.
    """

    code: str
    name: str
    run: Callable[[Case, Corpus], Iterator[Finding]]
    is_form: bool = False
    is_alone: bool = True


def pattern_field(case: Case) -> str:
    """The field to be corrected where the pattern is at fault: the one that writes it, or implies it."""
    return "messagePattern" if case.file.find("messagePattern") else "errorMessage"


def is_range_right(case: Case) -> bool:
    """Whether the excerpt that a record holds has as many lines as it says; then lines can be counted."""
    record = case.record
    if record.source_code is None or not (record.source_code_start and record.source_code_end):
        return True
    lines = record.source_code.count("\n") + 1
    return record.source_code_end - record.source_code_start + 1 == lines


def shown_line(case: Case, excerpt: Excerpt) -> str:
    """What stands on the record's line, which the excerpt has, and where it was read."""
    line = case.record.line_number
    return f"line {line} is {quoted(excerpt.lines[line - excerpt.first_line].strip())} ({excerpt.origin})"


def rewriting(case: Case, value: str | int, *steps: str | int) -> Fix | None:
    """What writes another value into a field; None where it is a block, or is not written at all."""
    node = case.file.find(*steps)
    if not isinstance(node, Scalar):
        return None
    fix = node.written_anew(value) if isinstance(value, str) else Fix("", node.span, str(value))
    name = next(step for step in reversed(steps) if isinstance(step, str))
    return fix and replace(fix, title=f"let `{name}` be `{value}`")


def removal(case: Case, *steps: str) -> Fix | None:
    """What takes a field out: its line, where it has one for itself and is not the first of its mapping."""
    *above, name = steps
    node = case.file.find(*above) if above else case.file.node
    if not isinstance(node, Mapping):
        return None
    entry = next((entry for entry in node.entries[1:] if entry.key.text == name), None)
    if entry is None or not isinstance(entry.value, Scalar) or entry.value.is_block:
        return None
    # In a block every key stands where the mapping begins; in brackets none does.
    if entry.key.span.column != node.span.column or entry.key.span.line != entry.value.span.end_line:
        return None
    line = entry.key.span.line
    return Fix(f"remove `{name}`", Span(line, 1, line + 1, 1), "")


def source(case: Case) -> tuple[Sequence[str], int]:
    """The most that is at hand of the record's file: its lines, and the number of the first."""
    if case.pinned is not None and case.pinned.lines is not None:
        return case.pinned.lines, 1
    if case.excerpt is None:
        return (), 1
    return (case.excerpt.whole, 1) if case.excerpt.whole else (case.excerpt.lines, case.excerpt.first_line)


def has_message(case: Case, statement: Raise) -> bool:
    """Whether the statement writes the record's message, whatever the holes are called."""
    if statement.message is None:
        return False
    try:
        written = template(statement.message).pattern()
    except TemplateError:
        return False
    return written.literals == case.template.pattern().literals


def line_fix(case: Case) -> Fix | None:
    """What writes the line on which the record's error is raised: the one such line, or where it was."""
    lines, first_line = source(case)
    fitting = fitting_lines(case, lines, first_line)
    if len(fitting) != 1:
        fitting = [line for line in raises.find(lines, first_line) if line == _raised_on(case)]
    return rewriting(case, fitting[0], "lineNumber") if fitting else None


def class_fix(case: Case) -> Fix | None:
    """What writes the class that is raised, where the source and the trigger do not contradict each other."""
    lines, first_line = source(case)
    statement = raises.read(lines, first_line, case.record.line_number)
    outcome = case.outcome("trigger", "trigger")
    said: set[str] = set()
    if not isinstance(statement, str) and statement.error_class and has_message(case, statement):
        said.add(statement.error_class)
    if (
        outcome
        and outcome.type
        and outcome.frame
        and case.template.pattern().captures(outcome.text) is not None
    ):
        said.add(outcome.type)
    name = said.pop() if len(said) == 1 else None
    return rewriting(case, name, "errorClass") if name else None


def _raised_on(case: Case) -> int | None:
    """The line of the record's file on which the trigger raised its error; None where it did not."""
    outcome = case.outcome("trigger", "trigger")
    if outcome is None or outcome.frame is None or not case.is_raised_by(outcome):
        return None
    is_there = case.record.file_path.endswith(outcome.frame.file)
    is_class = outcome.type == case.record.error_class.rpartition(".")[2]
    return outcome.frame.line if is_there and is_class else None


def fitting_lines(case: Case, lines: Sequence[str], first_line: int) -> list[int]:
    """The lines on which a `raise` of the record's class with its message starts."""
    expected = case.record.error_class.rpartition(".")[2]
    starts = dict.fromkeys(raises.find(lines, first_line))
    # A file is read as a whole where it can be: in time that grows with its length alone.
    whole = raises.every("\n".join(lines)) if first_line == 1 else ()
    found = [one for one, _ in whole if one.first_line in starts] or [
        one
        for start in list(starts)[:LOOKED_AT]
        if not isinstance(one := raises.read(lines, first_line, start), str)
    ]
    return [one.first_line for one in found if one.error_class == expected and has_message(case, one)]


def quoted(text: str) -> str:
    """The text in backticks, cut where it is long."""
    return f"`{text if len(text) <= QUOTED else f'{text[: QUOTED - 1]}…'}`"
