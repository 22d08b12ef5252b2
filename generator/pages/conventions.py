"""Files whose names others decided: for git, for hosts, for crawlers and for agents."""

from collections.abc import Iterator
from functools import partial
from xml.sax.saxutils import escape

from generator import links
from generator.model import Page, Site, Verified, newest
from generator.pages import PageKind, by_class, by_repo, by_tag, url

SITEMAP = 45_000  # addresses in one file; the convention ends at 50,000


def plan(site: Site) -> Iterator[Page]:
    """`.gitignore .nojekyll robots.txt sitemap*.xml llms.txt`."""
    yield Page(".gitignore", "text", "*\n!.gitignore\n")
    yield Page(".nojekyll", "text", "")
    yield Page("robots.txt", "text", _robots(site))
    yield Page("llms.txt", "text", partial(_llms, site))
    yield from _sitemap(site)


def _robots(site: Site) -> str:
    sitemap = f"\nSitemap: {site.base_url}sitemap.xml\n" if site.base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}"


def _sitemap(site: Site) -> Iterator[Page]:
    """One file, or an index of several. The addresses are whole only if the site knows its own."""
    count = 1 + sum(len(groups(site)) for groups in (by_repo, by_class, by_tag))
    count += len(site.guides) + len(site.records)
    if count <= SITEMAP:
        yield Page("sitemap.xml", "text", lambda: _xml("urlset", _entries(site)))
        return
    names = [f"sitemap-{number}.xml" for number in range(1, -(-count // SITEMAP) + 1)]
    for number, name in enumerate(names):
        yield Page(name, "text", partial(_part, site, number))
    index = [f"<sitemap><loc>{escape(_address(site, name))}</loc></sitemap>" for name in names]
    yield Page("sitemap.xml", "text", _xml("sitemapindex", index))


def _part(site: Site, number: int) -> str:
    return _xml("urlset", _entries(site)[number * SITEMAP : (number + 1) * SITEMAP])


def _entries(site: Site) -> list[str]:
    """Every address that readers may come to."""
    return site.kept("sitemap", lambda: _all_entries(site))


def _all_entries(site: Site) -> list[str]:
    entries = [_entry(site, "index.html", site.version_date)]
    for folder, groups in (("", by_repo(site)), ("classes/", by_class(site)), ("tags/", by_tag(site))):
        entries += [
            _entry(site, links.list_path(f"{folder}{name}"), newest(records))
            for name, records in groups.items()
        ]
    entries += [_entry(site, links.list_path(f"guides/{guide.tag}"), None) for guide in site.guides]
    entries += [_entry(site, _page(one), one.head.analyzed_at) for one in site.records]
    return entries


def _page(one: Verified) -> str:
    return links.page_path(one.head.repo, one.head.slug)


def _address(site: Site, path: str) -> str:
    return url(site, path) if site.base_url else f"/{url(site, path)}"


def _entry(site: Site, path: str, date: str | None) -> str:
    modified = f"<lastmod>{escape(date[:10])}</lastmod>" if date else ""
    return f"<url><loc>{escape(_address(site, path))}</loc>{modified}</url>"


def _xml(root: str, entries: list[str]) -> str:
    body = "\n".join(entries)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{body}\n</{root}>\n'
    )


def _llms(site: Site) -> str:
    """What agents should know of the site, and where its parts are."""
    lines = [
        f"# {site.title}",
        "",
        "> What errors mean, the source that raises them and what to change. Each page says how far it was",
        "> proven: what a proven one claims, the build that wrote it has run.",
        "",
        "To find the page of an error message, look for the record whose `messagePattern` matches the whole",
        "message: a regular expression, anchored at both ends, in which the dot matches line ends.",
        "Every page has a Markdown twin: `index.md` beside its `index.html`.",
        "",
        "## Data",
        "",
        "- [All errors](api/errors.json): id, class, template, pattern and addresses, in parts",
        "- [One error](api/errors/<id>.json): everything about it, with the evidence",
        "- [Repositories](api/repos.json)",
        "- [Schema](schema/record.schema.json): of a record",
        "- [Manifest](api/manifest.json): the sha256 of every API file",
        "",
        "## Repositories",
        "",
    ]
    lines += [
        f"- [{repo}]({url(site, links.list_path(repo))}): {len(records)} errors"
        for repo, records in by_repo(site).items()
    ]
    if site.guides:
        lines += ["", "## Guides", ""]
        lines += [
            f"- [{guide.title}]({url(site, links.list_path(f'guides/{guide.tag}'))})" for guide in site.guides
        ]
    return "\n".join(lines) + "\n"


PAGE = PageKind("conventions", plan)
