"""Documents: what is read, where it stands, and everything that is refused."""

import errno
import io
import json
import os
import stat
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import document
from generator.diagnostics import Diagnostic, Rejected, Source, Span
from generator.document import Limits, Mapping, Node, Scalar, Sequence
from generator.nodes import HIDDEN

LOADERS = {name: getattr(yaml, name) for name in ("CSafeLoader", "SafeLoader") if hasattr(yaml, name)}
HIDDEN_CHARACTERS = HIDDEN.findall("".join(map(chr, range(0x110000))))

RECORD = """\
# One error.
repo: "acme/pool"
errorClass: ValueError
errorMessage: 'need {size} pages, isn''t a multiple'
lineNumber: 112
tags: [memory, "page size", {a: b}]
solutions:
- Round up.
- >-
  Free
  something.
exampleFix: |-
  # before
  pool.alloc(5)

    # after
  pool.alloc(16)
verification:
  trigger: pool.alloc(37)
  captures: {need_size: "37", page_size: "16"}
  none: ~
"""


@pytest.fixture(params=LOADERS)
def _each_loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "LOADER", LOADERS[request.param])


each_loader = pytest.mark.usefixtures("_each_loader")


def parse(text: str, path: str = "record.yaml", **limits: int) -> tuple[Node | None, Any]:
    """Return what `document.parse` does, for a text."""
    return document.parse(Source(path, text), limits=Limits(**limits))


def places(text: str, path: str = "record.yaml", **limits: int) -> list[tuple[str, int, int]]:
    """Code, line and column of every finding."""
    return [_place(found) for found in parse(text, path, **limits)[1]]


def _place(found: Diagnostic) -> tuple[str, int, int]:
    assert found.span is not None, found
    return found.code, found.span.line, found.span.column


def only(text: str, path: str = "record.yaml", **limits: int) -> Diagnostic:
    """Return the one finding."""
    (found,) = parse(text, path, **limits)[1]
    assert isinstance(found, Diagnostic)
    return found


def mapping(text: str, path: str = "record.yaml") -> Mapping:
    """Return a document that has no findings."""
    node, found = parse(text, path)
    assert found == ()
    assert isinstance(node, Mapping)
    return node


def scalar(text: str, key: str, path: str = "record.yaml") -> Scalar:
    """Return one value of a document that has no findings."""
    node = mapping(text, path).get(key)
    assert isinstance(node, Scalar)
    return node


def cut(text: str, span: Span) -> str:
    """Return the piece of a text that a span covers."""
    rows = text.split("\n")[span.line - 1 : span.end_line]
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    return "\n".join(rows)


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield every key and every scalar value."""
    match node:
        case Scalar():
            yield node
        case Sequence():
            for item in node.items:
                yield from scalars(item)
        case Mapping():
            for entry in node.entries:
                yield entry.key
                yield from scalars(entry.value)


def plain(node: Node) -> Any:
    """Return a document as data: text, but for JSON's other kinds."""
    match node:
        case Mapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}
        case Sequence():
            return [plain(item) for item in node.items]
        case Scalar(text=text, kind="number" | "boolean" | "null"):
            return json.loads(text)
        case Scalar(text=text):
            return text


# --- what is read ---------------------------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    "text",
    [
        *("no", "on", "012", "0x1F", "1_000", "190:20:30", "1234567890123456", "2026-08-28"),
        *("0132848349", "1e3", "1234e567", ".inf", "=", "Null", "true", "1.10"),
    ],
)
def test_plain_scalars_stay_text(text: str) -> None:
    """What YAML 1.1 would retype is read as it is written."""
    found = scalar(f"key: {text}\n", "key")
    assert (text, "plain") == (found.text, found.kind)


@each_loader
@pytest.mark.parametrize("text", ["~", "null", ""])
def test_only_a_plain_null_is_null(text: str) -> None:
    """`~`, `null` and nothing are null; the same words in quotes are text."""
    found = scalar(f"key: {text}\nquoted: '{text}'\n", "key")
    assert (text, "null") == (found.text, found.kind)
    quoted = scalar(f"key: {text}\nquoted: '{text}'\n", "quoted")
    assert (text, "string") == (quoted.text, quoted.kind)


@each_loader
@pytest.mark.parametrize(
    ("written", "covered", "kind"),
    [
        ("plain text # note", "plain text", "plain"),
        ("'it''s'", "'it''s'", "string"),
        (r'"a\tb"', r'"a\tb"', "string"),
        ("|- # note\n  x", "|-", "string"),
        (">2+\n   x", ">2+", "string"),
        ("|\n  x", "|", "string"),
        ("[a, [b]] # note", "[a, [b]]", None),
        ("{a: b}", "{a: b}", None),
        ("\n  - a\n  - b\n# note", "- a\n  - b", None),
        ("\n- a\n- b\n", "- a\n- b", None),
        ("\n  a: 1\n  b: 'x'\n\n", "a: 1\n  b: 'x'", None),
        ("plain\n  going on", "plain\n  going on", "plain"),
        ("", "", "null"),
        ("𝄞𝄞", "𝄞𝄞", "plain"),
    ],
)
def test_the_span_of_a_value_covers_what_is_written(written: str, covered: str, kind: str | None) -> None:
    """Quotes and brackets belong to a value; of a block scalar it is the header."""
    text = f"𝄞: 'é𝄞'\nkey: {written}\nlast: 1\n"
    node = mapping(text).get("key")
    assert node is not None
    assert covered == cut(text, node.span)
    assert kind == (node.kind if isinstance(node, Scalar) else None)


@each_loader
def test_columns_count_code_points() -> None:
    """Characters above U+FFFF are one column each, and a byte order mark is none."""
    node = mapping("\ufeff𝄞: [𝄞𝄞, x]\n")
    assert Span(1, 1, 1, 2) == node.entries[0].key.span
    value = node.get("𝄞")
    assert isinstance(value, Sequence)
    assert [Span(1, 5, 1, 7), Span(1, 9, 1, 10)] == [item.span for item in value.items]


@each_loader
@pytest.mark.parametrize("path", ["record.yaml", "record.json"])
def test_both_line_ends_read_alike(path: str) -> None:
    """A file with CRLF is the same document, at the same places."""
    text = RECORD if path == "record.yaml" else '{\n "a": [\n  1,\n  {"b": null}]\n}\n'
    assert parse(text, path) == parse(text.replace("\n", "\r\n"), path)
    assert () == parse(text, path)[1]


@each_loader
@pytest.mark.parametrize(
    ("written", "content"),
    [
        ("plain", (1, 6)),
        ("'single'", (1, 7)),
        ('"double"', (1, 7)),
        ("'it''s'", None),
        (r'"a\n"', None),
        ("two\n  lines", None),
        ("''", None),
        (">\n  folded", None),
        ("|\n  x", (2, 3)),
        ("|-\n    x\n\n      y", (2, 5)),
        ("|+\n  x\n\n\n", (2, 3)),
        ("|2-\n    indented\n  x", (2, 3)),
        ("|-1 # note\n\n  indented\n x", (2, 2)),
        ("|- # note\n\n\n   x", (2, 4)),
        ("|\n", None),
        ("|+\n\n\n", None),
    ],
)
def test_content_is_where_the_text_begins(written: str, content: tuple[int, int] | None) -> None:
    """Literal blocks and one-line scalars without escapes map line by line, others do not."""
    assert content == scalar(f"key: {written}", "key").content


def test_content_of_json_strings_needs_no_escapes() -> None:
    """A string's text begins behind its quote, unless an escape shifts what follows."""
    text = '{"a": "x",\n "b": "\\u0041", "c": 12}'
    assert [(1, 8), None, (2, 22)] == [scalar(text, key, "a.json").content for key in "abc"]


@each_loader
def test_a_place_in_a_block_is_a_place_in_the_file() -> None:
    """Line and column of the text are found in the file, to the end of the line or as asked."""
    fix = scalar(RECORD, "exampleFix")
    assert "pool.alloc(5)" == cut(RECORD, fix.place(2))
    assert "alloc" == cut(RECORD, fix.place(5, 6, 5))
    assert "  # after" == cut(RECORD, fix.place(4))
    assert Span(15, 3, 15, 3) == fix.place(3)


@each_loader
def test_a_place_that_cannot_be_known_is_the_scalar() -> None:
    """Folded text, and a line beyond the last, are shown as the whole scalar."""
    solutions = mapping(RECORD).get("solutions")
    assert isinstance(solutions, Sequence)
    folded = solutions.items[1]
    assert isinstance(folded, Scalar)
    assert "Free something." == folded.text
    assert folded.span == folded.place(1, 3)
    fix = scalar(RECORD, "exampleFix")
    assert [fix.span, fix.span] == [fix.place(0), fix.place(6)]


def test_json_scalars_have_kinds_and_spans() -> None:
    """Numbers keep their literal, and every span runs from first to last character."""
    text = '{"s": "x", "n": -1.50e+3,\n "t": true, "f": false, "z": null, "o": {"l": [ ]}}'
    values = {entry.key.text: entry.value for entry in mapping(text, "A.JSON").entries}
    found = {
        key: (node.kind, cut(text, node.span)) for key, node in values.items() if isinstance(node, Scalar)
    }
    expected = {
        "s": ("string", '"x"'),
        "n": ("number", "-1.50e+3"),
        "t": ("boolean", "true"),
        "f": ("boolean", "false"),
        "z": ("null", "null"),
    }
    assert expected == found
    assert '{"l": [ ]}' == cut(text, values["o"].span)


# --- E0101: the grammar ---------------------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [1\nb: 2\n", (2, 2)),
        ("a: b: c\n", (1, 5)),
        ("a: 1\n\tb: 2\n", (2, 1)),
        ("a: `x`\n", (1, 4)),
        ('a: "x\n', (2, 1)),
        ("a:\n  b: 1\n c: 2\n", (3, 2)),
        ("a: 1\n---\nb: 2\n", (2, 1)),
        ("? [x]\n: y\n", (1, 3)),
        ("{a: b}: c\n", (1, 1)),
        ("a: !%ed%a0%80 x", (1, 4)),
        (r'a: "\UFFFFFFFF"', (1, 4)),
    ],
)
def test_broken_yaml_is_a_syntax_error_at_its_place(text: str, place: tuple[int, int]) -> None:
    """What the grammar forbids is found where it stands; in an escape, to the token."""
    found = only(text)
    assert found.code == "E0101"
    assert found.span is not None
    line, column = place
    assert line == found.span.line
    assert abs(column - found.span.column) <= 3 * ("%" in text or "\\U" in text)
    assert found.message[:1].islower() or found.message[:1] == "`"
    assert not found.message.endswith(".")


def test_a_syntax_error_says_what_was_begun() -> None:
    """The reader's problem is the message, and the construct around it a note."""
    found = only("tags: [1\nb: 2\n")
    assert found.message.startswith(("did not find expected `,` or `]`", "expected `,` or `]`"))
    assert ("while parsing a flow sequence that begins at line 1, column 7",) == found.notes


def test_a_second_document_leaves_the_first_readable() -> None:
    """Two documents in one file are refused in their own words."""
    node, (found,) = parse("a: 1\n...\n---\nb: 2\n")
    assert "a second document in one file" == found.message
    assert isinstance(node, Mapping)
    assert ["a"] == [entry.key.text for entry in node.entries]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{"a": 1,}', 1, 9, "expected a key in double quotes, found `}`"),
        ('{"a": [1,\n]}', 2, 1, "expected a value, found `]`"),
        ('{"a": NaN}', 1, 7, "`NaN` is not a JSON value"),
        ('{"a": -Infinity}', 1, 7, "`-Infinity` is not a JSON value"),
        ('{"a": 012}', 1, 7, "`012` is not a JSON value"),
        ('{"a": 1.}', 1, 7, "`1.` is not a JSON value"),
        ('{"a": +1}', 1, 7, "`+1` is not a JSON value"),
        ('{"a": \u0661}', 1, 7, "expected a value, found `\u0661`"),
        ('{"a": True}', 1, 7, "`True` is not a JSON value"),
        ('{\n  // note\n"a": 1}', 2, 3, "expected a key in double quotes or `}`, found `/`"),
        ("{'a': 1}", 1, 2, "expected a key in double quotes or `}`, found `'`"),
        ("{1: 1}", 1, 2, "expected a key in double quotes or `}`, found `1`"),
        ('{"a" 1}', 1, 6, "expected `:`, found `1`"),
        ('{"a": [1 2]}', 1, 10, "expected `,` or `]`, found `2`"),
        ('{"a": 1 "b": 2}', 1, 9, 'expected `,` or `}`, found `"`'),
        ('{"a": [1}', 1, 9, "expected `,` or `]`, found `}`"),
        ('{"a": 1} {}', 1, 10, "expected the end of the file, found `{`"),
        ('{"a": ', 1, 7, "expected a value, found the end of the file"),
        ('{"a": "x', 1, 7, "a string without its closing quote"),
        ('{"a": "x\ny"}', 1, 9, "a line end inside a string"),
        ('{"a": "x\ty"}', 1, 9, "a control character inside a string"),
        ('{"a": "\\x41"}', 1, 8, "`\\x` begins no JSON escape"),
        ('{"a": "\\u12"}', 1, 8, "`\\u` begins no JSON escape"),
        ('{"a":\u00a01}', 1, 6, "expected a value, found `\u00a0`"),
        ("]", 1, 1, "expected a value, found `]`"),
    ],
)
def test_broken_json_is_a_syntax_error_at_its_place(text: str, line: int, column: int, message: str) -> None:
    """RFC 8259 to the letter: no trailing commas, comments, or values of other languages."""
    assert [("E0101", line, column)] == places(text, "a.json")
    assert message == only(text, "a.json").message


# --- E0103 and E0108: the whole -------------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    ("path", "text"),
    [("a.yaml", text) for text in ("", "\ufeff", "# note\n", " \n\n", "---\n", "--- # note\n...\n")]
    + [("a.json", text) for text in ("", "\ufeff", " \n")],
)
def test_a_file_without_a_value_is_empty(path: str, text: str) -> None:
    """Nothing, blanks and comments alone are said to be empty."""
    assert (None, [("E0103", 1, 1)]) == (parse(text, path)[0], places(text, path))


@each_loader
@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        ("a.yaml", "# note\n- a\n", (2, 1)),
        ("a.yaml", "text\n", (1, 1)),
        ("a.yaml", "~\n", (1, 1)),
        ("a.json", "\n [1]", (2, 2)),
        ("a.json", '"text"', (1, 1)),
        ("a.json", "null", (1, 1)),
    ],
)
def test_the_top_must_be_a_mapping(path: str, text: str, place: tuple[int, int]) -> None:
    """A list or a scalar is no record."""
    assert [("E0108", *place)] == places(text, path)


# --- E0105: refused parts of YAML -----------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\n", [(1, 4, "anchor `&x`"), (2, 4, "alias `*x`")]),
        ("a: !!str 1\n", [(1, 4, "tag `!!str`")]),
        ("a: ! 1\n", [(1, 4, "tag `!`")]),
        ("a: !!python/object:os.system [x]\n", [(1, 4, "tag `!!python/object:os.system`")]),
        ("a: &x !t [1]\n", [(1, 4, "anchor `&x`"), (1, 7, "tag `!t`")]),
        ("a: !t\n  &x\n  b: 1\n", [(1, 4, "tag `!t`"), (2, 3, "anchor `&x`")]),
        ("&k a: 1\n", [(1, 1, "anchor `&k`")]),
        ("a: &t |\n  x\n", [(1, 4, "anchor `&t`")]),
        ("<<: {a: 1}\nb: 2\n", [(1, 1, "merge key `<<`")]),
        ("a:\n  <<: 1\n", [(2, 3, "merge key `<<`")]),
        ("*x : 1\n*x : 2\nb: 1\n", [(1, 1, "alias `*x`"), (2, 1, "alias `*x`")]),
        (
            "# note\n%YAML 1.1\n%TAG ! tag:x,2000:\n---\na: 1\n",
            [(2, 1, "directive `%YAML`"), (3, 1, "directive `%TAG`")],
        ),
    ],
)
def test_what_makes_one_text_two_is_refused_at_its_place(
    text: str, expected: list[tuple[int, int, str]]
) -> None:
    """Anchors, aliases, tags, merge keys and directives are named, each with its cure."""
    node, found = parse(text)
    assert isinstance(node, Mapping)
    assert [("E0105", line, column) for line, column, _ in expected] == list(map(_place, found))
    assert [f"{what} is refused" for *_, what in expected] == [each.message for each in found]
    assert all(each.help for each in found)


@each_loader
def test_quoted_signs_are_text() -> None:
    """What is refused bare may be written in quotes, as a key too."""
    node = mapping("'<<': '*x'\na: \"&x\"\nb: '!t'\nc: x*y & !z << 2\n")
    assert ["<<", "*x", "a", "&x", "b", "!t", "c", "x*y & !z << 2"] == [each.text for each in scalars(node)]


@each_loader
def test_an_alias_bomb_is_nothing_but_refusals() -> None:
    """Nine levels of nine aliases are read as 81 refused aliases, not as 387 million items."""
    bomb = "l0: &l0 lol\n" + "".join(
        f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 10)
    )
    node, found = parse(bomb)
    assert node is not None
    assert {"E0105"} == {each.code for each in found}
    assert 10 + 81 == len(found)


# --- E0106: duplicate keys ------------------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    ("path", "text", "place", "first"),
    [
        ("a.yaml", "a: 1\nb: 2\n'a': 3\n", (3, 1), "line 1, column 1"),
        ("a.yaml", "x:\n- y: {k: 1, k: 2}\n", (2, 13), "line 2, column 7"),
        ("a.json", '{"a": 1,\n "\\u0061": 2}', (2, 2), "line 1, column 2"),
        ("a.json", '{"x": [{"k": 1, "k": {}}]}', (1, 17), "line 1, column 9"),
    ],
)
def test_a_key_stands_once(path: str, text: str, place: tuple[int, int], first: str) -> None:
    """A repeated key is found at every depth, with a note where the first stands."""
    assert [("E0106", *place)] == places(text, path)
    assert (f"first at {first}",) == only(text, path).notes


@each_loader
def test_the_first_of_two_keys_is_kept() -> None:
    """Entries have distinct keys, whatever the file says."""
    node, _ = parse("a: 1\na: {b: 2}\nc: 3\n")
    assert isinstance(node, Mapping)
    assert ["a", "1", "c", "3"] == [each.text for each in scalars(node)]
    assert None is node.get("missing")


# --- E0107: hidden characters ---------------------------------------------------------------


@each_loader
@pytest.mark.parametrize(
    ("character", "message"),
    [
        ("\u202e", "invisible character `U+202E` (RIGHT-TO-LEFT OVERRIDE)"),
        ("\u200b", "invisible character `U+200B` (ZERO WIDTH SPACE)"),
        ("\u061c", "invisible character `U+061C` (ARABIC LETTER MARK)"),
        ("\u2066", "invisible character `U+2066` (LEFT-TO-RIGHT ISOLATE)"),
        ("\ufeff", "invisible character `U+FEFF` (ZERO WIDTH NO-BREAK SPACE)"),
        ("\u2028", "invisible character `U+2028` (LINE SEPARATOR)"),
        ("\U000e0041", "invisible character `U+E0041` (TAG LATIN CAPITAL LETTER A)"),
        ("\0", "control character `U+0000`"),
        ("\x1b", "control character `U+001B`"),
        ("\x7f", "control character `U+007F`"),
        ("\x85", "control character `U+0085`"),
        ("\r", "control character `U+000D`"),
        ("\ud800", "lone surrogate `U+D800`"),
    ],
)
@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        ("a.yaml", "a: 1\nb: 'x𝄞@y'\n", (2, 7)),
        ("a.yaml", "a: 1\nk@y: 1\n", (2, 2)),
        ("a.yaml", "a: 1 # a @b\n", (1, 10)),
        ("a.yaml", "a: |\n  x\n  @y\n", (3, 3)),
        ("a.json", '{"k𝄞@y": 1}', (1, 5)),
        ("a.json", '{"a":@ 1}', (1, 6)),
    ],
)
def test_hidden_characters_are_named_wherever_they_stand(
    character: str, message: str, path: str, text: str, place: tuple[int, int]
) -> None:
    """In text, keys, comments and between tokens; reading goes on, so nothing else is found."""
    written = text.replace("@", character)
    assert [("E0107", *place)] == places(written, path)
    assert message == only(written, path).message


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.json", r'{"a": "x\u202ey"}', [("E0107", 1, 9)]),
        ("a.json", r'{"\u0000": 1}', [("E0107", 1, 3)]),
        ("a.json", r'{"a": "\\u202e\n\t\/"}', []),
        ("a.json", r'{"a": "\r\n"}', [("E0107", 1, 8)]),
        ("a.json", r'{"a": "\b"}', [("E0107", 1, 8)]),
        ("a.json", r'{"a": "\ud83d\ude00"}', []),
        ("a.json", r'{"a": "\ude00\ud83d"}', [("E0107", 1, 8), ("E0107", 1, 14)]),
        ("a.json", r'{"a": "\udb40\udc41"}', [("E0107", 1, 7)]),
        ("a.yaml", r'a: "x\u202Ey"', [("E0107", 1, 6)]),
        ("a.yaml", r'a: "\e\0\N\L\x07"', [("E0107", 1, 5 + 2 * i) for i in range(5)]),
        ("a.yaml", 'a: "b\\\n  \\U0000200B"', [("E0107", 2, 3)]),
        ("a.yaml", r'a: "\\u202e"', []),
        ("a.yaml", r"a: '\u202e'", []),
    ],
)
def test_an_escape_hides_nothing(path: str, text: str, expected: list[object]) -> None:
    """An escape is found where it stands; of a pair, both halves make one character."""
    assert expected == places(text, path)


@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_ten_hidden_characters_are_enough(path: str) -> None:
    """The first ten of a file are listed, and the last of them says that there are more."""
    text = '{"a": "' + "\u200b" * 8 + '", "b": "' + r"\u202e" * 30 + '"}'
    found = parse(text, path)[1]
    assert 10 == len(found)
    assert 9 == sum(each.notes == () for each in found)
    assert ("there are more: only the first 10 of a file are listed",) == found[-1].notes


# --- E0104: limits --------------------------------------------------------------------------


@each_loader
@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_depth_is_limited(path: str) -> None:
    """Twenty levels are read, the twenty-first is refused where it begins."""
    assert [] == places('{"a":' + "[" * 19 + "]" * 19 + "}", path)
    deeper = '{"a":' + "[" * 20 + "]" * 20 + "}"
    assert [("E0104", 1, 25)] == places(deeper, path)
    assert "21 levels of nesting, and the limit is 20" == only(deeper, path).message


@each_loader
@pytest.mark.parametrize(
    "text", ["[" * 10_000, "- " * 10_000, '{"a":' * 10_000, "? " * 10_000, "[\n" * 10_000]
)
def test_ten_thousand_levels_are_one_finding(text: str) -> None:
    """No nesting exhausts the stack, in blocks, brackets or JSON."""
    assert "E0104" == only(text).code
    if text[0] in "[{":
        assert "E0104" == only(text, "a.json").code


@each_loader
@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_nodes_are_limited(path: str) -> None:
    """Keys, values and containers count; the first above the limit is refused."""
    text = '{"a": [1, 2],\n "b": 3}'
    assert [] == places(text, path, nodes=7)
    assert [("E0104", 2, 7)] == places(text, path, nodes=6)
    assert "7 keys and values, and the limit is 6" == only(text, path, nodes=6).message


@each_loader
@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_the_length_of_a_text_is_limited(path: str) -> None:
    """A text that is too long is refused, and the rest of the file still read."""
    text = '{"a": "12345",\n "b": "1234", "b": 1}'
    assert [("E0104", 1, 7), ("E0106", 2, 15)] == places(text, path, scalar=4)
    message = "a text of 5 characters, and the limit is 4"
    assert message == parse(text, path, scalar=4)[1][0].message


@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_the_size_of_a_text_is_limited_in_bytes(path: str) -> None:
    """A text given directly is measured as the file would be."""
    assert [] == places('{"é": 1}', path, size=9)
    assert "9 bytes, and the limit is 8" == only('{"é": 1}', path, size=8).message


# --- E0102: files ---------------------------------------------------------------------------


def refused(file: Path, **limits: int) -> Diagnostic:
    """Return why a file was not read."""
    with pytest.raises(Rejected) as caught:
        document.read(file, name="records/a.yaml", limits=Limits(**limits))
    (found,) = caught.value.diagnostics
    assert "records/a.yaml" == found.path
    return found


def test_a_file_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    """UTF-8 with or without the mark is the same text, its line ends as they are."""
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\n")
    expected = Source("records/a.yaml", "a: é\r\n")
    assert expected == document.read(tmp_path / "a.yaml", name="records/a.yaml")


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """Folders, FIFOs and links are refused by name, a link to a good file too."""
    (tmp_path / "good.yaml").write_text("a: 1\n")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "good.yaml")
    os.mkfifo(tmp_path / "fifo.yaml")
    with mock.patch.object(os, "open", side_effect=AssertionError):
        messages = [refused(tmp_path / name).message for name in (".", "link.yaml", "fifo.yaml", "none")]
    assert [
        "cannot be read: a directory, not a regular file",
        "cannot be read: a symbolic link, not a regular file",
        "cannot be read: a FIFO, not a regular file",
        "cannot be read: no such file or directory",
    ] == messages


def test_a_file_swapped_after_the_first_look_is_still_refused(tmp_path: Path) -> None:
    """Opening follows no link and waits for no writer, whatever stood there before."""
    good = tmp_path / "good.yaml"
    good.write_text("a: 1\n")
    (tmp_path / "link.yaml").symlink_to(good)
    os.mkfifo(tmp_path / "fifo.yaml")
    with mock.patch.object(Path, "lstat", return_value=good.stat()):
        link, fifo = refused(tmp_path / "link.yaml"), refused(tmp_path / "fifo.yaml")
    assert f"cannot be read: {os.strerror(errno.ELOOP).lower()}" == link.message
    assert "cannot be read: a FIFO, not a regular file" == fifo.message


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    """The system's reason is the message."""
    (tmp_path / "a.yaml").write_text("a: 1\n")
    denied = PermissionError(errno.EACCES, "Permission denied")
    with mock.patch.object(os, "open", side_effect=denied):
        assert "cannot be read: permission denied" == refused(tmp_path / "a.yaml").message


def test_a_name_that_no_file_can_have_is_refused() -> None:
    """A NUL in a path is a finding, not a crash."""
    assert "cannot be read: invalid argument" == refused(Path("a\0b")).message


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"a: 1\nb: \xc3\xa9\xe9\n", (2, 5), "0xE9"),
        (b"\xef\xbb\xbfa\xff", (1, 2), "0xFF"),
        (b"\xff\xfea\x00", (1, 1), "0xFF"),
        (b"a: \xed\xa0\x80", (1, 4), "0xED"),
        (b"a: \xf0\x9d\x84\x9e\xc3", (1, 5), "0xC3"),
    ],
)
def test_the_first_byte_that_is_not_utf8_is_shown(
    tmp_path: Path, data: bytes, place: tuple[int, int], byte: str
) -> None:
    """Line and column count code points, and a byte order mark is none."""
    (tmp_path / "a.yaml").write_bytes(data)
    found = refused(tmp_path / "a.yaml")
    assert ("E0102", *place) == _place(found)
    assert f"cannot be read: byte `{byte}` is not UTF-8" == found.message


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """Of 50 MB nothing is read: the size is known before."""
    with (tmp_path / "a.yaml").open("wb") as stream:
        stream.truncate(50_000_000)
    tracemalloc.start()
    try:
        found = refused(tmp_path / "a.yaml")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert ("E0104", "50,000,000 bytes, and the limit is 256,000") == (found.code, found.message)
    assert peak < 256_000


def test_a_file_that_grows_is_read_to_the_limit(tmp_path: Path) -> None:
    """One byte above the limit proves a file too large, whatever its size was said to be."""
    (tmp_path / "a.yaml").write_bytes(b"x" * 1000)
    status = SimpleNamespace(st_mode=stat.S_IFREG, st_size=0)
    asked: list[int] = []

    class Stream(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(-1 if size is None else size)
            return super().read(size) or b""

    with (
        mock.patch.object(os, "fstat", return_value=status),
        mock.patch.object(os, "fdopen", Stream),
    ):
        found = refused(tmp_path / "a.yaml", size=10)
    assert ("E0104", "11 bytes, and the limit is 10") == (found.code, found.message)
    assert [11] == asked


# --- all of it in one run -------------------------------------------------------------------


@each_loader
def test_every_finding_of_a_file_is_found_in_one_run() -> None:
    """What does not end the reading is collected, in the order of the text."""
    text = "a: &x 1\nb: *x\na: 2\nc: \u200b\n? [k]\n: v\nd: !t ''\n<<: 1\n"
    expected = [
        *[("E0105", 1, 4), ("E0105", 2, 4), ("E0106", 3, 1), ("E0107", 4, 4)],
        *[("E0101", 5, 3), ("E0105", 7, 4), ("E0105", 8, 1)],
    ]
    assert expected == places(text)
    node, _ = parse(text)
    assert isinstance(node, Mapping)
    assert ["a", "b", "c", "d"] == [entry.key.text for entry in node.entries]


# --- laws -----------------------------------------------------------------------------------

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters=HIDDEN_CHARACTERS), max_size=20)
TOKENS = st.text(st.sampled_from("ab01:-?[]{}&*!|>'\"%@`#,.eE+ \n\t\r\\ux~</\u200b𝄞\x85"), max_size=60)
ANYTHING = st.text(st.characters(exclude_categories=()))
ENDS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings that hold mappings, lists and leaves."""
    values = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=20,
    )
    return st.dictionaries(TEXTS, values, max_size=5)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """Return a text with a few pieces cut out, doubled or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        new = draw(TOKENS | st.just(text[start:end] * 2))
        text = text[:start] + new + text[end:]
    return text


@given(
    data=nested(TEXTS | ENDS),
    indent=st.none() | st.integers(0, 4) | st.just("\t"),
    is_ascii=st.booleans(),
)
def test_law_json_reads_back(*, data: dict[str, Any], indent: int | str | None, is_ascii: bool) -> None:
    """Any data is read as it was written, and every span holds exactly its own value."""
    text = json.dumps(data, indent=indent, ensure_ascii=is_ascii)
    node = mapping(text, "a.json")
    assert data == plain(node)
    assert text == cut(text, node.span)
    for each in scalars(node):
        assert plain(each) == json.loads(cut(text, each.span))
        if each.content:
            assert each.text == cut(text, each.place(1))


@given(data=nested(TEXTS), is_flow=st.booleans(), is_unicode=st.booleans())
def test_law_yaml_reads_back(*, data: dict[str, Any], is_flow: bool, is_unicode: bool) -> None:
    """Any texts that PyYAML writes are read as the same texts, by both loaders alike."""
    text = yaml.safe_dump(data, default_flow_style=is_flow, allow_unicode=is_unicode)
    for loader in LOADERS.values():
        with mock.patch.object(document, "LOADER", loader):
            node = mapping(text)
        assert data == plain(node)
        for each in scalars(node):
            if each.content and not cut(text, each.span).startswith("|"):
                assert each.text == cut(text, each.place(1))


@given(
    rows=st.lists(st.text("ab :#\"'é𝄞-|", max_size=8).map(str.rstrip), min_size=1, max_size=6),
    margin=st.integers(1, 6),
    chomp=st.sampled_from(["", "-", "+"]),
    is_explicit=st.booleans(),
)
def test_law_a_literal_block_is_placed_line_by_line(
    *, rows: list[str], margin: int, chomp: str, is_explicit: bool
) -> None:
    """Every line of a literal block's text is found at its line of the file."""
    first = next((row for row in rows if row), "")
    header = f"|{margin if is_explicit or first.startswith(' ') else ''}{chomp} # note"
    block = "".join(f"{' ' * margin * bool(row)}{row}\n" for row in rows)
    text = f"a: {header}\n{block}b: 1\n"
    for loader in LOADERS.values():
        with mock.patch.object(document, "LOADER", loader):
            value = scalar(text, "a")
        assert ((2, margin + 1) if first else None) == value.content
        for index, row in enumerate(value.text.removesuffix("\n").split("\n") if first else ()):
            assert rows[index] == row
            assert index + 2 == value.place(index + 1).line
            assert row in {"", cut(text, value.place(index + 1))}


@settings(max_examples=400)
@given(
    ANYTHING | TOKENS | mutated(RECORD) | mutated(json.dumps(yaml.safe_load(RECORD), indent=1)),
    st.sampled_from(["a.yaml", "a.json"]),
)
def test_law_parsing_never_fails(text: str, path: str) -> None:
    """Any text has a document or findings, and every finding stands in the text."""
    codes = {f"E010{number}" for number in (1, 3, 4, 5, 6, 7, 8)}
    rows = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for loader in LOADERS.values():
        with mock.patch.object(document, "LOADER", loader):
            node, found = document.parse(Source(path, text))
        assert found or isinstance(node, Mapping)
        assert [*found] == sorted(found, key=lambda each: each.position)
        for each in found:
            assert each.code in codes
            assert each.span is not None
            assert 1 <= each.span.line <= each.span.end_line <= len(rows)
            assert 1 <= each.span.column <= len(rows[each.span.line - 1]) + 1
            assert 1 <= each.span.end_column <= len(rows[each.span.end_line - 1]) + 1


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


@settings(max_examples=400)
@given(TOKENS | mutated('{"a": [1, -2.5e3, "x\\u0041"], "b": {"c": null, "d": true}}'))
def test_law_json_is_what_the_standard_library_accepts(text: str) -> None:
    """The own reader and `json` agree on what is JSON, hidden characters aside."""
    shown = HIDDEN.sub("", text)
    try:
        json.loads(shown, parse_constant=_refuse_constant)
        is_json = True
    except ValueError:
        is_json = False
    _, found = parse(shown, "a.json")
    assert is_json == ({"E0101", "E0103"}.isdisjoint(each.code for each in found))
