"""What must be true of a record: each module of this folder is one check with a code of its own.

Codes are grouped as the record is read: E01xx its file and fields, E02xx the pattern, E03xx the excerpt,
E04xx behaviour, E05xx the pin, E06xx links, E07xx the site around it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator.model import Case, Corpus, Excerpt, Finding

QUOTED = 300  # characters of a message that a finding repeats


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be true of a record. `name` states it; `run` yields where it is not.

    `is_form` marks what holds for every record whatever it claims: its findings stay errors even where
    the record claims no proof.
    """

    code: str
    name: str
    run: Callable[[Case, Corpus], Iterator[Finding]]
    is_form: bool = False


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


def quoted(text: str) -> str:
    """The text in backticks, cut where it is long."""
    return f"`{text if len(text) <= QUOTED else f'{text[: QUOTED - 1]}…'}`"
