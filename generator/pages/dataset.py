"""`api/dataset.jsonl.gz`: every record as the API has it, one a line, for those who want them all."""

from collections.abc import Iterator

from generator.model import Page, Site
from generator.pages import PageKind
from generator.pages.api_error import published


def plan(site: Site) -> Iterator[Page]:
    """The one file."""
    yield Page("api/dataset.jsonl.gz", "jsonl_gz", [published(site, one) for one in site.records])


PAGE = PageKind("dataset", plan)
