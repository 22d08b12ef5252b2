"""The error page as Markdown, beside it: for people who read it in a terminal, and for agents."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, error


def plan(site: Site) -> Iterator[Page]:
    """One twin for each error page, of the same context."""
    for page in error.plan(site):
        yield Page(links.twin(page.path), "template", page.context, "error.md")


PAGE = PageKind("twin", plan)
