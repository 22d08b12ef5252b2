"""The front page: what there is, and how far it can be believed."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_class, by_repo, by_tag, frame, standings, summary

SHOWN = 20  # records of one repository; its own page lists all


def plan(site: Site) -> Iterator[Page]:
    """The records by repository, the ways in by class, tag and guide, and the corpus in numbers."""
    context = {
        **frame(site, "index.html"),
        "count": len(site.records),
        "standing": standings(site.records),
        "repositories": [
            {
                "name": repo,
                "title": site.repositories[repo].title if repo in site.repositories else repo,
                "description": site.repositories[repo].description if repo in site.repositories else None,
                "url": links.list_path(repo),
                "count": len(records),
                "records": [summary(one, "index.html") for one in records[:SHOWN]],
            }
            for repo, records in by_repo(site).items()
        ],
        "classes": [
            {"name": name, "url": links.list_path(f"classes/{name}"), "count": len(records)}
            for name, records in by_class(site).items()
        ],
        "tags": [
            {"name": tag, "url": links.list_path(f"tags/{tag}"), "count": len(records)}
            for tag, records in by_tag(site).items()
        ],
        "guides": [
            {"name": guide.title, "url": links.list_path(f"guides/{guide.tag}")} for guide in site.guides
        ],
    }
    yield Page("index.html", "template", context, "home.html")


PAGE = PageKind("home", plan)
