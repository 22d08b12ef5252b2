"""`generator.rewriting`: a file changes whole or not at all."""

import stat
import subprocess
from pathlib import Path

import pytest

from generator import rewriting


def test_a_text_is_put_in_the_place_of_another(tmp_path: Path) -> None:
    """As UTF-8, with the mode that the file had; nothing is left beside it."""
    file = tmp_path / "r.yaml"
    file.write_text("a: b\n")
    file.chmod(0o640)
    rewriting.replace(file, "größe: 1\n")
    assert "größe: 1\n" == file.read_text(encoding="utf-8")
    assert 0o640 == stat.S_IMODE(file.stat().st_mode)
    assert [file] == list(tmp_path.iterdir())


def test_a_text_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    """Here a lone surrogate, which no bytes stand for."""
    file = tmp_path / "r.yaml"
    file.write_text("a: b\n")
    with pytest.raises(UnicodeEncodeError):
        rewriting.replace(file, "a: \ud800\n")
    assert "a: b\n" == file.read_text()
    assert [file] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb\n", "a\nc\n"), ("a", "a\n"), ("a\n", "a"), ("", "a\n"), ("a\r\nb\r\n", "a\r\n")],
)
def test_a_difference_is_one_that_git_applies(tmp_path: Path, before: str, after: str) -> None:
    """Also where the last line has no end."""
    file = tmp_path / "r.yaml"
    file.write_text(before, newline="")
    shown = rewriting.difference("r.yaml", before, after)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],  # noqa: S607 - whichever git there is
        input=shown.encode(),
        cwd=tmp_path,
        check=True,
    )
    assert after.encode() == file.read_bytes()


def test_the_same_has_no_difference() -> None:
    """Not even a head."""
    assert "" == rewriting.difference("r.yaml", "a\n", "a\n")
