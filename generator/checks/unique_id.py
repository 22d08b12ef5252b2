"""E0121: an id names one record."""

from collections.abc import Iterator

from generator import links
from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for every record but the first that has the id."""
    first = corpus.holders.get(links.api_path(case.head.id), case)
    if first is not case:
        is_written = case.file.find("id") is not None
        yield Finding(
            f"id `{case.head.id}` is also that of {first.file.path}",
            case.file.at("id" if is_written else "errorMessage"),
            notes=() if is_written else ("it is derived from `repo`, `errorClass` and `errorMessage`",),
            help="remove one of the two files, or give this record an id of its own",
        )


CHECK = Check("E0121", "an id names one record", run, is_form=True, is_alone=False)
