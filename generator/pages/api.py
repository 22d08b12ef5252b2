"""`api/index.html`: the API for people, each endpoint with an answer that it really gives."""

import hashlib
import json
from collections.abc import Iterator

import msgspec

from generator import links
from generator.model import FOUNDING_FIELDS, Page, Site, Verified
from generator.pages import PageKind, api_error, api_lists, frame, marks

LONGEST = 120  # characters of a text in a shown answer
ITEMS = 1  # entries of a list in a shown answer

_TEXTS = {
    "api/errors/{id}.json": (
        "One error with everything about it: the fields of its record, its standing, the evidence, what is "
        "related. The same bytes answer without the ending, as the founding site served them, though not "
        "every host then says that it is JSON."
    ),
    "api/errors.json": (
        "All errors in short, in parts of 500 at the most: follow `next` until it is null. `messagePattern` "
        "is a regular expression for the whole message, whose dot matches line ends."
    ),
    "api/repos.json": "The repositories, each with its number of errors and their standing.",
    "api/manifest/{xx}.json": (
        "The sha256 of the files of all records whose ids begin with two digits. `api/manifest.json` has "
        "those of these lists and of every other API file: who mirrors the data fetches what changed."
    ),
}


def plan(site: Site) -> Iterator[Page]:
    """The one page."""
    path = "api/index.html"
    answers: dict[str, tuple[str, object]] = {}
    if site.records:
        one, file = _shown(site)
        answers["api/errors/{id}.json"] = (file.path, file.made)
        # As the manifest itself says it, once all files are there.
        digest = hashlib.sha256(msgspec.json.encode(file.made)).hexdigest()
        shard = {"files": {links.api_path(one.head.id): digest, file.path: digest}}
        answers["api/manifest/{xx}.json"] = (f"api/manifest/{one.head.id[:2]}.json", shard)
    # With one more than is shown, so that what is left out is seen to be.
    answers |= {path: (path, answer) for path, answer in api_lists.sample(site, ITEMS + 1).items()}
    context = {
        **frame(site, path),
        "endpoints": [
            {
                "id": key.partition(".")[0].replace("/", "-").replace("{", "").replace("}", ""),
                "path": f"/{key}",
                "text": text,
                "command": f"curl {site.base_url}{answers[key][0]}" if site.base_url else None,
                "url": links.relative(answers[key][0], path),
                "answer": json.dumps(_short(answers[key][1]), indent=2, ensure_ascii=False),
                "is_cut": _short(answers[key][1]) != answers[key][1],
            }
            for key, text in _TEXTS.items()
            if key in answers
        ],
        "founding": FOUNDING_FIELDS,
    }
    yield Page(path, "template", context, "api.html")


def _shown(site: Site) -> tuple[Verified, Page]:
    """The record that is shown, and its file."""
    # A proven one shows most.
    one = site.whole(min(site.records, key=lambda each: (each.standing != "proven", -len(each.claims))))
    return one, next(iter(api_error.contents(site, one, links.api_path(one.head.id))))


def inputs(site: Site) -> bytes:
    """What lists show, and all of the record that is shown."""
    return marks(site) + msgspec.msgpack.encode(_shown(site)[1].made if site.records else None)


def _short(value: object) -> object:
    """The value with long texts and lists cut, for reading."""
    value = msgspec.to_builtins(value)
    match value:
        case str() if len(value) > LONGEST:
            return f"{value[:LONGEST]}…"
        case list() | tuple():
            return [_short(one) for one in value[:ITEMS]]
        case dict():
            return {name: _short(one) for name, one in value.items()}
        case _:
            return value


PAGE = PageKind("api", plan, inputs=inputs)
