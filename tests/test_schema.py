"""Decoding: each type, each complaint and its place, and what is derived."""

import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from generator import document, json_schema, reading, schema, wheels
from generator.diagnostics import Diagnostic, Source
from generator.excerpts import wheel_of
from generator.model import (
    Differential,
    Edition,
    Expectation,
    Lookalike,
    Reachability,
    Record,
    RecordFile,
    Trace,
    Verification,
    Wheelhouse,
)
from generator.settings import Settings

RECORDS = Path(__file__).parent.parent / "records"
SHA = "0123456789abcdef0123456789abcdef01234567"
NEEDED = f"""\
repo: acme/pool
errorMessage: no room for {{size}} pages
errorClass: PoolError
filePath: pool/pages.py
lineNumber: 7
documentation: There is no room.
analyzedSha: {SHA}
"""
LINES = NEEDED.count("\n")

# Names and order of schema version 2, which programs rely on.
FOUNDING = (
    *("id", "repo", "slug", "errorCode", "errorMessage", "messagePattern", "errorType", "errorClass"),
    *("httpStatus", "severity", "filePath", "lineNumber", "sourceCode", "sourceCodeStart", "sourceCodeEnd"),
    *("githubUrl", "documentation", "triggerScenarios", "commonSituations", "solutions", "exampleFix"),
    *("handlingStrategy", "validationCode", "typeGuard", "tryCatchPattern", "preventionTips", "tags"),
    *("backgroundTag", "analyzedSha", "analyzedAt", "schemaVersion"),
)


def decoded(text: str, path: str = "r.yaml") -> tuple[RecordFile | None, tuple[Diagnostic, ...]]:
    """Return the record in a text that is a document, and what is said of its fields."""
    node, problems = document.parse(Source(path, text))
    assert node is not None
    assert () == problems
    return schema.decode(node, path)


def record(text: str, path: str = "r.yaml") -> Record:
    """Return the record in a text of which nothing is said."""
    file, found = decoded(text, path)
    assert () == found
    assert file is not None
    return file.record


def said(text: str, path: str = "r.yaml") -> list[str]:
    """Return what is said of a text, as `line:column-column code message`, the end exclusive."""
    return [
        f"{one.span.line}:{one.span.column}-{one.span.end_column} {one.code} {one.message}"
        for one in decoded(text, path)[1]
        if one.span
    ]


def complaint(line: str) -> str:
    """Return the one thing said of a record with that line more, its place counted from the line."""
    (one,) = said(NEEDED + line + "\n")
    number, _, rest = one.partition(":")
    return f"{int(number) - LINES}:{rest}"


def published(one: Record) -> dict[str, Any]:
    """Return a record as the API's file holds it."""
    value: dict[str, Any] = json.loads(msgspec.json.encode(one))
    return value


def as_json(**fields: object) -> str:
    """Return the record of `NEEDED` as JSON, with those fields."""
    return json.dumps(published(record(NEEDED)) | fields)


# Each type.


def test_the_needed_fields_make_a_record() -> None:
    """Everything else is derived, has a default, or is null."""
    one = record(NEEDED)
    assert (
        "acme/pool",
        "no room for {size} pages",
        "PoolError",
        "pool/pages.py",
        7,
        "There is no room.",
        SHA,
    ) == (
        one.repo,
        one.error_message,
        one.error_class,
        one.file_path,
        one.line_number,
        one.documentation,
        one.analyzed_sha,
    )
    assert (None, "error", (), (), 2, None) == (
        one.error_code,
        one.severity,
        one.solutions,
        one.tags,
        one.schema_version,
        one.verification,
    )


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("errorCode: E1", "error_code", "E1"),
        ("errorCode: 'it''s'", "error_code", "it's"),
        ('errorCode: "E\\t1"', "error_code", "E\t1"),
        ("errorCode: |-\n  E\n  1", "error_code", "E\n1"),
        ("errorCode: >-\n  E\n  1", "error_code", "E 1"),
        ("errorCode: null", "error_code", None),
        ("errorCode: ~", "error_code", None),
        ("errorCode:", "error_code", None),
        ("httpStatus: 404", "http_status", 404),
        ("httpStatus: null", "http_status", None),
        ("solutions: [a, b]", "solutions", ("a", "b")),
        ("solutions:\n- a\n- >-\n  b\n  c", "solutions", ("a", "b c")),
        ("solutions: []", "solutions", ()),
        ("tags: [memory-pool]", "tags", ("memory-pool",)),
        ("sourceCode: ''", "source_code", ""),
        ("analyzedAt: 2026-08-28T05:10:05.995Z", "analyzed_at", "2026-08-28T05:10:05.995Z"),
        ("verification: null", "verification", None),
        ("verification: {}", "verification", Verification()),
        ("verification: {native: true}", "verification", Verification(native=True)),
        ("verification: {native: false}", "verification", Verification()),
        (
            'verification: {captures: {size: "37", a.b: x}}',
            "verification",
            Verification(captures={"size": "37", "a.b": "x"}),
        ),
        ("verification: {more: [a(), b()]}", "verification", Verification(more=("a()", "b()"))),
        ("verification: {fixed: {expect: ok}}", "verification", Verification(fixed=Expectation("ok"))),
        (
            "verification:\n  instead:\n  - {call: f(), returns: null}\n  - {call: g(), why: w}",
            "verification",
            Verification(instead=(Lookalike("f()"), Lookalike("g()", why="w"))),
        ),
        (
            "verification: {reachable: {via: call, site: 'a/b.py:3'}}",
            "verification",
            Verification(reachable=Reachability("call", "a/b.py:3")),
        ),
    ],
)
def test_a_field_is_read_by_its_type(line: str, field: str, value: object) -> None:
    """Texts, whole numbers, truth values, lists, mappings, structures in them, and null."""
    assert value == getattr(record(f"{NEEDED}{line}\n"), field)


@pytest.mark.parametrize(
    "scalar",
    [
        *(
            "1234567890123456",
            "no",
            "yes",
            "on",
            "true",
            "012",
            "0x1F",
            "1_000",
            "1e5",
            ".5",
            ".inf",
            "1:30:00",
        ),
        *("2026-08-28", "2026-08-28 05:10:05", "0132848349", "-1", "+1", "=", "Null", "NULL", "nan"),
    ],
)
def test_a_text_of_yaml_stays_text_whatever_it_looks_like(scalar: str) -> None:
    """Other readers make numbers, dates and truth values of these."""
    assert scalar == record(f"{NEEDED}errorCode: {scalar}\n").error_code


def test_a_sha_of_digits_alone_stays_text() -> None:
    """One in a hundred million is; as a number it would lose its zeros."""
    digits = "0132848349" * 4
    assert digits == record(NEEDED.replace(SHA, digits)).analyzed_sha
    assert "0" * 40 == record(NEEDED.replace(SHA, "0" * 40)).analyzed_sha


@pytest.mark.parametrize(
    "scalar", ["0132848349132848", "1234567890123456", "1e10000000000000", "'0123456789012345'"]
)
def test_an_id_of_digits_stays_text(scalar: str) -> None:
    """A hash may have no letter, or one `e`."""
    assert scalar.strip("'") == record(f"{NEEDED}id: {scalar}\n").id


# Unknown and missing fields.


def test_an_unknown_field_stands_at_its_key() -> None:
    """E0111."""
    assert "1:1-7 E0111 unknown field `colour`" == complaint("colour: red")
    assert "2:3-9 E0111 unknown field `colour`" == complaint("verification:\n  colour: red")
    lines = "verification:\n  instead:\n  - cull: g()\n    call: f()"
    assert "3:5-9 E0111 unknown field `cull`" == complaint(lines)


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("slugs: a", "did you mean `slug`?"),
        ("solution: a", "did you mean `solutions`?"),
        ("http_status: 404", "did you mean `httpStatus`?"),
        ("verification: {triggers: a}", "did you mean `trigger`?"),
        ("verification: {fixed: {expects: a, expect: a}}", "did you mean `expect`?"),
        ("verification: {fixed: {zzz: a, expect: a}}", "known fields: expect"),
    ],
)
def test_an_unknown_field_names_the_one_that_was_meant(line: str, help: str) -> None:  # noqa: A002 - the field's name
    """Or, where none is close, all that are known there."""
    (found,) = decoded(f"{NEEDED}{line}\n")[1]
    assert ("E0111", help) == (found.code, found.help)


def test_a_missing_field_stands_at_the_head_of_what_misses_it() -> None:
    """E0112: of the record, or of a part of it."""
    assert [
        "1:1-2 E0112 missing field `errorMessage`",
        "1:1-2 E0112 missing field `errorClass`",
        "1:1-2 E0112 missing field `filePath`",
        "1:1-2 E0112 missing field `lineNumber`",
        "1:1-2 E0112 missing field `documentation`",
        "1:1-2 E0112 missing field `analyzedSha`",
    ] == said("repo: acme/pool\n")
    assert "2:10-11 E0112 missing field `verification.fixed.expect`" == complaint(
        "verification:\n  fixed: {}"
    )
    assert "3:5-6 E0112 missing field `verification.instead[0].call`" == complaint(
        "verification:\n  instead:\n  - why: w"
    )


@pytest.mark.parametrize("field", schema.DERIVED)
def test_what_can_be_derived_may_be_missing(field: str) -> None:
    """It may not be null, which would say that there is none."""
    assert f"1:{len(field) + 3}-{len(field) + 7} E0113 `{field}` must not be null" == complaint(
        f"{field}: null"
    )


# Wrong types and values.


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("errorCode: [E1]", "1:12-16", "`errorCode` must be text"),
        ("errorCode: {a: b}", "1:12-18", "`errorCode` must be text"),
        ("httpStatus: soon", "1:13-17", "`httpStatus` must be a whole number, found `soon`"),
        ('httpStatus: "404"', "1:13-18", "`httpStatus` must be a whole number, found the text `404`"),
        ("httpStatus: 4.5", "1:13-16", "`httpStatus` must be a whole number, found `4.5`"),
        ("httpStatus: 0404", "1:13-17", "`httpStatus` must be a whole number, found `0404`"),
        ("httpStatus: +404", "1:13-17", "`httpStatus` must be a whole number, found `+404`"),
        ("httpStatus: 0x194", "1:13-18", "`httpStatus` must be a whole number, found `0x194`"),
        (
            "httpStatus: \u0664\u0660\u0664",
            "1:13-16",
            "`httpStatus` must be a whole number, found `\u0664\u0660\u0664`",
        ),
        ("httpStatus: [404]", "1:13-18", "`httpStatus` must be a whole number"),
        ("solutions: a", "1:12-13", "`solutions` must be a list"),
        ("solutions: {a: b}", "1:12-18", "`solutions` must be a list"),
        ("solutions: null", "1:12-16", "`solutions` must not be null"),
        ("solutions:\n- a\n- [b]", "3:3-6", "`solutions[1]` must be text"),
        ("solutions:\n- a\n-", "3:2-2", "`solutions[1]` must not be null"),
        ("severity: null", "1:11-15", "`severity` must not be null"),
        ("verification: yes", "1:15-18", "`verification` must be a mapping"),
        ("verification: [a]", "1:15-18", "`verification` must be a mapping"),
        (
            "verification: {native: yes}",
            "1:24-27",
            "`verification.native` must be true or false, found `yes`",
        ),
        (
            "verification: {native: True}",
            "1:24-28",
            "`verification.native` must be true or false, found `True`",
        ),
        (
            'verification: {native: "true"}',
            "1:24-30",
            "`verification.native` must be true or false, found the text `true`",
        ),
        ("verification: {captures: [a]}", "1:26-29", "`verification.captures` must be a mapping"),
        ("verification: {captures: {a: [b]}}", "1:30-33", "`verification.captures` of `a` must be text"),
        ("verification: {captures: {a: }}", "1:30-30", "`verification.captures` of `a` must not be null"),
    ],
)
def test_a_wrong_type_stands_at_its_value(line: str, place: str, message: str) -> None:
    """E0113: what it must be and, where that helps, what it is."""
    assert f"{place} E0113 {message}" == complaint(line)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("errorCode", 1042, "`errorCode` must be text, found `1042`"),
        ("errorCode", True, "`errorCode` must be text, found `true`"),
        ("analyzedSha", 1, "`analyzedSha` must be text, found `1`"),
        ("lineNumber", "7", "`lineNumber` must be a whole number, found the text `7`"),
        ("lineNumber", True, "`lineNumber` must be a whole number, found `true`"),
        ("lineNumber", 7.0, "`lineNumber` must be a whole number, found `7.0`"),
        ("solutions", ["a", 2], "`solutions[1]` must be text, found `2`"),
        ("tags", [None], "`tags[0]` must not be null"),
    ],
)
def test_a_wrong_type_of_json_is_refused(field: str, value: object, message: str) -> None:
    """There numbers, texts and truth values differ."""
    (found,) = decoded(as_json(**{field: value}), "r.json")[1]
    assert ("E0113", message) == (found.code, found.message)


def test_json_is_read_as_yaml_is() -> None:
    """The same record, whichever the file's language."""
    assert record(NEEDED) == record(as_json(), "r.json")


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ('errorCode: ""', "1:12-14", "`errorCode` is empty"),
        ("errorCode: '  '", "1:12-16", "`errorCode` is empty"),
        ('errorCode: "\\n"', "1:12-16", "`errorCode` is empty"),
        ("solutions:\n- a\n- ''", "3:3-5", "`solutions[1]` is empty"),
        ("verification: {trigger: ''}", "1:25-27", "`verification.trigger` is empty"),
    ],
)
def test_an_empty_text_stands_at_its_value(line: str, place: str, message: str) -> None:
    """E0114: a page would have a heading with nothing below it."""
    assert f"{place} E0114 {message}" == complaint(line)


def test_the_cure_of_an_empty_text_is_one_that_works() -> None:
    """Null is none where there must be a text."""
    helps = {line: decoded(NEEDED + line)[1][0].help for line in ("errorCode: ''", "slug: ''")}
    assert {"errorCode: ''": "write null, or leave the field out", "slug: ''": None} == helps


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('errorCode: "null"', "error_code"),
        ("errorCode: 'null'", "error_code"),
        ("httpStatus: 'null'", "http_status"),
        ("backgroundTag: 'null'", "background_tag"),
        ("exampleFix: |-\n  null", "example_fix"),
        ("verification: 'null'", "verification"),
    ],
)
def test_the_text_null_is_taken_as_null_with_a_warning(line: str, field: str) -> None:
    """E0115: other programs write it for "none"."""
    file, (found,) = decoded(NEEDED + line)
    assert ("E0115", "warning") == (found.code, found.severity)
    assert file is not None
    assert getattr(file.record, field) is None


def test_the_text_null_stands_at_its_value() -> None:
    """As any other finding."""
    assert '1:12-18 E0115 `errorCode` is the text "null"; taken as null' == complaint('errorCode: "null"')


def test_the_text_null_of_json_is_taken_as_null_too() -> None:
    """It is from there that it comes."""
    text = as_json(errorCode="null", tags=["null"])
    file, found = decoded(text, "r.json")
    assert ["E0115"] == [one.code for one in found]
    assert file is not None
    assert (None, ("null",)) == (file.record.error_code, file.record.tags)


def test_a_text_that_must_be_there_may_be_null() -> None:
    """`null` in quotes is a message like any other where nothing may be absent."""
    assert "null" == record(NEEDED.replace("There is no room.", '"null"')).documentation


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("id: 0123", "1:5-9", "`id` must be 16 hex digits, found `0123`"),
        ("id: ABCDEF0123456789", "1:5-21", "`id` must be 16 hex digits, found `ABCDEF0123456789`"),
        ("slug: No-Room", "1:7-14", "`slug` must be lower-case words joined by hyphens, found `No-Room`"),
        ("slug: -a", "1:7-9", "`slug` must be lower-case words joined by hyphens, found `-a`"),
        ("slug: ../a", "1:7-11", "`slug` must be lower-case words joined by hyphens, found `../a`"),
        ('slug: "a\\n"', "1:7-12", "`slug` must be lower-case words joined by hyphens, found the text `a⏎`"),
        (f"slug: {'a' * 81}", "1:7-88", "`slug` must have at most 80 characters, found 81"),
        ("httpStatus: 99", "1:13-15", "`httpStatus` must be from 100 to 599, found `99`"),
        ("httpStatus: 600", "1:13-16", "`httpStatus` must be from 100 to 599, found `600`"),
        ("httpStatus: -1", "1:13-15", "`httpStatus` must be from 100 to 599, found `-1`"),
        ("schemaVersion: 1", "1:16-17", "`schemaVersion` must be 2, found `1`"),
        (
            "sourceCodeStart: 0",
            "1:18-19",
            "`sourceCodeStart` must be a line number, counted from 1, found `0`",
        ),
        ("tags:\n- a\n- B c", "3:3-6", "`tags[1]` must be a lower-case word, hyphens within, found `B c`"),
        (
            "analyzedAt: yesterday",
            "1:13-22",
            "`analyzedAt` must be a date, or a time such as `2026-08-28T05:10:05Z`, found `yesterday`",
        ),
        (
            "githubUrl: http://github.com/a",
            "1:12-31",
            "`githubUrl` must be a link to https://github.com/, found `http://github.com/a`",
        ),
        (
            "githubUrl: javascript:alert(1)",
            "1:12-31",
            "`githubUrl` must be a link to https://github.com/, found `javascript:alert(1)`",
        ),
        (
            "verification: {builtAt: there}",
            "1:25-30",
            "`verification.builtAt` must be `path:line`, found `there`",
        ),
        ("status: gone", "1:9-13", "`status` must be `removed`, found `gone`"),
    ],
)
def test_a_wrong_value_stands_there(line: str, place: str, message: str) -> None:
    """E0116: the right type, and not what the field is for."""
    assert f"{place} E0116 {message}" == complaint(line)


@pytest.mark.parametrize(
    "path",
    [
        "/a.py",
        "../a.py",
        "a/../b.py",
        "a/./b.py",
        "a//b.py",
        "a/",
        ".",
        "..",
        "a\\b.py",
        '"a\\nb"',
        '"a\\0b"',
        "./a",
    ],
)
def test_a_path_leads_nowhere_but_below_the_root(path: str) -> None:
    """It becomes part of a link and of a look-up in a wheel."""
    node, _ = document.parse(Source("r.yaml", NEEDED.replace("pool/pages.py", path)))
    assert node is not None
    assert ["E0116"] == [one.code for one in schema.decode(node, "r.yaml")[1]]


@pytest.mark.parametrize(
    "path", ["a.py", "a/b.py", ".github/a.yml", "a/..b/c", "a b.py", "a/b#c?.py", "页.py"]
)
def test_a_path_may_hold_what_repositories_hold(path: str) -> None:
    """Spaces, dots, signs and other scripts."""
    assert path == record(NEEDED.replace("pool/pages.py", f'"{path}"')).file_path


@pytest.mark.parametrize(
    "repo", ["acme", "acme/", "/pool", "a/b/c", "../pool", "acme/..", "acme/.git", "a b/c", "acme/pool/"]
)
def test_a_repository_is_an_owner_and_a_name(repo: str) -> None:
    """Both are folders of the site."""
    assert [f"1:7-{7 + len(repo)} E0116 `repo` must be `owner/name`, found `{repo}`"] == said(
        NEEDED.replace("acme/pool", repo)
    )


@pytest.mark.parametrize("moment", ["2026-08-28", "2026-08-28T05:10:05Z", "2026-08-28T05:10:05.995+02:00"])
def test_a_moment_is_a_date_or_a_time(moment: str) -> None:
    """With a zone."""
    assert moment == record(f"{NEEDED}analyzedAt: {moment}\n").analyzed_at


@pytest.mark.parametrize("message", ["{ " * 1_999 + "{", "页" * 4_001])
def test_a_message_that_no_pattern_can_hold_stands_at_its_value(message: str) -> None:
    """E0116: what is wrong only when the pattern is derived is reported as what is wrong at once."""
    file, found = decoded(NEEDED.replace("no room for {size} pages", f"'{message}'"))
    assert file is None
    assert [("E0116", 2, 15)] == [(one.code, one.span.line, one.span.column) for one in found if one.span]


def test_a_long_value_is_repeated_in_part() -> None:
    """A finding fits a terminal."""
    assert f"1:5-205 E0116 `id` must be 16 hex digits, found `{'a' * 79}…`" == complaint(f"id: {'a' * 200}")
    assert f"1:1-201 E0111 unknown field `{'z' * 79}…`" == complaint(f"{'z' * 200}: a")


def test_every_problem_of_a_file_is_found_in_one_run() -> None:
    """In the order of the file, but for what is missing."""
    text = f"""\
repo: acme
errorMessge: a
errorClass: [PoolError]
lineNumber: seven
documentation: ""
analyzedSha: {SHA}
tags: [ok, Not OK, ok]
verification:
  triger: f()
  fixed: {{expected: a}}
  instead:
  - call: ""
  - cal: g()
"""
    assert [
        "1:7-11 E0116 `repo` must be `owner/name`, found `acme`",
        "2:1-12 E0111 unknown field `errorMessge`",
        "3:13-24 E0113 `errorClass` must be text",
        "4:13-18 E0113 `lineNumber` must be a whole number, found `seven`",
        "5:16-18 E0114 `documentation` is empty",
        "7:12-18 E0116 `tags[1]` must be a lower-case word, hyphens within, found `Not OK`",
        "9:3-9 E0111 unknown field `triger`",
        "10:11-19 E0111 unknown field `expected`",
        "10:10-11 E0112 missing field `verification.fixed.expect`",
        "12:11-13 E0114 `verification.instead[0].call` is empty",
        "13:5-8 E0111 unknown field `cal`",
        "13:5-6 E0112 missing field `verification.instead[1].call`",
        "1:1-2 E0112 missing field `errorMessage`",
        "1:1-2 E0112 missing field `filePath`",
    ] == said(text)


def test_a_record_with_an_unknown_field_is_still_a_record() -> None:
    """What else is wrong with it can be said in the same run."""
    file, found = decoded(f"{NEEDED}colour: red\n")
    assert (True, 1) == (file is not None, len(found))


@pytest.mark.parametrize("text", ["[a, b]", "just text", "- repo: acme/pool"])
def test_a_document_that_is_no_mapping_is_no_record(text: str) -> None:
    """Both floors say so; the reader of files only once."""
    node, _ = document.parse(Source("r.yaml", text))
    assert node is not None
    file, found = schema.decode(node, "r.yaml")
    assert (None, ["E0113"]) == (file, [one.code for one in found])


# The envelope.


def envelope(**fields: object) -> str:
    """Return the API's file of a record, with those fields beside it."""
    return json.dumps({"record": json.loads(as_json())} | fields)


def test_the_apis_envelope_is_a_record_too() -> None:
    """What was downloaded can be read again."""
    file, found = decoded(envelope(datasetVersion="2026-08-28"), "r.json")
    assert () == found
    assert file is not None
    assert (record(NEEDED), "2026-08-28") == (file.record, file.dataset_version)


def test_an_envelope_need_not_name_its_version() -> None:
    """Nor has a file without envelope one."""
    for text, path in ((envelope(), "r.json"), (envelope(datasetVersion=None), "r.json"), (NEEDED, "r.yaml")):
        file, found = decoded(text, path)
        assert () == found
        assert file is not None
        assert file.dataset_version is None


def test_an_envelopes_version_null_in_quotes_is_null() -> None:
    """As in any field."""
    file, found = decoded(envelope(datasetVersion="null"), "r.json")
    assert ["E0115"] == [one.code for one in found]
    assert file is not None
    assert file.dataset_version is None


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"datasetVersion": 3}, "E0113"), ({"datasetVersion": ""}, "E0114"), ({"recrod": {}}, "E0111")],
)
def test_an_envelope_has_a_record_and_a_version_and_no_more(fields: dict[str, object], code: str) -> None:
    """What stands beside them is reported, and the record is read."""
    file, found = decoded(envelope(**fields), "r.json")
    assert [code] == [one.code for one in found]
    assert file is not None


def test_places_in_an_envelope_are_those_of_the_file() -> None:
    """Both of findings and of fields that a record's file is asked for."""
    text = f"record:\n{re.sub('^', '  ', NEEDED, flags=re.MULTILINE).rstrip()}\n  colour: red\n"
    assert [f"{LINES + 2}:3-9 E0111 unknown field `colour`"] == said(text)
    file, _ = decoded(text)
    assert file is not None
    span = file.at("lineNumber")
    assert span is not None
    assert (6, 15) == (span.line, span.column)


# What is derived.


def test_an_id_is_16_hex_digits() -> None:
    """Always the same for the same error."""
    assert re.fullmatch("[0-9a-f]{16}", record(NEEDED).id)
    assert record(NEEDED).id == record(NEEDED).id


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pool/pages.py", "moved/pages.py"),
        ("lineNumber: 7", "lineNumber: 8"),
        (SHA, "f" * 40),
        ("no room.", "none."),
    ],
)
def test_an_id_survives_a_moved_error(old: str, new: str) -> None:
    """Another file, line, commit or text is the same error."""
    assert record(NEEDED).id == record(NEEDED.replace(old, new)).id


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("acme/pool", "acme/lake"),
        ("PoolError", "LakeError"),
        ("{size} pages", "{size} page"),
        ("{size}", "{n}"),
    ],
)
def test_an_id_changes_with_repository_class_and_template(old: str, new: str) -> None:
    """These are what an error is."""
    assert record(NEEDED).id != record(NEEDED.replace(old, new)).id


def test_an_id_does_not_depend_on_where_its_parts_meet() -> None:
    """A class that ends as a template begins is another one."""
    one = msgspec.structs.replace(record(NEEDED), error_class="A", error_message="Bc")
    other = msgspec.structs.replace(one, error_class="AB", error_message="c")
    assert schema.derived_id(one) != schema.derived_id(other)


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("no room for {size} pages", "no-room-for-size-pages"),
        ("Expected `A_b`, got: 3.5!", "expected-a-b-got-3-5"),
        ("a" * 100, "a" * 60),
        ("a" * 58 + " b", "a" * 58 + "-b"),
        ("a" * 58 + " bc", "a" * 58),
        ("a" * 58 + " bc d", "a" * 58),
        ("a" * 59 + " b", "a" * 59),
        ("页太少", "poolerror"),
        ("Größe {x}", "gr-e-x"),
        ("!?", "poolerror"),
    ],
)
def test_a_slug_is_the_templates_words(message: str, slug: str) -> None:
    """At most 60 characters, cut between two words; the class where there is no word."""
    assert slug == record(NEEDED.replace("no room for {size} pages", json.dumps(message))).slug


@settings(deadline=None)
@given(
    st.text(min_size=1, max_size=200),
    st.sampled_from(["PoolError", "a.b.PoolError", "_Pool_Error", "_", "_é"]),
)
def test_a_derived_slug_is_a_slug(message: str, error_class: str) -> None:
    """For any message and class: what is derived has the form that a written one must have."""
    one = msgspec.structs.replace(record(NEEDED), error_message=message, error_class=error_class)
    slug = schema.derived_slug(one)
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= schema.SLUG_LENGTH


def test_a_link_names_commit_file_and_line() -> None:
    """With an excerpt of its own, the record's link shows that."""
    place = f"https://github.com/acme/pool/blob/{SHA}/pool/pages.py"
    assert f"{place}#L7" == record(NEEDED).github_url
    own = f"{NEEDED}sourceCode: a\nsourceCodeStart: 5\nsourceCodeEnd: 9\n"
    assert f"{place}#L5-L9" == record(own).github_url


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        ("a b.py", "a%20b.py"),
        ("a#b.py", "a%23b.py"),
        ("a?b.py", "a%3Fb.py"),
        ("a%20b.py", "a%2520b.py"),
        ("页.py", "%E9%A1%B5.py"),
        ("[slug]/page.tsx", "%5Bslug%5D/page.tsx"),
        ("@scope/a+b,c=(d).py", "@scope/a+b,c=(d).py"),
    ],
)
def test_a_link_leads_to_the_file_whatever_its_name(path: str, quoted: str) -> None:
    """What means something in an address is written as a percent sign and two digits."""
    one = record(NEEDED.replace("pool/pages.py", f'"{path}"'))
    assert f"https://github.com/acme/pool/blob/{SHA}/{quoted}#L7" == one.github_url
    assert not decoded(f"{NEEDED}githubUrl: {json.dumps(one.github_url)}\n")[1]


def test_a_pattern_is_what_the_template_implies() -> None:
    """Fixed text escaped, a hole for a hole."""
    assert "no room for (.+?) pages" == record(NEEDED).message_pattern
    text = NEEDED.replace("no room for {size} pages", "'{n} [of] %d'")
    assert r"(.+?) \[of\] %d" == record(text).message_pattern


def test_what_is_written_is_not_derived() -> None:
    """Whether it agrees is for the checks to say."""
    one = record(
        f"{NEEDED}id: aaaaaaaaaaaaaaaa\nslug: other\nmessagePattern: other\ngithubUrl: https://github.com/other\n"
    )
    assert ("a" * 16, "other", "other", "https://github.com/other") == (
        one.id,
        one.slug,
        one.message_pattern,
        one.github_url,
    )


# Files.


def test_records_are_found_however_nested(tmp_path: Path) -> None:
    """YAML by both its names, and JSON, in the order of their paths."""
    names = ("acme/pool/a.yaml", "acme/pool/b.yml", "acme/pool/deep/er/c.json", "flat.json", "acme/a.yaml")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert sorted(names, key=lambda name: Path(name).parts) == [
        path.relative_to(tmp_path).as_posix() for path in schema.record_paths(tmp_path)
    ]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "acme/pool/repo.yaml",
            "acme/pool/differential.json",
            "acme/pool/drift.json",
            "repo.yaml",
            "guides/a.yaml",
            "guides/deep/a.json",
        ),
        *("acme/a.md", "acme/a.yaml~", "acme/yaml", "acme/.a.yaml", ".git/a.yaml", "acme/.cache/deep/a.json"),
    ],
)
def test_other_files_are_no_records(tmp_path: Path, name: str) -> None:
    """What is said of a repository, guides, notes, and whatever is hidden."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    assert [] == list(schema.record_paths(tmp_path))


def test_the_folder_may_be_hidden_itself(tmp_path: Path) -> None:
    """Only what is below it counts."""
    folder = tmp_path / ".hidden" / "guides"
    folder.mkdir(parents=True)
    (folder / "a.yaml").touch()
    assert [folder / "a.yaml"] == list(schema.record_paths(folder))


def test_a_folder_that_is_absent_holds_no_records(tmp_path: Path) -> None:
    """To say so is the caller's."""
    assert [] == list(schema.record_paths(tmp_path / "absent"))


def test_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    """A link to a folder above would have no end."""
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.yaml").touch()
    (folder / "again").symlink_to(folder, target_is_directory=True)
    assert [folder / "a.yaml"] == list(schema.record_paths(folder))


@pytest.mark.parametrize("kind", ["link", "broken link", "folder", "pipe"])
def test_what_is_no_regular_file_is_reported_when_it_is_read(tmp_path: Path, kind: str) -> None:
    """It has a record's name: whoever put it there is told, and nothing is followed or waited for."""
    place, target = tmp_path / "records" / "a.yaml", tmp_path / "b.yaml"
    place.parent.mkdir()
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(target)
    if kind == "link":
        target.write_text(NEEDED, encoding="utf-8")
    assert [place] == list(schema.record_paths(place.parent))
    file, found = schema.load(place, "a.yaml")
    assert (None, ["E0102"]) == (file, [one.code for one in found])


def test_a_file_is_loaded_with_its_names(tmp_path: Path) -> None:
    """One for messages, one that is the same on every machine."""
    path = tmp_path / "a.yaml"
    path.write_text(NEEDED, encoding="utf-8")
    file, found = schema.load(path, "records/a.yaml", "records/acme/a.yaml")
    assert () == found
    assert file is not None
    assert ("records/a.yaml", "records/acme/a.yaml", record(NEEDED)) == (
        file.path,
        file.location,
        file.record,
    )


def test_a_file_that_breaks_the_language_and_the_schema_says_both(tmp_path: Path) -> None:
    """It is no record then: what was left out of it is not known."""
    path = tmp_path / "a.yaml"
    path.write_text(f"{NEEDED}repo: again/again\ncolour: red\n", encoding="utf-8")
    file, found = schema.load(path, "a.yaml")
    assert (None, {"E0106", "E0111"}) == (file, {one.code for one in found})
    assert {"a.yaml"} == {one.path for one in found}


@pytest.mark.parametrize(
    ("content", "code"), [("", "E0103"), ("a: [", "E0101"), ("- a", "E0108"), ("\xff", "E0102")]
)
def test_a_file_that_is_no_mapping_says_so_once(tmp_path: Path, content: str, code: str) -> None:
    """Whatever it is."""
    path = tmp_path / "a.yaml"
    path.write_bytes(content.encode("latin-1"))
    file, found = schema.load(path, "a.yaml")
    assert (None, [code]) == (file, [one.code for one in found])


# What is said of a repository.

REPOSITORY = f"""\
repo: acme/pool
title: Pool
wheel:
  requirement: pool==1.5
  python: "3.11"
  platform: any
  file: pool-1.5-py3-none-any.whl
  sha256: {"0" * 64}
  commit: {SHA}
"""


def repository(tmp_path: Path, text: str) -> tuple[object, list[str]]:
    """Return what a `repo.yaml` of that text says, and what is said of it."""
    path = tmp_path / "repo.yaml"
    path.write_text(text, encoding="utf-8")
    value, found = schema.load_repository(path, "repo.yaml")
    return value, [f"{one.span.line}:{one.span.column} {one.code} {one.message}" for one in found if one.span]


def test_a_repository_says_what_it_is(tmp_path: Path) -> None:
    """Its title, and the wheel from which its lines are read."""
    value, found = repository(tmp_path, REPOSITORY)
    assert [] == found
    house = Wheelhouse("pool==1.5", "3.11", "any", "pool-1.5-py3-none-any.whl", "0" * 64, SHA)
    assert ("acme/pool", "Pool", None, house) == (
        getattr(value, "repo", None),
        getattr(value, "title", None),
        getattr(value, "license", None),
        getattr(value, "wheel", None),
    )


def test_a_repository_is_checked_as_a_record_is(tmp_path: Path) -> None:
    """Every problem in one run, each at its place."""
    text = "repo: acme\nname: Pool\nwheel: {python: '3.11', sha256: '0'}\n"
    value, found = repository(tmp_path, text)
    assert value is None
    assert [
        "1:7 E0116 `repo` must be `owner/name`, found `acme`",
        "2:1 E0111 unknown field `name`",
        "3:33 E0116 `wheel.sha256` must be a sha256: 64 hex digits, found the text `0`",
        "3:8 E0112 missing field `wheel.requirement`",
        "3:8 E0112 missing field `wheel.platform`",
        "3:8 E0112 missing field `wheel.file`",
        "3:8 E0112 missing field `wheel.commit`",
        "1:1 E0112 missing field `title`",
    ] == found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("requirement", "pool"),
        ("requirement", "--index-url==http://a"),
        ("requirement", "pool @ file:///a"),
        ("python", "3"),
        ("python", "--dest"),
        ("platform", "any any"),
        ("file", "../pool.whl"),
        ("file", "pool.zip"),
    ],
)
def test_a_wheel_that_is_none_is_reported(tmp_path: Path, field: str, value: str) -> None:
    """These become part of a command and a path; whoever wrote them is told where."""
    text = re.sub(rf"  {field}: .*", f"  {field}: {json.dumps(value)}", REPOSITORY)
    loaded, found = repository(tmp_path, text)
    assert loaded is None
    assert [f"`wheel.{field}`"] == [one.split()[2] for one in found]


def text_of(field: str) -> st.SearchStrategy[str]:
    """Return texts of the form that a field of `wheel` must have."""
    published_form = msgspec.json.schema(Wheelhouse)["$defs"]["Wheelhouse"]["properties"][field]["pattern"]
    return st.from_regex(published_form.replace("$", r"\Z"), fullmatch=True)


@settings(deadline=None)
@given(*(text_of(field) for field in ("requirement", "python", "platform", "file", "sha256")))
def test_every_wheel_that_the_schema_takes_is_one(
    requirement: str, python: str, platform: str, file: str, sha256: str
) -> None:
    """For any values of the right form: no later floor refuses them."""
    wheel = wheel_of(Wheelhouse(requirement, python, platform, file, sha256, SHA))
    assert wheels.Wheel(requirement, python, platform, file, sha256) == wheel


# What was compared.

COMPARED = {
    "acme.Pool": {
        "source": "generator/pool.py",
        "sourceSha256": "0" * 64,
        "operations": 12_000,
        "raised": {"ValueError": 7},
        "upstream": {"requirement": "pool==1.5"},
    }
}


def test_a_comparison_is_read_by_subject(tmp_path: Path) -> None:
    """What only people read is passed over."""
    path = tmp_path / "differential.json"
    path.write_text(json.dumps({"subjects": COMPARED}), encoding="utf-8")
    expected = Differential("generator/pool.py", "0" * 64, 12_000, {"requirement": "pool==1.5"})
    assert {"acme.Pool": expected} == schema.load_differential(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"null",
        b"\xff",
        b'{"subjects": []}',
        b'{"subjects": {"a": {}}}',
        b'{"subjects": {"a": {"source": "a", "sourceSha256": "b", "operations": "c", "upstream": {}}}}',
        b'{"subjects": {"a": {"source": "\xff", "sourceSha256": "b", "operations": 1, "upstream": {}}}}',
        b"[" * 100_000,
        b'{"subjects": ' + b'{"a":' * 100_000,
    ],
)
def test_a_comparison_that_cannot_be_read_proves_nothing(tmp_path: Path, content: bytes) -> None:
    """It ends no run: the standing of the records shows it."""
    path = tmp_path / "differential.json"
    path.write_bytes(content)
    assert {} == schema.load_differential(path)


def test_a_comparison_that_is_absent_proves_nothing(tmp_path: Path) -> None:
    """As before the differential test was ever run; a folder of that name is none."""
    assert {} == schema.load_differential(tmp_path / "differential.json")
    assert {} == schema.load_differential(tmp_path)


# The laws.

SCHEMA = Draft7Validator(json_schema.of(Record))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 700)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(
        ["null", "", " ", "a-b", "acme/pool", SHA, "f(x)", "{a}", "removed", "a.py:3", "2026-08-28"]
    )
)
NAMES = (
    *FOUNDING,
    "aliases",
    "status",
    "removedIn",
    "reason",
    "verification",
    "record",
    "datasetVersion",
    "colour",
)
INNER = (
    "subject",
    "setup",
    "trigger",
    "captures",
    "more",
    "instead",
    "fixed",
    "guarded",
    "builtAt",
    "native",
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from((*INNER, "call", "expect", "via", "why")) | st.text(max_size=5), inner, max_size=4
        )
    ),
    max_leaves=8,
)
FIELDS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=12)


def assert_within(found: tuple[Diagnostic, ...], text: str) -> None:
    """Fail unless every finding has a place that is one of the text's."""
    rows = text.split("\n")
    for one in found:
        assert one.span is not None, one
        start, end = (one.span.line, one.span.column), (one.span.end_line, one.span.end_column)
        assert start <= end, one
        for line, column in (start, end):
            assert 1 <= line <= len(rows), one
            assert 1 <= column <= len(rows[line - 1]) + 1, one


@settings(deadline=None, max_examples=300)
@given(
    fields=FIELDS,
    is_whole=st.booleans(),
    indent=st.sampled_from([None, 1]),
    path=st.sampled_from(["r.json", "r.yaml"]),
)
@example(fields={"errorMessage": "{ " * 1_999}, is_whole=True, indent=None, path="r.json")
@example(fields={"record": {}, "datasetVersion": []}, is_whole=False, indent=None, path="r.json")
@example(fields={"verification": {"instead": [{}]}}, is_whole=True, indent=1, path="r.yaml")
def test_any_mapping_is_a_record_or_has_findings(
    *, fields: dict[str, object], is_whole: bool, indent: int | None, path: str
) -> None:
    """For any values of known fields: never an exception, and every finding has a place in the file.

    What is no record has an error; what is one, the published schema accepts.
    """
    value = {**(json.loads(as_json()) if is_whole else {}), **fields}
    text = json.dumps(value, indent=indent)
    node, problems = document.parse(Source(path, text))
    assert_within(problems, text)
    if node is None:
        return
    file, found = schema.decode(node, path)
    assert_within(found, text)
    if file is None:
        assert any(one.severity == "error" for one in found)
    else:
        assert all(one.code in {"E0111", "E0113", "E0114", "E0115"} for one in found)
        assert [] == list(SCHEMA.iter_errors(published(file.record)))


@settings(deadline=None)
@given(st.lists(st.sampled_from(NAMES), max_size=8, unique=True), st.data())
def test_any_yaml_of_fields_is_a_record_or_has_findings(names: list[str], data: st.DataObject) -> None:
    """For any plain, quoted, folded or missing value."""
    values = [
        "",
        "a",
        "'a'",
        '"a"',
        "|-\n  a\n   b",
        ">-\n  a\n  b",
        "[a, 'b']",
        "{a: b}",
        "\n- a\n-",
        "null",
        "7",
    ]
    text = "".join(f"{name}: {data.draw(st.sampled_from(values))}\n" for name in names)
    node, problems = document.parse(Source("r.yaml", text))
    assert_within(problems, text)
    if node is not None:
        file, found = schema.decode(node, "r.yaml")
        assert_within(found, text)
        assert file is not None or any(one.severity == "error" for one in found)


# What became of records in other releases.

DRIFT = {
    "repo": "acme/widgets",
    "pinned": "1.0",
    "commit": "0" * 40,
    "releases": [
        {"version": "1.0", "file": "acme-1.0-py3-none-any.whl", "sha256": "1" * 64, "new": 2},
        {"version": "2.0"},
    ],
    "records": {"2" * 16: {"2.0": {"state": "moved", "path": "src/a.py", "line": 7}}},
    "unfollowed": {"3" * 16: "raised in compiled code"},
}


def test_a_table_of_releases_is_read_into_values(tmp_path: Path) -> None:
    """What is left out is nothing, or none."""
    path = tmp_path / "drift.json"
    path.write_text(json.dumps(DRIFT))

    found, problems = schema.load_drift(path, "drift.json")

    assert () == problems
    assert found is not None
    assert Edition("2.0") == found.releases[1]
    assert Trace("moved", "src/a.py", 7) == found.records["2" * 16]["2.0"]
    assert found.of("4" * 16) is None
    assert ({}, found.unfollowed) == ((alone := found.of("3" * 16)) and (alone.records, alone.unfollowed))


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"releases": [{"version": "1.0", "new": "2"}]}, "E0113", "Expected `int`, got `str`"),
        ({"releases": [{"version": "../1.0"}]}, "E0113", "Expected `str` matching regex"),
        ({"records": {"a": {"2.0": {"state": "lost"}}}}, "E0113", "Invalid enum value 'lost'"),
        (
            {"records": {"a": {"2.0": {"state": "moved", "path": "../a.py", "line": 1}}}},
            "E0113",
            "matching regex",
        ),
        ({"records": {"a": {"2.0": {"state": "moved", "path": "a.py", "line": 0}}}}, "E0113", "`int` >= 1"),
        (
            {"records": {"a": {"2.0": {"state": "changed", "text": "x\u202ey"}}}},
            "E0107",
            "invisible characters",
        ),
        ({"unfollowed": {"a": "x\x1b[31my"}}, "E0107", "control or invisible"),
        ({"pinned": "3.0"}, "E0116", "`pinned` names `3.0`, which is none of its releases"),
        ({"commit": None}, "E0113", "Expected `str`, got `null`"),
    ],
)
def test_a_malformed_table_of_releases_is_refused_whole(
    change: dict[str, object], code: str, said: str, tmp_path: Path
) -> None:
    """With what is wrong, and nothing of it is shown."""
    path = tmp_path / "drift.json"
    path.write_text(json.dumps(DRIFT | change))

    found, (problem,) = schema.load_drift(path, "drift.json")

    assert found is None
    assert (code, "drift.json", "error") == (problem.code, problem.path, problem.severity)
    assert said.replace("`", "'") in problem.message.replace("`", "'")


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"{", "E0101"), (b'{"x":' * 100_000, "E0101"), (b"\xff", "E0102"), (b" " * (2**24 + 1), "E0104")],
)
def test_a_table_of_releases_that_is_no_text_is_refused(data: bytes, code: str, tmp_path: Path) -> None:
    """Nor does one of any depth or size end the build."""
    path = tmp_path / "drift.json"
    path.write_bytes(data)

    found, (problem,) = schema.load_drift(path, "drift.json")

    assert (None, code) == (found, problem.code)


def test_a_table_of_another_pin_is_not_shown(tmp_path: Path) -> None:
    """After the records were moved to a new release, the table is of the old one."""
    home = tmp_path / "records" / "acme" / "widgets"
    home.mkdir(parents=True)
    (home / "drift.json").write_text(json.dumps(DRIFT))
    settings = Settings(records=tmp_path / "records", out=tmp_path / "site", cache=tmp_path / "cache")
    pin = "repo: acme/widgets\ntitle: Widgets\npackage: {{requirement: acme==1.0, commit: '{}'}}\n"

    (home / "repo.yaml").write_text(pin.format("0" * 40))
    assert ["acme/widgets"] == [*reading.read_repositories(settings).drifts]
    (home / "repo.yaml").write_text(pin.format("1" * 40))
    assert [] == [*reading.read_repositories(settings).drifts]
