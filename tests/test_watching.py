"""`generator.watching`: a change is told once, when it is whole, whatever way an editor saves."""

from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from generator import watching
from generator.watching import Look, Places


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with a record in it."""
    (tmp_path / "records" / "acme").mkdir(parents=True)
    (tmp_path / "records" / "acme" / "a.yaml").write_text("a: 1\n")
    return tmp_path / "records"


def steps(*actions: Callable[[], object]) -> Callable[[], object]:
    """Return a pause in which the next action happens, if there is one left."""
    left = list(actions)
    return lambda: left.pop(0)() if left else None


def settle(tree: Path, before: Look, *actions: Callable[[], object]) -> list[str]:
    """Wait for quiet while these happen, one a step; the names of what is told to have changed."""
    places = Places((tree,))
    after = watching.settled(before, lambda: watching.look(places), steps(*actions))
    return [Path(one).name for one in watching.changes(before, after)]


def test_files_are_known_by_what_the_system_says_of_them(tree: Path) -> None:
    """However deep they lie; without what is hidden, an editor's own, or ignored."""
    before = watching.look(Places((tree,)))
    for name in (
        ".a.yaml.swp",
        "acme/a.yaml~",
        "acme/.#a.yaml",
        "__pycache__/x.pyc",
        ".git/index",
        "out/b.html",
    ):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text("x")
    places = Places((tree,), ignored=(tree / "out",))
    assert before == watching.look(places)
    (tree / "new" / "deep").mkdir(parents=True)
    (tree / "new" / "deep" / "b.yaml").write_text("b: 1\n")
    assert [str(tree / "new" / "deep" / "b.yaml")] == watching.changes(before, watching.look(places))


def test_single_files_may_come_and_go(tmp_path: Path, tree: Path) -> None:
    """One that is not there yet is watched too."""
    places = Places((tree,), files=(tmp_path / "pyproject.toml",))
    without = watching.look(places)
    (tmp_path / "pyproject.toml").write_text("[tool.pagefault]\n")
    having = watching.look(places)
    (tmp_path / "pyproject.toml").unlink()
    path = [str(tmp_path / "pyproject.toml")]
    assert (path, path, []) == (
        watching.changes(without, having),
        watching.changes(having, watching.look(places)),
        watching.changes(without, watching.look(places)),
    )


def test_a_folder_that_is_gone_has_no_files(tree: Path) -> None:
    """And one that was never there."""
    assert {} == watching.look(Places((tree / "none", tree / "acme" / "a.yaml" / "none")))


def test_a_file_that_is_written_in_pieces_is_told_whole(tree: Path) -> None:
    """While it grows, nobody is told."""
    before, file = watching.look(Places((tree,))), tree / "acme" / "a.yaml"
    seen: list[int] = []

    def write(text: str) -> None:
        seen.append(file.stat().st_size)
        file.write_text(text)

    assert ["a.yaml"] == settle(
        tree,
        before,
        *(lambda n=n: write("x" * n) for n in (10, 20, 30)),
    )
    assert [5, 10, 20] == seen


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_file_that_is_emptied_or_removed_first_is_waited_for(tree: Path, *, is_removed: bool) -> None:
    """What an editor does between two moments is no state to build from."""
    before, file = watching.look(Places((tree,))), tree / "acme" / "a.yaml"
    if is_removed:
        file.unlink()
    else:
        file.write_text("")
    looked: list[bool] = []

    def look() -> None:
        looked.append(file.exists() and file.stat().st_size > 0)

    assert ["a.yaml"] == settle(tree, before, look, look, look, lambda: file.write_text("a: 22\n"))
    assert [False, False, False] == looked
    assert "a: 22\n" == file.read_text()


def test_a_file_that_stays_away_is_told_to_be_gone(tree: Path) -> None:
    """After a while."""
    before, counted = watching.look(Places((tree,))), list[int]()
    (tree / "acme" / "a.yaml").unlink()
    assert ["a.yaml"] == settle(tree, before, *[lambda: counted.append(1)] * 20)
    assert watching.GRACE + 1 == len(counted)


def test_one_that_is_written_all_the_time_is_told_all_the_same(tree: Path) -> None:
    """Somebody who never stops does not hold the others up."""
    before, file = watching.look(Places((tree,))), tree / "acme" / "a.yaml"
    sizes: Iterator[int] = iter(range(10, 10_000))
    assert ["a.yaml"] == settle(tree, before, *[lambda: file.write_text("x" * next(sizes))] * 1000)
    assert watching.LONGEST + 10 == next(sizes)


def test_a_probe_that_comes_and_goes_is_no_change(tree: Path) -> None:
    """Editors try whether a folder can be written."""
    before = watching.look(Places((tree,)))
    (tree / "4913").write_text("")
    assert [] == settle(tree, before, (tree / "4913").unlink)


def renamed(file: Path, text: str) -> None:
    """Save a file as careful editors do: beside it, then in its place."""
    beside = file.with_name(f".{file.name}.new")
    beside.write_text(text)
    beside.replace(file)


@pytest.mark.parametrize("is_heard", [True, False])
def test_changes_are_told_while_it_watches(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_heard: bool
) -> None:
    """With the library that hears of them and without it; of files, of new ones, of a folder made anew."""
    if is_heard:
        pytest.importorskip("watchfiles")
    else:
        monkeypatch.setattr(watching, "_library", lambda: None)
    single = tmp_path / "pyproject.toml"
    places = Places((tree,), files=(single,))
    told: Queue[list[str]] = Queue()
    stop = Event()
    thread = Thread(
        target=watching.watch,
        args=(places, watching.look(places), lambda found: told.put([Path(one).name for one in found]), stop),
    )
    thread.start()
    try:
        file = tree / "acme" / "a.yaml"
        renamed(file, "a: 2\n")
        assert ["a.yaml"] == told.get(timeout=30)
        single.write_text("[tool.pagefault]\n")
        assert ["pyproject.toml"] == told.get(timeout=30)
        tree.rename(tmp_path / "other")
        (tree / "acme").mkdir(parents=True)
        for name in ("a.yaml", "b.yaml"):
            (tree / "acme" / name).write_text("b: 1\n")
            while name not in told.get(timeout=30):
                """What was told before is of the folder."""
    finally:
        stop.set()
        thread.join()


def test_what_changed_before_it_began_to_hear_is_told(tree: Path) -> None:
    """From the look that it was given."""
    places, told = Places((tree,)), Queue[list[str]]()
    known = watching.look(places)
    (tree / "acme" / "a.yaml").write_text("a: 234\n")
    stop = Event()
    thread = Thread(target=watching.watch, args=(places, known, told.put, stop))
    thread.start()
    try:
        assert [str(tree / "acme" / "a.yaml")] == told.get(timeout=30)
    finally:
        stop.set()
        thread.join()
