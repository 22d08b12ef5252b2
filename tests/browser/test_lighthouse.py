"""What Lighthouse says of the front page and of an error page."""

import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.browser.programs import CHROMIUM, MODULES, SWITCHES
from tests.browser.sites import Hosts

pytestmark = pytest.mark.browser("chromium", "node", "modules")

# Not performance: it measures the machine. Bytes, blocking scripts and shifts are counted by tests of ours.
CATEGORIES = ("accessibility", "best-practices", "seo")
SEEN = ("home", "proven")


def report(address: str, folder: Path) -> dict[str, Any]:
    """Lighthouse's report on one page."""
    switches = (*SWITCHES, "--headless", f"--user-data-dir={folder / 'profile'}")
    done = subprocess.run(
        [
            *(str(shutil.which("node")), str(MODULES / "lighthouse" / "cli" / "index.js"), address),
            *("--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}"),
            f"--chrome-flags={' '.join(switches)}",
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=180,
        env={"CHROME_PATH": str(CHROMIUM), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
    assert 0 == done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def reports(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """By kind of page; all at once, since most of it is waiting."""
    folders = [tmp_path_factory.mktemp("lighthouse") for _ in SEEN]
    with ThreadPoolExecutor(len(SEEN)) as pool:
        return dict(zip(SEEN, pool.map(report, map(hosts.of, SEEN), folders), strict=True))


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("kind", SEEN)
def test_lighthouse_gives_full_marks(reports: dict[str, dict[str, Any]], kind: str, category: str) -> None:
    """For access, good practice and search engines."""
    found = reports[kind]["categories"][category]
    failed = [
        (reference["id"], reports[kind]["audits"][reference["id"]]["title"])
        for reference in found["auditRefs"]
        if reference["weight"] and reports[kind]["audits"][reference["id"]]["score"] not in {1, None}
    ]

    assert [] == failed
    assert 1 == found["score"]
