"""E0122: a page's address belongs to one record, on file systems that ignore case too."""

from collections.abc import Iterator

from generator import links
from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for every record but the first that has the address."""
    first = corpus.holders[links.page_path(case.record.repo, case.record.slug).casefold()]
    if first is not case and first.record.id != case.record.id:
        yield Finding(
            f"slug `{case.record.slug}` of {case.record.repo} is also that of {first.file.path}",
            case.file.at("slug"),
            help="choose another slug for the newer of the two",
        )


CHECK = Check("E0122", "a page's address belongs to one record", run, is_form=True)
