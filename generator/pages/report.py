"""The report: every claim of every record, what running it did, and where."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from generator.model import Page, Site
from generator.pages import PageKind, frame, summary


def plan(site: Site) -> Iterator[Page]:
    """One page over the whole corpus."""
    path = "report/index.html"
    records = [
        summary(one, path)
        | {
            "claims": msgspec.to_builtins(one.claims),
            "environment": one.case.observed.environment if one.case.observed else {},
            "subject": one.case.claims.subject if one.case.claims else None,
            "operations": one.case.operations,
        }
        for one in site.records
    ]
    context = {
        **frame(site, path),
        "standing": dict(sorted(Counter(one.standing for one in site.records).items())),
        "count": len(site.records),
        "claims": sum(len(one.claims) for one in site.records),
        "walls": sorted(
            {wall for one in site.records if one.case.observed for wall in one.case.observed.walls}
        ),
        "records": records,
    }
    yield Page(path, "html", context, "report.html")


PAGE = PageKind("report", plan)
