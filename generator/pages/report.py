"""The report: every claim of every record, what running it did, and how to run it again."""

import shlex
from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import Page, Site
from generator.pages import PageKind, frame, standings, summary

DRAWN = 400  # records whose matrix is drawn


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
            "location": shlex.quote(one.case.file.location) if one.case.file.location else "",
        }
        for one in site.records
    ]
    by_id = {one.record.id: one for one in site.records}
    walls = sorted({wall for one in site.records if one.case.observed for wall in one.case.observed.walls})
    context = {
        **frame(site, path),
        "standing": standings(site.records),
        "count": len(site.records),
        "claims": sum(len(one.claims) for one in site.records),
        "walls": walls,
        "records": records,
        "matrix": _matrix(site),
        "overlaps": [
            {"one": summary(one, path), "other": summary(by_id[id], path)}
            for one in site.records
            for id in one.overlaps  # noqa: A001 - the field's name
        ],
        "near": [
            {
                "one": summary(one, path),
                "other": summary(by_id[miss.id], path),
                "missing": list(miss.missing),
            }
            for one in site.records
            for miss in one.near
        ],
    }
    yield Page(path, "template", context, "report.html")


def _matrix(site: Site) -> dict[str, object] | None:
    """Which record's pattern (down) matches which record's messages (across); None where that fills no page.

    Only cells that match are held: as many as there are records, and the overlaps.
    """
    tried = [one for one in site.records if one.case.messages]
    if not 0 < len(tried) <= DRAWN:
        return None
    place = {one.record.id: number for number, one in enumerate(tried)}
    cells = [{"x": number, "y": number, "kind": "own"} for number in range(len(tried))]
    for one in tried:
        number = place[one.record.id]
        cells += [{"x": number, "y": place[miss.id], "kind": "near"} for miss in one.near if miss.id in place]
        cells += [
            {"x": number, "y": place[id], "kind": "shared"}
            for id in one.overlaps  # noqa: A001 - the field's name
            if id in place
        ]
    return {"size": len(tried), "cells": cells}


PAGE = PageKind("report", plan)
