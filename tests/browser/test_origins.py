"""What pages ask for, and what records cannot make them do."""

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.browser.sites import ATTACK, KINDS, Hosts
from tests.browser.visits import visit
from tests.browser.witness import Witness

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser("chromium", "playwright")


@pytest.mark.parametrize("kind", KINDS)
def test_pages_ask_their_own_host_alone(context: "BrowserContext", hosts: Hosts, kind: str) -> None:
    """From a root, from below a path and from a folder, nothing is fetched from elsewhere.

    Nor is anything refused by the policy, missing, or wrong in the console. 404.html is at home at one
    address alone.
    """
    for way in ("below",) if kind == "not found" else ("root", "below", "file"):
        page = context.new_page()
        witness = Witness(page)
        address = visit(page, hosts, kind, way)
        # Icons are asked for when all else is there.
        page.wait_for_timeout(100)

        own = address.removesuffix(hosts.sites.places[kind].path)
        assert [] == [url for url in witness.requests if not url.startswith(own)]
        assert any(".css" in url for url in witness.requests)
        assert [] == witness.complaints


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_hostile_text_does_nothing(page: "Page", hosts: Hosts, way: str) -> None:
    """Neither a record's text nor a message in the address becomes an element, runs, or asks for anything."""
    witness = Witness(page)
    page.goto(f"{hosts.of('hostile', way)}#m={quote(ATTACK)}")
    page.wait_for_selector("#yours dd")
    shown = page.inner_text("#yours dd")
    page.locator("*").evaluate_all(
        "(all) => all.forEach((one) => ['mouseover', 'focus', 'error', 'load'].forEach("
        "(kind) => one.dispatchEvent(new Event(kind, { bubbles: true }))))"
    )
    page.wait_for_timeout(100)

    assert "<img src=x onerror=alert(1)>" == shown
    assert 0 == page.locator("main :is(script, img, iframe, object, embed, style, form, [onerror])").count()
    assert 0 == page.locator("body :is(script, iframe, object, embed, style, [onerror])").count()
    assert [] == [url for url in witness.requests if "evil" in url or url.startswith("data:")]
    assert [] == witness.complaints


def test_a_violation_would_be_seen(page: "Page", hosts: Hosts) -> None:
    """A foreign image and an inline script are refused by the policy, and the witness says so."""
    witness = Witness(page)
    page.goto(hosts.of("proven"))
    page.evaluate("document.body.append(Object.assign(new Image(), { src: 'https://evil.example/x.png' }))")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { text: 'alert(1)' }))"
    )
    page.wait_for_load_state("networkidle")

    said = "\n".join(witness.complaints)
    assert "policy: img-src: https://evil.example/x.png" in said
    assert "policy: script-src-elem: inline" in said
