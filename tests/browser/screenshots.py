"""Pictures of every kind of page, for a person to look at: `python -m tests.browser.screenshots FOLDER`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from tests.browser.programs import CHROMIUM, SWITCHES
from tests.browser.server import served
from tests.browser.sites import BELOW, KINDS, MESSAGE, Hosts, build_sites
from tests.browser.visits import visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = (360, 768, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def take(hosts: Hosts, folder: Path) -> None:
    """Writes `<kind>-<width>-<scheme>.png` for each of these, and what a message makes of two kinds."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        for scheme in SCHEMES:
            for width in WIDTHS:
                _take(browser, hosts, folder, scheme, width)
        browser.close()


def _take(
    browser: "Browser", hosts: Hosts, folder: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()

    def keep(name: str) -> None:
        page.screenshot(path=folder / f"{name.replace(' ', '-')}-{width}-{scheme}.png", full_page=True)

    for kind in KINDS:
        visit(page, hosts, kind)
        keep(kind)
    for kind, shown in (("home", ".found li"), ("proven", "#yours dd")):
        page.goto("about:blank")
        page.goto(f"{hosts.of(kind)}#m={quote(MESSAGE)}")
        page.wait_for_selector(shown)
        page.evaluate("scrollTo(0, 0)")
        keep(f"{kind} with a message")
    context.close()


def main(folder: Path) -> None:
    """Builds both sites, and takes their pictures."""
    with TemporaryDirectory() as built:
        sites = build_sites(Path(built))
        with served(sites.whole, "/") as whole, served(sites.small, BELOW) as small:
            take(Hosts(sites, {sites.whole: whole}, {sites.small: small}), folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
