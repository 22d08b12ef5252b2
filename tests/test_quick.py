"""The short way to a record: what it takes, the long way reads alike; what it refuses, that way reports."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import document, quick, schema
from generator.diagnostics import Source
from generator.nodes import HIDDEN

PLAIN: dict[str, Any] = {
    "id": "ba4db60e324417e3",
    "repo": "acme/widgets",
    "slug": "widget-is-too-wide",
    "errorCode": None,
    "errorMessage": "widget is too wide for its frame, {width} > {frame.width}",
    "messagePattern": "widget is too wide for its frame, (.+?) > (.+?)",
    "errorClass": "ValueError",
    "httpStatus": None,
    "severity": "error",
    "filePath": "src/widget.py",
    "lineNumber": 40,
    "sourceCode": "raise ValueError(\n",
    "sourceCodeStart": 40,
    "sourceCodeEnd": 41,
    "githubUrl": f"https://github.com/acme/widgets/blob/{'0' * 40}/src/widget.py#L40-L41",
    "documentation": "A widget must fit.",
    "solutions": ["Make it smaller.", "Make the frame wider."],
    "tags": ["layout"],
    "analyzedSha": "0" * 40,
    "analyzedAt": "2026-08-28T05:10:05.995Z",
    "schemaVersion": 2,
}
ODD = [
    *("", " ", "null", "x\n", "a\u200bb", "\ud800", "é", "\x00", "1", "0" * 16, "2026-02-31", "a\r\nb"),
    *(0, -1, 1, 2, 10**17, 10**30, 1.0, 2.5, True, None, [], ["x"], ["null"], [""], [1], {}, {"a": 1}),
]


def assert_alike(text: str) -> bool:
    """Holds the two ways against each other; whether the short one took the text."""
    source = Source("x.json", text)
    short = schema._decoded_quickly(source)
    if short is not None:
        node, found = document.parse(source)
        long, problems = schema.decode(node, "x.json") if node else (None, ())
        assert (*found, *problems) == short[1]
        assert long is not None
        assert (long.record, long.dataset_version) == (short[0].record, short[0].dataset_version)
    return short is not None


def test_plain_records_go_the_short_way() -> None:
    """Alone, in the API's envelope, without what is derived, and with "null" for null."""
    assert assert_alike(json.dumps(PLAIN | {"typeGuard": "null", "errorCode": "null"}, indent=1))
    assert assert_alike(json.dumps(PLAIN | {"typeGuard": "null", "documentation": '"typeGuard": "null"'}))
    assert assert_alike(json.dumps(PLAIN))
    assert assert_alike(json.dumps({"record": PLAIN, "datasetVersion": "2026-08-28"}, indent=2))
    assert assert_alike(json.dumps({key: PLAIN[key] for key in PLAIN if key not in schema.DERIVED}))
    assert assert_alike(json.dumps(PLAIN, ensure_ascii=False).replace("A widget", "Ein Gerät"))
    assert assert_alike(json.dumps(PLAIN | {"documentation": ': "slug": "null", x'}, indent="\t"))
    assert assert_alike(json.dumps(PLAIN | {"httpStatus": "null"}, separators=(" ,", " :\r\n")))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAIN).replace('"tags"', '"slug": "other", "tags"'),
        json.dumps(PLAIN | {"verification": {"unproven": "no"}}),
        json.dumps(PLAIN | {"colour": "red"}),
        json.dumps(PLAIN).replace("40,", "40.0,"),
        json.dumps(PLAIN).replace("40,", "NaN,"),
        json.dumps(PLAIN | {"documentation": "a\u200bb"}),
        json.dumps({"record": PLAIN, "other": 1}),
        json.dumps({"record": PLAIN, "datasetVersion": 5}),
        json.dumps({"record": PLAIN | {"datasetVersion": "2026-08-28"}}),
        json.dumps({"record": PLAIN, "record ": 1}),
        json.dumps(PLAIN).replace('"tags"', '"slug" : "other", "tags"'),
        json.dumps(PLAIN | {"sourceCode": "\n"}),
        json.dumps(PLAIN | {"sourceCode": ""}),
        json.dumps(PLAIN | {"tags": ["layout\n"]}),
        json.dumps(PLAIN | {"solutions": ["x"] * 3000}),
        json.dumps([PLAIN]),
        "[" * 100_000,
        "{",
        "",
    ],
)
def test_others_go_the_long_way(text: str) -> None:
    """Keys that stand twice, unknown fields, proof, numbers that are not whole, hidden characters."""
    assert None is quick.decode(text)


def test_what_is_hidden_cannot_be_printed() -> None:
    """So that a text of which all can be printed holds none of it."""
    assert "" == "".join(one for one in map(chr, range(0x110000)) if HIDDEN.match(one) and one.isprintable())


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(PLAIN)), st.sampled_from(ODD), st.sampled_from(["ascii", "utf-8"]), st.data())
def test_no_way_reads_what_the_other_refuses(
    name: str, value: object, kind: str, data: st.DataObject
) -> None:
    """Whatever one field holds: what goes the short way has no finding on the long one, and is the same."""
    written = data.draw(st.sampled_from([value, [value]]))
    assert_alike(json.dumps(PLAIN | {name: written}, ensure_ascii=kind == "ascii"))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAIN),
        json.dumps({"record": PLAIN, "datasetVersion": "2026-08-28"}),
        json.dumps({"record": PLAIN}),
        json.dumps(PLAIN | {"typeGuard": "null", "sourceCode": "null"}),
        json.dumps(
            PLAIN | {"aliases": ["former"], "status": "removed", "reason": "gone", "removedIn": "2.0"}
        ),
    ],
)
def test_a_text_is_read_again_to_the_same(text: str) -> None:
    """Without its constraints, as it is known by then to fulfil them."""
    found, again = quick.decode(text), quick.again(text)
    assert found is not None
    assert again is not None
    assert msgspec.msgpack.encode((found.record, found.version)) == msgspec.msgpack.encode(again)


@pytest.mark.parametrize(
    "text",
    [json.dumps({key: PLAIN[key] for key in PLAIN if key != "id"}), "{", "[]", "[" * 100_000],
)
def test_what_is_derived_is_not_read_again(text: str) -> None:
    """Nor what cannot be read."""
    assert None is quick.again(text)


def test_places_are_found_when_they_are_asked_for(tmp_path: Any) -> None:
    """The field's own, as the long way has it."""
    file = tmp_path / "x.json"
    file.write_text(json.dumps(PLAIN, indent=2))
    record, problems = schema.load(file, "x.json")

    assert () == problems
    assert record is not None
    node, _ = document.parse(Source("x.json", file.read_text()))
    assert node is not None
    long, _ = schema.decode(node, "x.json")
    assert long is not None
    assert long.at("lineNumber") == record.at("lineNumber")
