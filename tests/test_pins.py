"""`generator.pins`: where a record's file at its pin is read, in which order, or what is said of it."""

import hashlib
import subprocess
import sys
import zipfile
from email.message import Message
from http.client import IncompleteRead, InvalidURL
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest
from msgspec.structs import replace

from generator import pins, subjects, wheels
from generator.model import Pinned, Record, Release, Repository, Wheelhouse
from generator.pins import LARGEST, Pins
from generator.wheels import WheelUnavailable

OTHER = "89abcdef0123456789abcdef0123456789abcdef"
NAME = "pool-1.5-py3-none-any.whl"
NOT_FOUND = "GitHub does not give it (HTTP Error 404: Not Found)"

RECORD = Record(
    id="0" * 16,
    repo="acme/pool",
    slug="no-room",
    error_message="no room for {size}",
    message_pattern="no room for (.+?)",
    error_class="PoolError",
    file_path="python/pool/pages.py",
    line_number=1,
    github_url="https://github.com/acme/pool",
    documentation="There is no room.",
    analyzed_sha="0123456789abcdef0123456789abcdef01234567",
)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, with nobody's configuration; return what it wrote."""
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def commit(folder: Path, files: dict[str, bytes]) -> str:
    """Commit these files to a repository, which is made if need be; return the commit's sha."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--object-format=sha1")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=All there is")
    return git(folder, "rev-parse", "HEAD")


class Network:
    """Stands in for `urlopen`: remembers what it was asked for and answers, or raises."""

    def __init__(self, answer: bytes | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, address: str, *, timeout: float) -> BytesIO:
        """Answer, within a time."""
        assert 0 < timeout <= 60
        self.asked.append(address)
        if isinstance(self.answer, Exception):
            raise self.answer
        return BytesIO(self.answer)


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    """Return a network that has nothing; none is ever asked in truth."""
    network = Network(HTTPError("https://example.org", 404, "Not Found", Message(), None))
    monkeypatch.setattr("urllib.request.urlopen", network)
    return network


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder for a clone of the repository."""
    (tmp_path / "clone").mkdir()
    return tmp_path / "clone"


def read(
    tmp_path: Path, record: Record, repository: Repository | None = None, *, clone: Path | None = None
) -> Pinned:
    """Read a record's file, with nothing read before."""
    clones = {} if clone is None else {record.repo: clone}
    return Pins(clones=clones, cache=tmp_path / "cache").read(record, repository)


# A clone.


def test_a_clone_gives_the_file_at_the_pin(tmp_path: Path, clone: Path, network: Network) -> None:
    """Not the one that is checked out; neither its line ends nor a missing last one add lines."""
    path = RECORD.file_path
    first = commit(clone, {path: b"one\r\ntwo\r\n\r\nfour"})
    second = commit(clone, {path: b"other\n"})
    (clone / path).write_bytes(b"edited\n")
    found = read(tmp_path, replace(RECORD, analyzed_sha=first), clone=clone)
    assert Pinned(("one", "two", "", "four"), f"the clone at {clone}") == found
    assert ("other",) == read(tmp_path, replace(RECORD, analyzed_sha=second), clone=clone).lines
    assert [] == network.asked


def test_a_bare_clone_will_do(tmp_path: Path, clone: Path) -> None:
    """Nothing has to be checked out."""
    sha = commit(clone, {RECORD.file_path: b"one\n"})
    git(tmp_path, "clone", "--quiet", "--bare", str(clone), str(tmp_path / "bare"))
    assert ("one",) == read(tmp_path, replace(RECORD, analyzed_sha=sha), clone=tmp_path / "bare").lines


def test_a_clone_without_the_commit_says_so(tmp_path: Path, clone: Path) -> None:
    """And everything else that was tried."""
    commit(clone, {RECORD.file_path: b"one\n"})
    assert Pinned(None, f"the clone at {clone} has no such commit; {NOT_FOUND}") == read(
        tmp_path, RECORD, clone=clone
    )


@pytest.mark.parametrize("path", ["python/pool/page.py", "python/pool", "python/pool/pages.py/x"])
def test_a_commit_without_the_file_says_so(tmp_path: Path, clone: Path, path: str) -> None:
    """A folder of that name is no file."""
    sha = commit(clone, {RECORD.file_path: b"one\n"})
    found = read(tmp_path, replace(RECORD, analyzed_sha=sha, file_path=path), clone=clone)
    assert Pinned(None, f"the clone at {clone} has no such file at that commit; {NOT_FOUND}") == found


def test_another_object_of_that_sha_is_no_commit(tmp_path: Path, clone: Path) -> None:
    """A file's own sha names no place in which files are."""
    commit(clone, {RECORD.file_path: b"one\n"})
    sha = git(clone, "rev-parse", f"HEAD:{RECORD.file_path}")
    found = read(tmp_path, replace(RECORD, analyzed_sha=sha), clone=clone)
    assert found.origin.startswith(f"the clone at {clone} has no such commit; ")


@pytest.mark.parametrize("name", ["clone", "absent"])
def test_a_folder_that_is_no_clone_has_no_commit(tmp_path: Path, clone: Path, name: str) -> None:
    """Nor has one that is gone."""
    assert clone.is_dir()
    folder = tmp_path / name
    assert Pinned(None, f"the clone at {folder} has no such commit; {NOT_FOUND}") == read(
        tmp_path, RECORD, clone=folder
    )


def test_without_git_a_clone_cannot_be_read(
    tmp_path: Path, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is said, and the rest is tried."""
    sha = commit(clone, {RECORD.file_path: b"one\n"})
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read(tmp_path, replace(RECORD, analyzed_sha=sha), clone=clone)
    assert Pinned(None, f"the clone at {clone} cannot be read without git; {NOT_FOUND}") == found


def test_a_git_that_gives_no_answer_is_not_waited_for(
    tmp_path: Path, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be asking for a password."""
    monkeypatch.setattr(pins, "SECONDS", 0.2)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    found = read(tmp_path, RECORD, clone=clone)
    assert found.origin.startswith(f"the clone at {clone} cannot be read (TimeoutExpired); ")


def test_other_repositories_clones_are_not_asked(tmp_path: Path, clone: Path) -> None:
    """They are by name."""
    sha = commit(clone, {RECORD.file_path: b"one\n"})
    record = replace(RECORD, analyzed_sha=sha)
    assert Pinned(None, NOT_FOUND) == Pins(clones={"acme/other": clone}, cache=tmp_path).read(record, None)


# What is no text.


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "has it, and it is no UTF-8"),
        (b"x" * (LARGEST + 1), f"has it, and it is larger than {LARGEST} bytes"),
    ],
)
def test_what_is_no_text_or_too_large_is_said(tmp_path: Path, clone: Path, data: bytes, why: str) -> None:
    """Wherever it was found; the next place is tried."""
    sha = commit(clone, {RECORD.file_path: data})
    found = read(tmp_path, replace(RECORD, analyzed_sha=sha), clone=clone)
    assert Pinned(None, f"the clone at {clone} {why}; {NOT_FOUND}") == found


def test_what_is_as_large_as_can_be_is_read(tmp_path: Path, network: Network) -> None:
    """To the byte."""
    network.answer = b"x" * LARGEST
    found = read(tmp_path, RECORD)
    assert ("GitHub", ("x" * LARGEST,)) == (found.origin, found.lines)


def test_an_empty_file_has_one_empty_line(tmp_path: Path, clone: Path) -> None:
    """As every text without a line end is one line."""
    sha = commit(clone, {RECORD.file_path: b""})
    assert ("",) == read(tmp_path, replace(RECORD, analyzed_sha=sha), clone=clone).lines


# An installed package.


def packaged(requirement: str, *, commit: str = RECORD.analyzed_sha, prefix: str = "python/") -> Repository:
    """Return a repository whose package is that release."""
    release = Release(requirement=requirement, commit=commit, prefix=prefix)
    return Repository(repo="acme/pool", title="Pool", package=release)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which `pool==1.5` is installed, with the record's file."""
    site = tmp_path / "site"
    (site / "pool").mkdir(parents=True)
    (site / "pool" / "pages.py").write_bytes(b"installed\n")
    about = site / "pool-1.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pool\nVersion: 1.5\n")
    (about / "RECORD").write_text("pool/pages.py,sha256=x,10\npool/gone.py,sha256=x,10\n")
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.mark.usefixtures("installed")
def test_an_installed_release_is_read(tmp_path: Path, network: Network) -> None:
    """Without being imported."""
    found = read(tmp_path, RECORD, packaged("pool==1.5"))
    assert Pinned(("installed",), "the installed pool==1.5") == found
    assert "pool" not in sys.modules
    assert [] == network.asked


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("requirement", "path"),
    [
        ("pool==1.6", RECORD.file_path),
        ("pool-of-nobody==1.5", RECORD.file_path),
        ("pool==1.5", "python/x.py"),
    ],
)
def test_a_release_that_is_not_installed_is_said(tmp_path: Path, requirement: str, path: str) -> None:
    """Or one that does not hold the file, though it lies beside the others."""
    (tmp_path / "site" / "x.py").write_bytes(b"foreign\n")
    found = read(tmp_path, replace(RECORD, file_path=path), packaged(requirement))
    said = f"{requirement} is not installed here, or does not hold it"
    assert Pinned(None, f"{said}; {NOT_FOUND}") == found


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "repository",
    [packaged("pool==1.5", commit=OTHER), packaged("pool==1.5", prefix="lib/")],
)
def test_a_release_of_another_commit_or_another_part_is_not_asked(
    tmp_path: Path, repository: Repository
) -> None:
    """It says nothing of this file."""
    assert Pinned(None, NOT_FOUND) == read(tmp_path, RECORD, repository)


def test_an_installed_file_that_cannot_be_read_is_said(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there a moment ago."""

    def gone(*_: object) -> Path:
        return installed / "pool" / "gone.py"

    monkeypatch.setattr(subjects, "installed_file", gone)
    found = read(tmp_path, RECORD, packaged("pool==1.5"))
    assert found.origin.startswith("the installed pool==1.5 cannot be read (No such file or directory); ")


def test_the_standard_library_is_a_release_too(tmp_path: Path, network: Network) -> None:
    """Of the very version that runs."""
    here = "python=={}.{}.{}".format(*sys.version_info[:3])
    record = replace(RECORD, file_path="Lib/json/decoder.py")
    found = read(tmp_path, record, packaged(here, prefix="Lib/"))
    assert f"the installed {here}" == found.origin
    assert found.lines is not None
    assert any("class JSONDecodeError" in line for line in found.lines)
    assert [] == network.asked


# A wheel.


def wheeled(tmp_path: Path, members: dict[str, bytes], *, sha256: str | None = None) -> Repository:
    """Write a wheel into the cache, and return the repository that names it."""
    file = tmp_path / "cache" / "wheels" / NAME
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    house = Wheelhouse(
        requirement="pool==1.5",
        python="3.11",
        platform="any",
        file=NAME,
        sha256=sha256 or hashlib.sha256(file.read_bytes()).hexdigest(),
        commit=RECORD.analyzed_sha,
        prefix="python/",
    )
    return Repository(repo="acme/pool", title="Pool", wheel=house)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the wheels that were fetched, for want of one in the cache; none can be had."""
    asked: list[str] = []
    known = wheels.cached

    def fetch(wheel: wheels.Wheel, cache: Path) -> Path:
        if (path := known(wheel, cache)) is not None:
            return path
        asked.append(wheel.requirement)
        raise WheelUnavailable(f"no {wheel.requirement} today")

    monkeypatch.setattr(wheels, "fetch", fetch)
    return asked


def test_a_wheel_is_read(tmp_path: Path, fetched: list[str], network: Network) -> None:
    """From the cache, where its hash is the pinned one."""
    repository = wheeled(tmp_path, {"pool/pages.py": b"released\r\n"})
    assert Pinned(("released",), "the released pool==1.5") == read(tmp_path, RECORD, repository)
    assert ([], []) == (fetched, network.asked)


def test_a_wheel_is_fetched_where_none_is_at_hand(tmp_path: Path, fetched: list[str]) -> None:
    """Or where its hash is another; if it cannot be had, that is said."""
    repository = wheeled(tmp_path, {"pool/pages.py": b"released\n"}, sha256="0" * 64)
    assert Pinned(None, f"no pool==1.5 today; {NOT_FOUND}") == read(tmp_path, RECORD, repository)
    assert ["pool==1.5"] == fetched


@pytest.mark.parametrize(
    ("members", "path", "said"),
    [
        ({"pool/x.py": b""}, RECORD.file_path, f"reading `pool/pages.py` in {NAME}: no such member"),
        ({"pool/pages.py": b"\xff"}, RECORD.file_path, f"reading `pool/pages.py` in {NAME}: not UTF-8"),
        ({"pool/pages.py": b""}, "tests/pages.py", "pool==1.5 does not hold it"),
    ],
)
@pytest.mark.usefixtures("fetched")
def test_a_wheel_without_the_text_says_so(
    tmp_path: Path, members: dict[str, bytes], path: str, said: str
) -> None:
    """The file is not in it, is no text, or lies outside what is released."""
    repository = wheeled(tmp_path, members)
    found = read(tmp_path, replace(RECORD, file_path=path), repository)
    assert Pinned(None, f"{said}; {NOT_FOUND}") == found


@pytest.mark.usefixtures("fetched")
def test_a_wheel_with_too_large_a_text_says_so(tmp_path: Path) -> None:
    """The limit is that of files elsewhere."""
    assert wheels.MEMBER_LIMIT == LARGEST
    repository = wheeled(tmp_path, {"pool/pages.py": b"x" * (LARGEST + 1)})
    assert f"{LARGEST + 1} bytes, the limit is {LARGEST}" in read(tmp_path, RECORD, repository).origin


# The network.


def test_the_network_is_asked_last(tmp_path: Path, network: Network) -> None:
    """For exactly this file at exactly this commit; no other server, and nothing that a path could add."""
    network.answer = b"one\ntwo\n"
    record = replace(RECORD, file_path="a b/c?d#e%2F..&f/ü.py")
    assert Pinned(("one", "two"), "GitHub") == read(tmp_path, record)
    (address,) = network.asked
    assert (
        f"https://raw.githubusercontent.com/acme/pool/{RECORD.analyzed_sha}"
        "/a%20b/c%3Fd%23e%252F..%26f/%C3%BC.py"
    ) == address


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (URLError("Name or service not known"), "Name or service not known"),
        (URLError(ConnectionRefusedError(111, "Connection refused")), "[Errno 111] Connection refused"),
        (HTTPError("https://example.org", 503, "Busy", Message(), None), "HTTP Error 503: Busy"),
        (TimeoutError("timed out"), "timed out"),
        (IncompleteRead(b"one", 7), "IncompleteRead(3 bytes read, 7 more expected)"),
        (InvalidURL("no such port"), "no such port"),
        (ValueError("unknown url type"), "unknown url type"),
    ],
)
def test_a_network_that_refuses_is_an_answer(
    tmp_path: Path, network: Network, failure: Exception, why: str
) -> None:
    """However it does."""
    network.answer = failure
    assert Pinned(None, f"GitHub does not give it ({why})") == read(tmp_path, RECORD)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"\xff", "it is no UTF-8"), (b"x" * (LARGEST + 9), f"it is larger than {LARGEST} bytes")],
)
def test_what_the_network_gives_may_be_no_text(
    tmp_path: Path, network: Network, data: bytes, why: str
) -> None:
    """Of what is too large no more than a byte too many is read."""
    network.answer = data
    assert Pinned(None, f"GitHub has it, and {why}") == read(tmp_path, RECORD)


# The order, and how often.


@pytest.mark.usefixtures("installed", "fetched")
def test_the_nearest_place_comes_first(tmp_path: Path, clone: Path, network: Network) -> None:
    """A clone, then what is installed, then the wheel, then the network."""
    network.answer = b"network\n"
    sha = commit(clone, {RECORD.file_path: b"clone\n"})
    record = replace(RECORD, analyzed_sha=sha)
    with_wheel = wheeled(tmp_path, {"pool/pages.py": b"wheel\n"})
    assert with_wheel.wheel is not None
    wheel = replace(with_wheel.wheel, commit=sha)
    package = packaged("pool==1.5", commit=sha).package
    both = replace(with_wheel, wheel=wheel, package=package)
    assert [("clone",), ("installed",), ("wheel",), ("network",)] == [
        read(tmp_path, record, both, clone=clone).lines,
        read(tmp_path, record, both).lines,
        read(tmp_path, record, replace(both, package=None)).lines,
        read(tmp_path, record, replace(both, package=None, wheel=None)).lines,
    ]
    assert 1 == len(network.asked)


@pytest.mark.usefixtures("fetched")
def test_everything_that_was_tried_is_said(tmp_path: Path, clone: Path) -> None:
    """In the order in which it was."""
    with_wheel = wheeled(tmp_path, {})
    both = replace(with_wheel, package=packaged("pool-of-nobody==1.5").package)
    assert [
        f"the clone at {clone} has no such commit",
        "pool-of-nobody==1.5 is not installed here, or does not hold it",
        f"reading `pool/pages.py` in {NAME}: no such member",
        NOT_FOUND,
    ] == read(tmp_path, RECORD, both, clone=clone).origin.split("; ")


@pytest.mark.parametrize("answer", [b"one\n", URLError("none")])
def test_each_file_is_read_once(tmp_path: Path, network: Network, answer: bytes | Exception) -> None:
    """Also one that cannot be; another commit's, another repository's and another path's are others."""
    network.answer = answer
    known = Pins(clones={}, cache=tmp_path)
    first = known.read(RECORD, None)
    assert first is known.read(replace(RECORD, slug="another", line_number=7), None)
    assert 1 == len(network.asked)
    for number, change in enumerate(({"analyzed_sha": OTHER}, {"file_path": "x.py"}, {"repo": "acme/x"}), 2):
        known.read(replace(RECORD, **change), None)
        assert number == len(network.asked)
    assert len(set(network.asked)) == len(network.asked)
