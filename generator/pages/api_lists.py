"""`api/errors.json`, in pages, and `api/repos.json`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from generator import links
from generator.model import Page, Site, Verified
from generator.pages import PageKind, by_repo, standings, url

PER_FILE = 500


def sample(site: Site, items: int) -> dict[str, dict[str, object]]:
    """The lists by their paths, that of errors with so many of them."""
    errors = _errors(site, site.records[:items], _about(site, 1))
    return {_path(1): errors, "api/repos.json": _repos(site)}


def plan(site: Site) -> Iterator[Page]:
    """The first page at `api/errors.json`, the others at `api/errors/page/<n>.json`; the repositories."""
    count = max(1, -(-len(site.records) // PER_FILE))
    for number in range(1, count + 1):
        shown = site.records[(number - 1) * PER_FILE : number * PER_FILE]
        about = _about(site, number)
        inputs = b"".join((msgspec.msgpack.encode((about, site.base_url)), *(one.mark for one in shown)))
        yield Page(_path(number), "json", partial(_errors, site, shown, about), inputs=inputs)
    yield Page("api/repos.json", "json", _repos(site))


def _about(site: Site, number: int) -> dict[str, object]:
    """Which page of how many it is."""
    count = max(1, -(-len(site.records) // PER_FILE))
    return {
        "page": number,
        "pages": count,
        "total": len(site.records),
        "next": url(site, _path(number + 1)) if number < count else None,
        "datasetVersion": site.version_date,
    }


def _repos(site: Site) -> dict[str, object]:
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
    return {"repos": repos, "datasetVersion": site.version_date}


def _errors(site: Site, shown: Sequence[Verified], about: Mapping[str, object]) -> dict[str, object]:
    errors = [
        {
            "id": one.head.id,
            "repo": one.head.repo,
            "slug": one.head.slug,
            "errorClass": one.head.error_class,
            "errorMessage": one.head.error_message,
            "messagePattern": one.case.published_pattern,
            "standing": one.standing,
            "status": one.head.status,
            "pageUrl": url(site, links.page_path(one.head.repo, one.head.slug)),
            "url": url(site, f"{links.api_path(one.head.id)}.json"),
        }
        for one in shown
    ]
    return {"errors": errors, **about}


def _path(number: int) -> str:
    return "api/errors.json" if number == 1 else f"api/errors/page/{number}.json"


PAGE = PageKind("api_lists", plan)
