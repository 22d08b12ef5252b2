"""`generator.history`: what git says of a branch, and what is refused."""

from pathlib import Path

import pytest

from generator import history as module
from generator.history import Blob, History, HistoryUnavailable, history
from tests.repositories import commit, git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Return a repository with one commit on `main`, on a branch of its own."""
    folder = tmp_path / "project"
    (folder / "records").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name in ("same", "edited", "gone"):
        (folder / "records" / f"{name}.yaml").write_text(f"{name}\n")
    (folder / "other.txt").write_text("other\n")
    commit(folder)
    git(folder, "switch", "--quiet", "--create", "topic")
    return folder


def test_a_branch_is_compared_with_where_it_began(top: Path) -> None:
    """What was done to the other branch since is not taken for the work of this one."""
    began = git(top, "rev-parse", "HEAD")
    git(top, "switch", "--quiet", "main")
    commit(top, "theirs")
    git(top, "switch", "--quiet", "topic")
    commit(top, "ours")
    assert began == history(top / "records").base("main")


def test_what_changed_is_committed_staged_edited_or_not_tracked(top: Path) -> None:
    """And what is gone; below the folder that is asked about, and not what git ignores."""
    records = top / "records"
    (records / "edited.yaml").write_text("anew\n")
    commit(top)
    (records / "gone.yaml").unlink()
    (records / "new ü\n.yaml").write_text("new\n")
    (top / ".gitignore").write_text("ignored.yaml\n")
    (records / "ignored.yaml").write_text("ignored\n")
    (top / "other.txt").write_text("not asked about\n")
    known = history(top)
    assert {
        "records/edited.yaml": True,
        "records/gone.yaml": False,
        "records/new ü\n.yaml": True,
    } == dict(known.changed(known.base("main"), [records]))
    assert {} == dict(known.changed(known.base("main"), []))


def test_files_of_a_commit_are_read_as_they_were(top: Path) -> None:
    """Whatever the working tree holds now, in one batch or in many."""
    (top / "records" / "edited.yaml").write_text("anew\n")
    known = history(top)
    blobs = known.files("main", [top / "records"])
    assert ["records/edited.yaml", "records/gone.yaml", "records/same.yaml"] == list(blobs)
    assert [b"edited\n", b"gone\n", b"same\n"] == list(known.read(known.blobs([*blobs.values()])))


def test_more_is_read_in_batches(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a commit holds may be more than the memory does."""
    monkeypatch.setattr(module, "BATCH", 8)
    known = history(top)
    blobs = known.files("main", [top / "records"])
    assert [b"edited\n", b"gone\n", b"same\n"] == list(known.read(known.blobs([*blobs.values()])))


def test_links_are_no_files_of_a_commit(top: Path) -> None:
    """Whatever they point at."""
    (top / "records" / "link.yaml").symlink_to("/etc/passwd")
    at = commit(top)
    assert "records/link.yaml" not in history(top).files(at, [top / "records"])


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "a\\b"])
def test_paths_that_lead_elsewhere_are_no_files(top: Path, name: str) -> None:
    """A tree that no git would write can be pushed."""
    blob = git(top, "hash-object", "-w", "--stdin", given=b"hostile")
    entry = f"100644 {name}\0".encode() + bytes.fromhex(blob)
    inner = git(top, "hash-object", "-w", "--literally", "-t", "tree", "--stdin", given=entry)
    outer = git(top, "mktree", given=f"040000 tree {inner}\trecords\n".encode())
    at = git(top, "commit-tree", outer, "-m", "hostile")
    known = history(top)
    assert {} == dict(known.files(at, [top / "records"]))
    assert {True} == set(known.changed(at, [top / "records"]).values())


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("nothing", "git knows no `nothing` here: fetch it first"),
        ("--output=x", "git knows no `--output=x` here"),
        ("", "git knows no `` here"),
        ("a\x1b[31m", "git knows no `a\N{REPLACEMENT CHARACTER}.31m` here"),
        ("x" * 300, f"git knows no `{'x' * 199}…` here"),
    ],
)
def test_a_revision_that_is_none_is_refused(top: Path, revision: str, why: str) -> None:
    """With what to do; nothing of it becomes an option of git."""
    with pytest.raises(HistoryUnavailable, match=why):
        history(top).base(revision)
    assert not (top / "x").exists()


def test_a_folder_that_git_does_not_know_is_refused(tmp_path: Path) -> None:
    """There is nothing to compare with."""
    with pytest.raises(HistoryUnavailable, match="this is no working tree of git"):
        history(tmp_path)


def test_a_repository_without_commits_is_refused(tmp_path: Path) -> None:
    """So is one whose branches have nothing in common."""
    git(tmp_path, "init", "--quiet")
    with pytest.raises(HistoryUnavailable, match="there is no commit here yet"):
        history(tmp_path).commit("HEAD")


def test_branches_without_a_common_commit_are_refused(top: Path) -> None:
    """Their difference is everything."""
    git(top, "switch", "--quiet", "--orphan", "unrelated")
    commit(top)
    with pytest.raises(HistoryUnavailable, match="`main` and HEAD have no commit in common"):
        history(top).base("main")


def test_a_history_that_is_cut_off_says_how_to_fetch_it(top: Path, tmp_path: Path) -> None:
    """Continuous integration fetches one commit, unless it is told to fetch all."""
    commit(top, "ours")
    git(top, "switch", "--quiet", "main")
    commit(top, "theirs")
    clone = tmp_path / "clone"
    git(top, "clone", "--quiet", "--depth=1", "--no-single-branch", top.as_uri(), str(clone))
    with pytest.raises(HistoryUnavailable, match="fetch-depth: 0"):
        history(clone).base("origin/topic")
    with pytest.raises(HistoryUnavailable, match="fetch-depth: 0"):
        history(clone).base("main~1")


def test_git_runs_nothing_of_the_repository(top: Path) -> None:
    """No hook, no file system monitor, no program that shows differences."""
    mark = top / "ran"
    script = top / "script"
    script.write_text(f"#!/bin/sh\necho x >> '{mark}'\n")
    script.chmod(0o755)
    (top / ".gitattributes").write_text("*.yaml diff=shown\n")
    for name in (
        "core.fsmonitor",
        "diff.external",
        "diff.shown.textconv",
        "diff.shown.command",
        "core.pager",
    ):
        git(top, "config", name, str(script))
    mark.unlink(missing_ok=True)
    (top / "records" / "edited.yaml").write_text("anew\n")
    known = history(top)
    at = known.base("main")
    assert "records/edited.yaml" in known.changed(at, [top / "records"])
    list(known.read(known.blobs([*known.files(at, [top / "records"]).values()])))
    assert not mark.exists()


def test_an_object_that_is_not_there_is_no_content(top: Path) -> None:
    """A clone may lack some."""
    with pytest.raises(HistoryUnavailable, match=r"git cannot read 0{40}"):
        history(top).blobs(["0" * 40])
    name = git(top, "rev-parse", "main:records/same.yaml")
    with pytest.raises(HistoryUnavailable, match="what it did not say before"):
        list(history(top).read([Blob(name, 3)]))


def test_git_may_be_missing(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then that is said."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HistoryUnavailable, match="git is not installed"):
        History(top).commit("HEAD")
