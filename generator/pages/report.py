"""The report: what was run, by repository every claim of every record, and how to run it again."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from generator import editions, links
from generator.model import Drift, Page, Site, Verified
from generator.pages import (
    PageKind,
    by_file,
    by_id,
    by_repo,
    contents,
    frame,
    marks,
    neighbours,
    part,
    standings,
    summary,
)

DRAWN = 400  # records whose matrix is drawn
LISTED = 200  # pairs, and records that are not proven


def plan(site: Site) -> Iterator[Page]:
    """The front with the totals, and the pages of each repository."""
    path = links.list_path("report")
    repositories = by_repo(site)
    left = [one for one in site.records if one.standing != "proven"]
    walls = sorted({wall for one in site.claiming if one.case.observed for wall in one.case.observed.walls})
    context = {
        **frame(site, path),
        "standing": standings(site.records),
        "count": len(site.records),
        "claims": sum(len(one.claims) for one in site.records),
        "walls": walls,
        "repositories": [
            {
                "name": repo,
                "url": links.relative(links.list_path(_folder(repo)), path),
                "count": len(records),
                "standing": standings(records),
                "claims": sum(len(one.claims) for one in records),
            }
            for repo, records in repositories.items()
        ],
        "drift": [
            {
                "name": repo,
                "url": links.relative(links.list_path(_folder(repo)), path),
                "pinned": drift.pinned,
                "newest": drift.releases[-1].version,
                **_totals(drift, drift.releases[-1].version, records),
            }
            for repo, records in repositories.items()
            if (drift := site.drifts.get(repo)) and drift.releases
        ],
        "states": editions.STATES,
        "open": [summary(one, path) | {"reason": one.reason} for one in left[:LISTED]],
        "open_count": len(left),
        "coverage": links.relative(links.list_path("report/coverage"), path) if site.coverage else None,
        "matrix": _matrix(site),
        "shared": _shared(site, path)[:LISTED],
        "near": [
            {
                "one": summary(one, path),
                "other": summary(by_id(site)[miss.id], path),
                "missing": list(miss.missing),
            }
            for one in site.records
            for miss in one.near
        ][:LISTED],
    }
    yield Page(path, "template", context, "report.html")
    for repo, records in repositories.items():
        yield from _repository(site, repo, records)


def _totals(drift: Drift, version: str, records: Sequence[Verified]) -> dict[str, object]:
    """How many of a repository's records are in each state in a release, and how many messages are new."""
    edition = next(one for one in drift.releases if one.version == version)
    ids = [one.head.id for one in records]
    counts = {"new": edition.new, "gone": edition.gone}
    return {"counts": dict(editions.totals(drift, version, ids)), "messages": counts}


def _folder(repo: str) -> str:
    return f"report/{repo}"


def _repository(site: Site, repo: str, records: Sequence[Verified]) -> Iterator[Page]:
    """A repository's claims, in the parts of its list of errors."""
    ordered = sorted(records, key=lambda one: (one.head.file_path, one.head.slug))
    front = links.list_path(_folder(repo))
    parts_of = part(_folder(repo), ordered, by_file)
    drift = site.drifts.get(repo)
    whole: dict[str, object] = {
        "title": repo,
        "pinned": drift.pinned if drift else None,
        "states": editions.STATES,
        "releases": [
            {"version": one.version, **_totals(drift, one.version, records)} for one in drift.releases
        ]
        if drift
        else [],
        "unfollowed": sum(one.head.id in drift.unfollowed for one in records) if drift else 0,
    }
    if len(parts_of) > 1:
        yield _page(site, front, {**whole, "chapters": contents(parts_of, front)}, ())
    for one in parts_of:
        about: dict[str, object] = {"title": repo, "span": one.span or None, **neighbours(one)}
        if one.path != front:
            about["front"] = links.relative(front, one.path)
        elif len(parts_of) == 1:
            about |= whole
        yield _page(site, one.path, about, one.records)


def _page(site: Site, path: str, about: Mapping[str, object], records: Sequence[Verified]) -> Page:
    context = {
        **frame(site, path),
        "chapters": [],
        "span": None,
        "front": None,
        "pinned": None,
        "releases": [],
        "unfollowed": 0,
        "states": {},
        "previous": None,
        "next": None,
        **about,
    }
    run = [(one.mark, one.file.location, _run(one)) for one in records]

    def make() -> dict[str, object]:
        return context | {
            "records": [
                summary(one, path) | {"location": shlex.quote(location) if location else "", **what}
                for one, (_, location, what) in zip(records, run, strict=True)
            ]
        }

    return Page(path, "template", make, "report_repo.html", msgspec.msgpack.encode((context, run)))


def _run(one: Verified) -> dict[str, object]:
    """What was run for a record, and how it stands."""
    return {
        "reason": one.reason,
        "claims": msgspec.to_builtins(one.claims),
        "environment": one.case.observed.environment if one.case.observed else {},
        "subject": one.case.claims.subject if one.case.claims else None,
        "operations": one.case.operations,
    }


def _shared(site: Site, path: str) -> list[dict[str, object]]:
    """Whose pattern matches whose messages: each pair once, in the direction in which it holds."""
    return [
        {"one": summary(one, path), "other": summary(by_id(site)[other], path)}
        for one in site.records
        for other in one.matched
    ]


def _matrix(site: Site) -> dict[str, object] | None:
    """Which record's pattern (down) matches which record's messages (across); None where that fills no page.

    Only cells that match are held: as many as there are records, and the overlaps.
    """
    tried = [one for one in site.claiming if one.case.messages]
    if not 0 < len(tried) <= DRAWN:
        return None
    place = {one.head.id: number for number, one in enumerate(tried)}
    cells: list[dict[str, object]] = [{"x": n, "y": n, "kind": "own"} for n in range(len(tried))]
    for one in tried:
        number = place[one.head.id]
        # A message that nearly matches another's pattern: the pattern is down, the message across.
        cells += [{"x": number, "y": place[miss.id], "kind": "near"} for miss in one.near if miss.id in place]
        cells += [
            {"x": place[other], "y": number, "kind": "shared"} for other in one.matched if other in place
        ]
    return {"size": len(tried), "cells": cells}


def inputs(site: Site) -> bytes:
    """What lists show, and of each record where it stands, what was run and whom it meets."""
    around = msgspec.msgpack.encode((bool(site.coverage), dict(site.drifts)))
    found = hashlib.sha256(marks(site) + around)
    for one in site.records:
        known = () if one.file.is_plain else (_run(one), one.case.observed and one.case.observed.walls)
        found.update(msgspec.msgpack.encode((one.file.location, known, one.near, one.matched)))
    return found.digest()


PAGE = PageKind("report", plan, inputs=inputs)
