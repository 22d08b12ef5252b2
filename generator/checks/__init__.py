"""What must be true of a record: each module of this folder is one check with a code of its own.

Codes are grouped as the record is read: E01xx its file and fields, E02xx the pattern, E03xx the excerpt,
E04xx behaviour, E05xx the pin, E06xx links, E07xx the site around it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator.model import Case, Corpus, Finding


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
