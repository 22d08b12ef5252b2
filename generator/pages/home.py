"""The front page: what there is, and how far it can be believed."""

from collections import Counter
from collections.abc import Iterator

from generator.model import Page, Site
from generator.pages import PageKind, frame, summary


def plan(site: Site) -> Iterator[Page]:
    """The records by repository, with the corpus' standing in numbers."""
    path = "index.html"
    repos = sorted({one.record.repo for one in site.records})
    context = {
        **frame(site, path),
        "standing": dict(sorted(Counter(one.standing for one in site.records).items())),
        "count": len(site.records),
        "repositories": [
            {
                "name": repo,
                "title": site.repositories[repo].title if repo in site.repositories else repo,
                "description": site.repositories[repo].description if repo in site.repositories else None,
                "records": [summary(one, path) for one in site.records if one.record.repo == repo],
            }
            for repo in repos
        ],
    }
    yield Page(path, "html", context, "home.html")


PAGE = PageKind("home", plan)
