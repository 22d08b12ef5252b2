"""The preview of a pull request: the pages that it changes, what they load, and nothing else."""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent.parent / ".github" / "preview.py"


def preview(folder: Path, monkeypatch: pytest.MonkeyPatch, **difference: list[dict[str, Any]]) -> Path:
    """The preview of a small site, for a difference."""
    for path in (
        "index.html",
        "static/site.css",
        "acme/index.html",
        "acme/widgets/index.html",
        "acme/widgets/no-sprockets/index.html",
        "acme/widgets/no-sprockets/index.md",
        "acme/widgets/no-cogs/index.html",
        "guides/cogs/index.html",
    ):
        file = folder / "site" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)
    (folder / "secret").mkdir()
    (folder / "secret" / "index.html").write_text("secret")
    told = folder / "difference.json"
    told.write_text(json.dumps({"records": [], "guides": [], **difference}))
    monkeypatch.setattr(sys, "argv", ["preview.py", str(told), str(folder / "site"), str(folder / "preview")])
    runpy.run_path(str(PROGRAM), run_name="__main__")
    return folder / "preview"


def files(folder: Path) -> set[str]:
    """All files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_changed_pages_are_there_with_what_they_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record's page with its Markdown twin, a guide's, and a list of both; none of what is gone."""
    into = preview(
        tmp_path,
        monkeypatch,
        records=[
            {"kind": "changed", "address": "acme/widgets/no-sprockets"},
            {"kind": "removed", "address": "acme/widgets/no-gears"},
            {"kind": "unreadable", "address": "acme/widgets/no-cogs"},
        ],
        guides=[{"kind": "new", "tag": "cogs"}],
    )

    assert {
        "index.html",
        "static/site.css",
        "acme/widgets/no-sprockets/index.html",
        "acme/widgets/no-sprockets/index.md",
        "guides/cogs/index.html",
    } == files(into)
    front = (into / "index.html").read_text()
    assert 2 == front.count("<li>")
    assert '<a href="acme/widgets/no-sprockets/index.html">' in front
    assert '<meta name="robots" content="noindex">' in front


def test_without_changed_pages_there_is_no_preview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where only code changed, say."""
    assert not preview(tmp_path, monkeypatch).exists()
    assert "0 pages changed\n" == capsys.readouterr().out


@pytest.mark.parametrize("address", ["../secret", "/etc", "acme/../../secret", "../site/../secret"])
def test_nothing_beside_the_site_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Whatever an address says."""
    assert not preview(tmp_path, monkeypatch, records=[{"kind": "changed", "address": address}]).exists()
    assert "secret" not in files(tmp_path / "preview")


def test_what_is_linked_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder's name is text in the list."""
    odd = 'a"b<i>'
    page = tmp_path / "site" / "guides" / odd / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("odd")
    into = preview(tmp_path, monkeypatch, guides=[{"kind": "changed", "tag": odd}])

    assert "<i>" not in (into / "index.html").read_text()
    assert "a&quot;b&lt;i&gt;/index.html" in (into / "index.html").read_text()
