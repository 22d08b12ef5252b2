"""How much of what repositories raise has records: a bar for each file."""

from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import Coverage, Page, Site
from generator.pages import PageKind, by_id, frame, marks, summary

FOLDER = "report/coverage"


def plan(site: Site) -> Iterator[Page]:
    """The page, where anything is known of any repository's source."""
    if not site.coverage:
        return
    path = links.list_path(FOLDER)
    yield Page(
        path,
        "template",
        {**frame(site, path), "repositories": [_repository(site, one, path) for one in site.coverage]},
        "coverage.html",
    )


def _repository(site: Site, one: Coverage, path: str) -> dict[str, object]:
    return {
        "name": one.repo,
        "url": links.relative(links.list_path(one.repo), path),
        "sites": sum(each.sites for each in one.modules),
        "documented": sum(each.documented for each in one.modules),
        "modules": msgspec.to_builtins(
            sorted(one.modules, key=lambda each: (-each.documented, -each.sites, each.file))
        ),
        "lost": [summary(by_id(site)[id_], path) for id_ in one.lost],
    }


def inputs(site: Site) -> bytes:
    """What is known of the source, and what lists show of records."""
    return marks(site) + msgspec.msgpack.encode(site.coverage)


PAGE = PageKind("coverage", plan, inputs=inputs)
