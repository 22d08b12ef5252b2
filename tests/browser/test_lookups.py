"""Every real output of tests/lookups, looked up by the scripts of the built site in Chromium."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.sites import Hosts

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")

LOOKUPS = Path(__file__).parents[1] / "lookups"
LOOK = "([text, root]) => pagefault.search(text, pagefault.loader(root))"


def expected(name: str) -> dict[str, Any]:
    """What a look-up of that output must find."""
    found: dict[str, Any] = json.loads((LOOKUPS / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("way", ["root", "file"])
def test_every_real_output_leads_to_its_page(page: "Page", hosts: Hosts, way: str) -> None:
    """Also from a folder, where scripts stand for what cannot be fetched; with the values in the holes."""
    names = sorted(path.stem for path in LOOKUPS.glob("*.txt"))
    page.goto(hosts.of("home", way))
    wrong = {}
    for name in names:
        text = (LOOKUPS / f"{name}.txt").read_bytes().decode()
        wanted = expected(name)
        matches = page.evaluate(LOOK, [text, ""])["matches"]
        best = matches[0] if matches else None
        told: tuple[str, str | None, dict[str, str]] = ("unknown", None, {})
        if best is not None:
            record = f"{best['repo']}/{best['slug']}" if best["slug"] else None
            told = (best["match"], record, best["values"])
        values = wanted["values"] if wanted["match"] == "exact" else told[2]
        if told != (wanted["match"], wanted["record"], values):
            wrong[name] = told

    assert len(names) >= 80
    assert {} == wrong
