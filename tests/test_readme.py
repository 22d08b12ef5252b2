"""What the README says is true when run."""

import os
import re
import shutil
from pathlib import Path

import pytest

from generator import build, config
from generator.build import Report, Settings
from generator.diagnostics import render

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
RECORD = next(text for language, text in BLOCKS if language == "yaml")
PATH = "records/sgl-project/sglang/logicalhostpool-size.yaml"


def checked(folder: Path, text: str) -> Report:
    """The record, checked alone beside what this repository says of its own."""
    file = folder / PATH
    file.parent.mkdir(parents=True)
    for name in ("repo.yaml", "differential.json"):
        shutil.copy(ROOT / "records/sgl-project/sglang" / name, file.parent / name)
    file.write_text(text)
    cache = Path(os.environ.get("PAGEFAULT_CACHE", ROOT / ".cache/pagefault"))
    return build.check(
        Settings(
            records=folder / "records",
            out=folder / "site",
            cache=cache,
            is_caching=False,
            tracker="https://example.org/new",
            name=lambda path: path.relative_to(folder).as_posix(),
        )
    )


def test_eleven_lines_are_a_record(tmp_path: Path) -> None:
    """The README's first record has eleven lines, and is proven as it stands."""
    report = checked(tmp_path, RECORD)

    assert 11 == len(RECORD.splitlines())
    assert ["proven"] == [one.standing for one in report.verified]
    assert () == report.diagnostics


def test_shown_finding_is_what_check_says(tmp_path: Path) -> None:
    """The finding in the README is the one that a line number off by one gives."""
    (shown,) = (text for _, text in BLOCKS if text.startswith("error["))
    text = RECORD.replace("lineNumber: 61", "lineNumber: 62")

    report = checked(tmp_path, text)

    if not any(one.case.excerpt for one in report.verified):
        reason = "the wheel that holds the excerpt is not in the cache: `make site` fetches it"
        (pytest.fail if os.environ.get("PAGEFAULT_REQUIRE_UPSTREAM") else pytest.skip)(reason)
    assert shown.strip() == render(report.diagnostics, lines=lambda _: text.split("\n")).strip()


def test_shown_settings_are_known(tmp_path: Path) -> None:
    """The settings in the README are read without a finding."""
    (tmp_path / config.FILE).write_text(next(text for language, text in BLOCKS if language == "toml"))

    project, found = config.load(tmp_path / config.FILE, config.FILE, tmp_path)

    assert () == found
    assert "https://github.com/owner/name/issues/new" == project.config.tracker


def test_every_make_target_named_exists() -> None:
    """The README and CONTRIBUTING name no target that the Makefile lacks."""
    text = README + (ROOT / "CONTRIBUTING.md").read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets
