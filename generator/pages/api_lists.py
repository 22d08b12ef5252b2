"""`api/errors.json`, in parts, and `api/repos.json`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from generator import chapters, links
from generator.model import Page, Site, Verified, newest
from generator.pages import PageKind, by_repo, marks, part_name, standings, url

PER_FILE = 500
_FIRST = "api/errors.json"


def sample(site: Site, items: int) -> dict[str, dict[str, object]]:
    """The lists by their paths, that of errors with so many of them."""
    about = _parts(site)[0][2]
    return {_FIRST: _errors(site, site.records[:items], about), "api/repos.json": _repos(site)}


def plan(site: Site) -> Iterator[Page]:
    """The first part at `api/errors.json`, the others at `api/errors/page/<name>.json`; the repositories."""
    for path, shown, about in _parts(site):
        inputs = b"".join((msgspec.msgpack.encode((about, site.base_url)), *(one.mark for one in shown)))
        yield Page(path, "json", partial(_errors, site, shown, about), inputs=inputs)
    yield Page("api/repos.json", "json", _repos(site))


_Part = tuple[str, Sequence[Verified], dict[str, object]]


def _parts(site: Site) -> list[_Part]:
    """The path of each part, its records, and what it says beside them.

    What would change with any record stands in the first part alone.
    """
    return site.kept("parts of the API's list", lambda: [*_cut(site)])


def _cut(site: Site) -> Iterator[_Part]:

    def name(one: Verified) -> str:
        head = one.head
        return f"{head.repo} {head.slug}"

    pieces = chapters.cut(map(name, site.records), PER_FILE)
    starts = [part_name(name(site.records[piece.start])) for piece in pieces[1:]]
    paths = [_FIRST, *(f"api/errors/page/{start}.json" for start in starts)]
    whole = {"total": len(site.records), "parts": len(pieces), "datasetVersion": site.version_date}
    for number, (piece, path) in enumerate(zip(pieces, paths, strict=True)):
        shown = site.records[piece.start : piece.stop]
        following = url(site, paths[number + 1]) if number + 1 < len(paths) else None
        yield path, shown, {"next": following, **({"datasetVersion": newest(shown)} if number else whole)}


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


PAGE = PageKind("api_lists", plan, inputs=marks)
