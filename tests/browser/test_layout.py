"""How pages lie: on narrow and wide screens, while they load, on paper."""

from typing import TYPE_CHECKING

import pytest

from tests.browser.sites import KINDS, Hosts
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")

WIDTHS = (360, 768, 1440)
# What reaches beyond the right edge, outside of boxes that scroll by themselves.
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? []
  : [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 40)}`)
  .concat("the page itself")"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((one) => { sum += one.value; }))
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => done(sum), 100));
})"""


def test_no_page_scrolls_sideways(page: "Page", hosts: Hosts) -> None:
    """Not one of all pages, on a telephone."""
    pages = hosts.sites.pages
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    wide = []
    for place in pages:
        page.goto(hosts.address(place))
        wide += [(place.path, what) for what in page.evaluate(WIDE)]

    assert len(pages) > 200
    assert [] == wide


def test_no_kind_of_page_scrolls_sideways(page: "Page", hosts: Hosts) -> None:
    """On a telephone, a tablet and a wide screen."""
    wide = []
    for kind in KINDS:
        visit(page, hosts, kind)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide += [(kind, width, what) for what in page.evaluate(WIDE)]

    assert [] == wide


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_moves_while_a_page_loads(page: "Page", hosts: Hosts, width: int) -> None:
    """Buttons and other additions of scripts have their room before they come."""
    page.set_viewport_size({"width": width, "height": 900})
    moved = {}
    for kind in KINDS:
        visit(page, hosts, kind)
        moved[kind] = page.evaluate(SHIFTS)

    assert dict.fromkeys(KINDS, 0) == moved


def test_a_movement_would_be_seen(page: "Page", hosts: Hosts) -> None:
    """A line that comes late above the text counts: silence above means something."""
    page.goto(hosts.of("proven"))
    page.evaluate("document.querySelector('main').prepend(document.createElement('hr'))")

    assert page.evaluate(SHIFTS) > 0


def test_paper_has_no_controls(page: "Page", hosts: Hosts) -> None:
    """Printed, a page is without navigation and buttons, and its code is whole."""
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    for kind in ("proven", "report", "guide", "list"):
        page.goto(hosts.of(kind))

        controls = page.locator(".top nav, .contents, .copy, .skip, .pages").all()
        assert len(controls) > 1
        assert not any(one.is_visible() for one in controls)
        cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
        assert [] == page.locator("pre, .scroll").evaluate_all(cut)


def test_paper_is_white(page: "Page", hosts: Hosts) -> None:
    """Also for a reader of dark pages."""
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(hosts.of("proven"))

    assert "rgb(29, 29, 27)" == page.evaluate("getComputedStyle(document.body).color")


def test_nothing_is_animated(page: "Page", hosts: Hosts) -> None:
    """Who asks for less motion gets none."""
    page.emulate_media(reduced_motion="reduce")
    moving = """(all) => all.filter((one) => {
      const style = getComputedStyle(one);
      return style.animationName !== "none" || style.transitionDuration !== "0s"
        || style.scrollBehavior !== "auto";
    }).map((one) => one.outerHTML.slice(0, 80))"""
    for kind in KINDS:
        visit(page, hosts, kind)
        assert [] == page.locator("*").evaluate_all(moving)
