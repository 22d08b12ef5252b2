"""E0122: a page's address belongs to one record, on file systems that ignore case too."""

from collections.abc import Iterator

from generator import links
from generator.checks import Check
from generator.model import Case, Corpus, Finding


def run(case: Case, corpus: Corpus) -> Iterator[Finding]:
    """One finding for every record but the first that has the address."""
    first = corpus.holders.get(links.page_path(case.head.repo, case.head.slug).casefold(), case)
    if first is not case and first.head.id != case.head.id:
        is_written = case.file.find("slug") is not None
        yield Finding(
            f"slug `{case.head.slug}` of {case.head.repo} is also that of {first.file.path}",
            case.file.at("slug" if is_written else "errorMessage"),
            notes=() if is_written else ("it is derived from `errorMessage`",),
            help="give the newer of the two another `slug`",
        )


CHECK = Check("E0122", "a page's address belongs to one record", run, is_form=True, is_alone=False)
