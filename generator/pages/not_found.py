"""404.html: served at any depth, so its links alone are absolute, below the site's base path."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from generator.model import Page, Site
from generator.pages import PageKind, frame


def plan(site: Site) -> Iterator[Page]:
    """The one page."""
    base = urlsplit(site.base_url).path if site.base_url else "/"
    yield Page("404.html", "template", {**frame(site, "404.html"), "root": base}, "not_found.html")


PAGE = PageKind("not_found", plan)
