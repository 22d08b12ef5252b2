"""`generator.reviews`: that each way to tell a difference is as documented, and holds what is hostile."""

import html
import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator import reviews
from generator.cli.commands import diff
from generator.diagnostics import Diagnostic, Span
from generator.difference import KINDS, Address, Ambiguity, Difference, Entry, Field, GuideEntry, Place
from generator.registry import discover
from generator.reviews import LINES, Review

REVIEWS = {one.name: one for one in discover(reviews, Review)}
COMMIT = "2836a18a7ce6c9e1b72ee2ea54eb5e8eed14bee6"

hostile = st.sampled_from(
    [
        "@admin please",
        "![x](https://evil.example/x.png)",
        "[here](https://evil.example)",
        "<https://evil.example> https://evil.example",
        "<img src=x onerror=alert(1)>",
        "</code></summary></details>",
        "<!-- -->",
        "``` \n```\n~~~\n````\n@admin",
        "`` ` ``",
        "`",
        "``",
        "\\",
        "- a\n\n# b\n\n> c",
        "line\r```\r@admin\x85\u2028\u2029<b>",
        "\x1b[31mred\x1b]0;title\x07",
        "\u202eright\u2066",
        "half \udcff",
        "|a|b|",
        "#1 GH-2 acme/pool#3 :tada:",
        "\t```\t",
        "    indented",
        "$a$ ```math",
        "&#64;admin &lt;b&gt;",
        "::error::forged",
        "a\n  ::stop-commands::x\n##[add-mask]y",
        "::::",
        "###[[#",
    ]
)
texts = st.lists(hostile, max_size=3).map("".join) | st.text(max_size=6)
ids = st.text("0123456789abcdef", min_size=16, max_size=16)
places = st.builds(
    Place, ids, texts, texts, texts, texts, st.sampled_from(["proven", "read", "unproven"]), texts
)
entries = st.builds(
    Entry,
    st.sampled_from(KINDS),
    places,
    st.none() | places,
    st.lists(st.builds(Field, texts, st.none() | texts, st.none() | texts), max_size=2).map(tuple),
    st.lists(st.builds(Ambiguity, ids, texts, texts), max_size=2).map(tuple),
    st.none() | st.tuples(texts, texts),
)
guides = st.builds(
    GuideEntry,
    st.sampled_from(["new", "changed", "removed"]),
    texts,
    texts,
    st.none() | texts,
    st.none() | texts,
)
findings = st.builds(
    Diagnostic, st.just("E0111"), texts, texts, st.none() | st.just(Span(1, 1, 1, 2)), st.just("error")
)
differences = st.builds(
    Difference,
    st.just(COMMIT),
    texts,
    st.lists(entries, max_size=2).map(tuple),
    st.lists(guides, max_size=1).map(tuple),
    st.lists(
        st.builds(Address, texts, st.sampled_from(["page", "data", "guide", "list"]), st.none() | ids),
        max_size=2,
    ).map(tuple),
    st.lists(findings, max_size=2).map(tuple),
    st.just(("settings of the site",)),
)


def rendered(name: str, difference: Difference, limit: int = 60_000, *, is_coloured: bool = False) -> str:
    """Return a difference as it is told."""
    return REVIEWS[name].render(difference, is_coloured, limit)


def place(slug: str, **changes: Any) -> Place:
    """Return where a record is."""
    known = {
        "id": "0123456789abcdef",
        "repo": "acme/pool",
        "slug": slug,
        "file": f"records/acme/{slug}.yaml",
        "title": f"KeyError: {slug} is refused",
        "standing": "proven",
        "reason": "",
    }
    return Place(**known | changes)


def changed(slug: str, before: str = "one two", after: str = "one three") -> Entry:
    """Return a record of which one field changed."""
    return Entry("changed", place(slug), place(slug), (Field("documentation", before, after),))


# All of them.


def test_the_formats_are_those_that_the_command_line_offers() -> None:
    """A new file in the folder is a new choice, and its module has its name."""
    (option,) = (one for one in diff.diff.params if one.name == "style")
    choices: Any = option.type
    assert sorted(REVIEWS) == sorted(choices.choices)
    for name, one in REVIEWS.items():
        assert f"generator.reviews.{name}" == one.render.__module__


@pytest.mark.parametrize("name", REVIEWS)
@settings(deadline=None, max_examples=20)
@given(difference=differences)
def test_every_difference_can_be_told(name: str, difference: Difference) -> None:
    """In UTF-8, whatever is in it."""
    text = rendered(name, difference)
    assert text == text.encode().decode()
    assert text.endswith("\n")


@pytest.mark.parametrize("name", REVIEWS)
@settings(deadline=None, max_examples=20)
@given(difference=differences)
def test_nothing_told_is_a_command_to_a_runner(name: str, difference: Difference) -> None:
    """In the log of a workflow: in its first grammar anywhere, in its second where a line begins."""
    text = rendered(name, difference)
    assert "##[" not in text
    assert [] == [line for line in re.split(r"\r\n|\r|\n", text) if line.lstrip().startswith("::")]


def test_json_says_the_same_where_it_could_be_a_command() -> None:
    """A reader of the document sees nothing of it."""
    text = rendered("json", Difference(COMMIT, "main", (changed("a", "##[b", "###[c"),)))
    (field,) = json.loads(text)["records"][0]["fields"]
    assert ("##[b", "###[c") == (field["before"], field["after"])


# Text.


@settings(deadline=None, max_examples=20)
@given(difference=differences, is_coloured=st.booleans())
def test_nothing_told_moves_the_cursor(difference: Difference, *, is_coloured: bool) -> None:
    """Of control characters there are ends of lines alone, and colors of ours."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", rendered("text", difference, is_coloured=is_coloured))
    if is_coloured:
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) is None
    else:
        assert "\x1b" not in text


# JSON.


def test_json_has_the_shape_that_is_documented() -> None:
    """In the module's own words, and no other fields."""
    entry = Entry(
        "renamed",
        place("old"),
        place("new", standing="unproven", reason="why"),
        (Field("tags", None, "- a"),),
        (Ambiguity("f" * 16, "acme/pool/other", "said"),),
        ("a\nb\n", "a\nc\n"),
    )
    difference = Difference(
        COMMIT,
        "main",
        (entry,),
        (GuideEntry("new", "pages", "Pages", None, "# Pages\n"),),
        (Address("acme/pool/old/index.html", "page", "0" * 16),),
        (Diagnostic("E0111", "unknown", "records/a.yaml"),),
        ("settings of the site",),
        ({"proven": 1}, {"unproven": 1}),
    )
    content = json.loads(rendered("json", difference))
    assert {
        "version": 1,
        "commit": COMMIT,
        "revision": "main",
        "hasFindings": True,
        "standings": {"before": {"proven": 1}, "after": {"unproven": 1}},
        "records": [
            {
                "kind": "renamed",
                "id": "0123456789abcdef",
                "address": "acme/pool/new",
                "title": "KeyError: new is refused",
                "file": "records/acme/new.yaml",
                "before": {
                    "id": "0123456789abcdef",
                    "address": "acme/pool/old",
                    "file": "records/acme/old.yaml",
                },
                "standing": {"before": "proven", "after": "unproven"},
                "reason": {"before": None, "after": "why"},
                "fields": [{"name": "tags", "before": None, "after": "- a", "words": [["+", "- a"]]}],
                "ambiguities": [{"id": "f" * 16, "address": "acme/pool/other", "message": "said"}],
                "page": {
                    "path": "acme/pool/new/index.md",
                    "lines": [["=", "a"], ["-", "b"], ["+", "c"], ["=", ""]],
                    "more": 0,
                },
            }
        ],
        "guides": [{"kind": "new", "tag": "pages", "title": "Pages", "lines": [["+", "# Pages"]], "more": 0}],
        "vanished": [
            {"path": "acme/pool/old/index.html", "what": "page", "record": "0" * 16, "isError": True}
        ],
        "findings": [
            {
                "code": "E0111",
                "severity": "error",
                "message": "unknown",
                "path": "records/a.yaml",
                "line": None,
                "column": None,
                "endLine": None,
                "endColumn": None,
                "notes": [],
                "help": None,
                "fix": None,
            }
        ],
        "around": ["settings of the site"],
    } == content
    said = " ".join((sys.modules[REVIEWS["json"].render.__module__].__doc__ or "").split())
    for owner, listed in (
        (content, r"It has `([\w ]+)`"),
        (content["records"][0], r"A record has `([\w ]+)`"),
        (content["records"][0]["before"], r"`before` has the `([\w ]+)`"),
        (content["records"][0]["fields"][0], r"A field has `([\w ]+)`"),
        (content["records"][0]["ambiguities"][0], r"an ambiguity `([\w ]+)`"),
        (content["records"][0]["page"], r"a page `([\w ]+)`"),
        (content["guides"][0], r"a guide `([\w ]+)`"),
        (content["vanished"][0], r"a vanished address `([\w ]+)`"),
    ):
        (names,) = re.findall(listed, said)
        assert list(owner) == names.split()
    (kinds,) = re.findall(r"the kinds are `([\w ]+)`", said)
    assert list(KINDS) == kinds.split()


def test_an_excerpt_of_a_page_has_an_end() -> None:
    """How many lines are left out is said."""
    entry = Entry("affected", place("a"), place("a"), page=("\n".join("abc"), "x\n" * 500))
    page = json.loads(rendered("json", Difference(COMMIT, "main", (entry,))))["records"][0]["page"]
    assert (LINES, 504 - LINES) == (len(page["lines"]), page["more"])


# Markdown.


@settings(deadline=None, max_examples=40)
@given(difference=differences)
def test_what_records_say_is_code(difference: Difference) -> None:
    """As GitHub reads it: no mention, link, image or HTML but ours, and no block that ends early."""
    for token in MarkdownIt("commonmark").enable("table").parse(rendered("markdown", difference)):
        assert token.type not in {"code_block", "table_open", "blockquote_open", "hr"}
        if token.type == "html_block":
            title = re.fullmatch(
                r"(?:</details>\n)?<details><summary><code>(.*)</code></summary>\n", token.content
            )
            assert title or token.content == "</details>\n"
            assert title is None or not re.search("[<>]", title[1])
        elif token.type == "fence":
            assert "diff" == token.info
            assert all(line[:1] in {"+", "-", " ", ""} for line in token.content.split("\n"))
        for inner in token.children or ():
            assert inner.type in {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
            if inner.type == "text":
                assert not re.search(r"[@<>#\[\]!$]|https?:|www\.", inner.content)


@settings(deadline=None, max_examples=20)
@given(difference=differences, limit=st.integers(2000, 4000))
def test_markdown_ends_where_it_must(difference: Difference, limit: int) -> None:
    """And its blocks are whole."""
    text = rendered("markdown", difference, limit)
    assert len(text.encode()) <= limit
    opened, closed = (re.findall(rf"(?m)^{tag}", text) for tag in ("<details>", "</details>$"))
    assert len(opened) == len(closed)
    assert text.startswith("### pagefault: ")


def test_what_is_left_out_is_counted() -> None:
    """By what it is; the way to all of it is named."""
    difference = Difference(COMMIT, "main", tuple(changed(f"slug-{n}") for n in range(200)))
    whole = rendered("markdown", difference)
    assert "Left out" not in whole
    assert 200 == whole.count("<details>") == whole.count("\n- changed: `acme/pool/slug-")
    cut = rendered("markdown", difference, 4000)
    listed = cut.count("\n- changed: `acme/pool/slug-")
    assert 0 < listed < 200
    left = re.search(
        r"\*\*Left out for their length:\*\* (\d+) of 200 records; (\d+) of 200 texts\. `pagefault", cut
    )
    assert left is not None
    assert (200 - listed, 200 - cut.count("<details>")) == (int(left[1]), int(left[2]))


def test_what_is_too_long_makes_room_for_what_is_not() -> None:
    """One long text does not hide the others."""
    fields = tuple(Field(f"field{n}", None, "x" * 1000) for n in range(10))
    difference = Difference(COMMIT, "main", (Entry("changed", place("a"), place("a"), fields), changed("b")))
    text = rendered("markdown", difference, 5000)
    assert "<code>acme/pool/b</code>" in text
    assert "1 of 2 texts" in text


def test_the_worst_comes_first() -> None:
    """Addresses, errors, ambiguities, and then what changed."""
    entry = Entry(
        "changed", place("a"), place("a"), ambiguities=(Ambiguity("f" * 16, "acme/pool/b", "message of b"),)
    )
    difference = Difference(
        COMMIT,
        "main",
        (entry,),
        vanished=(Address("tags/a/index.html", "list"), Address("acme/pool/c/index.html", "page", "0" * 16)),
        findings=(Diagnostic("E0111", "unknown field", "records/a.yaml", Span(3, 1, 3, 2)),),
    )
    expected = """\
### pagefault: records: 1 changed

Compared with 2836a18a7c, where `main` and `HEAD` part. Records: proven 0, read 0, unproven 0.

**1 address would vanish**: put former slugs and ids into `aliases` of a record, or keep the record with `status: removed`.

- `acme/pool/c/index.html`

**1 error** in the branch:

- `records/a.yaml:3` E0111: `unknown field`

**Patterns that match a message of another record now**:

- that of `acme/pool/a` matches, of `acme/pool/b`, `message of b`

Pages that would be no more, which no alias can keep:

- `tags/a/index.html`

**Records**

- changed: `acme/pool/a`
"""  # noqa: E501 - as it is written
    assert expected == rendered("markdown", difference)


def test_a_title_of_a_fold_is_escaped() -> None:
    """It stands within HTML, where code is no code."""
    entry = changed("a</code><b>")
    text = rendered("markdown", Difference(COMMIT, "main", (entry,)))
    assert f"<summary><code>{html.escape('acme/pool/a</code><b>')}</code></summary>" in text
