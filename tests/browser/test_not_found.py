"""The page that a host shows where there is none."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.sites import Hosts

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")


@pytest.mark.parametrize("path", ["nothing", "no/such/page", "no/such/page/", "acme/widgets/gone/index.html"])
def test_it_is_whole_at_any_depth(page: "Page", hosts: Hosts, path: str) -> None:
    """Below a base path, its styles load wherever the missing page would be, and its links lead home."""
    base = hosts.below[hosts.sites.small]
    answer = page.goto(f"{base}{path}")

    assert answer is not None
    assert 404 == answer.status
    assert "There is no page here" == page.inner_text("h1")
    assert 1 == page.evaluate("[...document.styleSheets].filter((sheet) => sheet.cssRules.length).length")
    page.click("main a")
    assert f"{base}index.html" == page.url
