"""What the README says is true when run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator import build, config
from generator.build import Report
from generator.diagnostics import render
from generator.settings import Settings
from tests.projects import Project

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


def test_errors_are_found_as_shown(tmp_path: Path) -> None:
    """Each command gives an answer: a test's output, a message with its values, a code, a log."""
    (commands,) = (text for _, text in BLOCKS if "pagefault explain" in text)
    message = next(line for line in commands.splitlines() if "got need_size=37" in line).split('"')[1]
    (tmp_path / "app.log").write_text(f"12:00:01 ERROR {message}\n" * 3)
    out = {}
    for line in commands.splitlines():
        arguments = shlex.split(line.partition("pagefault explain")[2])
        done = subprocess.run(
            [sys.executable, "-m", "generator", "explain", "--records", str(ROOT / "records"), *arguments],
            input=f"E   ValueError: {message}\n",
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        )
        assert (0, "") == (done.returncode, done.stderr), line
        out[arguments[0]] = done.stdout

    assert "slots to ask for instead: `48`" in out[message]
    assert out["-"] == out[message]
    assert "E0302" in out["E0302"]
    assert "3" in out["--scan"]


WIDGETS = '''\
"""Widgets."""


def cut(count):
    raise ValueError(f"cannot cut {count} widgets")


def glue(count):
    raise TypeError(f"cannot glue {count} widgets")
def paint(count):
    if count:
        raise RuntimeError(f"cannot paint {count} widgets")
'''
# Set-up is what runs these; errors are found above; a server, until it is told to end, in tests/browser;
# other releases, for which these need a network or a clone, in test_drift.py and test_repin.py.
ELSEWHERE = ("make ", "pagefault explain", "pagefault serve", "pagefault drift")


def test_every_command_that_is_shown_works(tmp_path: Path) -> None:
    """In the order in which they stand there, in a project that has what they name."""
    project = Project(tmp_path, WIDGETS, "from widgets.core import glue\n\nglue(2)\n")
    project.begin()
    scripts = [text for language, text in BLOCKS if language == "sh"]
    meant = [text for text in scripts if not any(word in text for word in ELSEWHERE)]
    assert len(meant) > 3
    project.env["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary")
    for text in meant:
        if "origin/main" in text:
            # What is pushed is there.
            project.git("update-ref", "refs/remotes/origin/main", "HEAD")
            project.commit("Document our errors")
        project.shell(text)

    records = project.folder / "records" / "acme" / "widgets"
    assert ["cannot-cut-count-widgets", "cannot-glue-count-widgets", "cannot-paint-count-widgets"] == sorted(
        file.stem for file in records.glob("cannot*.yaml")
    )
    assert (project.folder / "site" / "index.html").is_file()
    assert "cannot-glue-count-widgets" in (tmp_path / "summary").read_text()
