"""One JSON document about what a branch changes; its `version` is 1.

It has `version commit revision hasFindings standings records guides vanished findings around`. `standings`
are the numbers of records by standing, `before` and `after`. A record has `kind id address title file
before standing reason fields ambiguities page`: the kinds are `unreadable removed renamed new changed
affected`, `before` has the `id address file` of a renamed one, `standing` and `reason` a text `before` and
`after`. A field has `name before after words`, an ambiguity `id address message`, a page `path lines more`,
a guide `kind tag title lines more`, a vanished address `path what record isError`; `what` is `page data
guide list`. Findings are those of `pagefault check --format json`. Lines and words are pairs of a step and
a text: `=` was kept, `-` taken away, `+` added; `…` stands for what was kept and left out, `more` counts
lines that were left out. What is not there is null. Fields may be added; `version` changes if one changes
its meaning.
"""

import msgspec

from generator import links
from generator.difference import Difference, Entry, Place
from generator.renderings import encodable
from generator.renderings.json import finding
from generator.reviews import Review, changes, page_lines

VERSION = 1


def render(
    difference: Difference,
    is_coloured: bool,  # noqa: ARG001, FBT001 - the signature of reviews
    limit: int,  # noqa: ARG001 - as above
) -> str:
    """The document, in one line."""
    before, after = difference.standings
    content = {
        "version": VERSION,
        "commit": difference.commit,
        "revision": difference.revision,
        "hasFindings": difference.has_findings,
        "standings": {"before": dict(before), "after": dict(after)},
        "records": [_record(one) for one in difference.records],
        "guides": [
            {
                "kind": one.kind,
                "tag": one.tag,
                "title": one.title,
                **_lines((one.before, one.after)),
            }
            for one in difference.guides
        ],
        "vanished": [
            {"path": one.path, "what": one.what, "record": one.record, "isError": one.is_error}
            for one in difference.vanished
        ],
        "findings": [finding(one) for one in difference.findings],
        "around": list(difference.around),
    }
    text = msgspec.json.encode(_encodable(content)).decode()
    # In a log it would be a command; within a text it is the same.
    return text.replace("##[", r"#\u0023[") + "\n"


def _record(one: Entry) -> dict[str, object]:
    place, sides = one.place, {"before": one.before, "after": one.after}
    page = None
    if one.page is not None:
        page = {"path": links.twin(links.page_path(place.repo, place.slug)), **_lines(one.page)}
    return {
        "kind": one.kind,
        "id": place.id,
        "address": place.address,
        "title": place.title,
        "file": place.file,
        "before": _was(one.before) if one.before and one.kind == "renamed" else None,
        "standing": {name: side and side.standing for name, side in sides.items()},
        "reason": {name: side and (side.reason or None) for name, side in sides.items()},
        "fields": [
            {
                "name": each.name,
                "before": each.before,
                "after": each.after,
                "words": changes(each),
            }
            for each in one.fields
        ],
        "ambiguities": [
            {"id": each.id, "address": each.address, "message": each.message} for each in one.ambiguities
        ],
        "page": page,
    }


def _was(place: Place) -> dict[str, str]:
    return {"id": place.id, "address": place.address, "file": place.file}


def _lines(texts: tuple[str | None, str | None]) -> dict[str, object]:
    found, more = page_lines(texts)
    return {"lines": found, "more": more}


def _encodable(value: object) -> object:
    """Plain data whose texts can be written."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_encodable(name): _encodable(one) for name, one in value.items()}
    return [_encodable(one) for one in value] if isinstance(value, list | tuple) else value


REVIEW = Review("json", render)
