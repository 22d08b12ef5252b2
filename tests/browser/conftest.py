"""What the browser tests need and share."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.browser.programs import CHROMIUM, NEEDS, SWITCHES
from tests.browser.server import served
from tests.browser.sites import BELOW, Hosts, Sites, build_sites

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test of this folder for want of what its mark names, before any site is built for it."""
    mark = item.get_closest_marker("browser")
    assert mark is not None, "every test in this folder is marked `browser`, with what it needs"
    asked = {os.environ.get(name) for name in ("PAGEFAULT_BROWSER", "PAGEFAULT_REQUIRE_BROWSER")}
    if "1" not in asked:
        pytest.skip("the browser tests run with `make test-browser`")
    missing = [NEEDS[need][1] for need in mark.args if not NEEDS[need][0]()]
    if missing and os.environ.get("PAGEFAULT_REQUIRE_BROWSER") == "1":
        pytest.fail("; ".join(missing), pytrace=False)
    if missing:
        pytest.skip("; ".join(missing))


@pytest.fixture(scope="session")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    """Both sites, built once."""
    return build_sites(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def hosts(sites: Sites) -> Iterator[Hosts]:
    """Servers for both sites, at a root and below a path."""
    with ExitStack() as stack:
        folders = (sites.whole, sites.small)
        root = {folder: stack.enter_context(served(folder, "/")) for folder in folders}
        below = {folder: stack.enter_context(served(folder, BELOW)) for folder in folders}
        yield Hosts(sites, root, below)


# For a module, not for all: while Playwright runs, no other test could run an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Chromium, with a profile of its own."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - may be absent

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        yield browser
        browser.close()


@pytest.fixture
def context(browser: "Browser") -> Iterator["BrowserContext"]:
    """A reader who was never here before, at a wide window."""
    # Without motion: what scrolls smoothly is not yet where a test looks for it.
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: "BrowserContext") -> "Page":
    """A tab of theirs."""
    return context.new_page()
