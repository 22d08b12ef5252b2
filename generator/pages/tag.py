"""The lists of errors by tag, and the list of those."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_tag, listing, overview


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each tag, and the overview."""
    tags = by_tag(site)
    for tag, records in tags.items():
        about: dict[str, object] = {"kind": "Tag", "title": tag, "description": None, "link": None}
        yield from listing(site, f"tags/{tag}", records, about)
    entries = [(tag, links.list_path(f"tags/{tag}"), records) for tag, records in tags.items()]
    yield overview(site, "tags", "Errors by tag", entries)


PAGE = PageKind("tag", plan)
