"""What is there without scripts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.sites import KINDS, Hosts
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser("chromium", "playwright")

# Texts that nobody sees. Rightly unseen are what waits for a script, what is folded or shown when one comes
# to it, and labels of what is seen.
UNSEEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const unseen = [];
  const rightly = "script, svg, details, .unseen, .here, .scripted, [hidden]";
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() === "" || parentElement.closest(rightly) !== null) continue;
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
    # Without motion, as in the other tests: what is clicked must not scroll away from under the click.
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


def test_every_page_shows_all_its_text(bare: "Page", hosts: Hosts) -> None:
    """Nothing waits for a script; and no button is there that would do nothing."""
    for kind in KINDS:
        visit(bare, hosts, kind)

        assert bare.inner_text("main")
        assert [] == bare.evaluate(UNSEEN)
        controls = bare.locator("button, textarea, input, select, form, kbd").all()
        assert [] == [one.evaluate("(one) => one.outerHTML") for one in controls if one.is_visible()]


def test_evidence_unfolds(bare: "Page", hosts: Hosts) -> None:
    """What is folded opens by the browser's own means."""
    bare.goto(hosts.of("proven"))
    assert not bare.is_visible("#evidence tbody")
    bare.click("#evidence summary")
    bare.wait_for_selector("#evidence tbody")


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_links_lead_everywhere(bare: "Page", hosts: Hosts, way: str) -> None:
    """From home to a repository, an error, its evidence, class, report, guide and home, by clicks alone."""
    # A click returns before the page that it leads to is there: each step waits for what it must bring.
    bare.goto(hosts.of("home", way))

    bare.click("main a:text('SGLang')")
    bare.wait_for_selector("h1:text-is('sgl-project/sglang')")
    bare.click("main a[href*='logicalhostpool-allocation']")
    bare.wait_for_selector("h1:has-text('ValueError')")
    bare.click(".facts a:text('proven')")
    bare.wait_for_selector("#evidence:target")
    bare.click(".contents a[href='#solutions']")
    bare.wait_for_selector("#solutions:target")
    bare.click(".crumbs a[href*='../']:text('sglang')")
    bare.wait_for_selector("h1:text-is('sgl-project/sglang')")
    bare.click("nav a:text('Report')")
    bare.click("main a:text('sgl-project/sglang')")
    bare.wait_for_selector("summary >> nth=10")
    bare.click("nav a:text('API')")
    bare.wait_for_selector("h1:text-is('API')")
    bare.click("nav a:text('Classes')")
    bare.click("main a:text('ValueError')")
    bare.wait_for_selector("h1:text-is('ValueError')")
    bare.click("nav a:text('Guides')")
    bare.wait_for_selector("h1:text-is('Guides')")
    bare.click("main a[href*='page-alignment']")
    bare.wait_for_selector("h1:has-text('Page alignment')")
    bare.click("#errors a >> nth=0")
    bare.wait_for_selector("h1:has-text('ValueError')")
    bare.click("a.brand")
    bare.wait_for_url(hosts.of("home", way))


@pytest.mark.parametrize("way", ["root", "below", "file"])
def test_a_former_address_leads_on(bare: "Page", hosts: Hosts, way: str) -> None:
    """Who comes by a former slug is brought to the page that it is now."""
    bare.goto(hosts.of("former", way))
    bare.wait_for_url(hosts.of("unproven", way))

    bare.wait_for_selector("h1:has-text('acme.WidthError')")
