"""Files whose names others decided: for git, for hosts, for crawlers and for agents."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from generator import links
from generator.model import Page, Site, Verified
from generator.pages import PageKind, by_repo, url

SITEMAP = 45_000  # addresses in one file; the convention ends at 50,000


def plan(site: Site) -> Iterator[Page]:
    """`.gitignore .nojekyll robots.txt sitemap*.xml llms.txt`."""
    yield Page(".gitignore", "text", "*\n!.gitignore\n")
    yield Page(".nojekyll", "text", "")
    yield Page("robots.txt", "text", _robots(site))
    yield Page("llms.txt", "text", _llms(site))
    yield from _sitemap(site)


def _robots(site: Site) -> str:
    sitemap = f"\nSitemap: {site.base_url}sitemap.xml\n" if site.base_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}"


def _sitemap(site: Site) -> Iterator[Page]:
    """One file, or an index of several. The addresses are whole only if the site knows its own."""
    newest = site.version_date
    entries = [_entry(site, "index.html", newest)]
    entries += [_entry(site, links.list_path(repo), newest) for repo in by_repo(site)]
    entries += [_entry(site, links.list_path(f"guides/{guide.tag}"), None) for guide in site.guides]
    entries += [_entry(site, _page(one), one.record.analyzed_at) for one in site.records]
    files = [entries[start : start + SITEMAP] for start in range(0, len(entries), SITEMAP)]
    if len(files) == 1:
        yield Page("sitemap.xml", "text", _xml("urlset", files[0]))
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(files) + 1)]
    for name, entries_of in zip(names, files, strict=True):
        yield Page(name, "text", _xml("urlset", entries_of))
    index = [f"<sitemap><loc>{escape(_address(site, name))}</loc></sitemap>" for name in names]
    yield Page("sitemap.xml", "text", _xml("sitemapindex", index))


def _page(one: Verified) -> str:
    return links.page_path(one.record.repo, one.record.slug)


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
        "> An error reference whose every page has been proven by running it.",
        "",
        "To find the page of an error message, look for the record whose `messagePattern` matches the whole",
        "message: a regular expression, anchored at both ends, in which the dot matches line ends.",
        "Every page has a Markdown twin: `index.md` beside its `index.html`.",
        "",
        "## Data",
        "",
        "- [All errors](api/errors.json): id, class, template, pattern and addresses, in pages",
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
