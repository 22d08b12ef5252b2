"""Excerpts: the record's own lines, else those of the wheel that its repository names, else none."""

import hashlib
import zipfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from generator import excerpts, wheels
from generator.excerpts import AROUND, Sources, wanted_wheel
from generator.model import Excerpt, Record, Release, Repository, Wheelhouse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = "89abcdef0123456789abcdef0123456789abcdef"
NAME = "pool-1.5-py3-none-any.whl"
MEMBER = "pool/pages.py"
LINES = [f"line {number}" for number in range(1, 101)]

RECORD = Record(
    id="0" * 16,
    repo="acme/pool",
    slug="no-room",
    error_message="no room for {size}",
    message_pattern="no room for (.+?)",
    error_class="PoolError",
    file_path=f"python/{MEMBER}",
    line_number=50,
    github_url="https://github.com/acme/pool",
    documentation="There is no room.",
    analyzed_sha=COMMIT,
)


def repository(sha256: str = "0" * 64) -> Repository:
    """Return a repository whose wheel has that hash."""
    house = Wheelhouse(
        requirement="pool==1.5",
        python="3.11",
        platform="any",
        file=NAME,
        sha256=sha256,
        commit=COMMIT,
        prefix="python/",
    )
    return Repository(repo="acme/pool", title="Pool", wheel=house)


def keep(cache: Path, members: dict[str, bytes]) -> Repository:
    """Write a wheel into a cache and return the repository that names it."""
    path = cache / "wheels" / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return repository(hashlib.sha256(path.read_bytes()).hexdigest())


def text(lines: list[str]) -> bytes:
    """Return a file of those lines."""
    return "".join(f"{line}\n" for line in lines).encode()


def excerpt(cache: Path, record: Record, lines: list[str]) -> Excerpt | None:
    """Return the excerpt of a record whose file has those lines."""
    return Sources(cache).excerpt(record, keep(cache, {MEMBER: text(lines)}))


# The record's own.


def test_a_records_own_excerpt_comes_first(tmp_path: Path) -> None:
    """It is shown as written, though the wheel is at hand and says otherwise."""
    record = replace(RECORD, source_code="a\n  b", source_code_start=49, source_code_end=50)
    found = excerpt(tmp_path, record, LINES)
    assert Excerpt("a\n  b", 49, "kept in the record") == found
    assert (["a", "  b"], 50) == (found.lines, found.last_line)


def test_a_records_own_excerpt_needs_no_repository(tmp_path: Path) -> None:
    """Nor a cache."""
    record = replace(RECORD, source_code="a", source_code_start=50)
    assert Excerpt("a", 50, "kept in the record") == Sources(tmp_path / "none").excerpt(record, None)


def test_an_excerpt_without_its_first_line_is_none(tmp_path: Path) -> None:
    """Where it stands is unknown, and the wheel's text is not the record's."""
    assert excerpt(tmp_path, replace(RECORD, source_code="a"), LINES) is None


# The window.


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        (50, 32, 68),
        (1, 1, 19),
        (2, 1, 20),
        (18, 1, 36),
        (19, 1, 37),
        (20, 2, 38),
        (82, 64, 100),
        (83, 65, 100),
        (100, 82, 100),
    ],
)
def test_a_wheels_excerpt_has_18_lines_around_the_place(
    tmp_path: Path, line: int, first: int, last: int
) -> None:
    """It is cut at the ends of the file."""
    found = excerpt(tmp_path, replace(RECORD, line_number=line), LINES)
    assert Excerpt("\n".join(LINES[first - 1 : last]), first, "read from the released pool==1.5", "") == found
    assert last == found.last_line


@pytest.mark.parametrize("line", [101, 102, 1_000_000])
def test_a_line_behind_the_files_end_has_no_excerpt(tmp_path: Path, line: int) -> None:
    """The record is wrong, or the wheel is another release's."""
    assert excerpt(tmp_path, replace(RECORD, line_number=line), LINES) is None


def test_around_a_place_behind_the_files_end_are_its_last_lines(tmp_path: Path) -> None:
    """They show where it ends, to whoever named the place."""
    found = Sources(tmp_path).around(RECORD, f"python/{MEMBER}", 10**6, keep(tmp_path, {MEMBER: text(LINES)}))
    assert Excerpt("\n".join(LINES[81:]), 82, "read from the released pool==1.5", "") == found


def test_a_place_within_the_records_own_excerpt_is_read_there(tmp_path: Path) -> None:
    """Where no release is at hand; of its file, and of the lines that it holds."""
    record = replace(RECORD, source_code="a\nb", source_code_start=49, source_code_end=50)
    sources, kept = Sources(tmp_path), Excerpt("a\nb", 49, "kept in the record")
    assert [None, kept, kept, None] == [
        sources.around(record, record.file_path, line, None) for line in (48, 49, 50, 51)
    ]
    assert sources.around(record, "python/other.py", 49, None) is None


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_last_line_may_lack_its_end(tmp_path: Path, end: str) -> None:
    """A line end ends a line and begins none."""
    named = keep(tmp_path, {MEMBER: b"a\nb" + end.encode()})
    found = Sources(tmp_path).excerpt(replace(RECORD, line_number=2), named)
    assert Excerpt("a\nb", 1, "read from the released pool==1.5", "") == found
    assert Sources(tmp_path).excerpt(replace(RECORD, line_number=3), named) is None


def test_windows_line_ends_are_read_as_line_ends(tmp_path: Path) -> None:
    """A page shows no carriage return."""
    named = keep(tmp_path, {MEMBER: b"a\r\nb\r\n"})
    found = Sources(tmp_path).excerpt(replace(RECORD, line_number=2), named)
    assert Excerpt("a\nb", 1, "read from the released pool==1.5", "") == found


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")), min_size=1),
    st.data(),
)
def test_an_excerpt_holds_its_place_and_its_lines(lines: list[str], data: st.DataObject) -> None:
    """For any file and line in it: the quoted lines are the file's, and the place is among them."""
    line = data.draw(st.integers(1, len(lines)))
    sources = Sources(Path("unused"))
    named = repository()
    wheel = wanted_wheel(RECORD, named)
    assert wheel is not None
    sources._wheels[wheel] = Path("unused")
    sources._texts[wheel, MEMBER] = lines
    found = sources.excerpt(replace(RECORD, line_number=line), named)
    assert found is not None
    assert found.first_line <= line <= found.last_line
    assert lines[found.first_line - 1 : found.last_line] == found.lines
    assert len(found.lines) <= 2 * AROUND + 1


@pytest.mark.parametrize(("line", "before"), [(19, ""), (20, '    """'), (29, '    """'), (30, "")])
def test_an_excerpt_says_what_opens_the_string_that_it_begins_in(
    tmp_path: Path, line: int, before: str
) -> None:
    """It begins 18 lines before its place: here in a docstring of lines 1 to 11, behind that in none."""
    lines = ['    """Make room.', *LINES[1:10], '    """', *LINES[11:]]
    found = excerpt(tmp_path, replace(RECORD, line_number=line), lines)
    assert found is not None
    assert before == found.before


def test_of_an_excerpt_without_its_file_that_is_not_known(tmp_path: Path) -> None:
    """Whoever shows it has to guess."""
    record = replace(RECORD, source_code="a", source_code_start=50, source_code_end=50)
    found = Sources(tmp_path).excerpt(record, None)
    assert found is not None
    assert found.before is None


# Without.


def test_a_record_without_repository_has_no_excerpt(tmp_path: Path) -> None:
    """Nothing says where to read."""
    keep(tmp_path, {MEMBER: text(LINES)})
    assert Sources(tmp_path).excerpt(RECORD, None) is None
    assert Sources(tmp_path).excerpt(RECORD, Repository(repo="acme/pool", title="Pool")) is None


def test_another_commits_record_has_no_excerpt(tmp_path: Path) -> None:
    """The wheel's lines are those of its own commit."""
    assert excerpt(tmp_path, replace(RECORD, analyzed_sha=OTHER), LINES) is None


def test_a_file_outside_the_wheel_has_no_excerpt(tmp_path: Path) -> None:
    """Only paths below the prefix are in it."""
    assert excerpt(tmp_path, replace(RECORD, file_path=MEMBER), LINES) is None
    assert excerpt(tmp_path, replace(RECORD, file_path=f"csrc/{MEMBER}"), LINES) is None


def test_a_file_that_the_wheel_lacks_has_no_excerpt(tmp_path: Path) -> None:
    """Tests and tools are often not released."""
    assert excerpt(tmp_path, replace(RECORD, file_path="python/pool/other.py"), LINES) is None


def test_an_absent_wheel_gives_no_excerpt(tmp_path: Path) -> None:
    """Nothing is fetched here, and no folder made."""
    assert Sources(tmp_path / "cache").excerpt(RECORD, repository()) is None
    assert not list(tmp_path.iterdir())


def test_an_altered_wheel_gives_no_excerpt(tmp_path: Path) -> None:
    """The hash is the pin."""
    named = keep(tmp_path, {MEMBER: text(LINES)})
    keep(tmp_path, {MEMBER: text(["another text"])})
    assert Sources(tmp_path).excerpt(RECORD, named) is None


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a" * (wheels.MEMBER_LIMIT + 1)])
def test_a_member_that_cannot_be_shown_gives_no_excerpt(tmp_path: Path, content: bytes) -> None:
    """No text, or too much of it."""
    named = keep(tmp_path, {MEMBER: content})
    assert Sources(tmp_path).excerpt(replace(RECORD, line_number=1), named) is None


def test_a_file_that_is_no_archive_gives_no_excerpt(tmp_path: Path) -> None:
    """Even if the pin names its hash."""
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / NAME).write_bytes(b"no archive")
    named = repository(hashlib.sha256(b"no archive").hexdigest())
    assert Sources(tmp_path).excerpt(RECORD, named) is None


# Each once.


def test_a_wheel_and_a_file_in_it_are_read_once(tmp_path: Path) -> None:
    """A thousand records of one file open it once; what cannot be read is not tried again either."""
    named = keep(tmp_path, {MEMBER: text(LINES)})
    sources = Sources(tmp_path)
    with (
        mock.patch.object(wheels, "cached", wraps=wheels.cached) as looked,
        mock.patch.object(wheels, "read", wraps=wheels.read) as opened,
    ):
        for line in (1, 50, 100):
            sources.excerpt(replace(RECORD, line_number=line), named)
            sources.excerpt(replace(RECORD, line_number=line, file_path="python/absent.py"), named)
    assert (1, 2) == (looked.call_count, opened.call_count)


# What is installed.


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository whose lines are those of a package that is installed."""
    site, info = tmp_path / "site", "pool-1.5.dist-info"
    files = {
        MEMBER: text(LINES),
        "pool/latin.py": b"\xff",
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: pool\nVersion: 1.5\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in files).encode()
    for name, content in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(content)
    monkeypatch.syspath_prepend(str(site))
    release = Release(requirement="pool==1.5", commit=COMMIT, prefix="python/")
    return Repository(repo="acme/pool", title="Pool", package=release)


def test_an_installed_packages_lines_are_quoted(tmp_path: Path, installed: Repository) -> None:
    """With where they were read, and no other window than a wheel's."""
    found = Sources(tmp_path).excerpt(RECORD, installed)
    assert Excerpt("\n".join(LINES[31:68]), 32, "read from the installed pool==1.5", "") == found


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, analyzed_sha=OTHER),
        replace(RECORD, file_path=MEMBER),
        replace(RECORD, file_path="python/pool/absent.py"),
        replace(RECORD, file_path="python/pool/latin.py"),
        replace(RECORD, line_number=101),
        replace(RECORD, source_code="a"),
    ],
    ids=[
        "another pin",
        "outside the prefix",
        "no such file",
        "no UTF-8",
        "no such line",
        "an excerpt of its own",
    ],
)
def test_what_is_not_in_an_installed_package_has_no_excerpt(
    tmp_path: Path, installed: Repository, record: Record
) -> None:
    """As with a wheel."""
    assert Sources(tmp_path).excerpt(record, installed) is None


def test_another_release_that_is_installed_gives_no_excerpt(tmp_path: Path, installed: Repository) -> None:
    """Its lines may be others."""
    other = Release(requirement="pool==1.6", commit=COMMIT, prefix="python/")
    assert Sources(tmp_path).excerpt(RECORD, replace(installed, package=other)) is None


def test_a_wheel_comes_before_what_is_installed(tmp_path: Path, installed: Repository) -> None:
    """It is pinned by its hash; where it is absent, nothing stands in for it."""
    named = replace(keep(tmp_path, {MEMBER: text(["of the wheel"])}), package=installed.package)
    found = Sources(tmp_path).excerpt(replace(RECORD, line_number=1), named)
    assert Excerpt("of the wheel", 1, "read from the released pool==1.5", "") == found
    assert Sources(tmp_path / "empty").excerpt(RECORD, named) is None


# What is to be fetched.


def test_the_wheel_that_is_wanted_is_the_repositorys() -> None:
    """Set-up fetches it."""
    wheel = wheels.Wheel("pool==1.5", "3.11", "any", NAME, "0" * 64)
    assert wheel == wanted_wheel(RECORD, repository())
    assert wheel == excerpts.wheel_of(repository().wheel or pytest.fail("the repository has one"))


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, source_code="a", source_code_start=1),
        replace(RECORD, analyzed_sha=OTHER),
        replace(RECORD, file_path=MEMBER),
    ],
)
def test_no_wheel_is_wanted_for_a_record_that_would_not_be_read_from_it(record: Record) -> None:
    """It holds its lines itself, or has another pin or another place."""
    assert wanted_wheel(record, repository()) is None


def test_no_wheel_is_wanted_without_a_repository_that_names_one() -> None:
    """Most repositories need none."""
    assert wanted_wheel(RECORD, None) is None
    assert wanted_wheel(RECORD, Repository(repo="acme/pool", title="Pool")) is None


def test_an_empty_prefix_takes_every_path() -> None:
    """The wheel then holds the repository's own paths."""
    named = repository()
    assert named.wheel is not None
    named = replace(named, wheel=replace(named.wheel, prefix=""))
    assert wanted_wheel(replace(RECORD, file_path="anything.py"), named) is not None
