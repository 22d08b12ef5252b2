"""Going to pages."""

from typing import TYPE_CHECKING

from tests.browser.sites import Hosts

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


def visit(page: "Page", hosts: Hosts, kind: str, way: str = "home") -> str:
    """Goes to the page of a kind, and stays there though it would lead on; its address."""
    address = hosts.of(kind, way)
    page.unroute_all()
    if kind == "former":
        page.route(lambda url: url != address, _stay)
    page.goto(address)
    return address


def _stay(route: "Route") -> None:
    """Lets a page load what it shows, but not another page."""
    if route.request.is_navigation_request():
        route.abort("aborted")
    else:
        route.continue_()
