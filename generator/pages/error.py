"""The page of one error, and the same as Markdown beside it: for readers in a terminal, and for agents."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import cache
from urllib.parse import quote

import msgspec

from generator import editions, links, probe, tracker
from generator.entries import holes
from generator.formula import FormulaError, formula
from generator.model import Outcome, Page, Record, Repository, Site, Verified
from generator.pages import Listed, PageKind, crumbs, frame, parts, summary, url

BESIDE = 50  # characters of the longest line of two blocks that have room beside each other


def of(site: Site, one: Verified, by_id: Mapping[str, Listed]) -> Iterator[Page]:
    """A record's page and its twin, of one context."""
    path = links.page_path(one.head.repo, one.head.slug)

    @cache
    def context() -> dict[str, object]:
        related = [
            summary(by_id[relation.id], path) | {"reasons": list(relation.reasons)}
            for relation in one.related
        ]
        return _context(site, one, path, related, by_id)

    yield Page(path, "template", context, "error.html")
    yield Page(links.twin(path), "template", context, "error.md")


def _context(
    site: Site, one: Verified, path: str, related: list[dict[str, object]], by_id: Mapping[str, Listed]
) -> dict[str, object]:
    record = one.record
    repository = site.repositories.get(record.repo)
    context = {
        **frame(site, path),
        "parts": parts(one),
        "message": record.error_message,
        "segments": one.case.pattern.as_json() if one.case.pattern else [],
        "holes": list(holes(one.case)),
        "record": msgspec.to_builtins(record) | {"verification": None},
        "repository": repository.title if repository else record.repo,
        "standing": one.standing,
        "reason": one.reason,
        "fix": _fix(one),
        "instead": _instead(one, by_id, path),
        "reachable": _reachable(one),
        "source": _source(one, repository),
        "releases": _releases(one),
        "sites": [_place(record, place) for place in one.case.claims.sites] if one.case.claims else [],
        "computed": _computed(one),
        "overlaps": _overlaps(one, by_id, path),
        "related": related,
        "evidence": _evidence(one),
        "structured": _structured(site, one, path),
        "json_url": links.relative(f"{links.api_path(record.id)}.json", path),
        "repo_url": links.relative(links.list_path(record.repo), path),
        "class_url": links.relative(links.list_path(f"classes/{record.error_class}"), path),
        "tags": [
            {"name": tag, "url": links.relative(links.list_path(f"tags/{tag}"), path)}
            for tag in dict.fromkeys(record.tags)
        ],
        "guide": _guide(site, one, path),
        "edit_url": _edit_url(site, one),
        "report_url": _report_url(site, one, path),
    }
    return context | {"contents": _contents(context, record)}


def _contents(context: Mapping[str, object], record: Record) -> list[dict[str, str]]:
    """The page's sections in their order, by the names of their anchors."""
    is_there = {
        "solutions": len(record.solutions) > 1,
        "fix": context["fix"],
        "handling": record.validation_code or record.type_guard or record.try_catch_pattern,
        "when": record.trigger_scenarios or record.common_situations or context["reachable"],
        "instead": context["instead"],
        "releases": context["releases"],
        "elsewhere": context["sites"] or context["overlaps"],
        "related": context["related"],
        "prevention": record.prevention_tips,
    }
    return [{"id": name, "text": text} for name, text in links.SECTIONS.items() if is_there.get(name, True)]


def _structured(site: Site, one: Verified, path: str) -> list[dict[str, object]]:
    """What search engines read: an article about source code, and the way to it."""
    record = one.record
    article: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "headline": f"{record.error_class}: {record.error_message}"[:110],
        "about": {"@type": "SoftwareSourceCode", "codeRepository": f"https://github.com/{record.repo}"},
        "keywords": list(record.tags),
    }
    if record.analyzed_at:
        article["dateModified"] = record.analyzed_at
    if site.base_url:
        article["url"] = url(site, path)
    way = [
        (site.title, "index.html"),
        (record.repo, links.list_path(record.repo)),
        (record.error_class, path),
    ]
    return [article, crumbs(site, way)]


def _guide(site: Site, one: Verified, path: str) -> dict[str, str] | None:
    """The guide to the record's ground, if it is written."""
    guide = next((guide for guide in site.guides if guide.tag == one.head.background_tag), None)
    if guide is None:
        return None
    return {"title": guide.title, "url": links.relative(links.list_path(f"guides/{guide.tag}"), path)}


def _fix(one: Verified) -> dict[str, object] | None:
    """The two halves, and which of their lines (1-based) the other half does not have."""
    fix = probe.split_fix(one.record.example_fix or "")
    if fix is None:
        code = one.record.example_fix
        alone: dict[str, object] = {"before": "", "after": code, "gone": [], "come": [], "is_beside": False}
        return alone if code else None
    before, after = fix.before.split("\n"), fix.after.split("\n")
    gone: list[int] = []
    come: list[int] = []
    for kind, i, j, k, m in _steps(before, after):
        if kind != "equal":
            gone += range(i + 1, j + 1)
            come += range(k + 1, m + 1)
    is_beside = max(map(len, before + after)) <= BESIDE
    return {"before": fix.before, "after": fix.after, "gone": gone, "come": come, "is_beside": is_beside}


def _steps(before: list[str], after: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """What leads from the one to the other, as `difflib` has it."""
    if not set(before).intersection(after):
        return [("replace", 0, len(before), 0, len(after))]
    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _instead(one: Verified, by_id: Mapping[str, Listed], path: str) -> list[dict[str, object]]:
    """The look-alike calls: what the record says they do, what they did, and the page about that."""
    claims = one.case.claims
    pages = [
        summary(by_id[other], path) if other is not None and other in by_id else None
        for other in one.alternatives
    ]
    happened = {claim.name: claim.happened for claim in one.claims}
    return [
        {
            "call": case.call,
            "verb": "Raises" if case.raises else "Returns",
            "says": case.raises or case.returns or case.expect,
            "is_code": case.returns is None or f"`{case.returns}`" in happened.get(f"instead[{number}]", ""),
            "happened": happened.get(f"instead[{number}]", ""),
            "why": case.why,
            "page": pages[number] if number < len(pages) else None,
        }
        for number, case in enumerate(claims.instead if claims else ())
    ]


def _reachable(one: Verified) -> dict[str, str | None] | None:
    reachable = one.case.claims.reachable if one.case.claims else None
    if reachable is None:
        return None
    url = _place(one.record, reachable.site)["url"] if reachable.site else None
    return {"via": reachable.via, "site": reachable.site, "url": url}


def _place(record: Record, place: str) -> dict[str, str]:
    """A `path:line` of the record's repository, and its address at the pin."""
    file, _, line = place.rpartition(":")
    url = f"https://github.com/{record.repo}/blob/{record.analyzed_sha}/{quote(file)}#L{line}"
    return {"place": place, "url": url}


def _overlaps(one: Verified, by_id: Mapping[str, Listed], path: str) -> list[dict[str, object]]:
    """The records that share messages with this one, and how to tell them apart where that is said."""
    claims = one.case.claims
    apart = {overlap.record: overlap.apart for overlap in (claims.overlaps if claims else ())}
    return [
        summary(by_id[id], path) | {"apart": apart.get(id) or apart.get(by_id[id].head.slug)}
        for id in one.overlaps  # noqa: A001 - the field's name
    ]


def _source(one: Verified, repository: Repository | None) -> dict[str, object]:
    record, excerpt, claims = one.record, one.case.excerpt, one.case.claims
    package = repository.package if repository else None
    quoted: dict[str, object] = {"code": None, "first_line": None, "origin": None, "before": None}
    if excerpt is not None:
        quoted = {
            "code": excerpt.text,
            "first_line": excerpt.first_line,
            "origin": excerpt.origin,
            "before": excerpt.before,
        }
    return quoted | {
        "place": f"{record.file_path}:{record.line_number}",
        "line": record.line_number,
        "url": record.github_url,
        "read_in": claims.read_in if claims else None,
        "is_native": claims is not None and claims.native,
        "built": _place(record, claims.built_at) if claims and claims.built_at else None,
        "caveat": package.caveat if package and package.commit == record.analyzed_sha else None,
        "is_own": one.case.subject is not None and one.case.subject.kind == "pagefault",
    }


def _releases(one: Verified) -> dict[str, object] | None:
    """What became of the message in other releases; None where nobody looked."""
    record, drift = one.record, one.drift
    if drift is None or not editions.is_about(drift, record):
        return None
    rows = editions.rows(drift, record.id)
    pinned = drift.records.get(record.id, {}).get(drift.pinned)
    before = pinned.text if pinned and pinned.text else record.error_message
    return {
        "why": drift.unfollowed.get(record.id),
        "is_built": one.case.claims is not None and one.case.claims.built_at is not None,
        "rows": [
            {
                "versions": row.versions,
                "is_pinned": row.is_pinned,
                "place": f"{row.trace.path}:{row.trace.line}" if row.trace.line else None,
                "url": editions.url(record.repo, row),
                "state": row.trace.state,
                "says": editions.said(row, pinned),
                "text": None if row.is_pinned else row.trace.text,
                "words": [
                    {"kind": kind, "text": text} for kind, text in editions.changes(before, row.trace.text)
                ]
                if row.trace.text and not row.is_pinned
                else [],
            }
            for row in rows
        ],
    }


def _evidence(one: Verified) -> dict[str, object]:
    """The real message with its values, and everything that was run to believe the page."""
    trigger = one.case.outcome("trigger", "trigger")
    claims, observed = one.case.claims, one.case.observed
    return {
        "trigger": claims.trigger if claims else None,
        "setup": claims.setup if claims else None,
        "raised": f"{trigger.type}: {trigger.text}" if trigger and trigger.kind == "raised" else None,
        "printed": _printed(one, trigger) if trigger and trigger.kind == "raised" else [],
        "claims": msgspec.to_builtins(one.claims),
        "environment": observed.environment if observed else {},
        "walls": list(observed.walls) if observed else [],
        "subject": claims.subject if claims else None,
        "operations": one.case.operations,
        "location": shlex.quote(one.file.location) if one.file.location else "",
    }


def _printed(one: Verified, trigger: Outcome) -> list[dict[str, str]]:
    """The message as it was raised, in texts and what stood in its holes."""
    start = [{"text": f"{trigger.type}: "}]
    pattern = one.case.pattern
    values = pattern.captures(trigger.text) if pattern else None
    if pattern is None or values is None:
        return [*start, {"text": trigger.text}]
    held = iter(values)
    return start + [
        {"text": part} if isinstance(part, str) else {"value": next(held)} for part in pattern.segments
    ]


def _computed(one: Verified) -> list[dict[str, object]]:
    """What the page works out from a reader's own values: names, and formulas in postfix form."""
    found: list[dict[str, object]] = []
    for each in one.case.claims.computed if one.case.claims else ():
        # One that cannot be read is the check's to report.
        with suppress(FormulaError):
            steps = formula(each.value, one.case.holes).steps
            found.append({"name": each.name, "formula": list(steps)})
    return found if found and holes(one.case) == one.case.holes else []


def _edit_url(site: Site, one: Verified) -> str | None:
    location = one.file.location
    return f"{site.edit}{quote(location)}" if site.edit and location else None


def _report_url(site: Site, one: Verified, path: str) -> str | None:
    if site.tracker is None:
        return None
    return tracker.report(site.tracker, one.case.place, url(site, path), one.head.id)


PAGE = PageKind("error", of=of)
