"""What is there without scripts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.sites import KINDS, Hosts
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser("chromium", "playwright")

# Texts that nobody sees, but for the section that waits for a message.
UNSEEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const unseen = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() === "" || parentElement.closest("script, #yours, svg") !== null) continue;
    const range = document.createRange();
    range.selectNode(walker.currentNode);
    const { width, height } = range.getBoundingClientRect();
    if (!parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      || width * height === 0) unseen.push(data);
  }
  return unseen;
}"""


@pytest.fixture
def bare(browser: "Browser") -> Iterator["Page"]:
    """A tab of a reader who has switched scripts off."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_every_page_shows_all_its_text(bare: "Page", hosts: Hosts) -> None:
    """Nothing waits for a script; and no button is there that would do nothing."""
    for kind in KINDS:
        visit(bare, hosts, kind)

        assert bare.inner_text("main")
        assert [] == bare.evaluate(UNSEEN)
        assert not bare.locator("button, textarea, input").count()


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_links_lead_everywhere(bare: "Page", hosts: Hosts, way: str) -> None:
    """From home to an error, from there to its repository, to a guide and home, by clicks alone."""
    bare.goto(hosts.of("home", way))

    bare.click("main a[href*='logicalhostpool-allocation']")
    assert "ValueError" in bare.inner_text("h1")
    bare.click(".contents a[href='#solutions']")
    assert bare.locator("#solutions:target").is_visible()
    bare.click(".crumbs a[href*='../']:text('sglang')")
    assert "sgl-project/sglang" == bare.inner_text("h1")
    bare.click("nav a:text('Guides')")
    assert "Guides" == bare.inner_text("h1")
    bare.click("main a[href*='page-alignment']")
    assert "Page alignment" in bare.inner_text("h1")
    bare.click("#errors a >> nth=0")
    assert "ValueError" in bare.inner_text("h1")
    bare.click("a.brand")
    assert hosts.of("home", way) == bare.url


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_a_former_address_leads_on(bare: "Page", hosts: Hosts, way: str) -> None:
    """Who comes by a former slug is brought to the page that it is now."""
    bare.goto(hosts.of("former", way))
    bare.wait_for_url(hosts.of("unproven", way))

    assert "acme.WidthError" in bare.inner_text("h1")
