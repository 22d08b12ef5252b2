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
    """The heaviest of all error pages, with its style sheet, scripts and icon, is within the budget."""
    whole = hosts.sites.whole
    heaviest = max(whole.glob("*/*/*/index.html"), key=weight)
    page.goto(heaviest.as_uri())
    files = [Path(urlsplit(url).path) for url in page.evaluate(LOADED)]

    assert {".css", ".js", ".svg"} == {file.suffix for file in files}
    assert sum(map(weight, [heaviest, *files])) <= BUDGET


@pytest.mark.parametrize("kind", ["home", "proven"])
def test_only_the_style_sheet_is_waited_for(page: "Page", hosts: Hosts, kind: str) -> None:
    """No script holds up the first picture."""
    page.goto(hosts.of(kind))

    assert [".css"] == [Path(urlsplit(url).path).suffix for url in page.evaluate(BLOCKING)]
