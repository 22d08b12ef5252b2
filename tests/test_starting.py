"""A new reference: what `pagefault init` writes, and that it is proven and built at once."""

import io
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from generator import cli, config, starting
from generator.starting import Start

WORKFLOWS = Path(__file__).parents[1] / ".github" / "workflows"
START = Start("widgets", "Acme/widgets", "pagefault==0.1.0")


def test_settings_are_those_that_are_read(tmp_path: Path) -> None:
    """Title, address of the site on GitHub Pages, and where reports and edits go."""
    file = tmp_path / "pyproject.toml"
    file.write_text(starting.settings(START))
    project, problems = config.load(file, file.name, tmp_path)

    assert () == problems
    assert (
        "Errors of widgets",
        "https://acme.github.io/widgets/",
        "https://github.com/Acme/widgets/issues/new?labels=errors",
        "https://github.com/Acme/widgets/edit/main/",
    ) == (project.config.title, project.config.base_url, project.config.tracker, project.config.edit)


def test_a_site_of_a_user_has_no_path() -> None:
    """The repository of that name is published at the root."""
    assert 'base-url = "https://acme.github.io/"' in starting.settings(Start("", "acme/acme.github.io", ""))


@pytest.mark.parametrize("title", ['a "quoted" one', "back\\slash", "tab\tand\x7f", "x" * 200, "页"])
def test_any_title_is_toml(title: str) -> None:
    """Whatever a project is called."""
    read = tomllib.loads(starting.settings(Start(title, "a/b", "")))["tool"]["pagefault"]["title"]
    assert f"Errors of {title}"[:80] == read


def test_what_git_ignores_is_added_once() -> None:
    """And what it ignored before stays as it was."""
    once = starting.ignored("*.pyc\nsite\n")
    assert "*.pyc\nsite\n/.cache/\n" == once
    assert once == starting.ignored(once)


def test_the_workflow_uses_what_our_own_do() -> None:
    """The same actions at the same commits, so that one of them is not left behind."""
    ours = {
        one for file in WORKFLOWS.glob("*.yml") for one in re.findall(r"uses: (\S+ # v\S+)", file.read_text())
    }
    used = re.findall(r"uses: (.+)", starting.workflow(START))
    assert 5 == len(used)
    assert set(used) <= ours


def test_the_workflow_installs_us_and_the_project() -> None:
    """As pip is told; a requirement with blanks is quoted."""
    run = [step.get("run") for step in yaml.safe_load(starting.workflow(START))["jobs"]["prove"]["steps"]]
    assert "pip install pagefault==0.1.0 ." in run
    other = starting.workflow(Start("", "a/b", "pagefault @ git+https://example.org/p@abc", ""))
    assert "run: pip install 'pagefault @ git+https://example.org/p@abc'\n" in other


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs a command: its status, and what it says on either stream."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of git with a package of its own, in the working folder."""
    (tmp_path / "src" / "widgets").mkdir(parents=True)
    (tmp_path / "src" / "widgets" / "__init__.py").write_text(
        'def _hidden():\n    raise ValueError("nobody calls this from outside")\n\n\n'
        'def turn(count):\n    raise ValueError(f"cannot turn {count} widgets")\n'
    )
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "widgets"\nversion = "1.0"\n')
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", "https://github.com/acme/widgets"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "one"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)  # noqa: S607 - the user's
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_reference_begins_and_builds_at_once(project: Path, call: Call) -> None:
    """Settings, workflow, and a record of the first error that others can meet."""
    status, out, err = call("init")

    assert 0 == status, err
    assert [
        "pyproject.toml",
        ".gitignore",
        ".github/workflows/errors.yml",
        "records/.schema/record.json",
        "records/.schema/repo.json",
        "records/acme/widgets/repo.yaml",
        "records/acme/widgets/cannot-turn-count-widgets.yaml",
    ] == out.splitlines()
    assert "next: pagefault check, then pagefault serve\n" == err
    assert (project / "pyproject.toml").read_text().startswith('[project]\nname = "widgets"\n')

    status, _, err = call("build", "--isolation", "1", "--strict")
    assert (0, True) == (status, err.startswith("1 record: 1 unproven")), err
    assert (project / "site" / "acme" / "widgets" / "cannot-turn-count-widgets" / "index.html").is_file()


def test_what_is_there_is_kept(project: Path, call: Call) -> None:
    """A second time nothing is written."""
    call("init")
    before = {
        path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts
    }
    status, out, err = call("init")

    assert (0, "") == (status, out)
    assert "pyproject.toml has settings already: they are kept" in err
    assert before == {path: path.read_bytes() for path in before}


def test_without_a_package_there_is_no_record(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said how to begin one; the empty reference builds all the same."""
    monkeypatch.chdir(tmp_path)
    status, out, err = call("init", "--repo", "acme/notes")
    assert (0, True) == (status, "no record was begun" in err)
    assert "records/acme" not in out
    status, _, err = call("build", "--isolation", "1")
    assert 0 == status, err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "say which repo this is of: --repo takes `owner/name` on GitHub"),
        (("absent",), "there is no folder absent"),
        (("--repo", "nonsense"), "--repo takes `owner/name` on GitHub"),
    ],
)
def test_what_cannot_be_begun_ends_with_2(
    arguments: tuple[str, ...], why: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to say."""
    monkeypatch.chdir(tmp_path)
    assert (2, "", f"pagefault: {why}\n") == call("init", *arguments)
    assert [] == list(tmp_path.iterdir())
