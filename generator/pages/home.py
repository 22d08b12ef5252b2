"""The front page: the field to paste into, then what there is, and how far it can be believed."""

from collections.abc import Iterator, Sequence

from generator import links, tracker
from generator.model import Page, Site, Verified, moment
from generator.pages import PageKind, by_class, by_repo, by_tag, frame, marks, standings, summary, url

SHOWN = 30  # classes and tags; their own pages list all
RECENT = 8
OWN = "pagefault/pagefault"

LEAD = "The page of each error says what it means, shows the source that raises it, and what to change."
EXAMPLE = "ValueError: LogicalHostPool allocation must be page-aligned, got need_size=37, page_size=16"


def plan(site: Site) -> Iterator[Page]:
    """The ways in by repository, guide, class and tag, what changed last, and the corpus in numbers."""
    path = "index.html"
    context = {
        **frame(site, path),
        "lead": LEAD,
        "example": _example(site),
        "count": len(site.records),
        "standing": standings(site.records),
        "claims": sum(len(one.claims) for one in site.records),
        "repositories": [
            {
                "name": repo,
                "title": site.repositories[repo].title if repo in site.repositories else repo,
                "description": site.repositories[repo].description if repo in site.repositories else None,
                "url": links.list_path(repo),
                "count": len(records),
            }
            for repo, records in sorted(by_repo(site).items(), key=lambda entry: _order(site, entry[0]))
        ],
        "ways": [
            {
                "id": "guides",
                "title": "Guides",
                "entries": [
                    {"name": guide.title, "url": links.list_path(f"guides/{guide.tag}"), "count": 0}
                    for guide in site.guides
                ],
                "all": None,
            },
            _way("classes", "Classes", by_class(site)),
            _way("tags", "Tags", by_tag(site)),
        ],
        "recent": [summary(one, path) for one in _recent(site.records)],
        "proposal": _proposal(site),
        "structured": {
            "@context": "https://schema.org",
            "@type": "WebSite",
            "name": site.title,
            **({"url": url(site, path)} if site.base_url else {}),
        },
    }
    yield Page(path, "template", context, "home.html")


def _order(site: Site, repo: str) -> tuple[bool, str]:
    """By title; the program's own diagnostics are not what most readers come for."""
    title = site.repositories[repo].title if repo in site.repositories else repo
    return repo == OWN, title.casefold()


def _way(folder: str, title: str, groups: dict[str, list[Verified]]) -> dict[str, object]:
    """The largest groups in the order of their names, and the way to all of them."""
    largest = sorted(groups, key=lambda name: (-len(groups[name]), name))[:SHOWN]
    return {
        "id": folder,
        "title": title,
        "entries": [
            {"name": name, "url": links.list_path(f"{folder}/{name}"), "count": len(groups[name])}
            for name in sorted(largest)
        ],
        "all": {"url": links.list_path(folder), "text": f"All {len(groups):,} {folder}"}
        if len(groups) > SHOWN
        else None,
    }


def _example(site: Site) -> str:
    """What one might paste: a real message of the site's own, once one was raised."""
    raised = (one.case.outcome("trigger", "trigger") for one in site.claiming if not one.head.aliases)
    seen = [
        f"{one.type}: {one.text}" for one in raised if one and one.kind == "raised" and "\n" not in one.text
    ]
    return EXAMPLE if EXAMPLE in seen else next(iter(seen), EXAMPLE)


def _recent(records: Sequence[Verified]) -> list[Verified]:
    """The records that were analysed last, newest first; those without a date are left out."""
    dated = [(moment(one.head.analyzed_at), one.head.id, one) for one in records if one.head.analyzed_at]
    return [one for _, _, one in sorted(dated, key=lambda entry: entry[:2], reverse=True)[:RECENT]]


def _proposal(site: Site) -> dict[str, str] | None:
    """Where a record can be proposed; the message is added by the page."""
    if site.tracker is None:
        return None
    address, fields = tracker.proposal(site.tracker)
    return {"url": address, "fields": " ".join(fields)}


def inputs(site: Site) -> bytes:
    """What lists show, and what was run."""
    claims = sum(len(one.claims) for one in site.claiming)
    return marks(site) + repr((claims, _example(site))).encode()


PAGE = PageKind("home", plan, inputs=inputs)
