"""`api/errors.json`, in pages, and `api/repos.json`."""

from collections.abc import Iterator

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, by_repo, standings, url

PER_FILE = 500


def plan(site: Site) -> Iterator[Page]:
    """The first page at `api/errors.json`, the others at `api/errors/page/<n>.json`; the repositories."""
    count = max(1, -(-len(site.records) // PER_FILE))
    for number in range(1, count + 1):
        shown = site.records[(number - 1) * PER_FILE : number * PER_FILE]
        errors = [
            {
                "id": one.record.id,
                "repo": one.record.repo,
                "slug": one.record.slug,
                "errorClass": one.record.error_class,
                "errorMessage": one.record.error_message,
                "messagePattern": one.case.published_pattern,
                "standing": one.standing,
                "status": one.record.status,
                "pageUrl": url(site, links.page_path(one.record.repo, one.record.slug)),
                "url": url(site, f"{links.api_path(one.record.id)}.json"),
            }
            for one in shown
        ]
        content = {
            "errors": errors,
            "page": number,
            "pages": count,
            "total": len(site.records),
            "next": url(site, _path(number + 1)) if number < count else None,
            "datasetVersion": site.version_date,
        }
        yield Page(_path(number), "json", content)
    repos = [
        {
            "repo": repo,
            "title": site.repositories[repo].title if repo in site.repositories else repo,
            "errors": len(records),
            "standing": standings(records),
            "pageUrl": url(site, links.list_path(repo)),
        }
        for repo, records in by_repo(site).items()
    ]
    yield Page("api/repos.json", "json", {"repos": repos, "datasetVersion": site.version_date})


def _path(number: int) -> str:
    return "api/errors.json" if number == 1 else f"api/errors/page/{number}.json"


PAGE = PageKind("api_lists", plan)
