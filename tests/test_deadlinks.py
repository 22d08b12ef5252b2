"""Links within the site are followed before a reader follows them."""

import re
from pathlib import Path
from typing import Any

import pytest

from generator import build, links, units
from generator.diagnostics import Diagnostic, Span
from generator.settings import Settings
from generator.theme import default_templates

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


def found(
    folder: Path, text: str, guide: str | None = None, *, more: str = "", **settings: Any
) -> list[Diagnostic]:
    """What is said of links, with one record that holds `text` (and `more` fields) and one beside it."""
    (folder / "records/guides").mkdir(parents=True, exist_ok=True)
    (folder / "records/a.yaml").write_text(RECORD.format(slug="widget", text=text) + more)
    (folder / "records/b.yaml").write_text(RECORD.format(slug="window", text="Nothing."))
    if guide is not None:
        (folder / "records/guides/frames.md").write_text(GUIDE.format(target=guide))
    report = build.check(
        Settings(
            records=folder / "records",
            out=folder / "site",
            cache=folder / "cache",
            name=lambda path: path.relative_to(folder).as_posix(),
            **settings,
        )
    )
    return [one for one in report.diagnostics if one.code == "E0604"]


@pytest.mark.parametrize(
    "target",
    [
        "../window/index.html",
        "../window/index.md",
        "../window/index.html#source",
        "../window/index.html#elsewhere",
        "#contents",
        "#content",
        "../../../report/acme/widgets/index.html#whatever",
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


def test_every_part_of_an_error_page_is_known() -> None:
    """Its sections, in the order in which its template has them, and the anchors beside them."""
    templates = {name: (default_templates() / name).read_text() for name in ("base.html", "error.html")}
    sections = re.findall(r'<section id="(\w+)"', templates["error.html"])
    assert list(links.SECTIONS) == [name for name in sections if name not in links.ANCHORS]
    every = {name for text in templates.values() for name in re.findall(r'\bid="([\w-]+)"', text)}
    assert {*links.SECTIONS, *links.ANCHORS} == every - {"seek", "your-message"}


CLAIMS = """\
verification:
  subject: sglang.LogicalHostPool
  trigger: LogicalHostPool(1000, 16)
  instead:
    - {call: "7", returns: "7", why: "See [this](#nowhere)."}
  overlaps:
    - {record: window, apart: "See [this](../door/index.html)."}
  reachable: {via: "[the back door](#back)"}
"""


def test_every_text_of_what_a_record_claims_is_searched(tmp_path: Path) -> None:
    """At its own place."""
    said = found(tmp_path, "Nothing.", more=CLAIMS)
    assert [("#nowhere", 16), ("../door/index.html", 18), ("#back", 19)] == [
        (one.message.split("`")[1], one.span and one.span.line) for one in said
    ]


@pytest.mark.parametrize(
    ("target", "count"), [("../window/index.html", 1), ("#evidence", 1), ("https://example.org/", 0)]
)
def test_a_reason_stands_in_the_report_too(tmp_path: Path, target: str, count: int) -> None:
    """Where a link that is right on the record's own page is wrong."""
    more = f"verification:\n  unproven: needs [this]({target})\n"
    said = found(tmp_path, "Nothing.", more=more)

    assert count == len(said)
    for one in said:
        assert f"the link to `{target}` leads nowhere: it stands on pages in several folders" == one.message
        assert ("give the whole address", 13) == (one.help, one.span and one.span.line)


@pytest.mark.parametrize(
    ("target", "count"),
    [("imprint.html", 1), ("#evidence", 1), ("#content", 0), ("mailto:someone@example.org", 0)],
)
def test_a_footer_stands_on_every_page(tmp_path: Path, target: str, count: int) -> None:
    """A link in it has to be right from all of them."""
    table = Span(7, 1, 7, 17)
    said = found(
        tmp_path, "Nothing.", footer=f"By [us]({target}).", config_name="my.toml", config_table=table
    )

    assert [("my.toml", table)] * count == [(one.path, one.span) for one in said]


@pytest.mark.parametrize(("target", "count"), [("../window/index.html", 0), ("../door/index.html", 1)])
def test_a_caveat_stands_on_the_pages_of_its_repository(tmp_path: Path, target: str, count: int) -> None:
    """It is reported once, at the file that says it."""
    (tmp_path / "records/acme").mkdir(parents=True)
    (tmp_path / "records/acme/repo.yaml").write_text(
        "repo: acme/widgets\ntitle: Widgets\npackage:\n  requirement: widgets==1\n"
        '  commit: "0123456789012345678901234567890123456789"\n'
        f"  caveat: See [that]({target}).\n"
    )
    said = found(tmp_path, "Nothing.")

    assert ["records/acme/repo.yaml"] * count == [one.path for one in said]


def test_links_of_guides_are_followed_too(tmp_path: Path) -> None:
    """A guide stands in a folder of its own."""
    (one,) = found(tmp_path, "Nothing.", guide="doors/index.html")

    assert "records/guides/frames.md" == one.path
    assert "there is no `guides/doors/index.html`" in one.message


def test_plan_is_not_made_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records without links within the site cost no planning."""
    monkeypatch.setattr(units, "paths", lambda site: pytest.fail(f"planned {site}"))

    assert [] == found(tmp_path, "See [this](https://example.org).")
