"""The lists of errors by tag, and the list of those."""

from collections import Counter
from collections.abc import Iterator, Sequence

from generator import links
from generator.model import Page, Site, Verified
from generator.pages import PageKind, by_owner, by_tag, listing, marks, overview

NEIGHBOURS = 8


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each tag, and the overview."""
    tags = by_tag(site)
    explained = {guide.tag: guide for guide in site.guides}
    for tag, records in tags.items():
        folder = f"tags/{tag}"
        front = links.list_path(folder)
        about: dict[str, object] = {
            "kind": "Tag",
            "title": tag,
            "up": {"url": links.relative("tags/index.html", front), "text": "Tags"},
            "near": _neighbours(tag, records, front),
        }
        if tag in explained:
            about["link"] = {
                "url": links.relative(links.list_path(f"guides/{tag}"), front),
                "text": f"Guide: {explained[tag].title}",
            }
        yield from listing(site, folder, records, by_owner, about)
    entries = [(tag, links.list_path(f"tags/{tag}"), records) for tag, records in tags.items()]
    yield overview(site, "tags", "Errors by tag", entries)


def _neighbours(tag: str, records: Sequence[Verified], front: str) -> list[dict[str, object]]:
    """The tags that most of the tag's records carry too."""
    counts = Counter(other for one in records for other in sorted(set(one.head.tags)) if other != tag)
    return [
        {"name": other, "url": links.relative(links.list_path(f"tags/{other}"), front), "count": count}
        for other, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:NEIGHBOURS]
    ]


PAGE = PageKind("tag", plan, inputs=marks)
