"""Links within the site are followed before a reader follows them."""

from pathlib import Path

import pytest

from generator import build
from generator.build import Settings
from generator.diagnostics import Diagnostic

RECORD = """\
repo: acme/widgets
slug: {slug}
errorMessage: the {slug} is too wide for its frame
errorClass: ValueError
filePath: src/widget.py
lineNumber: 40
analyzedSha: "0123456789012345678901234567890123456789"
documentation: |-
  A widget must fit.

  {text}
"""
GUIDE = "# Frames\n\nSee [the list](../{target}).\n"


def found(folder: Path, text: str, guide: str | None = None) -> list[Diagnostic]:
    """What is said of links, with one record that holds `text` and one beside it."""
    (folder / "records/guides").mkdir(parents=True)
    (folder / "records/a.yaml").write_text(RECORD.format(slug="widget", text=text))
    (folder / "records/b.yaml").write_text(RECORD.format(slug="window", text="Nothing."))
    if guide is not None:
        (folder / "records/guides/frames.md").write_text(GUIDE.format(target=guide))
    report = build.check(
        Settings(
            records=folder / "records",
            out=folder / "site",
            cache=folder / "cache",
            name=lambda path: path.relative_to(folder).as_posix(),
        )
    )
    return [one for one in report.diagnostics if one.code == "E0604"]


@pytest.mark.parametrize(
    "target",
    [
        "../window/index.html",
        "../window/index.md",
        "../window/index.html#source",
        "#meaning",
        "#L40",
        "../../../index.html",
        "../../../classes/ValueError/index.html",
        "https://example.org/anything",
        "mailto:someone@example.org",
    ],
)
def test_links_that_lead_somewhere_are_silent(tmp_path: Path, target: str) -> None:
    """Files of the site, parts of error pages, and whatever lies outside."""
    assert [] == found(tmp_path, f"See [this]({target}).")


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("../door/index.html", "there is no `acme/widgets/door/index.html`"),
        ("../window/", "there is no `acme/widgets/window`"),
        ("../../../../index.html", "there is no `../index.html`"),
        ("#nowhere", "`acme/widgets/widget/index.html` has no part `nowhere`"),
        ("../window/index.html#Lx", "`acme/widgets/window/index.html` has no part `Lx`"),
    ],
)
def test_dead_links_are_found_at_their_line(tmp_path: Path, target: str, why: str) -> None:
    """In the field that holds them, on the line on which they stand."""
    (one,) = found(tmp_path, f"See [this]({target}).")

    assert f"the link to `{target}` leads nowhere: {why}" == one.message
    assert ("records/a.yaml", 11) == (one.path, one.span and one.span.line)


def test_links_of_guides_are_followed_too(tmp_path: Path) -> None:
    """A guide stands in a folder of its own."""
    (one,) = found(tmp_path, "Nothing.", guide="doors/index.html")

    assert "records/guides/frames.md" == one.path
    assert "there is no `guides/doors/index.html`" in one.message


def test_plan_is_not_made_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records without links within the site cost no planning."""
    monkeypatch.setattr(build, "plan", lambda site: pytest.fail(f"planned {site}"))

    assert [] == found(tmp_path, "See [this](https://example.org).")
