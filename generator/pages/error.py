"""The page of one error."""

import shlex
from collections.abc import Iterator
from difflib import SequenceMatcher
from urllib.parse import quote, urlencode

import msgspec

from generator import links, probe
from generator.model import Page, Record, Repository, Site, Verified
from generator.pages import PageKind, frame, parts, summary, url


def plan(site: Site) -> Iterator[Page]:
    """One page for each record."""
    by_id = {one.record.id: one for one in site.records}
    for one in site.records:
        path = links.page_path(one.record.repo, one.record.slug)
        related = [
            summary(by_id[relation.id], path) | {"reasons": list(relation.reasons)}
            for relation in one.related
        ]
        yield Page(path, "template", _context(site, one, path, related, by_id), "error.html")


def _context(
    site: Site, one: Verified, path: str, related: list[dict[str, object]], by_id: dict[str, Verified]
) -> dict[str, object]:
    record = one.record
    repository = site.repositories.get(record.repo)
    return {
        **frame(site, path),
        "parts": parts(one),
        "message": record.error_message,
        "segments": one.case.pattern.as_json() if one.case.pattern else [],
        "holes": _labels(one),
        "record": msgspec.to_builtins(record) | {"verification": None},
        "repository": repository.title if repository else record.repo,
        "standing": one.standing,
        "reason": one.reason,
        "fix": _fix(one),
        "instead": _instead(one),
        "reachable": _reachable(one),
        "source": _source(one, repository),
        "overlaps": _overlaps(one, by_id, path),
        "related": related,
        "evidence": _evidence(one),
        "canonical": url(site, path) if site.base_url else None,
        "structured": _structured(site, one, path),
        "json_url": links.relative(f"{links.api_path(record.id)}.json", path),
        "repo_url": links.relative(links.list_path(record.repo), path),
        "class_url": links.relative(links.list_path(f"classes/{record.error_class}"), path),
        "tags": [
            {"name": tag, "url": links.relative(links.list_path(f"tags/{tag}"), path)}
            for tag in dict.fromkeys(record.tags)
        ],
        "guide": _guide(site, one, path),
        "report_url": _report_url(site, one),
    }


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
    way = [
        (site.title, "index.html"),
        (record.repo, links.list_path(record.repo)),
        (record.error_class, path),
    ]
    crumbs = [
        {"@type": "ListItem", "position": number, "name": name}
        | ({"item": url(site, target)} if site.base_url else {})
        for number, (name, target) in enumerate(way, 1)
    ]
    return [
        article,
        {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": crumbs},
    ]


def _labels(one: Verified) -> list[str]:
    """A name for each hole of the pattern; a number where the pattern has other holes than the template."""
    count = sum(not isinstance(part, str) for part in one.case.pattern.segments) if one.case.pattern else 0
    names = list(one.case.holes)
    return names if len(names) == count else [str(number) for number in range(1, count + 1)]


def _guide(site: Site, one: Verified, path: str) -> dict[str, str] | None:
    """The guide to the record's ground, if it is written."""
    guide = next((guide for guide in site.guides if guide.tag == one.record.background_tag), None)
    if guide is None:
        return None
    return {"title": guide.title, "url": links.relative(links.list_path(f"guides/{guide.tag}"), path)}


def _fix(one: Verified) -> dict[str, object] | None:
    """The two halves, and which of their lines (1-based) the other half does not have."""
    fix = probe.split_fix(one.record.example_fix or "")
    if fix is None:
        code = one.record.example_fix
        return {"before": "", "after": code, "gone": [], "come": []} if code else None
    before, after = fix.before.split("\n"), fix.after.split("\n")
    gone: list[int] = []
    come: list[int] = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            gone += range(i + 1, j + 1)
            come += range(k + 1, m + 1)
    return {"before": fix.before, "after": fix.after, "gone": gone, "come": come}


def _instead(one: Verified) -> list[dict[str, object]]:
    """The look-alike calls: what the record says they do, and what they did."""
    claims = one.case.claims
    happened = {claim.name: claim.happened for claim in one.claims}
    return [
        {
            "call": case.call,
            "verb": "Raises" if case.raises else "Returns",
            "says": case.raises or case.returns or case.expect,
            "is_code": case.returns is None or f"`{case.returns}`" in happened.get(f"instead[{number}]", ""),
            "happened": happened.get(f"instead[{number}]", ""),
            "why": case.why,
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


def _overlaps(one: Verified, by_id: dict[str, Verified], path: str) -> list[dict[str, object]]:
    """The records that share messages with this one, and how to tell them apart where that is said."""
    claims = one.case.claims
    apart = {overlap.record: overlap.apart for overlap in (claims.overlaps if claims else ())}
    return [
        summary(by_id[id], path) | {"apart": apart.get(id) or apart.get(by_id[id].record.slug)}
        for id in one.overlaps  # noqa: A001 - the field's name
    ]


def _source(one: Verified, repository: Repository | None) -> dict[str, object]:
    record, excerpt, claims = one.record, one.case.excerpt, one.case.claims
    package = repository.package if repository else None
    quoted: dict[str, object] = {"code": None, "first_line": None, "origin": None}
    if excerpt is not None:
        quoted = {
            "code": excerpt.text,
            "first_line": excerpt.first_line,
            "origin": excerpt.origin,
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


def _evidence(one: Verified) -> dict[str, object]:
    """The real message with its values, and everything that was run to believe the page."""
    trigger = one.case.outcome("trigger", "trigger")
    claims, observed = one.case.claims, one.case.observed
    return {
        "trigger": claims.trigger if claims else None,
        "setup": claims.setup if claims else None,
        "raised": f"{trigger.type}: {trigger.text}" if trigger and trigger.kind == "raised" else None,
        "captured": next((claim.values for claim in one.claims if claim.name == "trigger"), {}),
        "claims": msgspec.to_builtins(one.claims),
        "environment": observed.environment if observed else {},
        "walls": list(observed.walls) if observed else [],
        "subject": claims.subject if claims else None,
        "operations": one.case.operations,
        "location": shlex.quote(one.case.file.location) if one.case.file.location else "",
    }


def _report_url(site: Site, one: Verified) -> str | None:
    if site.tracker is None:
        return None
    query = urlencode({"title": f"{one.case.place}: ", "body": f"Record {one.record.id}\n\n"})
    return f"{site.tracker}{'&' if '?' in site.tracker else '?'}{query}"


PAGE = PageKind("error", plan)
