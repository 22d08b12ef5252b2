"""Links to a tracker's forms ask for what the forms have, and are short enough to be followed."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
import yaml

from generator import tracker

FORMS = Path(__file__).parent.parent / ".github" / "ISSUE_TEMPLATE"
GITHUB = "https://github.com/acme/errors/issues/new"
# Bytes: GitHub and its like refuse addresses that are much longer.
LONGEST = 8000
# As long as records may make them, of letters that are not escaped.
PLACE = f"{'o' * 100}/{'r' * 100}/{'s' * 80}"
PAGE = f"https://example.org/errors/{PLACE}/"
RECORD = "0123456789abcdef"


def form(name: str) -> dict[str, Any]:
    """An issue form as it is read."""
    read: dict[str, Any] = yaml.safe_load((FORMS / name).read_text(encoding="utf-8"))
    return read


def fillable(name: str) -> list[str]:
    """The fields of a form that an address can fill."""
    return [field["id"] for field in form(name)["body"] if field["type"] in {"input", "textarea"}]


def asked(address: str) -> dict[str, str]:
    """What an address asks for, each parameter once."""
    pairs = parse_qsl(urlsplit(address).query, keep_blank_values=True, strict_parsing=True)
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)


def test_every_filled_field_is_one_of_its_form() -> None:
    """Beside the form and the title, an address names fields of that form, and such as it can fill."""
    address, added = tracker.proposal(GITHUB)
    for name, filled in (
        (tracker.REPORT_FORM, asked(tracker.report(GITHUB, PLACE, PAGE, RECORD))),
        (tracker.PROPOSAL_FORM, asked(address) | dict.fromkeys(added, "")),
    ):
        assert name == filled.pop("template")
        assert filled.pop("title")
        assert filled
        assert set(filled) <= set(fillable(name))


@pytest.mark.parametrize("name", [tracker.REPORT_FORM, tracker.PROPOSAL_FORM])
def test_forms_are_what_is_read_as_forms(name: str) -> None:
    """Names, labels and fields of the kinds that there are; no field twice; what is asked for is little."""
    read = form(name)

    assert {"name", "description", "title", "labels", "body"} == set(read)
    identifiers = [field["id"] for field in read["body"]]
    assert len(identifiers) == len(set(identifiers))
    for field in read["body"]:
        assert {"type", "id", "attributes"} <= set(field) <= {"type", "id", "attributes", "validations"}
        assert field["type"] in {"input", "textarea"}
        assert re.fullmatch(r"[\w-]+", field["id"])
        assert {"label", "description"} <= set(field["attributes"])
        # Lines that are coloured as code are for texts of several lines.
        assert "render" not in field["attributes"] or field["type"] == "textarea"
        assert set(field.get("validations", {})) <= {"required"}
    assert 2 >= sum(field.get("validations", {}).get("required", False) for field in read["body"])


def test_blank_issues_stay_possible() -> None:
    """Whatever fits no form can be said without one."""
    assert {"blank_issues_enabled": True} == form("config.yml")


def test_a_report_names_its_page() -> None:
    """The form of a repository on GitHub is filled with the page and its record."""
    assert {
        "template": "report-page.yml",
        "title": "acme/widgets/no-sprockets: ",
        "page": "https://example.org/acme/widgets/no-sprockets/",
        "record": RECORD,
    } == asked(
        tracker.report(
            GITHUB,
            "acme/widgets/no-sprockets",
            "https://example.org/acme/widgets/no-sprockets/",
            RECORD,
        )
    )


@pytest.mark.parametrize(
    ("address", "title", "body"),
    [
        ("https://example.org/new", "title", "body"),
        ("https://example.org/new?project=errors", "title", "body"),
        # It names a form, and whatever that asks for.
        ("https://github.com/acme/errors/issues/new?template=error.md", "title", "body"),
        ("https://github.com/acme/errors/discussions/new", "title", "body"),
        ("https://github.com.example.org/acme/errors/issues/new", "title", "body"),
        ("https://gitlab.com/acme/errors/-/issues/new", "issue[title]", "issue[description]"),
        ("https://git.example.org/acme/deep/errors/-/issues/new?a=b", "issue[title]", "issue[description]"),
    ],
)
def test_other_trackers_are_given_a_title_and_a_text(address: str, title: str, body: str) -> None:
    """By the names that the tracker has for them, after whatever its address asks for already."""
    own = asked(address) if "?" in address else {}
    report = tracker.report(address, "acme/widgets/no-sprockets", PAGE, RECORD)
    proposal, added = tracker.proposal(address)

    assert {**own, title: "acme/widgets/no-sprockets: ", body: asked(report)[body]} == asked(report)
    assert [f"Page: {PAGE}", f"Record: {RECORD}"] == asked(report)[body].splitlines()[:2]
    assert {**own, title: "Record wanted: "} == asked(proposal)
    assert (body,) == added
    # The reader's page writes its message after it.
    assert proposal.endswith(quote("Record wanted: "))


@pytest.mark.parametrize(
    "address", [GITHUB, "https://example.org/new", "https://gitlab.com/a/b/-/issues/new"]
)
def test_addresses_stay_short(address: str) -> None:
    """Of the longest record in the longest folder, with room for what the reader's page adds."""
    script = (FORMS.parent.parent / "templates" / "static" / "find.js").read_text(encoding="utf-8")
    room, side = (
        int(one) for name in ("ROOM", "SIDE_ROOM") for one in re.findall(rf"const {name} = (\d+);", script)
    )
    proposal, added = tracker.proposal(address)
    names = sum(len(f"&{quote(name)}=") for name in added)

    assert len(tracker.report(address, PLACE, PAGE, RECORD)) < LONGEST
    assert len(proposal) + side + names + room + side < LONGEST
