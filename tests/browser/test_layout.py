"""How pages lie: on narrow and wide screens, while they load, on paper."""

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.browser.sites import COLORS, KINDS, MESSAGE, Hosts
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")

# Milliseconds of a round trip, and bytes a second.
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 100_000}
WIDTHS = (360, 768, 1440)
# What reaches beyond the right edge, outside of boxes that scroll by themselves.
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? []
  : [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 40)}`)
  .concat("the page itself")"""
# How light the ground and the text are, 0 to 255.
COLOURS = """() => ["backgroundColor", "color"].map((name) => {
  const parts = getComputedStyle(document.body)[name].match(/[0-9.]+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, one) => sum + one, 0) / 3;
})"""
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
        # On a busy machine a part of a pixel may be counted.
        moved[kind] = round(page.evaluate(SHIFTS), 4)

    assert dict.fromkeys(KINDS, 0) == moved


@pytest.mark.parametrize("width", WIDTHS)
def test_little_moves_for_a_message(page: "Page", hosts: Hosts, width: int) -> None:
    """What a script adds for who arrives with a message stands low on the page: little moves.

    Over a line as Lighthouse takes it. On the front page what is found has to be fetched first: that moves
    what is below, as little as counts as good.
    """
    page.set_viewport_size({"width": width, "height": 900})
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    page.goto(f"{hosts.of('proven')}#m={quote(MESSAGE)}")
    page.wait_for_selector("#yours dd")
    assert page.evaluate(SHIFTS) < 0.02

    page.goto(f"{hosts.of('home')}#m={quote(MESSAGE)}")
    page.wait_for_selector(".found li")
    assert page.evaluate(SHIFTS) < 0.1


def test_a_movement_would_be_seen(page: "Page", hosts: Hosts) -> None:
    """A line that comes late above the text counts: silence above means something."""
    page.goto(hosts.of("proven"))
    page.evaluate("document.querySelector('main').prepend(document.createElement('hr'))")

    assert page.evaluate(SHIFTS) > 0


def test_paper_has_no_controls(page: "Page", hosts: Hosts) -> None:
    """Printed, a page is without navigation and buttons, and its code is whole."""
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    for kind in ("proven", "report", "claims", "coverage", "guide", "list", "part", "home"):
        page.goto(hosts.of(kind))

        controls = page.locator(".top nav, .contents, .copy, .skip, .pages, .here, form, button").all()
        assert len(controls) > 2
        assert not any(one.is_visible() for one in controls)
        cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
        assert [] == page.locator("pre, .scroll").evaluate_all(cut)


def test_paper_has_the_evidence(page: "Page", hosts: Hosts) -> None:
    """What was run is printed although it is folded on the screen."""
    rows = page.locator("#evidence tbody tr")
    shown = (
        "(all) => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0).length"
    )
    page.goto(hosts.of("proven"))
    assert rows.count() > 5
    assert 0 == rows.evaluate_all(shown)

    page.emulate_media(media="print")
    assert rows.count() == rows.evaluate_all(shown)


def test_paper_is_white(page: "Page", hosts: Hosts) -> None:
    """Also for a reader of dark pages."""
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(hosts.of("proven"))

    ground, ink = page.evaluate(COLOURS)
    assert ink < 100
    assert ground > 200


@pytest.mark.parametrize("kind", ["home", "proven", "not found"])
def test_colours_follow_the_reader(page: "Page", hosts: Hosts, kind: str) -> None:
    """Dark for who asks for dark, and from the first picture on: it is the style sheet that decides."""
    page.emulate_media(color_scheme="light")
    page.goto(hosts.of(kind))
    ground, ink = page.evaluate(COLOURS)
    assert ink < 100
    assert ground > 200

    page.emulate_media(color_scheme="dark")
    ground, ink = page.evaluate(COLOURS)
    assert ground < 50
    assert ink > 200


def test_a_site_looks_as_configured(page: "Page", hosts: Hosts) -> None:
    """Its logo, title, footer and colors show, in both schemes."""
    for kind in ("front", "not found"):
        page.goto(hosts.of(kind))
        mark = page.locator(".brand img")

        assert "Errors at Acme" == page.inner_text(".brand")
        assert 3 == mark.evaluate("(one) => one.naturalWidth / one.naturalHeight")
        assert 3 == round(mark.evaluate("(one) => one.clientWidth / one.clientHeight"))
        assert "Kept by Acme." in page.inner_text("footer")
        for at, scheme in enumerate(("light", "dark")):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its names
            shown = page.evaluate(
                "[getComputedStyle(document.querySelector('main a')).color,"
                " getComputedStyle(document.body).backgroundColor]"
            )
            assert [_rgb(COLORS["link"][at]), _rgb(COLORS["ground"][at])] == shown


def _rgb(colour: str) -> str:
    """A colour as browsers say it."""
    return f"rgb({', '.join(str(int(colour[n : n + 2], 16)) for n in (1, 3, 5))})"


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
