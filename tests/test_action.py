"""The action that other repositories use: its steps, run in a repository that is not this one."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.repositories import commit, git
from tests.runner import Job, Uploads, read
from tests.test_workflows import KEPT, PAGE, RECORD, ROOT, edit, needs_walls

ACTION = read(ROOT / "action.yml")
STEPS = ACTION["runs"]["steps"]
README = (ROOT / "README.md").read_text(encoding="utf-8")

HOSTILE = '--records records; touch "$PWD/run" `touch run` $(touch run) | touch run *'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Somebody's repository: settings and two records, in a folder below its top."""
    folder = tmp_path / "clone" / "errors"
    for path in KEPT:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    (folder / "pyproject.toml").write_text('[tool.pagefault]\ntitle = "Errors at Acme"\nfloor = 2\n')
    git(folder.parent, "init", "--quiet", "--initial-branch=main")
    commit(folder.parent)
    return folder


def act(project: Path, *, is_installed: bool = True, base: str = "", **inputs: str) -> tuple[Job, Uploads]:
    """The action's steps with some inputs; where it is installed, with the environment of these tests."""
    workspace, uploads = project.parent, Uploads(project.parent)
    pull = {"pull_request": {"base": {"sha": base}}} if base else {}
    job = Job(
        workspace=workspace,
        temporary=workspace.parent / "temporary",
        handle=uploads.handle,
        context={"github": {"event": pull}},
        environment={
            "GITHUB_ACTION_PATH": str(ROOT),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
    )
    if is_installed:
        job.instead = {"set up": lambda: installed(job.temporary / "pagefault" / "bin")}
    defaults = {name: job.text(told["default"]) for name, told in ACTION["inputs"].items()}
    job.context["inputs"] = defaults | {"working-directory": "errors"} | inputs
    job.run(STEPS)
    return job, uploads


def installed(folder: Path) -> None:
    """The two programs that the set-up makes."""
    folder.mkdir(parents=True)
    for name, arguments in {"python": "", "pagefault": "-m generator"}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)


def outputs(job: Job) -> dict[str, str]:
    """What the action gives to later steps of its user."""
    return {name: job.text(told["value"]) for name, told in ACTION["outputs"].items()}


def test_every_input_is_used_and_described() -> None:
    """And none is asked for that there is not."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")

    assert set(ACTION["inputs"]) == set(re.findall(r"\binputs\.([\w-]+)", text))
    assert all({"description", "default"} == set(told) for told in ACTION["inputs"].values())


@needs_walls
def test_check_proves_all_records(project: Path) -> None:
    """What does not hold stands at its line, from the top of the repository, and the job fails."""
    good, _ = act(project)
    assert not good.has_failed, good.log
    assert "2 records: 2 proven" in good.log

    shutil.rmtree(good.temporary)
    edit(project, "{param_name: to}", "{param_name: from}")
    bad, uploads = act(project, command="check")
    assert "failure" == bad.outcomes["check all records"]
    assert f"::error file=errors/{RECORD},line=" in bad.log
    assert {} == uploads


@needs_walls
def test_review_tells_what_changes(project: Path) -> None:
    """In the summary; what a comment quotes and a preview of the one page are kept."""
    base = git(project, "rev-parse", "HEAD")
    edit(project, "Only the first missing parameter is named.", "One missing parameter is named.")
    commit(project)
    job, uploads = act(project, command="review", base=base)

    assert not job.has_failed, job.log
    assert "One missing parameter is named." in job.summary
    assert {"review.md"} == uploads.files("review")
    assert f"{PAGE}/index.html" in uploads.files("preview")
    assert "pallets/click/no-such-command/index.html" not in uploads.files("preview")
    assert str(uploads["preview"]) == outputs(job)["site"]


@needs_walls
def test_pages_builds_and_sends_the_site(project: Path) -> None:
    """For the address that GitHub gives it; later steps are told of folder and address."""
    job, uploads = act(project, command="pages")

    assert not job.has_failed, job.log
    files = uploads.files("github-pages")
    assert {".nojekyll", "index.html", f"{PAGE}/index.html"} <= files
    assert not [path for path in files if path.startswith(".pagefault")]
    page = (uploads["github-pages"] / PAGE / "index.html").read_text(encoding="utf-8")
    assert f'href="https://acme.github.io/errors/{PAGE}/"' in page
    assert "Errors at Acme" in page
    assert "2 records: 2 proven" in job.summary
    assert {
        "site": str(uploads["github-pages"]),
        "base-url": "https://acme.github.io/errors",
        "base-path": "/errors",
    } == outputs(job)


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        ({"command": "explain"}, "is one of check, review, pages"),
        ({"command": "review"}, "needs a pull request"),
        ({"command": "review", "base": "main; touch run"}, "needs a pull request"),
        ({"command": '"; touch run; "'}, "is one of check, review, pages"),
    ],
    ids=["unknown", "no pull request", "no sha", "a script"],
)
def test_what_cannot_be_done_is_refused_at_once(project: Path, inputs: dict[str, Any], why: str) -> None:
    """Before anything is set up."""
    job, _ = act(project, **inputs)

    first, *others = job.outcomes.values()
    assert "failure" == first
    assert {"skipped"} == set(others)
    assert why in job.log
    assert not list(project.parent.rglob("run"))


@needs_walls
def test_inputs_are_words_and_no_scripts(project: Path) -> None:
    """Options are divided at blanks, and nothing of them is run or looked for in the folder."""
    job, _ = act(project, args=HOSTILE)

    assert "failure" == job.outcomes["check all records"]
    assert "Path 'touch' does not exist" in job.log
    assert not [path for path in project.parent.rglob("run") if ".git" not in path.parts]


@needs_walls
def test_options_reach_the_command(project: Path) -> None:
    """Over lines too; a later one counts more than ours."""
    (project / "records").rename(project / "mistakes")
    job, _ = act(project, args="--records mistakes\n--format concise --strict\n")

    assert "failure" == job.outcomes["check all records"]
    assert "warning[E0601]" in job.log
    assert "::warning" not in job.log


@pytest.mark.upstream
@pytest.mark.skipif(
    not os.environ.get("PAGEFAULT_REQUIRE_UPSTREAM"),
    reason="installing takes half a minute: `.ci/run` asks for it",
)
@needs_walls
def test_the_set_up_installs_all_that_is_run(project: Path) -> None:
    """Out of the action's own folder, with the packages that records are about, into one of its own."""
    job, _ = act(project, is_installed=False, requirements="click==8.5.0")

    assert not job.has_failed, job.log
    assert "2 records: 2 proven" in job.log
    assert (job.temporary / "pagefault" / "bin" / "pagefault").is_file()


# What the README shows.


def test_the_shown_workflows_use_it_as_it_is() -> None:
    """Five lines review pull requests; commands and inputs are those that there are."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    shown = [text for text in blocks if "uses:" in text]
    assert shown
    assert 5 >= len(shown[0].splitlines())
    for text in shown:
        read_as = {("on" if key is True else key): value for key, value in yaml.safe_load(text).items()}
        used = [
            step
            for job in read_as["jobs"].values()
            for step in job["steps"]
            if step["uses"].startswith("owner/pagefault@")
        ]
        assert 1 == len(used)
        assert set(used[0]["with"]) <= set(ACTION["inputs"])
        assert used[0]["with"]["command"] in {"check", "review", "pages"}
    assert "pull_request" == yaml.safe_load(shown[0])[True]
