"""The report: every claim of every record, what running it did, and how to run it again."""

from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, frame, standings, summary


def plan(site: Site) -> Iterator[Page]:
    """One page over the whole corpus."""
    path = links.list_path("report")
    records = [
        summary(one, path)
        | {
            "reason": one.reason,
            "claims": msgspec.to_builtins(one.claims),
            "environment": one.case.observed.environment if one.case.observed else {},
            "subject": one.case.claims.subject if one.case.claims else None,
            "operations": one.case.operations,
            "location": one.case.file.location,
        }
        for one in site.records
    ]
    walls = sorted({wall for one in site.records if one.case.observed for wall in one.case.observed.walls})
    context = {
        **frame(site, path),
        "standing": standings(site.records),
        "count": len(site.records),
        "claims": sum(len(one.claims) for one in site.records),
        "walls": walls,
        "records": records,
    }
    yield Page(path, "template", context, "report.html")


PAGE = PageKind("report", plan)
