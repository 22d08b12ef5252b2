"""The pattern: what is read, what is refused, and that the walk answers as the regex does."""

import doctest
import re
import warnings
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import pattern
from generator.pattern import Hole, Normalised, Pattern, PatternError, agrees, merge, parse

LINE_SEPARATOR = "\u2028"
LITERALS = st.one_of(
    st.sampled_from(
        [
            "a",
            "ab",
            " ",
            ", ",
            "=",
            "got size=",
            "page_size=",
            "need (",
            ")",
            "[",
            "]",
            "{",
            "}",
            *pattern.SPECIAL,
            r"C:\temp",
            "a+b|c?",
            "^$",
            "\n",
            "\r\n",
            LINE_SEPARATOR,
            "größe ",
            "😀",
            "# -&~",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
)
VALUES = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.lists(st.integers(), max_size=4).map(str),
    st.lists(st.integers(0, 99), max_size=3).map(lambda numbers: f"tensor({numbers})"),
    st.sampled_from(
        [
            "a",
            "ab",
            " ",
            "=",
            "torch.Size([2, 3])",
            "/srv/a b/c.py",
            r"C:\new\table",
            "'it\"s'",
            '"',
            "one\ntwo\n",
            "\n",
            "\r",
            f"x{LINE_SEPARATOR}y",
            "😀",
            "a😀b",
            "👩\u200d🚀",
            "e\u0301",
            "page_size=16, ",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)


@st.composite
def patterns(draw: st.DrawFn, minima: tuple[int, ...] = (0, 1)) -> Pattern:
    """Draw a pattern of one to five holes, with texts around and between some of them."""
    parts: list[str | Hole] = []
    for _ in range(draw(st.integers(1, 5))):
        parts.append(draw(st.one_of(st.just(""), LITERALS, LITERALS)))
        parts.append(Hole(draw(st.sampled_from(minima))))
    parts.append(draw(st.one_of(st.just(""), LITERALS)))
    return Pattern(merge(parts))


def filled(found: Pattern, values: list[str]) -> str:
    """Return the message with `values` in the holes."""
    remaining = iter(values)
    return "".join(part if isinstance(part, str) else next(remaining) for part in found.segments)


def by_regex(found: Pattern, message: str) -> tuple[str, ...] | None:
    """Return what the published regex captures in the whole message."""
    match = re.fullmatch(found.text, message, re.DOTALL)
    return match.groups() if match else None


def is_unambiguous(found: Pattern, values: list[str]) -> bool:
    """Whether each hole's text first occurs again where the source ended it.

    That is, for a hole before a text that does not end the pattern: in value and text together the
    text occurs at no place from the second character of the value on but behind the value. A
    hole directly before another holds one character.
    """
    remaining = iter(values)
    last = len(found.segments) - 1
    for index, part in enumerate(found.segments):
        if isinstance(part, str):
            continue
        value = next(remaining)
        if index == last:
            continue
        follower = found.segments[index + 1]
        if isinstance(follower, Hole):
            if len(value) != 1:
                return False
        elif index + 1 < last and (value + follower).find(follower, 1) != len(value):
            return False
    return True


def test_documented_examples_hold() -> None:
    """What the module's docstrings show is what the code does."""
    results = doctest.testmod(pattern)
    assert results.failed == 0
    assert results.attempted > 0


def test_published_text_escapes_exactly_the_fourteen() -> None:
    """Of all printable ASCII only `SPECIAL` is escaped; more would be invalid under `u`."""
    every = "".join(map(chr, range(32, 127)))
    escaped = {character for character in every if Pattern((character,)).text != character}
    assert set(r"\^$.|?*+()[]{}") == escaped
    assert r"\[a\] - #1" == Pattern(("[a] - #1",)).text


def test_published_text_is_read_without_notes() -> None:
    """What is published is read as it stands."""
    found, notes = parse(r"got (.+?) of \(\\d\+\) (.*?)\.")
    assert ("got ", Hole(1), r" of (\d+) ", Hole(0), ".") == found.segments
    assert () == notes


def test_segments_alternate() -> None:
    """Neighbouring texts become one, empty ones none; holes may stand side by side."""
    assert ("ab", Hole(1), Hole(0), "c") == merge(["", "a", "", "b", Hole(1), "", Hole(0), "c", ""])


@pytest.mark.parametrize(
    ("text", "segments", "note"),
    [
        (r"n=(\d+)", ("n=", Hole(1)), Normalised(2, r"(\d+)", "`(.+?)`")),
        (r"n=(-?\d+)", ("n=", Hole(1)), Normalised(2, r"(-?\d+)", "`(.+?)`")),
        (r"n=(\w+)", ("n=", Hole(1)), Normalised(2, r"(\w+)", "`(.+?)`")),
        (r"n=(\S+)", ("n=", Hole(1)), Normalised(2, r"(\S+)", "`(.+?)`")),
        ("n=(.+)", ("n=", Hole(1)), Normalised(2, "(.+)", "`(.+?)`")),
        ("n=(.*)", ("n=", Hole(0)), Normalised(2, "(.*)", "`(.*?)`")),
        ("(?P<n>.+?)!", (Hole(1), "!"), Normalised(0, "(?P<n>.+?)", "`(.+?)`")),
        ("(?<n>.*?)!", (Hole(0), "!"), Normalised(0, "(?<n>.*?)", "`(.*?)`")),
        (r"(?P<n_2>\d+)!", (Hole(1), "!"), Normalised(0, r"(?P<n_2>\d+)", "`(.+?)`")),
        (r"a\-b", ("a-b",), Normalised(1, r"\-", "`-`")),
        (r"a\ b", ("a b",), Normalised(1, "\\ ", "a space")),
        (r"a\#b", ("a#b",), Normalised(1, r"\#", "`#`")),
        (r"a\&b", ("a&b",), Normalised(1, r"\&", "`&`")),
        (r"a\~b", ("a~b",), Normalised(1, r"\~", "`~`")),
        (r"a\/b", ("a/b",), Normalised(1, r"\/", "`/`")),
        (r"a\'b", ("a'b",), Normalised(1, r"\'", "`'`")),
        (r"a\"b", ('a"b',), Normalised(1, r"\"", '`"`')),
        (r"a\,b", ("a,b",), Normalised(1, r"\,", "`,`")),
        (r"a\nb", ("a\nb",), Normalised(1, r"\n", "a line feed")),
        (r"a\rb", ("a\rb",), Normalised(1, r"\r", "a carriage return")),
        (r"a\tb", ("a\tb",), Normalised(1, r"\t", "a tab")),
        ("a\\\nb", ("a\nb",), Normalised(1, "\\\n", "a line feed")),
        ("^a", ("a",), Normalised(0, "^", "nothing, because the whole message is always matched")),
        ("a$", ("a",), Normalised(1, "$", "nothing, because the whole message is always matched")),
    ],
)
def test_kindred_forms_are_normalised_with_a_note(
    text: str, segments: tuple[str | Hole, ...], note: Normalised
) -> None:
    """Forms with one plain meaning are accepted; the note says where, what and how it is read."""
    found, notes = parse(text)
    assert segments == found.segments
    assert (note,) == notes


def test_notes_come_in_order_of_offset() -> None:
    """Every normalised construct has a note of its own, offsets counted in the text as written."""
    found, notes = parse(r"^a\-(\d+)\-(.+?)$")
    assert ("a-", Hole(1), "-", Hole(1)) == found.segments
    assert [0, 2, 4, 9, 16] == [note.offset for note in notes]


@pytest.mark.parametrize(
    ("text", "offset", "message", "cure"),
    [
        ("a|b", 1, "alternation `|`", r"`\|`"),
        ("a[bc]", 1, "character class `[`", "`(.+?)`"),
        ("a]", 1, "unescaped `]`", r"`\]`"),
        ("ab*", 2, "quantifier `*`", r"`\*`"),
        ("ab+", 2, "quantifier `+`", r"`\+`"),
        ("ab?", 2, "quantifier `?`", r"`\?`"),
        ("(.+?)?", 5, "quantifier `?`", r"`\?`"),
        ("ab{2}", 2, "quantifier or unescaped `{`", r"`\{`"),
        ("ab}", 2, "unescaped `}`", r"`\}`"),
        ("end.", 3, "unescaped `.`", r"`\.`"),
        ("a^b", 1, "anchor `^` inside the pattern", r"`\^`"),
        ("a$b", 1, "anchor `$` inside the pattern", r"`\$`"),
        ("a(b", 1, "unbalanced `(`", r"`\(`"),
        ("a)b", 1, "unbalanced `)`", r"`\)`"),
        ("a(b)", 1, "group that is no hole", "`(.+?)`"),
        ("a([^,]+)", 1, "group that is no hole", "`(.+?)`"),
        ("a(.+?)(..)", 6, "group that is no hole", "`(.+?)`"),
        ("(?:.+?)", 0, "group without capture `(?:`", "`(.+?)`"),
        ("(?=a)", 0, "lookahead `(?=`", "`(.+?)`"),
        ("(?!a)", 0, "negative lookahead `(?!`", "`(.+?)`"),
        ("(?<=a)", 0, "lookbehind `(?<=`", "`(.+?)`"),
        ("(?<!a)", 0, "negative lookbehind `(?<!`", "`(.+?)`"),
        ("(?>a)", 0, "atomic group `(?>`", "`(.+?)`"),
        ("(?#a)", 0, "comment `(?#`", "leave it out"),
        ("(?i)a", 0, "group extension or inline flag `(?`", "`(.+?)`"),
        ("(?P<n>a)", 0, "named group that is no hole", "`(.+?)`"),
        ("(?<n>a)", 0, "named group that is no hole", "`(.+?)`"),
        ("(?P<n>.+?)(?P=n)", 10, "back reference `(?P=`", "`(.+?)`"),
        (r"(.+?)\1", 5, r"back reference `\1`", "`(.+?)`"),
        (r"a\d", 1, r"character class `\d`", "`(.+?)`"),
        (r"a\b", 1, r"assertion `\b`", "leave it out"),
        (r"\Aa", 0, r"assertion `\A`", "leave it out"),
        (r"a\x41", 1, r"escape `\x`", "the character itself"),
        (r"a\é", 1, r"escape `\é`", "the character itself"),
        ("a\\", 1, "lone backslash", r"`\\`"),
        ("", 0, "empty pattern", "`(.+?)`"),
        ("^$", 0, "empty pattern", "`(.+?)`"),
        ("a\ud800", 1, "lone surrogate", "whole character"),
        ("a" * 4_001, 4_000, "pattern of 4,001 characters", "at most 4,000"),
    ],
)
def test_everything_else_is_refused_with_its_cure(text: str, offset: int, message: str, cure: str) -> None:
    """The error names the construct, its offset, and what to write instead."""
    with pytest.raises(PatternError) as caught:
        parse(text)
    assert (offset, message) == (caught.value.offset, caught.value.message)
    assert cure in caught.value.cure
    assert f"{message} at offset {offset}: {caught.value.cure}" == str(caught.value)


def test_a_pattern_of_the_greatest_length_is_read() -> None:
    """4,000 characters are not too many."""
    assert 4_000 == parse("a" * 4_000)[0].fixed


@pytest.mark.parametrize(
    ("text", "message", "captured"),
    [
        ("got (.+?)", "got 16", ("16",)),
        ("got (.+?) of (.+?)", "got 3 of 16", ("3", "16")),
        ("got (.+?) of (.+?)", "got 3 of 5 of 16", ("3", "5 of 16")),
        ("(.+?)=(.+?);", "a=b=c;;", ("a", "b=c;")),
        ("(.+?)ab", "ababab", ("abab",)),
        ("(.+?)(.+?)(.+?)", "abcd", ("a", "b", "cd")),
        ("(.*?)(.+?)x", "abx", ("", "ab")),
        ("(.+?)(.*?)x", "abx", ("a", "b")),
        ("(.*?)", "", ("",)),
        ("a(.*?)b", "ab", ("",)),
        ("fixed", "fixed", ()),
        (r"\(a\)\.(.+?)", "(a).\n\r\u2028", ("\n\r\u2028",)),
        ("(.+?)(.+?)", "😀b", ("😀", "b")),
    ],
)
def test_holes_hold_what_lies_between_the_leftmost_texts(
    text: str, message: str, captured: tuple[str, ...]
) -> None:
    """A hole ends at the first place where the next text stands; the last takes the rest."""
    assert captured == parse(text)[0].captures(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("got (.+?)", "got "),
        ("got (.+?)", "has got 16"),
        ("got (.+?)!", "got !"),
        ("got (.+?)!", "got 16! "),
        ("a(.*?)a", "a"),
        ("(.+?)ab(.+?)ab", "xab"),
        ("(.+?)(.+?)", "a"),
        ("(.+?)(.+?)x(.+?)", "ax"),
        ("fixed", "fixed\n"),
        ("fixed", "fixe"),
        ("(.+?)", ""),
    ],
)
def test_a_part_of_a_message_is_no_match(text: str, message: str) -> None:
    """Nothing may stand before or behind the pattern, and no text serves twice."""
    assert parse(text)[0].captures(message) is None


def test_specificity_counts_outside_the_holes() -> None:
    """Characters include spaces; a word has at least two letters or digits and touches no other."""
    found, _ = parse(r"size (.+?) of a (\d+)page_size!")
    assert ("size ", " of a ", "page_size!") == found.literals
    assert 21 == found.fixed
    assert 3 == found.words


def test_json_form_is_texts_and_minima() -> None:
    """Browsers get the segments, not the regex."""
    assert ["a.", 1, "b", 0] == parse(r"a\.(.+?)b(.*?)")[0].as_json()


@pytest.mark.parametrize(
    ("written", "implied", "expected"),
    [
        ("a(.+?)b", "a(.+?)b", True),
        ("a(.*?)b", "a(.+?)b", True),
        ("a(.+?)b", "a(.*?)b", True),
        ("a(.+?)(.+?)b", "a(.+?)b", False),
        ("a(.+?)c", "a(.+?)b", False),
        ("a(.+?)", "a(.+?)b", False),
        ("(.+?)a", "a(.+?)", False),
    ],
)
def test_patterns_agree_in_texts_and_order_of_holes(written: str, implied: str, *, expected: bool) -> None:
    """Only a hole's minimum may differ."""
    assert expected is agrees(parse(written)[0], parse(implied)[0])


class Counted(str):
    """A message that notes from where it is searched."""

    __slots__ = ("searches",)
    searches: list[int]

    def find(self, *arguments: Any) -> int:
        """Search as any string does."""
        self.searches.append(arguments[1])
        return super().find(*arguments)


def test_each_text_is_looked_for_once() -> None:
    """Five texts in a message where the regex tries n^6 ways: five searches, each further on."""
    found, _ = parse("(.+?) a (.+?) a (.+?) a (.+?) a (.+?) a (.+?)!")
    message = Counted("x a " * 50_000)
    message.searches = []
    assert found.captures(message) is None
    assert 5 == len(message.searches)
    assert all(earlier < later for earlier, later in pairwise(message.searches))


@given(patterns(minima=(1,)), st.data())
@settings(deadline=None)
def test_a_filled_message_matches_as_the_regex_says(found: Pattern, data: st.DataObject) -> None:
    """A message made from the template matches; walk and regex capture the same.

    The values come back exactly when `is_unambiguous`, in both directions.
    """
    holes = len(found.segments) - len(found.literals)
    values = data.draw(st.lists(VALUES, min_size=holes, max_size=holes))
    message = filled(found, values)
    captured = found.captures(message)
    assert captured is not None
    assert by_regex(found, message) == captured
    assert is_unambiguous(found, values) == (tuple(values) == captured)


@given(patterns(), st.data())
@settings(deadline=None)
def test_any_message_gets_the_verdict_of_the_regex(found: Pattern, data: st.DataObject) -> None:
    """Walk and regex agree on messages made of the pattern's own texts, and on foreign ones."""
    pieces = st.one_of(st.sampled_from([*found.literals, "a", " "]), VALUES)
    message = data.draw(st.lists(pieces, max_size=8).map("".join))
    assert by_regex(found, message) == found.captures(message)


@given(
    st.lists(st.one_of(st.text("ab", min_size=1, max_size=2), st.sampled_from([Hole(0), Hole(1)]))),
    st.text("ab", max_size=9),
)
@settings(deadline=None, max_examples=500)
def test_texts_that_overlap_get_the_verdict_of_the_regex(parts: list[str | Hole], message: str) -> None:
    """Two letters only, so that texts overlap one another, themselves and the end."""
    found = Pattern(merge(parts[:9]))
    assert by_regex(found, message) == found.captures(message)


@given(patterns())
@settings(deadline=None)
def test_published_text_comes_back(found: Pattern) -> None:
    """Reading what was published gives the same pattern and no notes."""
    assert (found, ()) == parse(found.text)


@given(LITERALS)
@settings(deadline=None)
def test_text_escaped_by_python_is_read(literal: str) -> None:
    """What `re.escape` writes is the text again, published without the escapes that `u` refuses."""
    found, _ = parse(re.escape(literal))
    assert (literal,) == found.segments


@given(patterns())
@settings(deadline=None)
def test_published_text_compiles_without_warnings(found: Pattern) -> None:
    """Python takes the published text as a regex with one group a hole, and says nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = re.compile(found.text, re.DOTALL)
    assert len(found.segments) - len(found.literals) == compiled.groups


@given(st.text(st.sampled_from([*pattern.SPECIAL, *"abPdns<=:!-1 \n"]), max_size=12))
@settings(deadline=None, max_examples=500)
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text fails otherwise than by PatternError, whose offset lies in the text.

    What is read from it is published in a form that is read without notes.
    """
    refusal = None
    try:
        found, _ = parse(text)
    except PatternError as error:
        refusal = error
    if refusal:
        assert 0 <= refusal.offset <= len(text)
    else:
        assert (found, ()) == parse(found.text)
