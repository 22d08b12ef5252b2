"""What a reader does with a page: copy, link, arrive with a message, move by keys."""

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.browser.sites import ALLOCATION, MESSAGE, Hosts, Place

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser("chromium", "playwright")

ID = "ba4db60e324417e3"
# The place of the focus: what it is on, whether that shows (no box around it cuts its outline off), and
# whether it is in view.
FOCUS = """() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  one.dataset.reached = "";
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one);
  const { top, bottom, left, right } = one.getBoundingClientRect();
  const margin = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  let cut = false;
  for (let around = one.parentElement; around !== document.body; around = around.parentElement) {
    const box = around.getBoundingClientRect();
    cut ||= getComputedStyle(around).overflow !== "visible" && (left - margin < box.left
      || right + margin > box.right || top - margin < box.top || bottom + margin > box.bottom);
  }
  return {
    name: `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent.trim().slice(0, 40)}`,
    shows: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !cut,
    seen: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
  };
}"""
SCROLLING = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth && one.clientWidth > 0
    && /auto|scroll/.test(getComputedStyle(one).overflowX))"""


@pytest.fixture
def address(hosts: Hosts) -> str:
    """Of the page about allocations that are not whole pages."""
    return hosts.address(Place(hosts.sites.whole, ALLOCATION))


@pytest.fixture
def record(hosts: Hosts) -> dict[str, Any]:
    """What the API says of the same record."""
    file = hosts.sites.whole / "api" / "errors" / f"{ID}.json"
    found: dict[str, Any] = json.loads(file.read_bytes())["record"]
    return found


def test_buttons_copy_code_without_numbers(
    context: "BrowserContext", page: "Page", address: str, record: dict[str, Any]
) -> None:
    """The source as the API has it, no number before a line; every other block and the message as they stand.

    But not the code before the fix, which nobody should write.
    """
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)
    page.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    copied = []
    for button in page.locator("button.copy").all():
        button.click()
        page.wait_for_function("(one) => one.textContent === 'Copied'", arg=button.element_handle())
        copied.append(page.evaluate("navigator.clipboard.readText()"))

    assert record["sourceCode"] in copied
    assert record["validationCode"].rstrip() in copied
    assert record["tryCatchPattern"].rstrip() in copied
    before, after = record["exampleFix"].split("# after\n")
    assert before.removeprefix("# before\n").rstrip() not in copied
    assert after.rstrip() in copied
    assert record["errorMessage"] in copied
    assert len(copied) == len(set(copied))


def test_selected_source_has_no_numbers(page: "Page", address: str, record: dict[str, Any]) -> None:
    """Who selects the excerpt by hand gets the code as well."""
    page.goto(address)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.numbered code'))")

    assert record["sourceCode"].split() == page.evaluate("getSelection().toString()").split()


def test_the_raising_line_can_be_linked(page: "Page", address: str, record: dict[str, Any]) -> None:
    """`#L112` brings that line into view, and sets it off."""
    line = record["lineNumber"]
    page.set_viewport_size({"width": 1024, "height": 400})
    page.goto(f"{address}#L{line}")

    target = page.locator(f"#L{line}:target")
    box = target.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 400
    assert "raise ValueError(" in target.inner_text()
    assert "rgba(0, 0, 0, 0)" != target.evaluate("(one) => getComputedStyle(one).backgroundColor")


def test_a_message_in_the_address_fills_the_holes(page: "Page", address: str) -> None:
    """Under "Your message" stand the reader's own values, and what follows from them.

    A message of another error shows nothing.
    """
    page.goto(f"{address}#m={quote(MESSAGE)}")
    values = page.locator("#yours dl")

    assert "Your message" == page.inner_text("#yours h2")
    assert MESSAGE == page.inner_text("#yours samp")
    assert ["5003", "64"] == page.locator("#yours mark").all_inner_texts()
    names, texts = values.locator("dt").all_inner_texts(), values.locator("dd").all_inner_texts()
    assert ["need_size", "page_size"] == names[:2]
    assert ["5003", "64"] == texts[:2]
    # 5003 slots are 78 pages of 64 and 11 slots: the page says what to ask for.
    assert ["79", "5056"] == texts[2:]
    assert all(names)

    page.evaluate("location.hash = '#m=something%20else'")
    page.wait_for_selector("#yours", state="hidden")
    page.goto(address)
    assert not page.is_visible("#yours")


@pytest.mark.parametrize("kind", ["home", "proven", "guide", "not found"])
def test_the_first_key_leads_to_the_content(page: "Page", hosts: Hosts, kind: str) -> None:
    """Tab shows the link over the navigation, Enter follows it, and the next Tab is in the content."""
    page.goto(hosts.of(kind))
    page.keyboard.press("Tab")
    skip = page.locator(".skip:focus")
    box = skip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0

    page.keyboard.press("Enter")
    page.wait_for_url("**#content")
    page.keyboard.press("Tab")
    assert page.locator("main :focus").count()


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize(
    "kind",
    [
        "home",
        "proven",
        "native",
        "guide",
        "list",
        "front",
        "part",
        "report",
        "claims",
        "coverage",
        "api",
        "not found",
    ],
)
def test_keys_reach_everything(page: "Page", hosts: Hosts, kind: str, width: int) -> None:
    """Tab goes through all links, buttons and boxes that scroll; where it is can be seen each time."""
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(hosts.of(kind))
    page.locator("#evidence details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
    page.evaluate("document.body.focus()")
    stops = []
    for _ in range(1_000):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None:
            break
        stops.append(stop)

    assert [] == [stop["name"] for stop in stops if not (stop["shows"] and stop["seen"])]
    missed = f"({SCROLLING})().filter((one) => !('reached' in one.dataset)).map((one) => one.outerHTML)"
    assert [] == page.evaluate(missed)
    links = (
        "[...document.querySelectorAll('a, button, input, textarea, summary')]"
        ".filter((one) => one.checkVisibility())"
    )
    assert [] == page.evaluate(f"{links}.filter((one) => !('reached' in one.dataset)).map(String)")
