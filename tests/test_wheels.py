"""`generator.wheels`: what is fetched, what is refused, what is read."""

import hashlib
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from generator import wheels
from generator.wheels import Wheel, WheelUnavailable

NAME = "thing-1.0-py3-none-any.whl"
CONTENT = b"the bytes of a wheel"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER_SHA256 = hashlib.sha256(b"other bytes").hexdigest()
WHEEL = Wheel("thing==1.0", "3.11", "manylinux_2_34_x86_64", NAME, SHA256)


class Pip:
    """Stands in for `subprocess.run`: remembers its calls and does what the real one might."""

    def __init__(self, *brings: tuple[str, bytes], status: int = 0, says: str = "") -> None:
        self.brings = brings
        self.status = status
        self.says = says
        self.commands: list[Sequence[str]] = []
        self.options: dict[str, object] = {}

    def __call__(self, command: Sequence[str], **options: object) -> subprocess.CompletedProcess[str]:
        """Put the files where the command says."""
        self.commands.append(command)
        self.options = options
        folder = Path(command[command.index("--dest") + 1])
        for name, content in self.brings:
            (folder / name).write_bytes(content)
        return subprocess.CompletedProcess(command, self.status, "", self.says)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    """Return a pip that brings the pinned wheel."""
    pip = Pip((NAME, CONTENT))
    monkeypatch.setattr(subprocess, "run", pip)
    return pip


def names(folder: Path) -> list[str]:
    """Return what is in the folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


def put(cache: Path, content: bytes) -> Path:
    """Write a file where the cache has the pinned wheel."""
    path = cache / "wheels" / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def archive(folder: Path, members: dict[str, bytes]) -> Path:
    """Write a small wheel with the given members."""
    path = folder / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


# The pin.

HOSTILE = (
    *(("requirement", value) for value in ("thing", "thing>=1", "-r==1", "--pre", "a==1 b", "a==1\n")),
    *(("requirement", value) for value in ("a[b]==1", "a==1;x", "a @ file:///x==1", "a==", "==1", "")),
    *(("python", value) for value in ("3", "3.11.2", "three", "3.x", "3.\u0661", "--python", "3.11\n")),
    *(("platform", value) for value in ("", "Linux", "any-any", "any any", "--dest", "any\n")),
    *(("file", value) for value in ("../x.whl", "a/b.whl", "a\\b.whl", "/x.whl", ".whl", "-x.whl")),
    *(("file", value) for value in ("..whl", "x.zip", "x.whl\n", "x.whl\0", "c:x.whl", "")),
    *(("sha256", value) for value in ("", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n")),
)


@pytest.mark.parametrize(("field", "value"), HOSTILE)
def test_a_hostile_field_makes_no_wheel(field: str, value: str) -> None:
    """A record's text becomes no option, no path and no second requirement."""
    with pytest.raises(ValueError, match=f"is no wheel's `{field}`"):
        replace(WHEEL, **{field: value})


def test_a_field_that_is_no_text_makes_no_wheel() -> None:
    """YAML reads an unquoted 3.11 as a number; the message names the field."""
    with pytest.raises(ValueError, match=r"`3\.1` is no wheel's `python`"):
        Wheel("thing==1.0", 3.1, "any", NAME, SHA256)  # type: ignore[arg-type]  # what YAML gives


@pytest.mark.parametrize("requirement", ["sglang-kernel==0.4.6.post1", "torch==2.13.0+cpu", "a==1!2"])
def test_an_exact_requirement_makes_a_wheel(requirement: str) -> None:
    """Post releases, local versions and epochs are versions."""
    assert requirement == replace(WHEEL, requirement=requirement).requirement


# The cache.


def test_a_cached_wheel_is_found(tmp_path: Path) -> None:
    """It lies below `wheels/` under its own name."""
    path = put(tmp_path, CONTENT)
    assert path == wheels.cached(WHEEL, tmp_path)


def test_an_absent_wheel_is_a_miss(tmp_path: Path) -> None:
    """Looking for it makes no folder."""
    assert wheels.cached(WHEEL, tmp_path / "cache") is None
    assert not names(tmp_path)


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT + b"!"])
def test_a_corrupt_wheel_is_a_miss(tmp_path: Path, content: bytes) -> None:
    """Cut short, prolonged or emptied: the hash decides."""
    put(tmp_path, content)
    assert wheels.cached(WHEEL, tmp_path) is None


def test_a_folder_in_a_wheels_place_is_a_miss(tmp_path: Path) -> None:
    """What cannot be read is not there."""
    (tmp_path / "wheels" / NAME).mkdir(parents=True)
    assert wheels.cached(WHEEL, tmp_path) is None


# Fetching.


def test_a_cached_wheel_is_not_fetched_again(tmp_path: Path, pip: Pip) -> None:
    """The second call asks nobody."""
    first = wheels.fetch(WHEEL, tmp_path)
    second = wheels.fetch(WHEEL, tmp_path)
    assert first == second
    assert len(pip.commands) == 1


def test_a_fetched_wheel_lies_alone_in_the_cache(tmp_path: Path, pip: Pip) -> None:
    """Nothing is left of the download but the wheel."""
    path = wheels.fetch(WHEEL, tmp_path / "new" / "cache")
    assert len(pip.commands) == 1
    place = tmp_path / "new" / "cache" / "wheels"
    assert place / NAME == path
    assert path.read_bytes() == CONTENT
    assert sorted({NAME}) == names(place)


def test_a_corrupt_wheel_is_fetched_again(tmp_path: Path, pip: Pip) -> None:
    """The wrong bytes are replaced."""
    put(tmp_path, b"wrong")
    assert wheels.fetch(WHEEL, tmp_path).read_bytes() == CONTENT
    assert len(pip.commands) == 1


def test_pip_is_asked_for_the_pinned_wheel_alone(tmp_path: Path, pip: Pip) -> None:
    """No dependencies, no building, no questions, for the pinned platform, with a deadline."""
    wheels.fetch(WHEEL, tmp_path, timeout=7)
    (command,) = pip.commands
    assert [sys.executable, "-m", "pip", "download"] == command[:4]
    assert {"--no-deps", "--only-binary=:all:", "--no-input"} <= set(command)
    for option, value in (("--python-version", "3.11"), ("--platform", WHEEL.platform)):
        assert value == command[command.index(option) + 1]
    assert command[-1] == "thing==1.0"
    expected = (7, subprocess.DEVNULL)
    assert expected == (pip.options["timeout"], pip.options["stdin"])


FAILURES = (
    (
        Pip(status=1, says="WARNING: retrying\nERROR: Could not find it\nERROR: No match\n\n"),
        "`pip download thing==1.0`: ERROR: Could not find it ERROR: No match",
    ),
    (
        Pip(status=1, says="/usr/bin/python3: No module named pip\n"),
        "`pip download thing==1.0`: /usr/bin/python3: No module named pip",
    ),
    (Pip(status=-9), "`pip download thing==1.0`: exit status -9"),
    (Pip(), f"`pip download thing==1.0`: brought nothing, not {NAME}"),
    (
        Pip(("b.whl", b""), ("a.whl", b"")),
        f"`pip download thing==1.0`: brought a.whl, b.whl, not {NAME}",
    ),
    (
        Pip((NAME, b"other bytes")),
        f"`pip download thing==1.0`: {NAME} has sha256 {OTHER_SHA256}, pinned is {SHA256}",
    ),
)


@pytest.mark.parametrize(("pip", "message"), FAILURES)
def test_a_failed_download_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip: Pip, message: str
) -> None:
    """The message is one line; neither the wheel's place nor the folder beside it is touched."""
    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(WheelUnavailable) as caught:
        wheels.fetch(WHEEL, tmp_path)
    assert message == str(caught.value)
    assert not names(tmp_path / "wheels")


def test_a_failed_download_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong wheel in the cache is replaced by a right one or not at all."""
    path = put(tmp_path, b"wrong")
    monkeypatch.setattr(subprocess, "run", Pip((NAME, b"wrong as well")))
    with pytest.raises(WheelUnavailable, match="pinned is"):
        wheels.fetch(WHEEL, tmp_path)
    assert path.read_bytes() == b"wrong"


def test_a_late_download_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline is named in seconds."""

    def late(command: Sequence[str], **_: object) -> None:
        raise subprocess.TimeoutExpired(command, 0.5)

    monkeypatch.setattr(subprocess, "run", late)
    with pytest.raises(WheelUnavailable, match=r"thing==1\.0`: not done after 0\.5 seconds\Z"):
        wheels.fetch(WHEEL, tmp_path, timeout=0.5)
    assert not names(tmp_path / "wheels")


def test_an_interpreter_that_cannot_be_started_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says is the reason."""
    monkeypatch.setattr(sys, "executable", os.fspath(tmp_path / "absent"))
    with pytest.raises(WheelUnavailable, match=r"thing==1\.0`: No such file or directory\Z"):
        wheels.fetch(WHEEL, tmp_path)


def test_an_unwritable_cache_is_reported(tmp_path: Path, pip: Pip) -> None:
    """A file stands where the cache's folder should be."""
    (tmp_path / "wheels").write_text("", "utf-8")
    with pytest.raises(WheelUnavailable, match=r"thing==1\.0`: File exists\Z"):
        wheels.fetch(WHEEL, tmp_path)
    assert not pip.commands


def test_a_real_pip_without_an_index_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is one that pip understands: it fails for want of a package, not of an option."""
    pytest.importorskip("pip", reason="this interpreter has no pip")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(WheelUnavailable, match=r"No matching distribution found for thing==1\.0"):
        wheels.fetch(WHEEL, tmp_path)


def test_the_exception_survives_a_process_boundary() -> None:
    """Workers hand it back as it was."""
    error = pickle.loads(pickle.dumps(WheelUnavailable("why")))  # noqa: S301 - our own bytes
    assert str(error) == "why"


# Reading.


def test_a_member_is_read_as_it_is(tmp_path: Path) -> None:
    """UTF-8, with the line ends that the wheel has."""
    path = archive(tmp_path, {"a/b.py": "x = 'ä'\r\ny\n".encode()})
    assert wheels.read(path, "a/b.py") == "x = 'ä'\r\ny\n"


def test_a_member_at_the_limit_is_read(tmp_path: Path) -> None:
    """The limit itself is allowed."""
    path = archive(tmp_path, {"a.py": b"x" * wheels.MEMBER_LIMIT})
    assert len(wheels.read(path, "a.py")) == wheels.MEMBER_LIMIT


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ("absent.py", "no such member"),
        ("large.py", "4194305 bytes, the limit is 4194304"),
        ("latin.py", "not UTF-8"),
    ],
)
def test_a_member_that_cannot_be_had_is_named(tmp_path: Path, member: str, reason: str) -> None:
    """The message says which member of which wheel, and why, on one line."""
    large = b"x" * (wheels.MEMBER_LIMIT + 1)
    path = archive(tmp_path, {"large.py": large, "latin.py": b"\xe4"})
    with pytest.raises(WheelUnavailable) as caught:
        wheels.read(path, member)
    expected = f"reading `{member}` in {NAME}: {reason}"
    assert expected == str(caught.value)


def test_a_member_that_is_larger_than_it_says_is_no_more_than_it_says(tmp_path: Path) -> None:
    """A lying size gets nothing past the limit: the checksum no longer fits."""
    large = b"x" * (wheels.MEMBER_LIMIT + 1)
    path = archive(tmp_path, {"a.py": large})
    path.write_bytes(path.read_bytes().replace(len(large).to_bytes(4, "little"), b"\x10\0\0\0"))
    with pytest.raises(WheelUnavailable, match=r"reading `a\.py` in .*: Bad CRC-32"):
        wheels.read(path, "a.py")


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04"])
def test_a_file_that_is_no_wheel_is_reported(tmp_path: Path, content: bytes) -> None:
    """Whatever the bytes are, the answer is the same exception."""
    path = tmp_path / NAME
    path.write_bytes(content)
    with pytest.raises(WheelUnavailable, match=r"reading `a\.py` in thing-.*: File is not a zip"):
        wheels.read(path, "a.py")


def test_a_damaged_wheel_raises_nothing_else(tmp_path: Path) -> None:
    """Whichever byte is flipped, there is a text or the one exception, never zipfile's own."""
    path = archive(tmp_path, {"a.py": b"some text, some text, some more text\n" * 4})
    whole = path.read_bytes()

    def is_read(place: int) -> bool:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            return bool(wheels.read(path, "a.py"))
        except WheelUnavailable:
            return False

    unread = [place for place in range(len(whole)) if not is_read(place)]
    assert len(unread) > len(whole) // 2


def test_an_absent_wheel_is_reported(tmp_path: Path) -> None:
    """Only the wheel's name is told, not where it was looked for."""
    with pytest.raises(WheelUnavailable) as caught:
        wheels.read(tmp_path / NAME, "a.py")
    expected = f"reading `a.py` in {NAME}: No such file or directory"
    assert expected == str(caught.value)


# Wheels that are not pinned yet.


def test_a_wheel_that_is_taken_is_put_into_the_cache_with_its_hash(pip: Pip, tmp_path: Path) -> None:
    """Whatever pip brings for that Python and platform; for the ones here without options."""
    found = wheels.take("thing==1.0", "3.12", "any", tmp_path)
    here = wheels.take("thing==1.0", None, None, tmp_path)

    assert ("thing==1.0", NAME, SHA256) == (found.requirement, found.file, found.sha256)
    assert [NAME] == names(tmp_path / "wheels")
    assert wheels.cached(found, tmp_path) is not None
    assert found == here
    first, second = pip.commands
    assert "3.12" == first[first.index("--python-version") + 1]
    assert "--python-version" not in second
    assert "preexec_fn" in pip.options


def test_a_wheel_that_the_index_lacks_is_told_from_one_that_cannot_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index out of reach has no versions at all, as pip says it."""
    for versions, kind in (("0.9, 1.1", wheels.WheelMissing), ("none", WheelUnavailable)):
        says = f"ERROR: No matching distribution found for thing==1.0 (from versions: {versions})"
        monkeypatch.setattr(subprocess, "run", Pip(status=1, says=says))
        with pytest.raises(WheelUnavailable) as refused:
            wheels.take("thing==1.0", "3.12", "any", tmp_path)
        assert kind is refused.type


def test_a_wheel_beyond_all_measure_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system ends what would write more than the limit."""
    monkeypatch.setattr(subprocess, "run", Pip(status=2, says="OSError: [Errno 27] File too large"))
    with pytest.raises(WheelUnavailable, match="larger than 512 MiB"):
        wheels.take("thing==1.0", "3.12", "any", tmp_path)


@pytest.mark.parametrize(
    ("file", "python", "platform"),
    [
        ("a-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "3.11", "manylinux_2_17_x86_64"),
        ("a-1.0-1-cp39-abi3-macosx_11_0_arm64.whl", "3.9", "macosx_11_0_arm64"),
        ("a-1.0-py2.py3-none-any.whl", f"3.{sys.version_info.minor}", "any"),
    ],
)
def test_python_and_platform_are_read_from_a_wheels_name(file: str, python: str, platform: str) -> None:
    """So that the same wheel is fetched on any machine."""
    found = wheels.named("a==1.0", file, SHA256)

    assert (python, platform) == (found.python, found.platform)


@pytest.mark.parametrize("file", ["a.whl", "a-1.0.tar.gz", "../a-1.0-py3-none-any.whl", "a-1-b-c-d e.whl"])
def test_what_is_no_wheels_name_is_refused(file: str) -> None:
    """It becomes part of a path."""
    with pytest.raises(ValueError, match="is no wheel's"):
        wheels.named("a==1.0", file, SHA256)


def test_versions_are_those_that_pips_index_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """In pip's order; without such a line there is no list."""

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert [sys.executable, "-m", "pip", "index"] == command[:4]
        return subprocess.CompletedProcess(
            command, 0, f"{command[-1]} (1.1)\nAvailable versions: 1.1, 1.0\n", ""
        )

    monkeypatch.setattr(subprocess, "run", run)
    assert ("1.1", "1.0") == wheels.versions("thing", "3.11", "any")

    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, "", "")
    )
    with pytest.raises(WheelUnavailable, match="it lists no versions"):
        wheels.versions("thing", None, None)


def test_all_texts_of_a_wheel_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose names end so, that are text, and that are no larger than is read; or nothing of it."""
    path = tmp_path / NAME
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", "one")
        archive.writestr("b.txt", "two")
        archive.writestr("c.py", b"\xff")
        archive.writestr("d.py", "x" * (wheels.MEMBER_LIMIT + 1))

    assert {"a.py": "one"} == wheels.texts(path, ".py")

    monkeypatch.setattr(wheels, "LARGEST", 2)
    with pytest.raises(WheelUnavailable, match="more than"):
        wheels.texts(path, ".py")
    with pytest.raises(WheelUnavailable):
        wheels.texts(tmp_path / "none.whl", ".py")
