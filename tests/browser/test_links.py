"""Where pages lead: every link, anchor and asset of both sites."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests.browser.sites import BELOW, Sites

pytestmark = pytest.mark.browser

ORIGIN = "https://example.org"


@dataclass
class Collected(HTMLParser):
    """What a page has and points to: its ids, and its addresses as they stand there."""

    ids: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the element's id and where it points to."""
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.ids.append(values["id"])
        # `data-home` is where the field in the header leads.
        self.addresses += [values[name] for name in ("href", "src", "action", "data-home") if name in values]
        if tag == "meta" and values.get("http-equiv") == "refresh":
            self.addresses.append(values["content"].partition("url=")[2])


def collected(file: Path) -> Collected:
    """The same of a file."""
    found = Collected()
    found.feed(file.read_text(encoding="utf-8"))
    return found


def broken(site: Path, base: str) -> list[str]:
    """Each address in the site's pages that leads nowhere, with its page and why.

    Pages must name files by relative addresses that stay within the site: then they lead to the same from
    a host's root, from below a path and from a folder. 404.html, which is shown at any depth, must name
    them by `base`. Addresses of the site's own at its public place are looked up as a host would.
    """
    pages = {path.relative_to(site).as_posix(): collected(path) for path in site.rglob("*.html")}
    wrong = []
    for page, found in sorted(pages.items()):
        wrong += [
            f"{page}: `{one}` is there twice" for one in sorted(set(found.ids)) if found.ids.count(one) > 1
        ]
        wrong += [
            f"{page}: {address}: {why}"
            for address in found.addresses
            for why in _why(site, base, pages, page, address)
        ]
    return wrong


def _why(site: Path, base: str, pages: dict[str, Collected], page: str, address: str) -> list[str]:
    """What is wrong with an address, if anything is."""
    parts = urlsplit(address)
    public = f"{ORIGIN}{base}"
    if parts.scheme or parts.netloc:
        if not address.startswith(public) or address.startswith(f"{ORIGIN}/issues/"):
            return []
        target = unquote(parts.path.removeprefix(base))
        target += "index.html" if target.endswith("/") or not target else ""
    elif not parts.path:
        target = page
    elif page == "404.html":
        if not parts.path.startswith(base):
            return [f"does not begin with {base}"]
        target = unquote(parts.path.removeprefix(base))
    else:
        depth = page.count("/")
        # Deep down, so that one step too many up cannot go unnoticed.
        start = f"{ORIGIN}/outside/{page}"
        reached = urlsplit(urljoin(start, address)).path
        if (
            parts.path.startswith("/")
            or parts.path.count("../") > depth
            or not reached.startswith("/outside/")
        ):
            return ["leaves the site"]
        target = unquote(reached.removeprefix("/outside/"))
    if not (site / target).is_file():
        return ["no such file"]
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        return ["no such place in it"]
    return []


@pytest.mark.parametrize("name", ["whole", "small"])
def test_every_address_leads_somewhere(sites: Sites, name: str) -> None:
    """To a file that is there, and a place that it has; from a root, from below a path and from a folder."""
    site = getattr(sites, name)

    assert [] == broken(site, "/" if name == "whole" else BELOW)
    assert sum(len(collected(path).addresses) for path in site.rglob("*.html")) > 1_000


def test_style_sheets_ask_for_nothing(sites: Sites) -> None:
    """A font or picture named in them would be an address that the test above does not see."""
    for site in (sites.whole, sites.small):
        sheets = list(site.rglob("*.css"))
        assert sheets
        assert [] == [sheet.name for sheet in sheets if re.search(r"url\(|@import", sheet.read_text("utf-8"))]


def test_broken_addresses_would_be_found(tmp_path: Path) -> None:
    """Of each sort: silence above means something."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<p id=x><p id=x><a href="../index.html#here">1</a><a href="../index.html#gone">2</a>'
        '<a href="../../index.html">3</a><a href="/index.html">4</a><a href="../a/">5</a>'
        '<img src="x.png"><link rel=canonical href="https://example.org/docs/a/">'
        '<link href="https://example.org/docs/b/"><a href="https://else.where/docs/b/">6</a>'
    )
    (tmp_path / "index.html").write_text('<p id=here><meta http-equiv=refresh content="0; url=a/gone.html">')
    (tmp_path / "404.html").write_text(
        '<a href="index.html"><a href="/docs/index.html"><a href="/docs/b.html">'
    )

    assert [
        "404.html: index.html: does not begin with /docs/",
        "404.html: /docs/b.html: no such file",
        "a/index.html: `x` is there twice",
        "a/index.html: ../index.html#gone: no such place in it",
        "a/index.html: ../../index.html: leaves the site",
        "a/index.html: /index.html: leaves the site",
        "a/index.html: ../a/: no such file",
        "a/index.html: x.png: no such file",
        "a/index.html: https://example.org/docs/b/: no such file",
        "index.html: a/gone.html: no such file",
    ] == broken(tmp_path, "/docs/")
