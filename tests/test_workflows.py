"""What GitHub runs of ours: with which rights, out of which actions, and what its steps do."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator import walls
from tests.github import environment, packed, served, write_event
from tests.repositories import commit, git
from tests.runner import Job, Uploads, read

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.stem: read(path) for path in sorted(FOLDER.glob("*.yml"))}
ACTION = read(ROOT / "action.yml")
PROGRAMS = [*FOLDER.glob("*.yml"), ROOT / "action.yml"]

# Actions of others, which are not run here: why, and what stands for them.
REMOTE = {
    "actions/checkout": "the test has cloned; that no token stays is said in its inputs",
    "actions/setup-python": "the Python of the tests is there",
    "actions/configure-pages": "asks GitHub for the address of the site: here it is a fixed one",
    "actions/upload-artifact": "sends to GitHub: here it notes what it would send",
    "actions/upload-pages-artifact": "as `actions/upload-artifact`, for one tar",
    "actions/deploy-pages": "has GitHub publish what was sent, and nothing but that",
}
# By workflow and job. Whatever is not here may nothing.
RIGHTS = {
    "pages": {
        "build": {"contents": "read", "pages": "read"},
        "deploy": {"pages": "write", "id-token": "write"},
    },
    "review": {"review": {"contents": "read"}},
    "comment": {"comment": {"actions": "read", "pull-requests": "write"}},
}
TRIGGERS = {
    "pages": {"push": {"branches": ["main"]}, "workflow_dispatch": None},
    "review": {"pull_request": None},
    "comment": {"workflow_run": {"workflows": ["review"], "types": ["completed"]}},
}


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every step, and in which file it stands."""
    for name, workflow in WORKFLOWS.items():
        for job in workflow["jobs"].values():
            yield from ((name, step) for step in job["steps"])
    yield from (("action", step) for step in ACTION["runs"]["steps"])


# What they may.


def test_each_may_no_more_than_it_needs() -> None:
    """A workflow has no rights; each of its jobs names its own, and how long it may take."""
    assert set(RIGHTS) == set(WORKFLOWS)
    for name, workflow in WORKFLOWS.items():
        assert {} == workflow["permissions"]
        assert RIGHTS[name] == {job: told["permissions"] for job, told in workflow["jobs"].items()}
        assert all(30 >= job["timeout-minutes"] for job in workflow["jobs"].values())
        assert "concurrency" in workflow


def test_each_is_started_by_what_is_said() -> None:
    """A stranger's code is run without rights, by `pull_request`; a site is the main branch's."""
    assert TRIGGERS == {name: workflow["on"] for name, workflow in WORKFLOWS.items()}
    (listened,) = WORKFLOWS["comment"]["on"]["workflow_run"]["workflows"]
    assert listened == WORKFLOWS["review"]["name"]
    assert (
        "github.ref_name == github.event.repository.default_branch"
        == WORKFLOWS["pages"]["jobs"]["deploy"]["if"]
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_action_is_a_commit_that_is_known(path: Path) -> None:
    """Of a full sha, with its tag as a comment; and of those alone that are named above."""
    uses = re.findall(r"^ *(?:- )?uses: *(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)

    assert uses
    for one in uses:
        found = re.fullmatch(r"([\w-]+/[\w-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)
        assert found, one
        assert found[1] in REMOTE


def test_no_action_is_named_in_vain() -> None:
    """And one is the same commit wherever it is used."""
    used = {step["uses"] for _, step in steps() if "uses" in step}

    assert set(REMOTE) == {one.partition("@")[0] for one in used}
    assert len(REMOTE) == len(used)


def test_no_expression_is_part_of_a_script() -> None:
    """What GitHub knows reaches them as variables: a branch's name is text, whatever it holds."""
    assert [] == [step["name"] for _, step in steps() if "${{" in step.get("run", "")]
    assert [] == [name for name, step in steps() if "script" in step.get("with", {})]


def test_nothing_is_left_behind_for_a_stranger() -> None:
    """No checkout keeps its token, no workflow has a secret, and only the site's own may fill a cache."""
    for name, step in steps():
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        if name != "pages":
            assert "cache" not in step.get("with", {})
    for path in PROGRAMS:
        assert "secrets." not in path.read_text(encoding="utf-8")


def test_hidden_files_are_sent_to_pages() -> None:
    """The action leaves them out by itself, `.nojekyll` among them."""
    sent = [step["with"] for _, step in steps() if step.get("uses", "").startswith("actions/upload-pages-")]

    assert [True, True] == [one["include-hidden-files"] for one in sent]


def test_what_is_known_to_be_found_is_said_with_its_reason() -> None:
    """One finding is passed over, where it stands."""
    ignored = [
        line for path in PROGRAMS for line in path.read_text().splitlines() if "zizmor: ignore" in line
    ]

    (one,) = ignored
    assert re.search(r"# zizmor: ignore\[dangerous-triggers\] \w.{20,}", one)


# Who is asked, and what is kept up to date.


def test_owners_are_asked_about_what_there_is() -> None:
    """Each line is a path of ours and who owns it; each folder of records has one."""
    lines = [
        line.split()
        for line in (ROOT / ".github" / "CODEOWNERS").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]

    owned = [path for path, *owners in lines if owners]
    assert len(lines) == len(owned) == len(set(owned))
    assert "*" == owned[0]
    for path, *owners in lines[1:]:
        assert path.startswith("/")
        assert (ROOT / path[1:]).is_dir() if path.endswith("/") else (ROOT / path[1:]).is_file()
        assert all(re.fullmatch(r"@[\w-]+(/[\w-]+)?", owner) for owner in owners)
    folders = {f"/records/{folder.name}/" for folder in (ROOT / "records").glob("[!.]*/")}
    assert folders == {path for path in owned if path.startswith("/records/")}


def test_what_others_release_is_taken_monthly() -> None:
    """Actions and packages wherever any are named; together, and not on their first day."""
    told = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))

    places = {
        (update["package-ecosystem"], place)
        for update in told["updates"]
        for place in update.get("directories") or [update["directory"]]
    }
    npm = {f"/{path.parent.relative_to(ROOT)}" for path in ROOT.glob("tests/*/package.json")}
    assert {
        ("github-actions", "/"),
        ("pip", "/"),
        ("pip", "/tests/bench"),
        *(("npm", one) for one in npm),
    } == places
    for update in told["updates"]:
        assert "monthly" == update["schedule"]["interval"]
        assert 7 <= update["cooldown"]["default-days"]
        assert [["*"]] == [group["patterns"] for group in update["groups"].values()]


# What they do.

PAGE = "pallets/click/missing-parameter"
RECORD = f"records/{PAGE}.yaml"
KEPT = (RECORD, "records/pallets/click/no-such-command.yaml", "records/pallets/click/repo.yaml")

needs_walls = pytest.mark.skipif(
    walls.available() < 2,
    reason="reviews run strangers' code behind walls, which this system does not have",
)


def copied(folder: Path) -> None:
    """This repository as it is here, with two records in place of all, as the first commit of a clone."""
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for path in listed:
        if path in KEPT or (not path.startswith(("records/", "tests/")) and (ROOT / path).is_file()):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    own = folder / "pyproject.toml"
    own.write_text(
        re.sub(r"(?m)^floor = \d+$", "floor = 1", own.read_text(encoding="utf-8")), encoding="utf-8"
    )
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)


def set_up(folder: Path) -> None:
    """What `make setup` would make: the environment of these tests, for the code of a clone."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name, arguments in {"python": "", "pagefault": "-m generator"}.items():
        program = folder / ".venv" / "bin" / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}" exec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    for stamp in (".python", ".site", ".wheels"):
        (folder / ".venv" / stamp).touch()


def run_job(
    workflow: str, job: str, folder: Path, github: dict[str, Any], **told: str
) -> tuple[Job, Uploads]:
    """A job of a workflow, run in a clone."""
    plan, uploads = WORKFLOWS[workflow]["jobs"][job], Uploads(folder)
    one = Job(
        workspace=folder,
        temporary=folder.parent / f"{workflow}-temporary",
        handle=uploads.handle,
        context={"github": github},
        environment=told,
    )
    one.environment |= {name: one.text(value) for name, value in plan.get("env", {}).items()}
    one.run(plan["steps"])
    return one, uploads


GITHUB = {
    "server_url": "https://github.com",
    "repository": "acme/errors",
    "event": {"repository": {"default_branch": "main"}},
    "token": "secret",
}


def edit(clone: Path, before: str, after: str) -> None:
    """Changes the record."""
    file = clone / RECORD
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def proposed(clone: Path, before: str, after: str) -> dict[str, Any]:
    """What GitHub says of a pull request that changes the record, which is checked out."""
    base = git(clone, "rev-parse", "HEAD")
    git(clone, "switch", "--quiet", "--create", "change")
    edit(clone, before, after)
    commit(clone)
    return {**GITHUB, "event": {"pull_request": {"number": 12, "base": {"sha": base}}}}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with two records, in which everything is set up."""
    folder = tmp_path / "clone"
    copied(folder)
    set_up(folder)
    return folder


@needs_walls
def test_the_site_is_built_and_sent(clone: Path) -> None:
    """For its address there, with links to the tracker and to records' files; the summary says of what."""
    job, uploads = run_job("pages", "build", clone, GITHUB)

    assert not job.has_failed, job.log
    assert ["github-pages"] == list(uploads)
    files = uploads.files("github-pages")
    assert {".nojekyll", "index.html", f"{PAGE}/index.html"} <= files
    assert not [path for path in files if path.startswith(".pagefault")]
    page = (uploads["github-pages"] / PAGE / "index.html").read_text(encoding="utf-8")
    assert f'rel="canonical" href="https://acme.github.io/errors/{PAGE}/"' in page
    assert "https://github.com/acme/errors/issues/new?template=report-page.yml" in page
    assert f"https://github.com/acme/errors/edit/main/{RECORD}" in page
    assert "2 records: 2 proven" in job.summary
    assert "::warning " in job.log


@needs_walls
def test_a_site_that_does_not_hold_is_not_sent(clone: Path) -> None:
    """Its findings stand at their lines, and the summary says how many there are."""
    edit(clone, "{param_name: to}", "{param_name: from}")
    job, uploads = run_job("pages", "build", clone, GITHUB)

    assert job.has_failed
    assert {} == uploads
    assert f"::error file={RECORD},line=" in job.log
    assert "1 error" in job.summary


@needs_walls
def test_a_review_tells_what_changes(clone: Path, tmp_path: Path) -> None:
    """In the summary and, quoted, in the pull request; a preview holds the page that changes alone."""
    github = proposed(clone, "Only the first missing parameter is named.", "One missing parameter is named.")
    job, uploads = run_job("review", "review", clone, github)

    assert not job.has_failed, job.log
    assert "One missing parameter is named." in job.summary
    assert {"review", "preview"} == set(uploads)
    assert {"review.md"} == uploads.files("review")
    review = uploads["review"].read_bytes()
    assert job.summary == review.decode()
    pages = {path for path in uploads.files("preview") if path.startswith("pallets/")}
    assert {f"{PAGE}/index.html", f"{PAGE}/index.md"} == pages
    file = uploads["preview"] / PAGE / "index.html"
    page = file.read_text(encoding="utf-8")
    assert "One missing parameter is named." in page
    assert re.search(r'name="robots" content="noindex', page)
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    assert styles
    assert all((file.parent / one).is_file() for one in styles)

    git(clone, "switch", "--quiet", "main")
    with served() as fake:
        fake.files[5] = packed(("review.md", review))
        write_event(tmp_path)
        job, _ = run_job("comment", "comment", clone, GITHUB, **environment(fake, tmp_path))
    assert not job.has_failed, job.log
    assert "the comment on pull request 12 was written" in job.log
    ((method, _, body),) = fake.written
    assert "POST" == method
    assert "One missing parameter is named." in body


@needs_walls
def test_a_review_says_what_does_not_hold(clone: Path) -> None:
    """At its line; what changes is told all the same, and there is no preview of it."""
    job, uploads = run_job(
        "review", "review", clone, proposed(clone, "{param_name: to}", "{param_name: from}")
    )

    assert "failure" == job.outcomes["check what changed"]
    assert f"::error file={RECORD},line=" in job.log
    assert {"review.md"} == uploads.files("review")
    assert PAGE in job.summary
    assert "preview" not in uploads


@pytest.mark.parametrize(
    ("event", "conclusion", "answer"),
    [
        ("pull_request", "success", "true"),
        ("pull_request", "failure", "true"),
        ("pull_request", "cancelled", "false"),
        ("push", "success", "false"),
    ],
)
def test_only_reviews_that_ended_are_commented_on(
    tmp_path: Path, event: str, conclusion: str, answer: str
) -> None:
    """One that was cancelled is followed by another."""
    condition = WORKFLOWS["comment"]["jobs"]["comment"]["if"]
    run = {"event": event, "conclusion": conclusion}
    job = Job(tmp_path, tmp_path, lambda *_: {}, {"github": {"event": {"workflow_run": run}}})

    assert answer == job.text(f"${{{{ {condition} }}}}")
