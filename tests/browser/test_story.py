"""The whole story, as its users live it: a first record, its proof, its review, the next release."""

import json
import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.projects import Project

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser("chromium", "playwright")

SOURCE = '''\
"""Widgets, as other people's programs have them."""


class Press:
    """Turns sheets into widgets, so many at a time."""

    def __init__(self, width):
        self.width = width

    def turn(self, sheets):
        if sheets % self.width:
            raise ValueError(f"cannot turn {sheets} sheets on a press of width {self.width}")
        return sheets // self.width
'''
SLUG = "cannot-turn-sheets-sheets-on-a-press-of-width-self-width"
RECORD = f"records/acme/widgets/{SLUG}.yaml"
MESSAGE = "cannot turn 7 sheets on a press of width 3"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without any record."""
    made = Project(tmp_path, SOURCE, "from widgets.core import Press\n\nPress(3).turn(7)\n")
    made.begin()
    return made


def _begin(project: Project) -> None:
    """The reference and its first record, as `init` writes them."""
    written = project.say("init").stdout.split()
    assert [
        "pyproject.toml",
        ".gitignore",
        ".github/workflows/errors.yml",
        "records/.schema/record.json",
        "records/.schema/repo.json",
        "records/acme/widgets/repo.yaml",
        RECORD,
    ] == written


def _prove(project: Project) -> None:
    """What a maintainer adds to a record that was begun."""
    project.edit(RECORD, "  unproven: no trigger has been written yet\n", "")
    text = (project.folder / RECORD).read_text(encoding="utf-8")
    sketch = text[text.index("  # setup: |-") :]
    assert "  #   from widgets.core import Press\n" in sketch
    assert "  # trigger: Press(…).turn(sheets)  # it raises where sheets % self.width\n" in sketch
    proof = """\
      setup: |-
        from widgets.core import Press
        press, sheets = Press(3), 7
      trigger: press.turn(sheets)
      captures: {sheets: "7", width: "3"}
      more: [Press(16).turn(3)]
      fixed: {expect: "turned == 3"}
    """
    project.edit(RECORD, sketch, textwrap.indent(textwrap.dedent(proof), "  "))
    begin, end = text.index("# solutions:"), text.index("# tags:")
    filled = """\
    solutions:
      - Turn whole multiples of the press's width.
    exampleFix: |-
      # before
      turned = press.turn(sheets)

      # after
      turned = press.turn(-(-sheets // press.width) * press.width)
    """
    project.edit(RECORD, text[begin:end], textwrap.dedent(filled))


def test_a_record_is_begun_proven_reviewed_renamed_and_moved(project: Project, tmp_path: Path) -> None:
    """From an empty project to a published folder, each step by the command that the README names."""
    # A reference, and the record again from what the program prints.
    _begin(project)
    (project.folder / RECORD).unlink()
    pasted = project.run(project.python, "app.py", status=1).stderr
    assert [RECORD] == project.say("new", stdin=pasted).stdout.split()
    assert "1 record: 1 unproven; no snippet had to run" in project.say("check", "--strict").stderr
    first = project.commit("Begin a reference of errors")

    # Its proof.
    _prove(project)
    assert "1 record: 1 proven; " in project.say("check", "--strict").stderr
    assert "cannot turn {sheets} sheets" in project.say("harvest", "src/widgets").stdout

    # Its review: what a pull request changes.
    project.git("checkout", "--quiet", "-b", "prove-it")
    proven = project.commit("Prove the first record")
    told = project.say("diff", "main", "--format", "markdown").stdout
    assert SLUG in told
    assert re.search(r"unproven.*proven", told), told
    changed = project.say("check", "--changed-since", "main", "--format", "github")
    assert "::error" not in changed.stdout

    # A new name: the old address is kept, or the change is refused.
    renamed = RECORD.replace(SLUG, "sheets-do-not-fill-the-press")
    project.git("mv", RECORD, renamed)
    project.edit(renamed, f"slug: {SLUG}\n", "slug: sheets-do-not-fill-the-press\n")
    lost = project.say("diff", "main", status=1)
    assert f"acme/widgets/{SLUG}" in lost.stdout
    project.edit(renamed, "analyzedSha:", f"aliases:\n  - {SLUG}\nanalyzedSha:")
    kept = json.loads(project.say("diff", "main", "--format", "json").stdout)
    assert "renamed" in json.dumps(kept)
    assert renamed in project.say("fmt").stdout
    project.say("fmt", "--check")
    project.commit("Give it a better name")

    # The next release: the same text on another line.
    project.git("tag", "v1.0", f"{first}~")
    project.edit("src/widgets/core.py", "    def turn", "    # As the manual has it.\n\n    def turn")
    project.commit("Explain the press")
    project.git("tag", "v1.1")
    project.say("drift", "acme/widgets", "--clone", "acme/widgets=.", "--tags", "v*")
    table = json.loads((project.folder / "records/acme/widgets/drift.json").read_text(encoding="utf-8"))
    (moved,) = table["records"].values()
    assert 14 == moved["v1.1"]["line"]
    project.say("drift", "acme/widgets", "--clone", "acme/widgets=.", "--repin", "v1.1")
    assert "lineNumber: 14\n" in (project.folder / renamed).read_text(encoding="utf-8")
    assert proven not in (project.folder / renamed).read_text(encoding="utf-8")
    assert "1 record: 1 proven; " in project.say("check").stderr

    # What is published: a folder that any host can serve.
    project.say("build", "--out", str(tmp_path / "public"))
    page = tmp_path / "public" / "acme" / "widgets" / "sheets-do-not-fill-the-press" / "index.html"
    assert "cannot turn" in page.read_text(encoding="utf-8")
    assert (tmp_path / "public" / "acme" / "widgets" / SLUG / "index.html").is_file()
    found = project.say("explain", "--out", str(tmp_path / "public"), f"ValueError: {MESSAGE}").stdout
    assert "- sheets: `7`\n- width: `3`" in found


@pytest.fixture
def address(project: Project) -> Iterator[str]:
    """The site of a record that is proven, as `pagefault serve` shows it."""
    _begin(project)
    _prove(project)
    command = [project.python, "-m", "generator", "serve", "--quiet"]
    with subprocess.Popen(
        command, cwd=project.folder, env=project.env, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/widgets/", said)
            assert found is not None, said
            yield found[0]
        finally:
            process.terminate()


def test_what_is_written_is_seen_at_once(project: Project, address: str, page: "Page") -> None:
    """The page that is open shows an edit without being asked, and what is wrong with the next one."""
    page.goto(f"{address}acme/widgets/{SLUG}/")
    assert "Raised by" in page.inner_text("main")
    project.edit(RECORD, "Raised by `Press.turn`.", "A press takes whole rows.")
    page.wait_for_selector("text=A press takes whole rows.")
    project.edit(RECORD, "lineNumber: 12", "lineNumber: 11")
    page.wait_for_selector("text=E0302")
    project.edit(RECORD, "lineNumber: 11", "lineNumber: 12")
    page.wait_for_selector("text=E0302", state="hidden")
    assert "A press takes whole rows." in page.inner_text("main")
