"""`generator.sentences`: what it makes of a text is what the whole grammar makes of it, byte for byte."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator.prose import LONGEST_PROSE, grammar
from generator.sentences import blocks, inline

ROOT = Path(__file__).parent.parent
# What means something to the grammar, and what it might be told by.
ATOMS = (
    *("a", "B", "1", "x_y", "word ", "é", "e\u0301", "—", "😀", "foo(bar)", "'", "^", "$", "|", "{", "="),
    *(" ", "  ", "\n", "\n\n", "\t", "\r", "\0", "\x0b", "\x1f", "\x85", "\xa0", "\u2028", "\u3000"),
    *(
        "`",
        "``",
        "```",
        "~~~",
        "`c`",
        "` c`",
        "`a_*`",
        "`a\nb`",
        "` `",
        "\\",
        "&",
        "&amp;",
        "&#1;",
        "<",
        ">",
        '"',
    ),
    *(
        "*",
        "**",
        "_",
        "__",
        "*em*",
        "**st ro**",
        ".",
        ",",
        ";",
        "!",
        "-",
        "- ",
        "\n- ",
        "\n- item",
        "+ ",
        "1. ",
    ),
    *("2) ", "# ", "#", "> ", "---", "===", "[", "]", "(", ")", "](", "](https://a.b/", "[l](https://a.bc)"),
    *(
        "[`c`](https://a.bc/d)",
        "[a *b*](https://a.bc)",
        "](https://x.example.org/a_b#c)",
        "https://a.bc/d?e=f",
    ),
)
SLICES = st.lists(st.sampled_from(ATOMS), min_size=2, max_size=9, unique=True).flatmap(
    lambda atoms: st.lists(st.sampled_from(atoms), max_size=14).map("".join)
)


def assert_same(text: str) -> tuple[bool, bool]:
    """Fail unless the text's HTML is the grammar's; whether there is any, without blocks and with."""
    within, whole = inline(text), blocks(text)
    assert within is None or grammar().renderInline(text) == within
    assert whole is None or grammar().render(text, {"lowered": 2}) == whole
    return within is not None, whole is not None


@settings(max_examples=500, deadline=None)
@given(SLICES)
@example("a  \nb")
@example("*a* **b** `c` [d `e`](https://f.example/g)")
@example("- a\n- b\n\n- c")
@example("a\n- b")
@example("[a](https://b.example/\u00e9)")
@example("`a\n- b`")
def test_any_text_is_as_the_grammar_has_it(text: str) -> None:
    """Or it is left to the grammar."""
    assert_same(text)


@given(st.text(max_size=40))
def test_text_of_any_characters_is_as_the_grammar_has_it(text: str) -> None:
    """Also where they mean nothing, and where they are cut off."""
    assert_same(text)


def written() -> Iterator[str]:
    """The records' texts, whatever they are for, and the parts of every document of ours."""
    for path in (
        *sorted(ROOT.glob("records/**/*.yaml")),
        *sorted(ROOT.glob("*.md")),
        *sorted(ROOT.glob("records/**/*.md")),
    ):
        text = path.read_text(encoding="utf-8")
        yield from text.split("\n")
        yield from re.split(r"\n\s*\n", text)
        yield from (re.sub(r"^  ", "", part, flags=re.MULTILINE) for part in re.split(r"\n(?=\w)", text))


def test_what_is_written_here_is_as_the_grammar_has_it() -> None:
    """Lines, blocks and whole texts; most of them are sentences."""
    texts = {text for text in written() if len(text) <= LONGEST_PROSE}
    known = [assert_same(text) for text in texts]
    assert len(texts) < 2 * sum(within for within, _ in known)


@pytest.mark.skipif("PAGEFAULT_TEXTS" not in os.environ, reason="PAGEFAULT_TEXTS names no folder of records")
def test_other_texts_are_as_the_grammar_has_them() -> None:
    """Every text of the JSON files of a folder."""
    for path in sorted(Path(os.environ["PAGEFAULT_TEXTS"]).rglob("*.json")):
        for text in _texts(json.loads(path.read_text(encoding="utf-8"))):
            assert_same(text)


def _texts(value: object) -> Iterator[str]:
    """Every text within a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Pin `a_b` & <c>.", "Pin <code>a_b</code> &amp; &lt;c&gt;."),
        ("the *first* and **last two**", "the <em>first</em> and <strong>last two</strong>"),
        ("[a `b`](https://c.example/d#e).", '<a href="https://c.example/d#e">a <code>b</code></a>.'),
        ("snake_case `a\nb`\nc", "snake_case <code>a b</code>\nc"),
        ("", ""),
    ],
)
def test_sentences_are_known(text: str, html: str) -> None:
    """Text, code, stress and links of plain forms."""
    assert html == inline(text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\nb\n\n`c`\n", "<p>a\nb</p>\n<p><code>c</code></p>\n"),
        ("a:\n\n- b\n- c\n\nd", "<p>a:</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n<p>d</p>\n"),
        ("", ""),
    ],
)
def test_paragraphs_and_lists_are_known(text: str, html: str) -> None:
    """Lists of one line an item."""
    assert html == blocks(text)


@pytest.mark.parametrize(
    "text",
    [
        "``a``",
        "`a",
        "a*b*",
        "_a_",
        "a[0]",
        "[a](b)",
        "[a](javascript:b)",
        "&lt;",
        r"\*",
        "a  \nb",
        "a\0",
        "a\rb",
    ],
)
def test_the_rest_is_left_to_the_grammar(text: str) -> None:
    """Whatever might be something else."""
    assert None is inline(text)
    assert None is blocks(text)


@pytest.mark.parametrize(
    "text", ["# a", "1. a", "> a", "```\na\n```", " a", "a ", "a\n- b", "- a\n\n- b", "- - a", "- a\n  b"]
)
def test_other_blocks_are_left_to_the_grammar(text: str) -> None:
    """Headings, quotations, fences, and lists of more than lines."""
    assert None is blocks(text)


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "``",
        "*",
        "**",
        "*a ",
        "*a",
        "_",
        "a_",
        "[",
        "[a",
        "[a](",
        "[`a`",
        "&",
        " ",
        "\n",
        "- ",
        "\n- a",
        "`a` ",
        "- a\n",
    ],
)
def test_its_time_grows_with_the_text(unit: str) -> None:
    """A regular expression that tried everything would not return from these."""
    for text in (
        unit * 5_000,
        f"{unit * 5_000}\\",
        f"{unit * 5_000}`",
        f"`{unit * 5_000}",
        f"a {unit * 5_000} *",
    ):
        inline(text)
        blocks(text)
