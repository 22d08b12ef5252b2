"""The list of a repository's errors."""

from collections.abc import Iterator

from generator.model import Page, Site
from generator.pages import PageKind, by_repo, listing


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each repository."""
    for repo, records in by_repo(site).items():
        known = site.repositories.get(repo)
        about: dict[str, object] = {
            "kind": "Repository",
            "title": repo,
            "description": known.description if known else None,
            "link": {"url": f"https://github.com/{repo}", "text": f"github.com/{repo}"},
        }
        yield from listing(site, repo, records, about)


PAGE = PageKind("repo", plan)
