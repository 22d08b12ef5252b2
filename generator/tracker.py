"""Addresses of a tracker's form for new issues, filled with what is known.

A repository on GitHub has forms with fields, those in `.github/ISSUE_TEMPLATE`; GitLab has its own names for
a title and a text; any other tracker is given a `title` and a `body`. An address that asks for a form itself,
in its query, is not given another. GitHub fills a form's lines and texts from an address, but not its lists
of choices: an address that names one of these brings up an empty page.
"""

import re
from urllib.parse import quote, urlencode

REPORT_FORM = "report-page.yml"
REPORT_FIELDS = ("page", "record")
PROPOSAL_FORM = "propose-record.yml"
PROPOSAL_FIELDS = ("message", "raised-at")

_GITHUB = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/issues/new")
_GITLAB = re.compile(r"https://[^?]+/-/issues/new(\?.*)?")


def report(tracker: str, place: str, page: str, record_id: str) -> str:
    """The address of a report about a record's page; `place` is what the record is called by."""
    if has_forms(tracker):
        fields = dict(zip(REPORT_FIELDS, (page, record_id), strict=True))
        return _with(tracker, {"template": REPORT_FORM, "title": f"{place}: "} | fields)
    title, body = _names(tracker)
    about = f"Page: {page}\nRecord: {record_id}\n\nWhat is wrong with it?\n"
    return _with(tracker, {title: f"{place}: ", body: about})


def proposal(tracker: str) -> tuple[str, tuple[str, ...]]:
    """The address of a proposal of a record, and the fields that the reader's page adds to it.

    It ends where the title goes on. The fields are one for a message and one for where it was raised, or
    one for both.
    """
    if has_forms(tracker):
        return _with(tracker, {"template": PROPOSAL_FORM, "title": "Record wanted: "}), PROPOSAL_FIELDS
    title, body = _names(tracker)
    return _with(tracker, {title: "Record wanted: "}), (body,)


def has_forms(tracker: str) -> bool:
    """Whether our forms can be asked for: on GitHub, where the address asks for none by itself."""
    return _GITHUB.fullmatch(tracker) is not None


def _names(tracker: str) -> tuple[str, str]:
    """What a tracker without our forms calls an issue's title and its text."""
    return ("issue[title]", "issue[description]") if _GITLAB.fullmatch(tracker) else ("title", "body")


def _with(tracker: str, values: dict[str, str]) -> str:
    return f"{tracker}{'&' if '?' in tracker else '?'}{urlencode(values, quote_via=quote)}"
