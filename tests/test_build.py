"""`generator.build`: what is run, rendered and written for an edit, and what has no say in the bytes."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from generator import build, encoding, executor, probe, reading, schema, stage, subjects, verify, walls
from generator.build import Report
from generator.diagnostics import Source, Span, has_errors
from generator.memory import Memory
from generator.model import Case, Page, Subject
from generator.probe import Limits
from generator.settings import Settings
from generator.theme import Theme

ROOT = Path(build.__file__).parent.parent
SUBJECT = subjects.bundled()["sglang.LogicalHostPool"]
# Behind the walls that the command line finds here.
LIMITS = Limits(level=walls.available())

ALLOCATION = """\
repo: acme/pool
slug: allocation-is-refused
errorMessage: >-
  LogicalHostPool allocation must be page-aligned, got need_size={need_size}, page_size={self.page_size}
messagePattern: LogicalHostPool allocation must be page-aligned, got need_size=(.+?), page_size=(.+?)
errorClass: ValueError
filePath: python/pool.py
lineNumber: 112
documentation: An allocation is of whole pages.
solutions:
- Round the allocation up.
exampleFix: |-
  # before
  pool.alloc(5)

  # after
  pool.alloc(16)
tags: [paging]
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
analyzedAt: "2026-01-02"
verification:
  subject: sglang.LogicalHostPool
  setup: pool = LogicalHostPool(64, 16)
  trigger: pool.alloc(5)
  captures: {need_size: "5"}
  more: [pool.alloc(6)]
  fixed: {expect: pool.available_size() == 48}
"""

SIZE = """\
repo: acme/pool
slug: size-is-refused
errorMessage: LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}
errorClass: ValueError
filePath: python/pool.py
lineNumber: 61
documentation: A pool is built of whole pages.
tags: [paging]
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
analyzedAt: "2026-01-01"
verification:
  subject: sglang.LogicalHostPool
  trigger: LogicalHostPool(5, 16)
"""

IMPORTED = """\
repo: acme/other
slug: {slug}
errorMessage: "{message}"
errorClass: KeyError
filePath: src/other.py
lineNumber: 7
documentation: {documentation}
tags: [{tag}]
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""

SCRIPTS = 5  # of the two records that are run

# Real code that raises, needs nothing installed, and is imported at once.
JSON = Subject(name="json", imports="import json\n", module="json.decoder", kind="python")
DECODED = """\
repo: python/cpython
slug: expecting-value
errorMessage: "Expecting value: line {err.lineno} column {err.colno} (char {err.pos})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 355
documentation: There is no value here.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: json
  trigger: json.loads('')
  more: ["json.loads('[1, x]')"]
"""


@dataclass(frozen=True)
class Project:
    """A folder with records, and where its site and its facts are."""

    root: Path

    @property
    def out(self) -> Path:
        """Where the site is."""
        return self.root / "site"

    def record(self, name: str) -> Path:
        """Return the file of a record."""
        return self.root / "records" / name

    def settings(self, **changes: Any) -> Settings:
        """Return the settings of a build that keeps facts and uses one process."""
        places = {"records": self.root / "records", "out": self.out, "cache": self.root / "cache"}
        return Settings(**(places | {"limits": LIMITS} | changes))

    def build(self, **changes: Any) -> Report:
        """Build the site."""
        return build.build(self.settings(**changes))

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace what stands once in a record."""
        text = self.record(name).read_text()
        assert 1 == text.count(old)
        self.record(name).write_text(text.replace(old, new))

    def site(self) -> dict[str, bytes]:
        """Return every file of the site but its state, by path."""
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes()
            for path in sorted(self.out.rglob("*"))
            if path.is_file() and stage.STATE not in path.parts
        }

    def showing(self, text: str) -> set[str]:
        """Return the paths of all files of the site that hold this text."""
        plain = {
            path: gzip.decompress(data) if path.endswith(".gz") else data
            for path, data in self.site().items()
        }
        return {path for path, data in plain.items() if text.encode() in data}

    def marks(self) -> dict[str, tuple[int, int, int]]:
        """Return what would show that a file or folder of the site was touched."""
        return {
            path.relative_to(self.out).as_posix(): (
                path.stat().st_ino,
                path.stat().st_mtime_ns,
                path.stat().st_size,
            )
            for path in self.out.rglob("*")
            # What is noted there says when it was noted.
            if stage.STATE not in path.parts
        }


def imported(slug: str, **fields: str) -> str:
    """Return the text of a record that claims no proof."""
    known = {
        "message": f"{slug} is wrong with {{value}} here",
        "documentation": f"About {slug}.",
        "tag": "other",
    }
    return IMPORTED.format(slug=slug, **(known | fields))


def records() -> dict[str, str]:
    """Return the corpus, by file name."""
    compared = {
        SUBJECT.name: {
            "source": "pool.py",
            "sourceSha256": subjects.source_digest(SUBJECT),
            "operations": 12,
            "upstream": {},
        }
    }
    return {
        "acme/pool/allocation.yaml": ALLOCATION,
        "acme/pool/size.yaml": SIZE,
        "acme/pool/repo.yaml": "repo: acme/pool\ntitle: Acme's pool\n",
        "acme/pool/differential.json": json.dumps({"subjects": compared}),
        "acme/other/imported.yaml": imported("the-lookup"),
    }


def write(root: Path, names: Sequence[str] | None = None) -> Project:
    """Make a project of the corpus, its files in this order."""
    corpus = records()
    for name in names or list(corpus):
        path = root / "records" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(corpus[name])
    return Project(root)


@dataclass(frozen=True)
class Built:
    """The corpus, checked and then built, with nothing known before; `observed` holds what the check left."""

    project: Project
    observed: Path
    checked: Report
    report: Report


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Check the corpus and build it, once."""
    project = write(tmp_path_factory.mktemp("built"))
    checked = build.check(project.settings())
    observed = tmp_path_factory.mktemp("observed") / "cache"
    shutil.copytree(project.root / "cache", observed)
    return Built(project, observed, checked, project.build())


@pytest.fixture
def project(built: Built, tmp_path: Path) -> Project:
    """Return a copy of the built project, times included."""
    shutil.copytree(built.project.root, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths of all pages that are rendered."""
    paths: list[str] = []
    for form in encoding.formats_by_name().values():

        def spy(page: Page, theme: Theme, original: Any = form.encode) -> bytes:
            paths.append(page.path)
            data: bytes = original(page, theme)
            return data

        monkeypatch.setitem(encoding.formats_by_name(), form.name, replace(form, encode=spy))
    return paths


@pytest.fixture
def _no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)


no_process = pytest.mark.usefixtures("_no_process")


@pytest.fixture
def decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project whose one record needs nothing installed, with nothing known."""
    monkeypatch.setattr(subjects, "bundled", lambda: {JSON.name: JSON})
    project = Project(tmp_path / "decoder")
    project.record("decoder.yaml").parent.mkdir(parents=True)
    project.record("decoder.yaml").write_text(DECODED)
    return project


# A cold build.


def test_a_first_check_runs_everything(built: Built) -> None:
    """Every record has its standing, and nothing is published."""
    assert not has_errors(built.checked.diagnostics), built.checked.diagnostics
    assert {"proven": 2, "unproven": 1} == built.checked.standings
    assert (3, SCRIPTS) == (built.checked.records, built.checked.scripts_run)
    assert (None, 0) == (built.checked.changes, built.checked.pages_rendered)


def test_a_first_build_renders_and_writes_everything(built: Built) -> None:
    """Every record has its page and its two API files; what the check ran is not run again."""
    report, site = built.report, built.project.site()
    assert 0 == report.scripts_run
    assert report.pages == report.pages_rendered > 10
    assert report.changes is not None
    assert sorted(site) == list(report.changes.written)
    assert ((), 0) == (report.changes.removed, report.changes.unchanged)
    for one in report.verified:
        page = f"{one.record.repo}/{one.record.slug}/index.html"
        assert {page, f"api/errors/{one.record.id}", f"api/errors/{one.record.id}.json"} <= site.keys()
        assert site[f"api/errors/{one.record.id}"] == site[f"api/errors/{one.record.id}.json"]


def test_no_file_names_a_place_of_this_machine(built: Built) -> None:
    """Neither the folders of the build, nor those of the interpreter, nor a temporary one."""
    project = built.project
    places = {
        str(project.root),
        str(ROOT),
        sys.prefix,
        sys.base_prefix,
        str(Path.home()),
        tempfile.gettempdir(),
    }
    for place in sorted(place for place in places if place.count("/") > 1 or place == "/tmp"):  # noqa: S108 - is searched for
        assert set() == project.showing(place)


# A warm one.


@no_process
def test_a_second_build_does_nothing(project: Project, rendered: list[str]) -> None:
    """It starts no process, runs no script, renders no page, and touches no file."""
    before = project.marks()
    report = project.build()
    assert (0, 0, []) == (report.scripts_run, report.pages_rendered, rendered)
    assert report.changes is not None
    assert ((), ()) == (report.changes.written, report.changes.removed)
    assert before == project.marks()


@no_process
def test_a_build_elsewhere_runs_nothing(project: Project, rendered: list[str]) -> None:
    """Facts do not depend on where the site is to be; its files are where they were written."""
    before = project.site()
    elsewhere = Project(project.root / "moved")
    shutil.move(project.root / "records", elsewhere.root / "records")
    report = elsewhere.build(cache=project.root / "cache")
    assert (0, report.pages) == (report.scripts_run, len(rendered))
    assert before == elsewhere.site()


@no_process
def test_a_record_that_is_moved_within_its_file_renders_nothing(
    project: Project, rendered: list[str]
) -> None:
    """Comments and empty lines are nothing that a page shows."""
    for name in ("acme/pool/allocation.yaml", "acme/other/imported.yaml"):
        project.record(name).write_text(f"# one\n\n# three\n{project.record(name).read_text()}")
    before = project.marks()
    report = project.build()
    assert (0, []) == (report.scripts_run, rendered)
    assert before == project.marks()


@no_process
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("acme/pool/allocation.yaml", "An allocation is of whole pages.", "An allocation has whole pages."),
        ("acme/pool/allocation.yaml", "Round the allocation up.", "Round the allocation up, to a page."),
        ("acme/other/imported.yaml", "About the-lookup.", "About this look-up."),
    ],
)
def test_an_edited_sentence_renders_what_shows_it(
    project: Project, rendered: list[str], name: str, old: str, new: str
) -> None:
    """The record's page, its API files, and whatever else holds the sentence; the rest is not touched."""
    showing, before = project.showing(old), project.marks()
    project.edit(name, old, new)
    report = project.build()
    (one,) = (one for one in report.verified if one.case.file.path.endswith(name))
    page = f"{one.record.repo}/{one.record.slug}/index.html"
    assert {page, f"api/errors/{one.record.id}", f"api/errors/{one.record.id}.json"} <= showing
    # The manifest is made of the files' digests.
    assert sorted(showing) == sorted(path for path in rendered if not path.startswith("api/manifest"))
    assert (0, len(rendered)) == (report.scripts_run, report.pages_rendered)
    assert report.changes is not None
    written = {path for path in report.changes.written if not path.startswith("api/manifest")}
    assert showing == written
    after = project.marks()
    touched = {path for path in before if before[path] != after[path] and (project.out / path).is_file()}
    assert set(report.changes.written) == {path for path in touched if stage.STATE not in path}
    assert showing == project.showing(new)


def test_an_edited_pattern_runs_no_script(project: Project) -> None:
    """What the triggers raised is known; the new pattern is judged on it."""
    project.edit(
        "acme/pool/allocation.yaml",
        "allocation must be page-aligned, got need_size=(",
        "allocation, need_size=(",
    )
    report = project.build()
    assert 0 == report.scripts_run
    assert {"E0203"} == {one.code for one in report.diagnostics if one.severity == "error"}


def test_an_edited_snippet_runs_its_record_alone(project: Project, rendered: list[str]) -> None:
    """All scripts of that record, and none of the others'."""
    project.edit("acme/pool/size.yaml", "LogicalHostPool(5, 16)", "LogicalHostPool(6, 16)")
    report = project.build()
    assert 1 == report.scripts_run
    assert {"proven": 2, "unproven": 1} == report.standings
    assert {"acme/pool/size-is-refused/index.html", "report/acme/pool/index.html"} <= set(rendered)
    assert not [path for path in rendered if path.startswith(("acme/pool/allocation", "acme/other"))]


@no_process
def test_an_edited_template_renders_what_it_shows(project: Project, rendered: list[str]) -> None:
    """Data are not rendered anew for a look, nor written for one."""
    templates = project.root / "templates"
    templates.mkdir()
    text = (ROOT / "templates" / "error.html").read_text()
    (templates / "error.html").write_text(f"{text}\n<!-- mine -->")
    report = project.build(templates=templates)
    assert "acme/pool/size-is-refused/index.html" in rendered
    assert not [path for path in rendered if path.endswith("size-is-refused.json")]
    assert report.changes is not None
    assert not [path for path in report.changes.written if path.startswith("api/errors/")]


@no_process
def test_a_removed_record_takes_its_files_along(project: Project) -> None:
    """And its folder; what named it no longer does."""
    project.record("acme/other/imported.yaml").unlink()
    showing = project.showing("the-lookup")
    report = project.build()
    assert report.changes is not None
    assert "acme/other/the-lookup/index.html" in report.changes.removed
    assert showing <= {*report.changes.removed, *report.changes.written}
    assert set() == project.showing("the-lookup")
    assert not (project.out / "acme/other").exists()


@no_process
def test_a_renamed_file_renders_what_names_it(project: Project, rendered: list[str]) -> None:
    """The fields `repo` and `slug` decide where a record's page is, not the place of its file."""
    path = project.record("acme/pool/allocation.yaml")
    showing = project.showing("acme/pool/allocation.yaml")
    path.rename(project.record("acme/aaa.yaml"))
    report = project.build()
    assert (3, 0) == (report.records, report.scripts_run)
    assert report.changes is not None
    assert (tuple(sorted(showing)), ()) == (report.changes.written, report.changes.removed)
    assert showing <= set(rendered)
    assert not [path for path in rendered if path.startswith(("acme/pool/size", "acme/other", "api/"))]


# Errors.


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("acme/pool/allocation.yaml", "errorClass: ValueError", "errorClass: KeyError"),
        ("acme/pool/allocation.yaml", "repo: acme/pool", "repo: ["),
        ("acme/pool/allocation.yaml", "tags: [paging]", "tag: [paging]"),
        ("acme/pool/repo.yaml", "title: ", "heading: "),
        ("acme/other/imported.yaml", "slug: the-lookup", "slug: The Lookup"),
    ],
)
@no_process
def test_an_error_leaves_the_site_as_it_was(project: Project, name: str, old: str, new: str) -> None:
    """Byte for byte and time for time, also where other records have changed."""
    project.edit("acme/pool/size.yaml", "A pool is built of whole pages.", "Other words.")
    before = project.marks()
    project.edit(name, old, new)
    report = project.build()
    assert has_errors(report.diagnostics)
    assert (None, 0) == (report.changes, report.pages_rendered)
    assert before == project.marks()


def test_an_error_publishes_nothing_where_nothing_was(tmp_path: Path) -> None:
    """Not even a folder."""
    project = write(tmp_path, ["acme/other/imported.yaml"])
    project.edit("acme/other/imported.yaml", "errorClass: KeyError", "errorClass: 5 wrong")
    assert project.build().changes is None
    assert not project.out.exists()


@no_process
def test_strictly_a_warning_is_an_error(project: Project) -> None:
    """And nothing is published."""
    before = project.marks()
    project.edit("acme/pool/size.yaml", "A pool is built of whole pages.", "Other words.")
    report = project.build(is_strict=True)
    assert report.changes is None
    assert before == project.marks()


@no_process
def test_an_interrupted_build_is_completed_though_an_error_stands(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was decided before the error is published; the error keeps back what comes after it."""
    project.edit("acme/pool/size.yaml", "A pool is built of whole pages.", "Words after the edit.")
    move = Path.replace

    def interrupt(self: Path, target: Path) -> Path:
        if target.name == "files.db":
            raise KeyboardInterrupt
        return move(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            project.build()
    assert (project.out / stage.STATE / "pass.json").exists()
    project.edit("acme/pool/size.yaml", "errorClass: ValueError", "errorClass: KeyError")
    assert project.build().changes is None
    assert not (project.out / stage.STATE / "pass.json").exists()
    assert "acme/pool/size-is-refused/index.html" in project.showing("Words after the edit.")


# What has no say.


def test_a_parallel_build_without_a_cache_writes_the_same(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process or several, known facts or none, in an empty folder or over an older site."""
    monkeypatch.setattr(executor, "BATCH", 4)
    before = project.site()
    report = project.build(
        is_caching=False, jobs=2, limits=replace(LIMITS, jobs=2), out=project.root / "other"
    )
    assert (SCRIPTS, report.pages) == (report.scripts_run, report.pages_rendered)
    other = Project(project.root / "renamed")
    shutil.move(project.root / "other", other.out)
    assert before == other.site()


def test_the_surroundings_have_no_say(built: Built, tmp_path: Path) -> None:
    """Hash seeds, zones, languages, working folders, and the order in which files were made."""
    names = list(records())
    surroundings = [
        ({"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"}, names),
        (
            {"PYTHONHASHSEED": "1", "TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"},
            names[::-1],
        ),
        ({"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"}, sorted(names, key=hash)),
    ]
    started = []
    for number, (environment, order) in enumerate(surroundings):
        project = write(tmp_path / f"place {number}" / ("x" * number), order)
        command = [sys.executable, "-m", "generator", "build", "--jobs", str(number + 1)]
        if number:
            # All render anew, and one runs the scripts anew, which takes its time.
            shutil.copytree(built.observed, project.root / ".cache" / "pagefault")
        process = subprocess.Popen(
            command,
            cwd=project.root,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append((project, process))
    for project, process in started:
        _, said = process.communicate()
        assert 0 == process.returncode, said
        assert re.search(r"site: (\d+) of \1 files rendered", said)
        assert built.project.site() == project.site()


# A part.


@no_process
def test_outputs_can_be_limited(project: Project) -> None:
    """To pages and the records' JSON; the rest, which an earlier build wrote, is removed."""
    everything = project.site()
    report = project.build(outputs=("html", "json"))
    assert report.changes is not None
    site = project.site()
    # Pages lead to nothing that is left out, and are else the same.
    assert {".html"} == {Path(path).suffix for path in report.changes.written}
    assert not {path for path in project.showing("index.md") | project.showing("feed.xml") if path in site}
    written = set(report.changes.written)
    assert {path: data for path, data in site.items() if path not in written} == {
        path: everything[path] for path in site if path not in written
    }
    pages = {path for path in everything if path.endswith(".html") or path.startswith("static/")}
    # What keeps the folder out of git and from Jekyll is always there.
    pages |= {".gitignore", ".nojekyll"}
    identifiers = {one.record.id for one in report.verified}
    assert pages | {f"api/errors/{one}.json" for one in identifiers} == set(site)
    project.build()
    assert everything == project.site()


@no_process
def test_selected_records_alone_are_reported(project: Project) -> None:
    """The others are there to be compared with."""
    project.edit("acme/pool/allocation.yaml", "errorClass: ValueError", "errorClass: KeyError")
    project.edit("acme/pool/size.yaml", "errorClass: ValueError", "errorClass: KeyError")
    chosen = project.record("acme/pool/size.yaml")
    report = build.check(project.settings(), [chosen])
    assert {str(chosen)} == {one.path for one in report.diagnostics}
    assert (1, ["size-is-refused"]) == (report.records, [one.record.slug for one in report.verified])


@no_process
def test_records_that_are_not_selected_are_not_run(tmp_path: Path) -> None:
    """With nothing known before, only what is selected runs: here something that claims no proof."""
    project = write(tmp_path)
    report = build.check(project.settings(), [project.record("acme/other")])
    assert (1, 0) == (report.records, report.scripts_run)
    assert ["the-lookup"] == [one.record.slug for one in report.verified]


@no_process
def test_a_selected_record_is_compared_with_the_others(project: Project) -> None:
    """An id that another file has is found, whichever of the two is selected."""
    text = imported("second", message="second is wrong with {value} there")
    project.record("acme/other/second.yaml").write_text(f"id: 0123456789abcdef\n{text}")
    project.edit("acme/other/imported.yaml", "repo: acme/other", "id: 0123456789abcdef\nrepo: acme/other")
    report = build.check(project.settings(), [project.record("acme/other/second.yaml")])
    assert "E0121" in {one.code for one in report.diagnostics}


@no_process
@pytest.mark.parametrize(
    "way", ["acme/../acme/other", "./acme/other/../other/imported.yaml", "../link/other"]
)
def test_however_a_path_is_written_it_is_selected(project: Project, way: str) -> None:
    """With dots in it, or through a link."""
    (project.root / "link").symlink_to("records/acme")
    report = build.check(project.settings(), [project.root / "records" / way])
    assert ["the-lookup"] == [one.record.slug for one in report.verified]


@no_process
def test_records_elsewhere_are_judged_by_themselves(project: Project, tmp_path: Path) -> None:
    """A copy of a record is no duplicate of it."""
    copy = tmp_path / "copy.yaml"
    shutil.copy(project.record("acme/pool/size.yaml"), copy)
    report = build.check(project.settings(), [copy])
    assert not has_errors(report.diagnostics)
    assert (1, {"proven": 1}) == (report.records, report.standings)


@pytest.mark.parametrize(
    "path",
    [
        "records/acme/empty",
        "records/acme/pool/repo.yaml",
        "records/acme/pool/differential.json",
        "records/acme/pool/.hidden.yaml",
        "records/guides",
        "elsewhere",
    ],
)
@no_process
def test_a_path_without_records_is_refused(tmp_path: Path, path: str) -> None:
    """Also beside one with some: nobody should believe it checked."""
    project = write(tmp_path)
    for folder in ("records/acme/empty", "records/guides", "elsewhere/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "records/guides/paging.md").write_text("# Paging\n")
    (tmp_path / "records/acme/pool/.hidden.yaml").write_text(imported("hidden"))
    (tmp_path / "elsewhere/deep/notes.txt").write_text("none")
    settings = project.settings(name=lambda one: one.relative_to(tmp_path).as_posix())
    for others in ([], [tmp_path / "records/acme/other"]):
        with pytest.raises(reading.NoRecords, match=f"^{re.escape(path)}$"):
            build.check(settings, [*others, tmp_path / path])


# Why something runs again.


def _why(project: Project, **changes: Any) -> tuple[str, ...]:
    report = build.check(project.settings(is_explaining=True, name=lambda path: path.name, **changes))
    assert len(report.reasons) == (report.scripts_run > 0)
    return report.reasons


def test_what_runs_for_the_first_time_was_not_run_before(decoder: Project) -> None:
    """What does not run again needs no reason, and without being asked none is given."""
    assert ("decoder.yaml: it was not run before",) == _why(decoder)
    assert () == _why(decoder)
    decoder.edit("decoder.yaml", "json.loads('')", "json.loads('[')")
    assert () == build.check(decoder.settings()).reasons


def test_an_edited_snippet_is_named_as_such(decoder: Project) -> None:
    """Prose, patterns and places are no inputs of a run."""
    _why(decoder)
    decoder.edit("decoder.yaml", "There is no value here.", "A value is missing.")
    assert () == _why(decoder)
    decoder.edit("decoder.yaml", "json.loads('')", "json.loads('[')")
    assert ("decoder.yaml: changed: snippets",) == _why(decoder)
    decoder.edit("decoder.yaml", "json.loads('[')", "json.loads('')")
    assert () == _why(decoder)


@pytest.mark.parametrize(
    ("owner", "name", "value", "said"),
    [
        (subjects, "versions", lambda _: {"pool": "1.5"}, "versions"),
        (probe, "_runner_digest", lambda: "another", "runner"),
        (subjects, "source_digest", lambda _: "another", "source"),
        (probe, "walls", lambda _: ("none",), "walls"),
        (subjects, "bundled", lambda: {"json": replace(JSON, imports="import json, re\n")}, "imports"),
        (
            subjects,
            "bundled",
            lambda: {"json": replace(JSON, uses=("generator.pattern",))},
            "used modules",
        ),
    ],
)
def test_the_input_that_changed_is_named(
    decoder: Project, monkeypatch: pytest.MonkeyPatch, *, owner: object, name: str, value: object, said: str
) -> None:
    """Whichever it is."""
    _why(decoder)
    monkeypatch.setattr(owner, name, value)
    assert (f"decoder.yaml: changed: {said}",) == _why(decoder)
    assert () == _why(decoder)


def test_every_input_that_changed_is_named(decoder: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Since it ran last; a deadline and a limit are walls."""
    _why(decoder)
    decoder.edit("decoder.yaml", "json.loads('')", "json.loads('[')")
    monkeypatch.setattr(probe, "_runner_digest", lambda: "another")
    limits = replace(LIMITS, seconds=7)
    assert ("decoder.yaml: changed: snippets, walls, runner",) == _why(decoder, limits=limits)
    assert ("decoder.yaml: changed: walls",) == _why(decoder, limits=replace(limits, memory=2**30))
    assert () == _why(decoder, limits=replace(limits, jobs=1))


def test_what_was_lost_was_not_kept(decoder: Project) -> None:
    """Its inputs are those of before, and its entry is gone; or it ran, and took too long to be believed."""
    _why(decoder)
    for path in (decoder.root / "cache").rglob("*"):
        if path.is_file() and b'"observations"' in path.read_bytes():
            path.unlink()
    assert ("decoder.yaml: what it did was not kept",) == _why(decoder)
    decoder.edit("decoder.yaml", "json.loads('')", "sum(iter(int, 1))")
    limits = replace(LIMITS, seconds=0.3)
    assert ("decoder.yaml: changed: snippets, walls",) == _why(decoder, limits=limits)
    assert ("decoder.yaml: what it did was not kept",) == _why(decoder, limits=limits)


def test_without_a_cache_nothing_is_kept(decoder: Project) -> None:
    """Which is why, each time."""
    _why(decoder)
    for _ in range(2):
        assert ("decoder.yaml: nothing is kept from run to run",) == _why(decoder, is_caching=False)


def test_what_cannot_be_run_is_not_run_again(decoder: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no script that ran, has no reason, and is not known afterwards."""
    monkeypatch.setattr(subjects, "why_absent", lambda _: "this is another Python")
    assert () == _why(decoder)
    report = build.check(decoder.settings())
    assert (0, {"read": 1}) == (report.scripts_run, report.standings)
    monkeypatch.undo()
    monkeypatch.setattr(subjects, "bundled", lambda: {JSON.name: JSON})
    assert ("decoder.yaml: it was not run before",) == _why(decoder)


# How many must be proven.


def _below(project: Project, floor: int, paths: Sequence[Path] = ()) -> list[tuple[str, str, object]]:
    table = Span(3, 1, 3, 17)
    report = build.check(
        project.settings(floor=floor, config_name="pagefault.toml", config_table=table), paths
    )
    return [(one.message, one.path, one.span) for one in report.diagnostics if one.code == "E0703"]


def test_fewer_proven_records_than_the_floor_are_an_error(decoder: Project) -> None:
    """At the table that says so; as many as it says are enough, and 0 asks for none."""
    decoder.record("imported.yaml").write_text(imported("the-lookup"))
    said = "1 records are proven, and the floor is 2"
    assert [(said, "pagefault.toml", Span(3, 1, 3, 17))] == _below(decoder, 2)
    assert [] == _below(decoder, 1)
    decoder.record("decoder.yaml").unlink()
    assert [] == _below(decoder, 0)
    assert 1 == len(_below(decoder, 1))


def test_below_the_floor_nothing_is_published(decoder: Project) -> None:
    """A check that no longer runs would otherwise look like one that passes."""
    assert decoder.build(floor=2, tracker="https://example.org/new").changes is None
    assert not decoder.out.exists()
    assert decoder.build(floor=1).changes is not None


def test_the_floor_is_of_all_records(decoder: Project) -> None:
    """Of some alone it says nothing."""
    assert [] == _below(decoder, 2, [decoder.record("decoder.yaml")])


@pytest.mark.parametrize(("kind", "count"), [("python", 0), ("package", 1)])
def test_records_of_another_python_are_left_out(
    decoder: Project, monkeypatch: pytest.MonkeyPatch, kind: Any, count: int
) -> None:
    """They cannot be proven here; what is merely not installed could be."""
    subject = replace(JSON, kind=kind)
    monkeypatch.setattr(subjects, "bundled", lambda: {JSON.name: subject})
    monkeypatch.setattr(subjects, "why_absent", lambda _: "this is another Python")
    assert count == len(_below(decoder, 1))
    assert 1 == len(_below(decoder, 2))


# What a site looks like, and how large it may be.


def _largest(project: Project, size: int) -> Report:
    table = Span(3, 1, 3, 17)
    return project.build(max_size=size, config_name="pagefault.toml", config_table=table)


@no_process
def test_a_site_that_is_too_large_is_not_published(project: Project) -> None:
    """One byte more than it may have is an error, and what was published stays."""
    size = sum(map(len, project.site().values()))
    before = project.marks()
    report = _largest(project, size - 1)
    (found,) = (one for one in report.diagnostics if one.code == "E0704")
    assert ("error", "pagefault.toml", Span(3, 1, 3, 17)) == (found.severity, found.path, found.span)
    assert re.fullmatch(r"the site takes \d\.\d MiB, and may take \d\.\d MiB", found.message)
    # The folders that hold most, the largest first.
    (note,) = found.notes
    held = [float(one) for one in re.findall(r"([\d.]+) MiB", note)]
    assert 3 == len(held)
    assert sorted(held, reverse=True) == held
    assert (None, before) == (report.changes, project.marks())


@no_process
def test_a_site_that_is_nearly_too_large_is_warned_of(project: Project) -> None:
    """Above four fifths; it is published all the same, unless warnings count."""
    size = sum(map(len, project.site().values()))
    for largest, severities in (
        (size, ["warning"]),
        (size * 5 // 4 - 5, ["warning"]),
        (size * 5 // 4 + 5, []),
    ):
        report = _largest(project, largest)
        assert severities == [one.severity for one in report.diagnostics if one.code == "E0704"]
        assert report.changes is not None
    assert project.build(max_size=size, is_strict=True, tracker="https://example.org/new").changes is None


@no_process
def test_of_a_check_the_size_is_not_known(project: Project) -> None:
    """It makes no site."""
    report = build.check(project.settings(max_size=1))
    assert [] == [one for one in report.diagnostics if one.code == "E0704"]


@no_process
@pytest.mark.parametrize("name", ["logo.svg", "Mark.PNG"])
def test_a_logo_stands_on_every_page(project: Project, name: str) -> None:
    """As an asset with a digest in its name; it is no page's to repeat."""
    file = project.root / name
    file.write_bytes(b"<svg>mine</svg>")
    report = project.build(logo=file)
    assert report.changes is not None
    (asset,) = (path for path in project.site() if path.startswith("static/logo."))
    assert re.fullmatch(rf"static/logo\.[0-9a-f]{{8}}{file.suffix.lower()}", asset)
    assert b"<svg>mine</svg>" == project.site()[asset]
    pages = {path for path in project.site() if path.endswith(".html")}
    assert pages == {path for path in project.showing(f'{asset}" alt=""') if path.endswith(".html")}


@no_process
def test_a_logo_that_is_not_there_is_an_error(project: Project) -> None:
    """Nor is a folder one; the site is as it was."""
    before = project.marks()
    for name in ("absent.svg", "records"):
        report = project.build(logo=project.root / name, name=lambda path: path.name)
        (found,) = (one for one in report.diagnostics if one.severity == "error")
        assert ("E0702", f"`logo`: there is no file at {name}") == (found.code, found.message)
        assert (None, before) == (report.changes, project.marks())


@no_process
def test_colors_are_the_style_sheets_alone(project: Project) -> None:
    """Pages are the same but for its address, which its digest is part of."""
    project.build(colors={"link": ("#00f", "#9cf")})
    (sheet,) = (path for path in project.site() if re.fullmatch(r"static/site\.[0-9a-f]{8}\.css", path))
    assert project.site()[sheet].endswith(b":root {\n  --link: light-dark(#00f, #9cf);\n}\n")
    assert {sheet} == project.showing("#9cf")
    assert "acme/pool/size-is-refused/index.html" in project.showing(sheet)


@no_process
def test_a_footer_is_markdown_without_markup(project: Project) -> None:
    """On every page; what would be HTML is text."""
    project.build(footer="By [us](https://example.org/) <b>alone</b>")
    shown = '<p>By <a href="https://example.org/">us</a> &lt;b&gt;alone&lt;/b&gt;</p>'
    pages = {path for path in project.site() if path.endswith(".html")}
    assert pages == project.showing(shown)


# The rest of a run.


@no_process
def test_progress_is_told(project: Project) -> None:
    """Each stage from nothing to all."""
    told: list[tuple[str, int, int]] = []
    project.edit("acme/pool/size.yaml", "A pool is built of whole pages.", "Other words.")
    report = project.build(say=lambda *what: told.append(what))
    count = report.pages_rendered
    stages = [[one for one in told if one[0] == name] for name in dict.fromkeys(one[0] for one in told)]
    assert ["read", "run", "render"] == [steps[0][0] for steps in stages]
    assert count > 0
    for steps in stages:
        assert 0 == steps[0][1]
        assert steps == sorted(steps)
        assert {True} == {0 <= done <= of for _, done, of in steps}


@no_process
def test_facts_that_are_damaged_are_made_again(project: Project) -> None:
    """The worst that can happen to the cache is that it is empty."""
    before = project.site()
    shutil.rmtree(project.root / "records" / "acme" / "pool")
    for path in (project.root / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-2])
    report = project.build()
    assert 0 == report.scripts_run
    assert before["acme/other/the-lookup/index.html"] == project.site()["acme/other/the-lookup/index.html"]


def test_a_flipped_byte_in_every_fact_changes_nothing_but_the_counts(decoder: Project) -> None:
    """Everything is run and rendered anew, to the same site."""
    decoder.record("imported.yaml").write_text(imported("the-lookup"))
    first = decoder.build()
    before = decoder.site()
    assert (2, first.pages) == (first.scripts_run, first.pages_rendered)
    assert (0, 0) == ((warm := decoder.build()).scripts_run, warm.pages_rendered)
    entries = [path for path in (decoder.root / "cache" / "facts").rglob("*") if path.is_file()]
    assert len(entries) > 2
    for number, path in enumerate(sorted(entries)):
        data = bytearray(path.read_bytes())
        data[number * 31 % len(data)] ^= 1 << number % 8
        path.write_bytes(data)
    report = decoder.build(out=decoder.root / "other")
    assert (2, first.pages) == (report.scripts_run, report.pages_rendered)
    shutil.rmtree(decoder.out)
    (decoder.root / "other").rename(decoder.out)
    assert before == decoder.site()


@no_process
def test_a_cache_that_cannot_be_written_costs_time_alone(project: Project) -> None:
    """A file stands where its folder would be."""
    shutil.rmtree(project.root / "records" / "acme" / "pool")
    (project.root / "blocked").write_bytes(b"")
    report = project.build(cache=project.root / "blocked")
    assert report.changes is not None
    assert 0 == report.scripts_run


def test_what_was_not_used_for_longest_is_removed_after_a_build(decoder: Project) -> None:
    """So that no more is kept than there may be; the site does not depend on it, nor do wheels go."""
    wheel = decoder.root / "cache" / "wheels" / "pool.whl"
    wheel.parent.mkdir(parents=True)
    wheel.write_bytes(b"x" * 10_000)
    decoder.build()
    before = decoder.site()
    facts = decoder.root / "cache" / "facts"

    def held() -> int:
        return sum(path.stat().st_size for path in facts.rglob("*") if path.is_file())

    assert held() > 2_000
    decoder.build(cache_size=1_500)
    assert 0 < held() <= 1_500
    decoder.build(cache_size=0)
    assert 0 == held()
    assert before == decoder.site()
    assert wheel.exists()


def test_seconds_are_told_by_stage(built: Built) -> None:
    """For people; no output depends on them."""
    assert ["read", "run", "judge", "render", "publish"] == list(built.report.seconds)


# What a process keeps that builds again.


def test_a_process_that_builds_again_reads_and_judges_what_changed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one memory; with another one, everything, to the same site."""
    read: list[str] = []
    judged: list[str] = []
    decode, alone = schema.decode_text, verify._alone

    def decode_text(source: Source, *arguments: Any, **named: Any) -> Any:
        read.append(Path(source.path).name)
        return decode(source, *arguments, **named)

    def judge_alone(case: Case, known: Any) -> Any:
        judged.append(Path(case.file.path).name)
        return alone(case, known)

    monkeypatch.setattr(schema, "decode_text", decode_text)
    monkeypatch.setattr(verify, "_alone", judge_alone)
    memory = Memory()
    project.edit("acme/pool/size.yaml", "of whole pages", "of pages")
    project.build(memory=memory)
    assert ({"allocation.yaml", "size.yaml"}, set()) == (set(judged), set(judged) - set(read))

    read.clear()
    judged.clear()
    project.edit("acme/pool/size.yaml", "of pages", "of pages alone")
    report = project.build(memory=memory)
    assert (["size.yaml"], ["size.yaml"], 0) == (read, judged, report.scripts_run)
    site = project.site()
    project.edit("acme/pool/size.yaml", "of pages alone", "of pages")
    project.build(memory=memory)
    project.edit("acme/pool/size.yaml", "of pages", "of pages alone")
    project.build()
    assert site == project.site()
