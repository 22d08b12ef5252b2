"""Which releases are meant, and where they come from."""

import subprocess
from pathlib import Path

import pytest

from generator import releases, wheels
from generator.model import Drift, Edition, Repository, Wheelhouse
from generator.releases import ReleaseMissing, ReleaseUnavailable, Tags, chosen
from generator.statements import Copy
from generator.wheels import Wheel, WheelMissing, WheelUnavailable
from tests.editions import LATER, NAME, NEXT, PIN, PINNED, wheel

LISTED = ("0.9", "1.0", "1.1rc1", "1.1", "1.1.post1", *(f"1.{n}" for n in range(2, 11)))


class Shelf:
    """Releases that are only listed."""

    def __init__(self, pinned: str) -> None:
        self.pinned = pinned
        self.commit = PIN

    @staticmethod
    def listed() -> tuple[str, ...]:
        """All of them."""
        return LISTED

    @staticmethod
    def copy(version: str) -> Copy:
        """No files."""
        return Copy(Edition(version), (), lambda _: None)


def test_newest_final_releases_are_meant_by_default() -> None:
    """Eight, with the pinned one in the place of the oldest if it is none of them."""
    assert tuple(f"1.{n}" for n in range(3, 11)) == chosen(Shelf("1.5"), None)
    assert ("1.0", *(f"1.{n}" for n in range(4, 11))) == chosen(Shelf("1.0"), None)


def test_ranges_take_the_final_ones_between_their_ends() -> None:
    """Both ends included; what is named by itself may be a candidate."""
    assert ("1.0", "1.1", "1.1.post1", "1.2") == chosen(Shelf("1.0"), "1.1..1.2")
    assert ("1.0", "1.1rc1", "1.3") == chosen(Shelf("1.0"), " 1.3, 1.1rc1,")


def test_named_releases_need_no_list() -> None:
    """They are put in the order of versions, by number."""

    class Silent(Shelf):
        @staticmethod
        def listed() -> tuple[str, ...]:
            raise AssertionError

    assert ("1.1rc1", "1.1", "1.1.post1", "1.2", "1.10") == chosen(Silent("1.1"), "1.10,1.1.post1,1.2,1.1rc1")


@pytest.mark.parametrize(
    ("wanted", "why"),
    [("1.2..2.0", "there is no release `2.0`"), ("1.2..1.1", "`1.2..1.1` ends before it begins")],
)
def test_ranges_that_are_none_are_refused(wanted: str, why: str) -> None:
    """With the reason."""
    with pytest.raises(ReleaseUnavailable, match=why):
        chosen(Shelf("1.0"), wanted)


# Wheels.


class Index:
    """Stands in for pip: lists versions, brings wheels, and counts how often it is asked."""

    def __init__(self, releases: dict[str, dict[str, str]]) -> None:
        self.releases = releases
        self.asked: list[str] = []

    def versions(self, name: str, python: str | None, platform: str | None) -> tuple[str, ...]:
        """Newest first; one of them has no wheel."""
        self.asked.append(f"{name} for {python} on {platform}")
        return (*reversed(self.releases), "0.1")

    def take(self, requirement: str, python: str | None, platform: str | None, cache: Path) -> Wheel:  # noqa: ARG002 - pip's
        """The wheel of a release."""
        self.asked.append(requirement)
        version = requirement.partition("==")[2]
        if version not in self.releases:
            raise WheelMissing("the index has no such wheel")
        return wheels.named(requirement, *wheel(cache, version, self.releases[version]))


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index of two releases."""
    found = Index({"1.0": PINNED, "2.0": LATER})
    monkeypatch.setattr(wheels, "versions", found.versions)
    monkeypatch.setattr(wheels, "take", found.take)
    return found


def shelf(cache: Path, *, known: Drift | None = None, is_offline: bool = False) -> releases.Wheels:
    """The releases of a repository that pins 1.0."""
    file, sha256 = wheel(cache, "1.0", PINNED)
    house = Wheelhouse(f"{NAME}==1.0", "3.11", "any", file, sha256, PIN, "src/")
    repository = Repository("acme/widgets", "Widgets", wheel=house)
    return releases.Wheels(repository, cache, known, is_offline=is_offline, say=lambda _: None)


def test_a_second_look_asks_nobody(index: Index, tmp_path: Path) -> None:
    """What was fetched is known by its hash, and the list of versions is kept."""
    first = shelf(tmp_path)
    assert ("0.1", "1.0", "2.0") == first.listed()
    assert "src/acme/state.py" in first.copy("2.0").paths
    assert ["acme for 3.11 on any", "acme==2.0"] == index.asked

    second = shelf(tmp_path, is_offline=True)

    assert ("0.1", "1.0", "2.0") == second.listed()
    assert first.copy("2.0").edition == second.copy("2.0").edition
    assert PIN == second.copy("1.0").edition.commit
    assert 2 == len(index.asked)


def test_a_release_without_a_wheel_is_missing_and_not_asked_for_again(index: Index, tmp_path: Path) -> None:
    """No source distribution is built in its stead."""
    for _ in range(2):
        with pytest.raises(ReleaseMissing, match=r"there is no wheel of acme==0\.1"):
            shelf(tmp_path).copy("0.1")

    assert ["acme==0.1"] == index.asked


def test_a_release_has_the_hash_that_the_table_says(index: Index, tmp_path: Path) -> None:
    """Another file under its name is refused, in the cache as from the index."""
    held = shelf(tmp_path)
    edition = held.copy("2.0").edition
    drift = Drift("acme/widgets", "1.0", PIN, (Edition("2.0", edition.file, "f" * 64),), {}, {})

    with pytest.raises(ReleaseUnavailable, match=r"the cache does not hold acme-2\.0"):
        shelf(tmp_path, known=drift, is_offline=True).copy("2.0")
    assert ["acme==2.0"] == index.asked


def test_an_index_out_of_reach_gives_the_list_of_the_last_time(
    index: Index, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And none where there was no last time."""

    def silent(*_: object) -> tuple[str, ...]:
        raise WheelUnavailable("no network")

    shelf(tmp_path / "known").listed()
    monkeypatch.setattr(wheels, "versions", silent)

    assert ("0.1", "1.0", "2.0") == shelf(tmp_path / "known").listed()
    with pytest.raises(ReleaseUnavailable, match="no network"):
        shelf(tmp_path / "new").listed()
    assert 1 == len(index.asked)


def test_paths_that_lead_elsewhere_are_none_of_a_release(tmp_path: Path) -> None:
    """A wheel may name its files as it likes; nothing of it is unpacked."""
    file, sha256 = wheel(
        tmp_path, "1.0", {"../up.py": "", "a\\b.py": "", "/c.py": "", "acme/\x1b.py": "", "d.py": ""}
    )
    house = Wheelhouse(f"{NAME}==1.0", "3.11", "any", file, sha256, PIN, "src/")
    repository = Repository("acme/widgets", "Widgets", wheel=house)
    held = releases.Wheels(repository, tmp_path, None, is_offline=True, say=lambda _: None)

    assert ("src/d.py",) == held.copy("1.0").paths


def test_a_repository_without_a_package_has_no_wheels(tmp_path: Path) -> None:
    """Nor has Python itself."""
    with pytest.raises(ReleaseUnavailable, match="names no `wheel` and no `package`"):
        releases.Wheels(
            Repository("acme/widgets", "Widgets"), tmp_path, None, is_offline=True, say=lambda _: None
        )


# Tags.


def commit(folder: Path, tag: str, files: dict[str, str]) -> str:
    """Commit files under a tag; the commit."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", tag], ["tag", "-am", tag, tag]):
        subprocess.run([*git, *command], check=True)
    said = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return said.stdout.strip()


def test_tags_of_a_clone_are_releases_with_commits(tmp_path: Path) -> None:
    """Those that match, in the order of versions; their files are read at their commits."""
    first = commit(tmp_path, "v1.9", {"src/a.py": "one = 1\n", "b.txt": ""})
    second = commit(tmp_path, "v1.10", {"src/a.py": "two = 2\r\n"})
    commit(tmp_path, "other", {"src/a.py": "three = 3\n"})

    held = Tags(tmp_path, "v*", first)

    assert ("v1.9", "v1.10") == held.listed() == chosen(held, "1.9..1.10")
    assert ("v1.9", first, second) == (held.pinned, held.commit, held.copy("v1.10").edition.commit)
    assert ("src/a.py",) == held.copy("v1.10").paths
    assert ("one = 1\n", "two = 2\n") == (
        held.copy("v1.9").read("src/a.py"),
        held.copy("v1.10").read("src/a.py"),
    )
    assert held.copy("v1.9").read("src/none.py") is None


def test_a_clone_without_such_tags_or_releases_says_so(tmp_path: Path) -> None:
    """And a folder that is no clone."""
    with pytest.raises(ReleaseUnavailable, match="not a git repository"):
        Tags(tmp_path, "v*", PIN)
    commit(tmp_path, "v1", {"a.py": ""})
    with pytest.raises(ReleaseUnavailable, match=r"has no tag `w\*`"):
        Tags(tmp_path, "w*", PIN)
    with pytest.raises(ReleaseUnavailable, match="has no tag `v2`"):
        Tags(tmp_path, "v*", PIN).copy("v2")
    with pytest.raises(ReleaseUnavailable, match="git ls-tree"):
        Tags(tmp_path, "v*", NEXT).copy(NEXT[:10])
