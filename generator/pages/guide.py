"""Guides, each with the errors that stand on its ground, and the list of guides."""

from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_tag, frame, marks, overview, summary

SHOWN = 50


def plan(site: Site) -> Iterator[Page]:
    """One page for each guide, and the overview."""
    entries = []
    tags = by_tag(site)
    for guide in site.guides:
        path = links.list_path(f"guides/{guide.tag}")
        records = [one for one in site.records if one.head.background_tag == guide.tag]
        more = None
        if len(records) > SHOWN and guide.tag in tags:
            target = links.relative(links.list_path(f"tags/{guide.tag}"), path)
            more = {"url": target, "text": f"All errors tagged {guide.tag}"}
        context = {
            **frame(site, path),
            "title": guide.title,
            "subject": guide.subject,
            "passages": msgspec.to_builtins(guide.passages),
            "records": [summary(one, path) for one in records[:SHOWN]],
            "more": more,
        }
        yield Page(path, "template", context, "guide.html")
        entries.append((guide.title, path, records))
    yield overview(site, "guides", "Guides", entries)


PAGE = PageKind("guide", plan, inputs=marks)
