"""The page that a host shows where there is none."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.sites import ALLOCATION, Hosts

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
    assert 2 == page.evaluate("[...document.styleSheets].filter((sheet) => sheet.cssRules.length).length")
    page.click("main a")
    page.wait_for_url(f"{base}index.html")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        # As typed by hand, as cut off by a mail program, in capitals, and of another repository.
        ("sgl-project/sglang/logicalhostpool-alocation-must-be-page-aligned/", ALLOCATION),
        ("sgl-project/sglang/logicalhostpool-allocation-must-be-page", ALLOCATION),
        ("sgl-project/sglang/LogicalHostPool-Allocation-must-be-page-aligned/index.html", ALLOCATION),
        ("sglang/logicalhostpool-allocation-must-be-page-aligned-g/", ALLOCATION),
    ],
)
def test_the_likely_page_is_offered(page: "Page", hosts: Hosts, path: str, meant: str) -> None:
    """A mistyped address leads to the page that it nearly is, from any depth and below a base path."""
    base = hosts.below[hosts.sites.small]
    page.goto(f"{base}{path}")
    page.click(".lost li:first-child a")

    page.wait_for_url(f"{base}{meant}")
    page.wait_for_selector("h1:has-text('ValueError')")


def test_nothing_is_offered_without_likeness(page: "Page", hosts: Hosts) -> None:
    """For an address whose words no page has."""
    base = hosts.below[hosts.sites.small]
    with page.expect_response(lambda answer: "/lookup/" in answer.url):
        page.goto(f"{base}no/such/page/zebra-crossing-lights")
    page.wait_for_timeout(300)

    assert not page.inner_text(".lost")
