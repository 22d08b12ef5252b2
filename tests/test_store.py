"""`generator.store`: what is kept comes back as it was, or not at all."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from generator import store
from generator.store import Store, digest, key

ROOT = Path(store.__file__).parent.parent

DATA = b"what running the code did\n\x00\xff"
NAME = key("observed", code="1 + 1")


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    """Return a store that holds the entry above."""
    kept = Store(tmp_path / "facts")
    kept.put(NAME, DATA)
    return kept


def entry(kept: Store, name: str = NAME) -> Path:
    """Return the file of an entry."""
    assert kept.root is not None
    return kept.root / name[:2] / name[2:]


def files(kept: Store) -> list[str]:
    """Return the names of all files in the store, hidden ones too."""
    assert kept.root is not None
    return sorted(path.name for path in kept.root.rglob("*") if not path.is_dir())


# Keys.


def test_digests_tell_parts_apart() -> None:
    """Where one part ends and the next begins is part of the digest."""
    every = [
        digest(),
        digest(""),
        digest("", ""),
        digest("ab"),
        digest("a", "b"),
        digest("b", "a"),
        digest("ab", ""),
        digest("", "ab"),
    ]
    assert len(set(every)) == len(every)
    assert {64} == {len(one) for one in every}


def test_texts_and_their_bytes_have_one_digest() -> None:
    """UTF-8."""
    assert digest("é") == digest("é".encode())


def test_keys_name_every_input() -> None:
    """The kind, each name and each value; the order in which they are given does not matter."""
    every = [
        key("observed"),
        key("observed", a="1"),
        key("observed", a="2"),
        key("observed", b="1"),
        key("observed", a="1", b="2"),
        key("observed", a="2", b="1"),
        key("encoded", a="1", b="2"),
        key("observed", a="1b2"),
    ]
    assert len(set(every)) == len(every)
    assert key("observed", a="1", b="2") == key("observed", b="2", a="1")


def test_keys_name_the_layout_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries of another layout are never read."""
    before = key("observed", a="1")
    monkeypatch.setattr(store, "VERSION", "another")
    assert before != key("observed", a="1")


# Entries.


@pytest.mark.parametrize("data", [b"", b"\n", b"line\nline\n", DATA, bytes(range(256)), b"x" * 3_000_000])
def test_what_is_put_is_what_is_got(tmp_path: Path, data: bytes) -> None:
    """Any bytes."""
    kept = Store(tmp_path / "a" / "b")
    kept.put(NAME, data)
    assert data == kept.get(NAME)
    assert data == Store(tmp_path / "a" / "b").get(NAME)


def test_what_was_not_put_is_a_miss(kept: Store) -> None:
    """Looking for it leaves nothing behind."""
    before = files(kept)
    assert kept.get(key("observed", code="2")) is None
    assert before == files(kept)


def test_a_second_put_replaces_the_first(kept: Store) -> None:
    """And leaves one file."""
    kept.put(NAME, b"other")
    assert b"other" == kept.get(NAME)
    assert [NAME[2:]] == files(kept)


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is a miss, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    kept = Store(None)
    kept.put(NAME, DATA)
    assert kept.get(NAME) is None
    assert not list(tmp_path.iterdir())


# Damage.


@pytest.mark.parametrize("at", [0, 40, 63, 64, 65, 70, -1])
@pytest.mark.parametrize("bit", [1, 128])
def test_a_flipped_bit_is_a_miss(kept: Store, at: int, bit: int) -> None:
    """In the digest, in the line end, in the data."""
    data = bytearray(entry(kept).read_bytes())
    data[at] ^= bit
    entry(kept).write_bytes(data)
    assert kept.get(NAME) is None


def test_an_entry_that_was_cut_is_a_miss(kept: Store) -> None:
    """At whatever length, none included."""
    whole = entry(kept).read_bytes()
    for length in range(len(whole)):
        entry(kept).write_bytes(whole[:length])
        assert kept.get(NAME) is None, length


@pytest.mark.parametrize("more", [b"\n", b"\0", b"x"])
def test_an_entry_that_grew_is_a_miss(kept: Store, more: bytes) -> None:
    """By a byte."""
    with entry(kept).open("ab") as file:
        file.write(more)
    assert kept.get(NAME) is None


def test_swapped_entries_are_misses(kept: Store) -> None:
    """Each is whole, and is not the entry of its key."""
    other = key("observed", code="2")
    kept.put(other, b"other")
    mine, theirs = entry(kept).read_bytes(), entry(kept, other).read_bytes()
    entry(kept).write_bytes(theirs)
    entry(kept, other).write_bytes(mine)
    assert kept.get(NAME) is None
    assert kept.get(other) is None


def test_an_unreadable_entry_is_a_miss(kept: Store) -> None:
    """A folder in its place, a link that leads nowhere or in a circle, a file where its folder should be."""
    place = entry(kept)
    place.unlink()
    place.mkdir()
    assert kept.get(NAME) is None
    place.rmdir()
    for target in ("nowhere", place.name):
        place.symlink_to(target)
        assert kept.get(NAME) is None
        place.unlink()
    place.parent.rmdir()
    place.parent.write_bytes(b"")
    assert kept.get(NAME) is None


def test_a_damaged_entry_is_mended_by_the_next_put(kept: Store) -> None:
    """The worst is a miss."""
    entry(kept).write_bytes(b"damaged")
    kept.put(NAME, DATA)
    assert DATA == kept.get(NAME)


# What is removed.

SIZE = 65 + 10  # of an entry with ten bytes: its digest, a line end, its data


def aged(tmp_path: Path, count: int) -> tuple[Store, list[str]]:
    """Return a store of entries of one size, and their keys from the one that was longest not used."""
    kept = Store(tmp_path / "facts")
    names = [key("observed", code=str(number)) for number in range(count)]
    for number, name in enumerate(names, 1):
        kept.put(name, b"0123456789")
        assert SIZE == entry(kept, name).stat().st_size
        os.utime(entry(kept, name), ns=(number * 10**9, number * 10**9))
    return kept, names


@pytest.mark.parametrize(
    ("size", "left"),
    [(10**9, 5), (5 * SIZE, 5), (5 * SIZE - 1, 4), (4 * SIZE, 4), (2 * SIZE + 7, 2), (SIZE - 1, 0), (0, 0)],
)
def test_what_was_longest_not_used_goes_first(tmp_path: Path, size: int, left: int) -> None:
    """Until no more is left than there may be; not an entry more."""
    kept, names = aged(tmp_path, 5)
    assert 5 - left == kept.prune(size)
    assert [None] * (5 - left) + [b"0123456789"] * left == [kept.get(name) for name in names]
    assert 0 == kept.prune(size)


def test_what_is_used_outlives_what_is_not(tmp_path: Path) -> None:
    """To get an entry is to use it, and to put it again as well."""
    kept, names = aged(tmp_path, 5)
    kept.get(names[0])
    kept.put(names[2], b"9876543210")
    assert 3 == kept.prune(2 * SIZE)
    assert [b"0123456789", None, b"9876543210", None, None] == [kept.get(name) for name in names]


def test_one_large_entry_goes_alone(tmp_path: Path) -> None:
    """Bytes are counted, not entries."""
    kept, names = aged(tmp_path, 3)
    kept.put(names[0], b"x" * 10_000)
    os.utime(entry(kept, names[0]), ns=(0, 0))
    assert 1 == kept.prune(10_000)
    assert [names[0]] == [name for name in names if kept.get(name) is None]


def test_what_was_never_finished_is_removed_too(tmp_path: Path) -> None:
    """A process that was killed while it wrote leaves bytes that nobody will ask for."""
    kept, names = aged(tmp_path, 1)
    stray = entry(kept, names[0]).parent / ".new-stray"
    stray.write_bytes(b"x" * 100)
    os.utime(stray, ns=(0, 0))
    assert 1 == kept.prune(SIZE)
    assert [names[0][2:]] == files(kept)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """Wheels lie beside the facts, and a folder is no entry."""
    kept, _ = aged(tmp_path, 2)
    assert kept.root is not None
    (kept.root / "README").write_bytes(b"x" * 100)
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "pool.whl").write_bytes(b"x" * 100)
    (kept.root / "ab").mkdir(exist_ok=True)
    (kept.root / "ab" / "folder").mkdir()
    assert 2 == kept.prune(0)
    assert ["README"] == files(kept)
    assert (tmp_path / "wheels" / "pool.whl").exists()


def test_nothing_is_removed_where_nothing_is(tmp_path: Path) -> None:
    """A store that was never written, or none at all."""
    assert 0 == Store(tmp_path / "absent").prune(0)
    assert 0 == Store(None).prune(0)


# A disk that refuses.


@pytest.mark.parametrize("blocked", ["", "facts", f"facts/{NAME[:2]}"])
def test_a_folder_that_cannot_be_made_costs_the_entry(tmp_path: Path, blocked: str) -> None:
    """A file stands where it would have to be."""
    root = tmp_path / "cache"
    (root / blocked).parent.mkdir(parents=True, exist_ok=True)
    (root / blocked).write_bytes(b"")
    kept = Store(root / "facts")
    kept.put(NAME, DATA)
    assert kept.get(NAME) is None
    assert b"" == (root / blocked).read_bytes()


def test_an_entry_that_cannot_be_replaced_stays_a_miss(kept: Store) -> None:
    """A folder stands in its place; nothing is left of the attempt."""
    entry(kept).unlink()
    (entry(kept) / "full").mkdir(parents=True)
    kept.put(NAME, DATA)
    assert kept.get(NAME) is None
    assert [] == files(kept)


def test_a_full_disk_costs_the_entry(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left of the attempt, and what was there before is."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    kept.put(NAME, b"other")
    monkeypatch.undo()
    assert DATA == kept.get(NAME)
    assert [NAME[2:]] == files(kept)
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    kept.put(NAME, b"other")
    assert DATA == kept.get(NAME)


# Several processes.


WRITER = """\
import sys
from pathlib import Path
from generator.store import Store
root, name, start = sys.argv[1:]
for number in range(150):
    Store(Path(root)).put(name, bytes([int(start) + number % 2]) * 50_000)
"""


def test_processes_that_write_one_entry_leave_it_whole(tmp_path: Path) -> None:
    """Who reads meanwhile finds what one of them wrote, or nothing, and never a mixture."""
    kept = Store(tmp_path)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, NAME, start], cwd=ROOT) for start in "02"
    ]
    whole = {bytes([number]) * 50_000 for number in range(4)}
    seen = 0
    while any(writer.poll() is None for writer in writers):
        data = kept.get(NAME)
        assert data is None or data in whole
        seen += data is not None
    assert [0, 0] == [writer.wait() for writer in writers]
    assert seen
    assert kept.get(NAME) in whole
    assert [NAME[2:]] == files(kept)
