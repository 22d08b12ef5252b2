"""The programs that the browser tests run, and whether they are there."""

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

MODULES = Path(__file__).parent / "node_modules"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# With these Chromium asks the network for nothing by itself, and runs where it is root.
SWITCHES = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# What a test may name in its mark: whether it is there, and what is said where it is not.
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "chromium": (lambda: CHROMIUM is not None, "Chromium is not on the path"),
    "playwright": (
        lambda: find_spec("playwright") is not None,
        "Playwright is missing: `make browser`",
    ),
    "node": (lambda: shutil.which("node") is not None, "node is not on the path"),
    "modules": (MODULES.is_dir, "tests/browser/node_modules is missing: `make browser`"),
    "java": (lambda: shutil.which("java") is not None, "java is not on the path"),
}
