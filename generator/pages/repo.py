"""The list of a repository's errors, grouped by the file that raises them."""

from collections import Counter
from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_file, by_repo, listing, marks


def plan(site: Site) -> Iterator[Page]:
    """The pages of one list for each repository."""
    for repo, records in by_repo(site).items():
        known = site.repositories.get(repo)
        front = links.list_path(repo)
        classes = Counter(one.head.error_class for one in records)
        about: dict[str, object] = {
            "kind": "Repository",
            "title": repo,
            "description": known.description if known else None,
            "link": {"url": f"https://github.com/{repo}", "text": f"github.com/{repo}"},
            "classes": [
                {
                    "name": name,
                    "url": links.relative(links.list_path(f"classes/{name}"), front),
                    "count": count,
                }
                for name, count in sorted(classes.items())
            ],
        }
        yield from listing(site, repo, records, by_file, about)


PAGE = PageKind("repo", plan, inputs=marks)
