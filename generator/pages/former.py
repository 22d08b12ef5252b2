"""Former addresses: pages that lead on from former slugs, copies of the API file for former ids."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, frame, summary
from generator.pages.api_error import contents


def plan(site: Site) -> Iterator[Page]:
    """What each alias of each record keeps alive."""
    for one in site.records:
        for alias in one.record.aliases:
            path = links.alias_path(one.record, alias)
            if links.is_id(alias):
                yield from contents(site, one, path)
            else:
                context = {**frame(site, path), **summary(one, path)}
                yield Page(path, "template", context, "former.html")
                yield Page(links.twin(path), "template", context, "former.md")


PAGE = PageKind("former", plan)
