"""What a browser makes of `pagefault serve`: pages load again, and findings stand before them."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.test_serve import CONFIGURED, RECORD, Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser("chromium", "playwright")
DIALOG = "dialog[open]"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Return a running server of a project with one record."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "first.yaml").write_text(RECORD.format(slug="first"))
    (tmp_path / "pyproject.toml").write_text(CONFIGURED)
    with serving(tmp_path) as served:
        served.settled()
        yield served


@pytest.fixture
def shown(served: Served, page: "Page") -> "Page":
    """Return a page of its record, in a browser that objects to nothing."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address(served, "acme/pool/first/"))
    assert [] == complaints
    return page


def address(served: Served, path: str) -> str:
    """Return the address of a page."""
    return f"http://{served.host}:{served.port}{served.prefix}{path}"


def write(served: Served, text: str) -> None:
    """Save the record."""
    (served.project / "records" / "first.yaml").write_text(text)


def test_a_page_loads_again_when_its_record_was_saved(served: Served, shown: "Page") -> None:
    """By itself; the policy of the page, which allows no script but the site's, lets it."""
    policy = shown.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy is not None
    assert "script-src 'self'" in policy
    shown.get_by_text("What it means.").wait_for()
    write(served, RECORD.format(slug="first").replace("means", "says"))
    shown.get_by_text("What it says.").wait_for()
    write(served, RECORD.format(slug="first").replace("means", "says at last"))
    shown.get_by_text("What it says at last.").wait_for()
    assert shown.locator(DIALOG).count() == 0


def test_a_page_that_does_not_exist_loads_when_it_does(served: Served, page: "Page") -> None:
    """At any depth, with the look of the site."""
    page.goto(address(served, "acme/pool/second/"))
    page.get_by_role("heading", name="There is no page here").wait_for()
    (served.project / "records" / "second.yaml").write_text(RECORD.format(slug="second"))
    page.get_by_role("heading", name="second is refused").first.wait_for()


def test_findings_stand_before_the_page_until_they_are_mended(served: Served, shown: "Page") -> None:
    """With file and line, above the last good page, which can be looked at; then they go by themselves."""
    write(served, RECORD.format(slug="first") + "bogus: <img src=x>\n")
    dialog = shown.locator(DIALOG)
    dialog.wait_for()
    text = dialog.inner_text()
    assert "error[E0111]: unknown field `bogus`" in text
    assert "--> records/first.yaml:9:1" in text
    assert "9 | bogus: <img src=x>" in text
    assert 0 == dialog.locator("img").count()
    # The sheet took effect under the page's policy.
    assert "rgb(23, 24, 27)" == dialog.evaluate("one => getComputedStyle(one).backgroundColor")
    assert "rgb(255, 138, 128)" == dialog.locator(".error").first.evaluate(
        "one => getComputedStyle(one).color"
    )
    # Another finding takes the place of the first.
    write(served, RECORD.format(slug="first").replace("lineNumber: 7", "lineNumber: x"))
    shown.locator(DIALOG).get_by_text("must be a whole number").wait_for()
    assert 1 == shown.locator(DIALOG).count()
    write(served, RECORD.format(slug="first"))
    shown.locator(DIALOG).wait_for(state="detached")
    shown.get_by_text("What it means.").wait_for()


def test_findings_can_be_put_aside(served: Served, shown: "Page") -> None:
    """By a button or a key; what is new stands there again, and so it does on the next page."""
    for number, put_aside in enumerate(("key", "button")):
        write(served, RECORD.format(slug="first") + f"bogus{number}: 1\n")
        shown.locator(DIALOG).get_by_text(f"`bogus{number}`").wait_for()
        if put_aside == "key":
            shown.keyboard.press("Escape")
        else:
            shown.get_by_role("button", name="Show the last good page").click()
        shown.locator(DIALOG).wait_for(state="detached")
        assert shown.get_by_text("What it means.").is_visible()
    shown.goto(address(served, ""))
    shown.locator(DIALOG).get_by_text("`bogus1`").wait_for()


def test_a_template_that_fails_is_told_with_its_line(served: Served, shown: "Page") -> None:
    """And the configuration, when it cannot be read."""
    (served.project / "pyproject.toml").write_text(CONFIGURED + "oops\n")
    shown.locator(DIALOG).get_by_text("pyproject.toml").first.wait_for()
    (served.project / "themes").mkdir()
    (served.project / "themes" / "home.html").write_text("\n{{ none.at.all }}\n")
    (served.project / "pyproject.toml").write_text(CONFIGURED + 'templates = "themes"\n')
    shown.locator(DIALOG).get_by_text("themes/home.html:2:").wait_for()
    (served.project / "themes" / "home.html").unlink()
    shown.locator(DIALOG).wait_for(state="detached")


def test_a_half_written_file_is_never_seen(served: Served, shown: "Page") -> None:
    """Nothing is told of it, and the page shows what it says in the end."""
    seen: list[str] = []
    shown.on("console", lambda message: seen.append(message.text))
    shown.evaluate("new MutationObserver(() => console.log(1)).observe(document.body, {childList: true})")
    write(served, "")
    time.sleep(0.1)
    write(served, RECORD.format(slug="first").replace("means", "says"))
    shown.get_by_text("What it says.").wait_for()
    assert [] == seen
    assert "E0" not in served.err


def test_the_last_page_is_told_when_the_server_comes_back(tmp_path: Path, page: "Page") -> None:
    """A page that was open meanwhile loads again."""
    (tmp_path / "records").mkdir()
    file = tmp_path / "records" / "first.yaml"
    file.write_text(RECORD.format(slug="first"))
    (tmp_path / "pyproject.toml").write_text(CONFIGURED)
    with serving(tmp_path) as served:
        served.settled()
        page.goto(address(served, "acme/pool/first/"))
    file.write_text(RECORD.format(slug="first").replace("means", "says"))
    with serving(tmp_path, port=served.port):
        page.get_by_text("What it says.").wait_for(timeout=60_000)


def test_many_pages_can_be_open(served: Served, context: "BrowserContext") -> None:
    """A browser has six connections to a host: pages that are not seen do not keep theirs."""
    pages = [context.new_page() for _ in range(8)]
    for one in pages:
        one.goto(address(served, "acme/pool/first/"))
        one.evaluate(
            "Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => 'hidden'});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
    write(served, RECORD.format(slug="first").replace("means", "says"))
    last = pages[-1]
    last.evaluate(
        "Object.defineProperty(document, 'visibilityState', {get: () => 'visible'});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    last.get_by_text("What it says.").wait_for()
    assert pages[0].get_by_text("What it means.").is_visible()
