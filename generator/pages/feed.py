"""`feed.xml`: the records that changed last, as an Atom feed."""

from collections.abc import Iterator
from functools import partial
from xml.sax.saxutils import escape, quoteattr

from generator import links
from generator.model import Page, Site, Verified, moment
from generator.pages import PageKind, url

ENTRIES = 50


def plan(site: Site) -> Iterator[Page]:
    """The newest first, by their own dates; records without one are left out."""
    yield Page("feed.xml", "text", partial(_feed, site))


def _feed(site: Site) -> str:
    """The whole file."""
    dated = [(one.head.analyzed_at or "", one) for one in site.records if one.head.analyzed_at]
    newest = [
        one for _, one in sorted(dated, key=lambda pair: (moment(pair[0]), pair[1].head.id), reverse=True)
    ]
    updated = _instant(site.version_date or "1970-01-01")
    entries = "".join(_entry(site, one) for one in newest[:ENTRIES])
    home = site.base_url or "/"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{escape(site.title)}</title>\n"
        f"<id>{escape(home)}</id>\n"
        f"<link href={quoteattr(home)}/>\n"
        f'<link rel="self" href={quoteattr(f"{home}feed.xml")}/>\n'
        f"<updated>{updated}</updated>\n"
        f"<author><name>{escape(site.title)}</name></author>\n"
        f"{entries}</feed>\n"
    )


def _entry(site: Site, one: Verified) -> str:
    record = one.record
    address = url(site, links.page_path(record.repo, record.slug))
    address = address if site.base_url else f"/{address}"
    return (
        "<entry>\n"
        f"<title>{escape(f'{record.error_class}: {record.error_message}')}</title>\n"
        f"<id>urn:pagefault:{record.id}</id>\n"
        f"<link href={quoteattr(address)}/>\n"
        f"<updated>{_instant(record.analyzed_at or '')}</updated>\n"
        f"<summary>{escape(record.documentation)}</summary>\n"
        "</entry>\n"
    )


def _instant(date: str) -> str:
    """A date as Atom wants it, with a time of day."""
    return date if "T" in date else f"{date}T00:00:00Z"


PAGE = PageKind("feed", plan)
