"""`api/errors/<id>.json`, and the same bytes without the ending, as the founding site served them."""

from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import FOUNDING_FIELDS, Page, Site, Verified
from generator.pages import PageKind, url


def plan(site: Site) -> Iterator[Page]:
    """Two files for each record."""
    by_id = {one.record.id: one for one in site.records}
    for one in site.records:
        content = {
            "record": published(site, one, by_id),
            "datasetVersion": one.case.file.dataset_version or one.record.analyzed_at,
        }
        for suffix in (".json", ""):
            yield Page(f"api/errors/{one.record.id}{suffix}", "json", content)


def published(site: Site, one: Verified, by_id: dict[str, Verified]) -> dict[str, object]:
    """The founding fields in their order, with the excerpt wherever it was read, then our own."""
    record, excerpt, observed = one.record, one.case.excerpt, one.case.observed
    fields = list(msgspec.to_builtins(record).items())[:FOUNDING_FIELDS]
    content: dict[str, object] = dict(fields)
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
        "related": [
            {
                "id": relation.id,
                "message": by_id[relation.id].record.error_message,
                "reasons": list(relation.reasons),
            }
            for relation in one.related
        ],
        "pageUrl": url(site, links.page_path(record.repo, record.slug)),
        "aliases": list(record.aliases),
    }


PAGE = PageKind("api_error", plan)
