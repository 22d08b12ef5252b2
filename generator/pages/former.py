"""Former addresses: pages that lead on from former slugs, copies of the API file for former ids."""

from collections.abc import Iterator, Mapping

from generator import links
from generator.model import Page, Site, Verified
from generator.pages import Listed, PageKind, frame, summary
from generator.pages.api_error import contents


def of(site: Site, one: Verified, by_id: Mapping[str, Listed]) -> Iterator[Page]:  # noqa: ARG001 - as all
    """What each alias of a record keeps alive."""
    for alias in one.head.aliases:
        path = links.alias_path(one.head, alias)
        if links.is_id(alias):
            yield from contents(site, one, path)
        else:
            context = {**frame(site, path), **summary(one, path)}
            yield Page(path, "template", context, "former.html")
            yield Page(links.twin(path), "template", context, "former.md")


PAGE = PageKind("former", of=of)
