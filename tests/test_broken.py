"""Records that are broken in 24 ways, a file each: one run finds each, at its place, and nothing else."""

import json
import shutil
from pathlib import Path

import pytest

from generator import cli, selfcheck, subjects

FOLDER = Path(__file__).parent / "broken"
SUBJECT = subjects.bundled()["sglang.RadixKey"]

# What is wrong in each file, and where: code, line and column, counted from 1.
EXPECTED = {
    "syntax.yaml": ("E0101", 2, 33),
    "encoding.yaml": ("E0102", 6, 22),
    "empty.yaml": ("E0103", 1, 1),
    "alias.yaml": ("E0105", 6, 16),
    "duplicate-key.yaml": ("E0106", 6, 1),
    "hidden-character.yaml": ("E0107", 2, 19),
    "unknown-field.yaml": ("E0111", 6, 1),
    "missing-field.yaml": ("E0112", 1, 1),
    "wrong-type.yaml": ("E0113", 5, 13),
    "empty-field.yaml": ("E0114", 6, 16),
    "bad-form.yaml": ("E0116", 7, 14),
    "duplicate-id.yaml": ("E0121", 1, 5),
    "duplicate-slug.yaml": ("E0122", 2, 7),
    "taken-alias.yaml": ("E0123", 6, 19),
    "unportable-pattern.yaml": ("E0201", 3, 47),
    "pattern-not-implied.yaml": ("E0203", 3, 40),
    "pattern-too-general.yaml": ("E0208", 2, 15),
    "excerpt-range.yaml": ("E0301", 10, 16),
    "line-off-by-one.yaml": ("E0302", 5, 13),
    "template-not-in-source.yaml": ("E0303", 2, 15),
    "unknown-subject.yaml": ("E0401", 9, 12),
    "fix-still-raises.yaml": ("E0405", 11, 3),
    "look-alike-otherwise.yaml": ("E0408", 15, 14),
    "link-not-pinned.yaml": ("E0501", 6, 12),
}


def test_every_file_breaks_something_else() -> None:
    """The table is of the files that there are."""
    assert sorted(EXPECTED) == sorted(path.name for path in FOLDER.iterdir())
    assert 24 == len(EXPECTED) == len({code for code, _, _ in EXPECTED.values()})


def test_all_that_is_broken_is_found_in_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each once, as an error. The record beside them, which is sound and first, is proven all the same."""
    records = tmp_path / "records"
    shutil.copytree(FOLDER, records / "broken")
    (records / "acme").mkdir()
    (records / "acme" / "sound.yaml").write_text(f"id: 0123456789abcdef\n{selfcheck.GOOD}")
    compared = {
        "source": SUBJECT.module,
        "sourceSha256": subjects.source_digest(SUBJECT),
        "operations": 1,
        "upstream": {},
    }
    (records / "differential.json").write_text(json.dumps({"subjects": {SUBJECT.name: compared}}))
    (tmp_path / "pyproject.toml").write_text('[tool.pagefault]\ntracker = "https://example.org/new"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(["check", "--format", "json"])
    written = capsys.readouterr()
    found = [
        (one["path"], one["code"], one["line"], one["column"], one["severity"])
        for one in json.loads(written.out)["findings"]
    ]
    expected = [(f"records/broken/{name}", *place, "error") for name, place in sorted(EXPECTED.items())]
    assert expected == found
    assert 1 == ended.value.code
    assert "24 errors; 5 can be mended by `pagefault check --fix`\n25 records: 1 proven, " in written.err
