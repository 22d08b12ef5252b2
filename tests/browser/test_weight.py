"""How much a reader waits for."""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.sites import Hosts

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")

BUDGET = 15_000  # bytes, gzipped, of an error page and all that it loads
LOADED = """() => [...document.querySelectorAll("link[rel=stylesheet], link[rel=icon], script[src]")]
  .map((one) => one.href || one.src)"""
BLOCKING = """() => performance.getEntriesByType("resource")
  .filter((one) => one.renderBlockingStatus === "blocking").map((one) => one.name)"""


def weight(file: Path) -> int:
    """Bytes that a server sends of it."""
    return len(gzip.compress(file.read_bytes(), mtime=0))


def test_an_error_page_is_light(page: "Page", hosts: Hosts) -> None:
    """The heaviest of all error pages, with its style sheets, scripts and icon, is within the budget."""
    pages = [place for place in hosts.sites.pages if 'id="yours"' in place.file.read_text(encoding="utf-8")]
    assert len(pages) > 90
    heaviest = max((place.file for place in pages), key=weight)
    page.goto(heaviest.as_uri())
    files = [Path(urlsplit(url).path) for url in page.evaluate(LOADED)]

    assert {".css", ".js", ".svg"} == {file.suffix for file in files}
    assert sum(map(weight, [heaviest, *files])) <= BUDGET


@pytest.mark.parametrize("kind", ["home", "proven"])
def test_only_style_sheets_are_waited_for(page: "Page", hosts: Hosts, kind: str) -> None:
    """No script holds up the first picture."""
    page.goto(hosts.of(kind))

    files = [Path(urlsplit(url).path).name for url in page.evaluate(BLOCKING)]
    assert (["site.css"] if kind == "proven" else ["site.css", "more.css"]) == [
        f"{name.split('.')[0]}{Path(name).suffix}" for name in files
    ]
