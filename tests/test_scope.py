"""`generator.scope`: what `check --changed-since` runs and reports, and what it does not."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator import cli, history, schema, scope
from generator.scope import Scope
from generator.settings import Settings
from tests.repositories import branch, commit, git

PYTHON = f"python=={sys.version_info.major}.{sys.version_info.minor}"
DECODED = f"""\
repo: python/cpython
slug: expecting-value
errorMessage: "Expecting value: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 355
documentation: There is no value here.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: {PYTHON}
  setup: import json
  trigger: json.loads("")
  more: ["json.loads('[1, x]')"]
"""
EXTRA = f"""\
repo: python/cpython
slug: extra-data
errorMessage: "Extra data: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 340
documentation: There is more than one value here.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: {PYTHON}
  setup: import json
  trigger: json.loads("1 2")
  more: ["json.loads('[] []')"]
"""
IMPORTED = """\
repo: acme/pool
slug: {slug}
errorMessage: "{slug} is refused with {{value}} here"
errorClass: KeyError
filePath: src/pool.py
lineNumber: 7
documentation: {documentation}
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""
GUIDE = "# Values\n\nAll of them.\n\n```python\n1 + 1\n#> 2\n```\n"
CONFIGURED = '[project]\nname = "acme"\n\n[tool.pagefault]\ntracker = "https://example.org/new"\n'

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project on a branch of its own about whose records nothing is to be said."""
    folder = tmp_path / "project"
    files = {
        "pyproject.toml": CONFIGURED,
        "records/python/decoded.yaml": DECODED,
        "records/python/extra.yaml": EXTRA,
        "records/python/repo.yaml": "repo: python/cpython\ntitle: Python\n",
        "records/acme/size.yaml": IMPORTED.format(slug="the-size", documentation="About sizes."),
        "records/guides/values.md": GUIDE,
        ".gitignore": "/.cache/\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    branch(folder)
    return folder


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in the project: status, standard output, standard error."""
    monkeypatch.chdir(project)

    def run(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        written = capsys.readouterr()
        return ended.value.code, written.out, written.err

    return run


def chosen(project: Path, **places: Path) -> Scope:
    """Return what is to be judged since `main`."""
    known: dict[str, Any] = {
        "records": project / "records",
        "out": project / "site",
        "cache": project / ".cache",
    } | places
    repository = history.history(project / "records")
    return scope.scope(
        Settings(**known | places), repository, repository.base("main"), project / "pyproject.toml"
    )


def names(project: Path, files: frozenset[Path]) -> list[str]:
    """Return files by their paths from the folder of records."""
    return sorted(path.relative_to(project / "records").as_posix() for path in files)


def edit(file: Path, old: str, new: str) -> None:
    """Replace what stands once in a file."""
    assert 1 == file.read_text().count(old)
    file.write_text(file.read_text().replace(old, new))


# What is chosen.


def test_what_changed_is_chosen(project: Path) -> None:
    """In commits, in the working tree, and what git does not track yet; records and guides alone."""
    records = project / "records"
    edit(records / "acme" / "size.yaml", "sizes", "all sizes")
    commit(project)
    edit(records / "python" / "extra.yaml", "more than one", "a second")
    edit(records / "guides" / "values.md", "All", "Some")
    for name in ("acme/new.yaml", "acme/.hidden.yaml", "acme/notes.txt", "guides/deep/other.yaml"):
        (records / name).parent.mkdir(exist_ok=True)
        (records / name).write_text("new")
    found = chosen(project)
    expected = ["acme/new.yaml", "acme/size.yaml", "guides/values.md", "python/extra.yaml"]
    assert expected == names(project, found.files) == names(project, found.changed)
    assert (False, "") == (found.is_wide, found.why_all)


@pytest.mark.parametrize("name", ["repo.yaml", "differential.json"])
def test_records_are_judged_again_by_what_stands_beside_them(project: Path, name: str) -> None:
    """Their lines may be read elsewhere, or their subject be compared no more."""
    (project / "records" / "python" / name).write_text("{}")
    found = chosen(project)
    assert sorted(["python/decoded.yaml", "python/extra.yaml", f"python/{name}"]) == names(
        project, found.files
    )
    assert [f"python/{name}"] == names(project, found.changed)


def test_a_record_that_is_gone_widens_what_is_judged(project: Path) -> None:
    """Others may link to it."""
    (project / "records" / "acme" / "size.yaml").unlink()
    found = chosen(project)
    assert (frozenset(), True) == (found.files, found.is_wide)


def test_other_settings_have_everything_judged(project: Path) -> None:
    """Those that are ours: a project's file says much else."""
    edit(project / "pyproject.toml", "acme", "pool")
    assert "" == chosen(project).why_all
    edit(project / "pyproject.toml", "example.org", "example.com")
    assert "the configuration changed" == chosen(project).why_all


def test_a_configuration_that_is_new_has_everything_judged(project: Path) -> None:
    """Or one that git does not track."""
    git(project, "rm", "--quiet", "--cached", "pyproject.toml")
    (project / "pyproject.toml").rename(project / "kept")
    commit(project)
    git(project, "branch", "--force", "main")
    (project / "kept").rename(project / "pyproject.toml")
    assert "the configuration changed" == chosen(project).why_all


def test_templates_and_the_program_itself_have_everything_judged(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they stand in this repository."""
    (project / "templates").mkdir()
    (project / "templates" / "error.md").write_text("new")
    assert "templates changed" == chosen(project, templates=project / "templates").why_all
    (project / "program").mkdir()
    (project / "program" / "probe.py").write_text("new")
    assert "" == chosen(project).why_all
    monkeypatch.setattr(scope, "PACKAGE", project / "program")
    assert "pagefault itself changed" == chosen(project).why_all


@pytest.mark.parametrize(
    "path",
    [
        "a.yaml",
        "a/b.yml",
        "b.json",
        "c.jsonl.gz",
        "repo.yaml",
        "a/repo.yaml",
        ".a.yaml",
        ".a/b.yaml",
        "guides/a.yaml",
        "a/guides/b.yaml",
        "a.txt",
        "a/differential.json",
    ],
)
def test_records_are_those_that_a_build_reads(tmp_path: Path, path: str) -> None:
    """Told by a path alone, where there is no file any more."""
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("x")
    assert schema.is_record(path) is (tmp_path / path in set(schema.record_paths(tmp_path)))


# What is run and said.


def test_what_changed_alone_is_run_and_reported(run: Run, project: Path) -> None:
    """Nothing is known before, and of two records that are wrong one was so on the other branch."""
    edit(project / "records" / "python" / "decoded.yaml", "JSONDecodeError", "DecodeError")
    commit(project)
    git(project, "branch", "--force", "main")
    edit(project / "records" / "python" / "extra.yaml", "JSONDecodeError", "DecodeError")
    status, out, err = run("check", "--changed-since", "main", "--format", "concise")
    assert (1, "") == (status, out)
    assert {"records/python/extra.yaml"} == set(re.findall(r"(?m)^([^\s:]+):\d", err))
    assert "1 record: 1 unproven; 2 snippets run" in err


def test_a_guide_alone_is_run_and_reported(run: Run, project: Path) -> None:
    """Its code, and no record's."""
    edit(project / "records" / "guides" / "values.md", "#> 2", "#> 3")
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert 1 == status
    assert "records/guides/values.md:7:1: error[E0602]" in err
    assert "\n1 guide; 1 snippet run; isolation" in err


def test_where_nothing_changed_nothing_is_run(run: Run, project: Path) -> None:
    """And that is said; programs get a document all the same."""
    base = git(project, "rev-parse", "main")
    status, out, err = run("check", "--changed-since", "main", "--format", "json")
    assert (0, []) == (status, json.loads(out)["findings"])
    whence = f"since {base[:10]}, where `main` and HEAD part"
    assert f"no record and no guide changed {whence}: there is nothing to check\n" == err


def test_everything_is_run_where_settings_changed(run: Run, project: Path) -> None:
    """And why is said."""
    edit(project / "pyproject.toml", "example.org", "example.com")
    status, _, err = run("check", "--changed-since", "main")
    assert 0 == status
    assert err.startswith("the configuration changed since ")
    assert "3 records: 2 proven, 1 unproven" in err


def widen(project: Path, *, declared: bool) -> None:
    """Have one pattern match another record's messages; on `main` too."""
    decoded, extra = (project / "records/python" / f"{name}.yaml" for name in ("decoded", "extra"))
    edit(decoded, '"Expecting value: line', '"{what}: line')
    if declared:
        overlap = "verification:\n  overlaps: [{{record: {}, apart: By its words.}}]"
        edit(decoded, "verification:", overlap.format("extra-data"))
        edit(extra, "verification:", overlap.format("expecting-value"))
    else:
        extra.unlink()
    commit(project)
    git(project, "branch", "--force", "main")


def test_a_new_record_is_compared_with_those_that_are_not_run(run: Run, project: Path) -> None:
    """The older one's pattern matches its messages: that would not be so without the branch."""
    widen(project, declared=False)
    (project / "records/python/extra.yaml").write_text(EXTRA)
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert 1 == status
    assert "records/python/decoded.yaml:3:15: error[E0207]" in err
    assert "1 record: 1 proven; 2 snippets run" in err


def test_an_overlap_with_what_is_not_run_is_believed(run: Run, project: Path) -> None:
    """With nothing known before, what the other raises is not known either."""
    widen(project, declared=True)
    edit(project / "records/python/decoded.yaml", "no value", "nothing")
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert (0, []) == (status, [line for line in err.splitlines() if "E0207" in line])


def test_an_address_that_is_taken_is_reported_whoever_comes_first(run: Run, project: Path) -> None:
    """Also where it is the older record that comes second in the order of files."""
    (project / "records/acme/aaa.yaml").write_text(
        IMPORTED.format(slug="the-size", documentation="Another.").replace("is refused", "is not taken")
    )
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert 1 == status
    assert "records/acme/size.yaml:2:7: error[E0122]" in err


def test_links_to_a_record_that_is_gone_are_reported(run: Run, project: Path) -> None:
    """In records and guides that did not change."""
    edit(project / "records/guides/values.md", "All of", "See [sizes](../../acme/pool/the-size/index.html),")
    commit(project)
    git(project, "branch", "--force", "main")
    assert 0 == run("check", "--changed-since", "main")[0]
    (project / "records/acme/size.yaml").unlink()
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert 1 == status
    assert "records/guides/values.md:1:1: error[E0604]" in err
    assert "\nno record; no snippet had to run; isolation" in err


def test_a_wrong_repo_file_is_reported(run: Run, project: Path) -> None:
    """It changed as well, and no record of it may have."""
    edit(project / "records/python/repo.yaml", "title", "titel")
    status, _, err = run("check", "--changed-since", "main", "--format", "concise")
    assert 1 == status
    assert "records/python/repo.yaml:2:1: error[E0111]" in err
    assert "2 records: 2 proven" in err


def test_annotations_begin_with_files_that_changed(run: Run, project: Path) -> None:
    """A step shows ten: those about what a branch did must be among them."""
    edit(project / "pyproject.toml", "tracker", "base-url")
    (project / "records/acme/aaa.yaml").write_text(IMPORTED.format(slug="a", documentation='""'))
    (project / "records/python/zzz.yaml").write_text(IMPORTED.format(slug="z", documentation='""'))
    edit(project / "records/python/repo.yaml", "title", "titel")
    commit(project)
    git(project, "branch", "--force", "main")
    edit(project / "pyproject.toml", "example.org", "example.com")
    edit(project / "records/python/zzz.yaml", "slug: z", "slug: zz")
    status, out, _ = run("check", "--changed-since", "main", "--format", "github")
    assert 1 == status
    files = re.findall(r"(?m)^::error file=([^,]+)", out)
    assert "records/python/zzz.yaml" == files[0]
    assert {"records/acme/aaa.yaml", "records/python/repo.yaml"} <= set(files[1:])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("nothing",), "pagefault: --changed-since: git knows no `nothing` here: fetch it first"),
        (("main", "records/acme"), "Error: --changed-since chooses what is checked: name no PATHS beside it"),
    ],
)
def test_what_cannot_be_compared_ends_with_2(run: Run, arguments: tuple[str, ...], why: str) -> None:
    """With what to do."""
    status, out, err = run("check", "--changed-since", *arguments)
    assert (2, "") == (status, out)
    assert why in err


def test_where_there_is_no_repository_the_command_ends_with_2(run: Run, project: Path) -> None:
    """It cannot know what changed."""
    (project / ".git").rename(project / "git")
    assert (2, "", "pagefault: --changed-since: this is no working tree of git\n") == run(
        "check", "--changed-since", "main"
    )
