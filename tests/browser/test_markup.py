"""What the Nu HTML checker, which is the W3C's, says of every page and of the style sheet."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.browser.programs import MODULES
from tests.browser.sites import Sites

pytestmark = pytest.mark.browser("java", "modules")

JAR = MODULES / "vnu-jar" / "build" / "dist" / "vnu.jar"


def errors(*paths: Path) -> list[str]:
    """Each error in the pages, style sheets and drawings of the folders, with its place."""
    done = subprocess.run(
        [
            *("java", "-Xss8m", "-jar", str(JAR), "--errors-only", "--format", "json"),
            *("--skip-non-html", "--also-check-css", "--also-check-svg"),
            *map(str, paths),
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    found = json.loads(done.stderr)["messages"]
    assert bool(found) == bool(done.returncode)
    return [f"{one['url']}:{one.get('lastLine', 1)}: {one['message']}" for one in found]


def test_every_page_is_valid(sites: Sites) -> None:
    """All pages of both sites, their style sheet and icon, are without an error."""
    assert [] == errors(sites.whole, sites.small)


def test_errors_would_be_found(tmp_path: Path) -> None:
    """In pages and in style sheets: silence above means something."""
    (tmp_path / "index.html").write_text("<!DOCTYPE html><html lang=en><title>a</title><p><main id=a id=b>")
    (tmp_path / "site.css").write_text("p { colour: red }")

    assert {"index.html", "site.css"} == {Path(one.split(":")[1]).name for one in errors(tmp_path)}
