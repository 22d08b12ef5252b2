"""What axe finds."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.browser.programs import MODULES
from tests.browser.sites import ATTACK, KINDS, MESSAGE, Hosts
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright", "modules")

ALL = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}},
}
RUN = """async (options) => {
  const found = await axe.run(document, options);
  return {
    passed: found.passes.length,
    violations: found.violations.flatMap((rule) =>
      rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`)),
  };
}"""


def found(page: "Page") -> dict[str, Any]:
    """What axe says of the page, all of it unfolded: rules passed, and each place that breaks one."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate((MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    page.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    answer: dict[str, Any] = page.evaluate(RUN, ALL)
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(page: "Page", hosts: Hosts, kind: str) -> None:
    """No rule of WCAG 2.2 AA nor of good practice is broken, wide and light as well as narrow and dark."""
    address = visit(page, hosts, kind)
    light = found(page)
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark")
    dark = found(page)

    assert [] == light["violations"] + dark["violations"]
    assert light["passed"] > 15
    assert dark["passed"] > 15
    assert address == page.url


@pytest.mark.parametrize(
    ("kind", "message", "shown"),
    [
        ("hostile", ATTACK, "#yours dd"),
        ("proven", MESSAGE, "#yours dd"),
        ("home", MESSAGE, ".found .fits"),
        ("home", ATTACK, ".found a"),
    ],
)
def test_axe_finds_nothing_while_a_message_is_shown(
    page: "Page", hosts: Hosts, kind: str, message: str, shown: str
) -> None:
    """The reader's own values are as readable as the rest, and so is what was found."""
    page.goto(f"{hosts.of(kind)}#m={quote(message)}")
    page.wait_for_selector(shown)
    light = found(page)
    page.emulate_media(color_scheme="dark")

    assert [] == light["violations"] + found(page)["violations"]


def test_axe_would_find_something(page: "Page", hosts: Hosts) -> None:
    """A pale paragraph and a box that no key reaches are named: silence above means something."""
    page.goto(hosts.of("proven"))
    page.set_viewport_size({"width": 360, "height": 800})
    page.evaluate("document.querySelector('#meaning p').style.color = '#ccc'")
    page.evaluate("document.querySelectorAll('pre').forEach((one) => one.removeAttribute('tabindex'))")

    rules = {violation.split(":")[0] for violation in found(page)["violations"]}

    assert {"color-contrast", "scrollable-region-focusable"} <= rules
