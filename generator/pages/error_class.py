"""The lists of errors by class of exception, and the list of those."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_class, listing, overview


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each class, and the overview."""
    classes = by_class(site)
    for name, records in classes.items():
        about: dict[str, object] = {"kind": "Class", "title": name, "description": None, "link": None}
        yield from listing(site, f"classes/{name}", records, about)
    entries = [(name, links.list_path(f"classes/{name}"), records) for name, records in classes.items()]
    yield overview(site, "classes", "Errors by class", entries)


PAGE = PageKind("error_class", plan)
