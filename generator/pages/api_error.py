"""`api/errors/<id>.json`, and the same bytes without the ending, as the founding site served them."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

import msgspec

from generator import links
from generator.model import FOUNDING_FIELDS, Page, Site, Verified
from generator.pages import Listed, PageKind, url


def of(site: Site, one: Verified, by_id: Mapping[str, Listed]) -> Iterator[Page]:  # noqa: ARG001 - as all
    """A record's two files."""
    yield from contents(site, one, links.api_path(one.head.id))


def contents(site: Site, one: Verified, path: str) -> Iterator[Page]:
    """The record's two files at a path without ending."""

    @cache
    def content() -> dict[str, object]:
        return {
            "record": published(site, one),
            "datasetVersion": one.file.dataset_version or one.head.analyzed_at,
        }

    yield Page(f"{path}.json", "json", content)
    yield Page(path, "json", content)


def published(site: Site, one: Verified) -> dict[str, object]:
    """The founding fields in their order, with the excerpt wherever it was read, then our own."""
    record, excerpt, observed = one.record, one.case.excerpt, one.case.observed
    content: dict[str, object] = dict(islice(msgspec.to_builtins(record).items(), FOUNDING_FIELDS))
    content["messagePattern"] = one.case.published_pattern
    if excerpt is not None:
        content |= {
            "sourceCode": excerpt.text,
            "sourceCodeStart": excerpt.first_line,
            "sourceCodeEnd": excerpt.last_line,
        }
    return content | {
        "standing": one.standing,
        "evidence": {
            "reason": one.reason or None,
            "claims": msgspec.to_builtins(one.claims),
            "environment": observed.environment if observed else {},
            "walls": list(observed.walls) if observed else [],
            "comparedOperations": one.case.operations,
        },
        "computed": [
            {"name": each.name, "formula": each.value}
            for each in (one.case.claims.computed if one.case.claims else ())
        ],
        "related": [{"id": relation.id, "reasons": list(relation.reasons)} for relation in one.related],
        "pageUrl": url(site, links.page_path(record.repo, record.slug)),
        "aliases": list(record.aliases),
        "status": record.status,
        "removedIn": record.removed_in,
        "reason": record.reason,
    }


PAGE = PageKind("api_error", of=of)
