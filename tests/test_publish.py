"""`generator.publish`: the folder is as it was, or as it is to be: no mixture, and nobody's loss."""

import errno
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from generator import publish, stage
from generator.model import File
from generator.publish import Changes
from generator.stage import STATE, Unpublishable

ROOT = Path(publish.__file__).parent.parent

Tree = dict[str, bytes | None]

OLD = {"index.html": b"old", "kept/page.html": b"kept", "gone/deep/down.html": b"gone", "gone/up.html": b"x"}
NEW = {"index.html": b"new", "kept/page.html": b"kept", "come/far/down.html": b"come", "kept/more.html": b"y"}
THIRD = {"index.html": b"third", "gone/up.html": b"x", "third.html": b"z"}
# Of the old ones a folder is a file now, and a file a folder.
TURNED = {
    "index.html": b"old",
    "kept": b"a file",
    "gone/up.html/index.html": b"a folder",
    "gone/up.html/deep/down.html": b"and another",
}


def run(out: Path, content: Mapping[str, bytes]) -> Changes:
    """Publish these bytes at these paths."""
    return publish.publish([File(path, data) for path, data in content.items()], out)


def tree(out: Path) -> Tree:
    """Return what is in the folder: bytes of files and links' targets by path, None for folders."""
    found: Tree = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if name.split("/")[0] == STATE:
            continue
        if path.is_symlink():
            found[name] = os.fsencode(path.readlink())
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


def expected(content: Mapping[str, bytes]) -> Tree:
    """Return the tree that holds exactly these files."""
    found: Tree = dict(content)
    for path in content:
        folders = path.split("/")[:-1]
        found |= {"/".join(folders[: n + 1]): None for n in range(len(folders))}
    return dict(sorted(found.items()))


def state(out: Path) -> list[str]:
    """Return what is in the state's folder."""
    return sorted(path.relative_to(out / STATE).as_posix() for path in (out / STATE).rglob("*"))


def noted(out: Path) -> list[tuple[str, bytes]]:
    """Return what the state says of every file that does not depend on when it was written."""
    with closing(sqlite3.connect(out / STATE / "files.db")) as tables:
        return list(tables.execute("SELECT path, digest FROM files ORDER BY path"))


def marks(out: Path) -> dict[str, tuple[int, int, int]]:
    """Return what would show that a file or folder was touched."""
    return {
        path.relative_to(out).as_posix(): (
            path.lstat().st_ino,
            path.lstat().st_mtime_ns,
            path.lstat().st_mode,
        )
        for path in out.rglob("*")
        # In the state's folder a pass may make and remove what is its own.
        if path.name != STATE
    }


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a folder to which the old files were published."""
    folder = tmp_path / "site"
    run(folder, OLD)
    return folder


CLEAN = ["files.db", "lock"]


# What is written.


def test_a_first_pass_writes_everything(tmp_path: Path) -> None:
    """Also the folder itself, and those above it."""
    out = tmp_path / "a" / "b" / "site"
    assert Changes(tuple(sorted(OLD)), (), 0) == run(out, OLD)
    assert expected(OLD) == tree(out)
    assert CLEAN == state(out)


def test_a_pass_says_what_it_did(out: Path) -> None:
    """Paths in order."""
    written = ("come/far/down.html", "index.html", "kept/more.html")
    assert Changes(written, ("gone/deep/down.html", "gone/up.html"), 1) == run(out, NEW)
    assert expected(NEW) == tree(out)
    assert CLEAN == state(out)


def test_a_pass_without_changes_touches_nothing(out: Path) -> None:
    """Not even its own state."""
    before = marks(out)
    assert Changes((), (), len(OLD)) == run(out, OLD)
    assert before == marks(out)


def test_unchanged_files_are_not_touched(out: Path) -> None:
    """Same file, same time; servers and readers keep what they have."""
    before = marks(out)["kept/page.html"]
    run(out, NEW)
    assert before == marks(out)["kept/page.html"]


def test_a_changed_file_is_another_one(out: Path) -> None:
    """Who has the old one open reads it to the end."""
    with (out / "index.html").open("rb") as stream:
        run(out, NEW)
        assert b"old" == stream.read()
    assert b"new" == (out / "index.html").read_bytes()


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    """Nor for the state that is kept."""
    run(tmp_path / "a", OLD)
    run(tmp_path / "b", dict(reversed(OLD.items())))
    assert tree(tmp_path / "a") == tree(tmp_path / "b")
    assert noted(tmp_path / "a") == noted(tmp_path / "b")


def test_empty_files_and_no_files_are_published(tmp_path: Path) -> None:
    """A file without bytes is one; a site without files is an empty folder."""
    out = tmp_path / "site"
    run(out, {"empty": b""})
    assert {"empty": b""} == tree(out)
    run(out, {})
    assert {} == tree(out)


def test_what_was_damaged_is_mended(out: Path) -> None:
    """Files are compared by what they hold, not by what is remembered of them."""
    (out / "index.html").write_bytes(b"damaged")
    (out / "kept/page.html").unlink()
    shutil.rmtree(out / "gone")
    assert ("gone/deep/down.html", "gone/up.html", "index.html", "kept/page.html") == run(out, OLD).written
    assert expected(OLD) == tree(out)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, umask: int) -> None:
    """Files are 0644 and folders 0755, so that a server can read them."""
    before = os.umask(umask)
    try:
        run(tmp_path / "made" / "site", OLD)
        run(tmp_path / "made" / "site", NEW)
    finally:
        os.umask(before)
    for path in (tmp_path / "made", *(tmp_path / "made").rglob("*")):
        if STATE not in path.parts or path.is_dir():
            assert (0o755 if path.is_dir() else 0o644) == stat.S_IMODE(path.stat().st_mode), path


# What is removed.


def test_strays_of_ours_go_with_their_folders(out: Path) -> None:
    """A folder that a removal left empty is removed, and those around it; others are not."""
    (out / "own").mkdir()
    run(out, {"index.html": b"old"})
    assert {"index.html": b"old", "own": None} == tree(out)


def test_what_is_not_ours_stays(out: Path) -> None:
    """Beside our files, and below our folders."""
    (out / "CNAME").write_bytes(b"example.org")
    (out / "gone/deep/notes.txt").write_bytes(b"mine")
    run(out, NEW)
    mine: Tree = {"CNAME": b"example.org", "gone": None, "gone/deep": None, "gone/deep/notes.txt": b"mine"}
    assert dict(sorted((expected(NEW) | mine).items())) == tree(out)


def test_what_someone_put_in_the_place_of_a_stray_stays(out: Path, tmp_path: Path) -> None:
    """A link is not ours, and what lies behind one is not either."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (elsewhere / "deep/down.html").write_bytes(b"theirs")
    (elsewhere / "up.html").write_bytes(b"theirs")
    shutil.rmtree(out / "gone")
    (out / "gone").symlink_to(elsewhere)
    (out / "index.html").unlink()
    (out / "index.html").symlink_to(elsewhere / "up.html")
    assert () == run(out, {"kept/page.html": b"kept"}).removed
    assert {"index.html", "gone"} == {path.name for path in out.iterdir() if path.is_symlink()}
    assert {"deep": None, "deep/down.html": b"theirs", "up.html": b"theirs"} == tree(elsewhere)


def test_a_stray_that_is_already_gone_is_none(out: Path) -> None:
    """Someone removed it, or put a folder in its place."""
    shutil.rmtree(out / "gone")
    (out / "gone/up.html").mkdir(parents=True)
    assert () == run(out, NEW).removed
    assert (out / "gone/up.html").is_dir()


# What is a file, and what a folder.


def test_a_file_becomes_a_folder_and_a_folder_a_file(out: Path) -> None:
    """What stood there is ours and is removed; and so back."""
    changes = run(out, TURNED)
    assert expected(TURNED) == tree(out)
    assert ("gone/deep/down.html", "gone/up.html", "kept/page.html") == changes.removed
    assert tuple(sorted(TURNED.keys() - {"index.html"})) == changes.written
    assert (CLEAN, Changes((), (), len(TURNED))) == (state(out), run(out, TURNED))
    run(out, OLD)
    assert (expected(OLD), CLEAN) == (tree(out), state(out))


@pytest.mark.parametrize(
    "prepare",
    [
        lambda out: (out / "kept/notes.txt").write_bytes(b"theirs"),
        lambda out: (out / "kept/drafts").mkdir(),
        lambda out: (out / "kept/page.html").unlink(),
        lambda out: (out / "kept/link").symlink_to(out / "index.html"),
        lambda out: _link(out / "kept/page.html", out / "index.html"),
    ],
)
def test_a_folder_with_something_of_anothers_becomes_no_file(
    out: Path, prepare: Callable[[Path], Any]
) -> None:
    """Nor one in which nothing of ours is left: nothing is touched."""
    prepare(out)
    before = marks(out)
    with pytest.raises(Unpublishable, match="kept was not written by a build"):
        run(out, TURNED)
    assert before == marks(out)


def test_a_file_that_is_not_ours_becomes_no_folder(out: Path) -> None:
    """Nor a link in the place of ours."""
    _link(out / "gone/up.html", out / "index.html")
    before = marks(out)
    with pytest.raises(Unpublishable, match=r"up\.html is in the way: a folder is to stand there"):
        run(out, TURNED)
    assert before == marks(out)


def test_a_file_may_go_from_one_unit_to_another(tmp_path: Path) -> None:
    """What else the first one had is removed, whether it is gone or made again without it."""
    out = tmp_path / "site"

    def made(units: Mapping[str, Mapping[str, bytes]]) -> Changes:
        with publish.publication(out) as one:
            for unit, content in units.items():
                files = [File(path, data) for path, data in content.items()]
                one.add(unit, b"".join(content.values()), one.stage(unit, files))
            return one.finish()

    made({"a": {"page": b"1", "a.json": b"2"}, "b": {"b.json": b"3"}})
    assert ("a.json",) == made({"b": {"page": b"1", "b.json": b"3"}}).removed
    assert expected({"page": b"1", "b.json": b"3"}) == tree(out)
    made({"a": {"a.json": b"2"}, "b": {"page": b"4", "b.json": b"3"}})
    assert () == made({"b": {"b.json": b"3"}, "a": {"page": b"4", "a.json": b"2"}}).removed
    assert expected({"page": b"4", "a.json": b"2", "b.json": b"3"}) == tree(out)
    assert ("page",) == made({"a": {"a.json": b"2"}, "b": {"b.json": b"3"}}).removed


# What is refused.


def _link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _same_file(out: Path) -> None:
    (out / "kept/page.html").rename(out / "moved")
    (out / "kept/page.html").symlink_to(out / "moved")


def _same_folder(out: Path) -> None:
    (out / "kept").rename(out.parent / "moved")
    (out / "kept").symlink_to(out.parent / "moved")


@pytest.mark.parametrize(
    ("prepare", "named"),
    [
        (lambda out: (out / "come").mkdir() or (out / "come/far").write_bytes(b"theirs"), "come/far"),
        (lambda out: (out / "come").write_bytes(b"theirs"), "come"),
        (lambda out: (out / "kept/more.html").write_bytes(b"theirs"), "kept/more.html"),
        (lambda out: (out / "kept/more.html").mkdir(), "kept/more.html"),
        (lambda out: _link(out / "kept/more.html", out / "index.html"), "kept/more.html"),
        (lambda out: _link(out / "kept/more.html", out / "nowhere"), "kept/more.html"),
        (lambda out: _link(out / "index.html", out / "kept/page.html"), "index.html"),
        (lambda out: _link(out / "come", out.parent), "come"),
        (lambda out: _link(out / "come", out / "nowhere"), "come"),
        (lambda out: _link(out / "kept", out.parent), "kept"),
        (_same_folder, "kept"),
        (_same_file, "kept/page.html"),
    ],
)
def test_what_is_not_ours_is_not_replaced(out: Path, prepare: Callable[[Path], Any], named: str) -> None:
    """A file, a folder or a link where ours is to stand: nothing is touched, and the message names it."""
    prepare(out)
    before = marks(out.parent)
    with pytest.raises(Unpublishable) as refused:
        run(out, NEW)
    assert str(out / named) in str(refused.value)
    assert before == marks(out.parent)


def test_a_foreign_file_that_is_the_same_is_taken_over(out: Path) -> None:
    """There is nothing to lose."""
    (out / "kept/more.html").write_bytes(NEW["kept/more.html"])
    assert "kept/more.html" not in run(out, NEW).written
    assert ("kept/more.html",) == run(
        out, {path: NEW[path] for path in NEW if path != "kept/more.html"}
    ).removed


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["a/b", "a/b"], "two pages have the same output path"),
        (["a", "a/b"], "a is to be a file and a folder"),
        (["a/b/c/d", "a/b"], "a/b is to be a file and a folder"),
    ],
)
def test_paths_that_cannot_stand_side_by_side_are_refused(out: Path, paths: list[str], said: str) -> None:
    """Before anything is touched."""
    before = marks(out)
    with pytest.raises(Unpublishable, match=f"^{said}$"):
        publish.publish([File(path, b"") for path in paths], out)
    assert before == marks(out)


@pytest.mark.parametrize("path", ["site", "", f"site/{STATE}", f"site/{STATE}/lock/x"])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, path: str) -> None:
    """The output folder, one above it, or the state's is a file; the lock is a folder."""
    blocked = tmp_path / "top" / path
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_bytes(b"theirs")
    before = marks(tmp_path)
    with pytest.raises(Unpublishable, match="top"):
        run(tmp_path / "top" / "site", OLD)
    assert before == marks(tmp_path)


def test_the_output_folder_may_be_a_link(tmp_path: Path) -> None:
    """Its owner chose where it leads."""
    (tmp_path / "real").mkdir()
    (tmp_path / "site").symlink_to(tmp_path / "real")
    run(tmp_path / "site", OLD)
    run(tmp_path / "site", NEW)
    assert expected(NEW) == tree(tmp_path / "real")


def test_a_damaged_state_is_not_believed(out: Path) -> None:
    """What it no longer names is not ours: it is neither replaced nor removed."""
    (out / STATE / "files.db").write_bytes(b"{")
    with pytest.raises(Unpublishable, match="not written by a build"):
        run(out, NEW)
    assert expected(OLD) == tree(out)
    assert () == run(out, OLD).written
    assert ("gone/deep/down.html", "gone/up.html") == run(out, NEW).removed


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"moves": 5}'])
def test_a_damaged_decision_is_refused(out: Path, data: bytes) -> None:
    """Nobody knows how far the pass came; the message says what to remove."""
    (out / STATE / "pass.json").write_bytes(data)
    for command in (lambda: publish.resume(out), lambda: run(out, NEW)):
        with pytest.raises(Unpublishable, match=r"pass\.json is damaged: remove .*\.pagefault"):
            command()
    assert expected(OLD) == tree(out)


# Interruptions.


class Killed(BaseException):
    """Ends a pass as a kill would: nothing handles it, and nothing is tidied up."""


# Everything that changes a disk.
STEPS: tuple[tuple[object, str], ...] = (
    (os, "mkdir"),
    (os, "chmod"),
    (os, "fchmod"),
    (stage, "_fill"),
    (Path, "write_bytes"),
    (os, "replace"),
    (Path, "unlink"),
    (Path, "rmdir"),
    (shutil, "rmtree"),
)


@contextmanager
def failing(at: int, error: BaseException, *, is_half_done: bool = False) -> Iterator[list[str]]:
    """Raise at the n-th step, counted from 1; yields the steps so far. Half done, a write leaves half."""
    done: list[str] = []

    def guarded(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            done.append(name)
            if len(done) != at:
                return step(*arguments, **options)
            if is_half_done and name in {"write_bytes", "_fill"}:
                step(arguments[0], arguments[1][: len(arguments[1]) // 2])
            elif is_half_done:
                # What cannot be done is not done by half either.
                with suppress(OSError):
                    step(*arguments, **options)
            raise error

        return take

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, guarded(name, getattr(owner, name)))
        yield done


Content = Mapping[str, bytes]


def _interrupted(
    tmp_path: Path, *, is_half_done: bool, old: Content = OLD, new: Content = NEW
) -> Iterator[tuple[int, Path]]:
    """Yield a folder for every step at which a pass from the old files to the new ones can be killed."""
    for at in range(1, 500):
        out = tmp_path / f"killed at {at}"
        run(out, old)
        with failing(at, Killed(), is_half_done=is_half_done) as done:
            try:
                run(out, new)
            except Killed:
                assert at == len(done)
            else:
                assert 20 < at == len(done) + 1
                return
        yield at, out
    raise AssertionError("the pass did not end")


@pytest.mark.parametrize("is_half_done", [False, True])
@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (OLD, TURNED), (TURNED, OLD)])
def test_a_killed_pass_is_completed_or_dropped_by_the_next_command(
    tmp_path: Path, old: Content, new: Content, *, is_half_done: bool
) -> None:
    """At whatever step it is killed. Until it is decided the tree is the old one, then the new one."""
    ends = []
    for at, out in _interrupted(tmp_path, is_half_done=is_half_done, old=old, new=new):
        is_decided = (out / STATE / "pass.json").exists()
        if not is_decided and tree(out) != expected(new):
            assert expected(old) == tree(out), at
        publish.resume(out)
        if is_decided:
            assert expected(new) == tree(out), at
        assert tree(out) in (expected(old), expected(new)), at
        assert not {"next.db", "pass.json", "stage"} & set(state(out)), at
        assert not publish.resume(out), at
        ends.append("new" if tree(out) == expected(new) else "old")
        run(out, new)
        assert (expected(new), CLEAN) == (tree(out), state(out)), at
        assert ((), ()) == (run(out, new).written, run(out, new).removed), at
    # First it is dropped, from some step on completed.
    assert ["old", "new"] == list(dict.fromkeys(ends))


def test_a_killed_pass_is_completed_by_the_next_build(tmp_path: Path) -> None:
    """Which then does its own; what the first would have left is known to be ours."""
    for at, out in _interrupted(tmp_path, is_half_done=True):
        run(out, THIRD)
        assert (expected(THIRD), CLEAN) == (tree(out), state(out)), at


@pytest.mark.parametrize(("old", "new"), [(OLD, NEW), (OLD, TURNED), (TURNED, OLD)])
def test_a_completion_can_be_killed_too(tmp_path: Path, old: Content, new: Content) -> None:
    """As often as one likes: each command begins where the last one came to."""
    for at, out in _interrupted(tmp_path, is_half_done=False, old=old, new=new):
        for again in range(1, 500):
            with failing(again, Killed(), is_half_done=True):
                try:
                    run(out, THIRD)
                except Killed:
                    continue
                break
        assert (expected(THIRD), CLEAN) == (tree(out), state(out)), at


@pytest.mark.parametrize("is_half_done", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_disk_that_refuses_leaves_the_tree(tmp_path: Path, code: int, *, is_half_done: bool) -> None:
    """Or, once the pass is decided, says that the next build completes it; and so it does."""
    ends = []
    for at in range(1, 500):
        out = tmp_path / f"refused at {at}"
        run(out, OLD)
        with failing(at, OSError(code, os.strerror(code), "the place"), is_half_done=is_half_done):
            try:
                run(out, NEW)
            except Unpublishable as refused:
                said = str(refused)
            else:
                said = ""
        is_decided = (out / STATE / "pass.json").exists()
        if said and not is_decided:
            assert tree(out) in (expected(OLD), expected(NEW)), at
            assert f"the place: {os.strerror(code)}" in said, at
        # No half written file is left under a name of its own, whatever happened.
        assert not [name for name in state(out) if name.endswith(".new")], at
        if is_decided:
            assert "the next build completes this one" in said, at
        ends.append("decided" if is_decided else "new" if tree(out) == expected(NEW) else "old")
        run(out, NEW)
        assert (expected(NEW), CLEAN) == (tree(out), state(out)), at
        if not said and ends[-1] == "new" and at > 30:
            break
    assert {"old", "decided", "new"} == set(ends)


def test_nothing_is_left_to_resume_after_a_pass(out: Path) -> None:
    """Nor in a folder that no build has seen, which is not made by asking."""
    assert not publish.resume(out)
    assert not publish.resume(out.parent / "absent")
    assert not (out.parent / "absent").exists()


def test_a_completion_that_the_disk_refuses_is_refused(out: Path) -> None:
    """As any other; a later one works."""
    with failing(8, Killed()), pytest.raises(Killed):
        run(out, NEW)
    with (
        failing(1, OSError(errno.ENOSPC, "full", "the place")),
        pytest.raises(Unpublishable, match="the place: full"),
    ):
        publish.resume(out)
    assert publish.resume(out)


# Two at once.

BUILD = """\
import json, sys
from pathlib import Path
from generator import publish, stage
from generator.model import File
for line in sys.stdin:
    content = json.loads(line)
    publish.publish([File(path, data.encode()) for path, data in content.items()], Path(sys.argv[1]))
"""


def test_two_builds_at_once_leave_the_result_of_one(tmp_path: Path) -> None:
    """They wait for each other: neither fails, and nothing of the loser is left."""
    out = tmp_path / "site"
    contents = [
        {f"{name}/{n}/page.html": name * 1000 for n in range(40)} | {"index.html": name} for name in "ab"
    ]
    builds = [
        subprocess.Popen([sys.executable, "-c", BUILD, out], cwd=ROOT, stdin=subprocess.PIPE, text=True)
        for _ in contents
    ]
    for build, content in zip(builds, contents, strict=True):
        assert build.stdin is not None
        build.stdin.write(f"{json.dumps(content)}\n" * 15)
        build.stdin.flush()
    for build in builds:
        build.communicate()
    assert [0, 0] == [build.returncode for build in builds]
    results = [expected({path: data.encode() for path, data in content.items()}) for content in contents]
    assert tree(out) in results
    assert CLEAN == state(out)


def test_a_build_waits_for_another(out: Path) -> None:
    """While one holds the folder, the other has not begun; where nothing is to resume, nobody waits."""
    with publish._locked(out):
        waiting = subprocess.Popen(
            [sys.executable, "-c", BUILD, out], cwd=ROOT, stdin=subprocess.PIPE, text=True
        )
        assert waiting.stdin is not None
        waiting.stdin.write(json.dumps({"index.html": "theirs"}) + "\n")
        waiting.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=0.6)
        assert expected(OLD) == tree(out)
        assert not publish.resume(out)
    assert 0 == waiting.wait()
    assert {"index.html": b"theirs"} == tree(out)
