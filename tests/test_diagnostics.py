"""Diagnostics: one line each, or with the place quoted as a terminal shows it."""

import random
import unicodedata
from collections.abc import Sequence
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.diagnostics import WIDTH, Diagnostic, Rejected, Severity, Span, count, has_errors, render

PATH = "records/acme/pool/pages.yaml"
ESCAPE = "\x1b["


def finding(
    span: Span | None = None,
    message: str = "unknown field `sizes`",
    *,
    severity: Severity = "error",
    notes: tuple[str, ...] = (),
    help: str | None = None,  # noqa: A002 - the word of the diagnostic's field
) -> Diagnostic:
    """Return a finding of `PATH`."""
    return Diagnostic("E0111", message, PATH, span, severity, notes, help)


def full(one: Diagnostic, text: str = "", *, is_coloured: bool = False) -> str:
    """Render one finding in a file of that text."""
    return render([one], lines=lambda _: text.split("\n") if text else (), is_coloured=is_coloured)


def golden(text: str) -> str:
    """Return an expected rendering, written with the margin of the test and without outer line ends."""
    return dedent(text).strip("\n") + "\n\n"


def quoted(line: str, column: int, end_column: int) -> tuple[str, str]:
    """Return the quoted line and the one that marks it, without their margins."""
    rows = full(finding(Span(1, column, 1, end_column)), line).split("\n")
    return rows[3].removeprefix("1 |").removeprefix(" "), rows[4].removeprefix("  | ")


# One line each.


def test_a_concise_finding_is_one_line() -> None:
    """Path, line and column, severity and code, message: what editors parse."""
    text = render([finding(Span(3, 7, 3, 12))], style="concise")
    assert f"{PATH}:3:7: error[E0111] unknown field `sizes`\n" == text


def test_a_concise_finding_of_a_whole_file_stands_at_its_beginning() -> None:
    """Editors want a line and a column."""
    text = render([finding(severity="warning")], style="concise")
    assert f"{PATH}:1:1: warning[E0111] unknown field `sizes`\n" == text


def test_a_concise_finding_leaves_notes_and_help_out() -> None:
    """They are for the full rendering."""
    text = render([finding(notes=("a note",), help="a cure")], style="concise")
    assert f"{PATH}:1:1: error[E0111] unknown field `sizes`\n" == text


def test_a_message_of_several_lines_is_concise_in_one() -> None:
    """White space is one space, so that a line is a finding."""
    text = render([finding(message="raised `E: a\n\n  b`")], style="concise")
    assert f"{PATH}:1:1: error[E0111] raised `E: a b`\n" == text


def test_no_findings_render_as_nothing() -> None:
    """Neither style writes a heading."""
    assert ("", "") == (render([]), render([], style="concise"))


def test_findings_are_rendered_in_the_order_given() -> None:
    """Sorting is the caller's."""
    text = render([finding(message="second"), finding(message="first")], style="concise")
    assert ["second", "first"] == [line.rpartition(" ")[2] for line in text.splitlines()]


# The place, quoted.


def test_a_span_of_several_characters_is_underlined() -> None:
    """The margin is as wide as the line's number."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml:2:1
          |
        2 | sizes: [1, 2]
          | ^^^^^
    """)
    assert expected == full(finding(Span(2, 1, 2, 6)), "repo: acme/pool\nsizes: [1, 2]\n")


def test_a_span_of_one_character_has_one_mark() -> None:
    """As a missing field has, at the head of its mapping."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml:1:7
          |
        1 | repo: acme/pool
          |       ^
    """)
    assert expected == full(finding(Span(1, 7, 1, 8)), "repo: acme/pool")


@pytest.mark.parametrize("column", [1, 4, 16])
def test_an_empty_span_has_one_mark(column: int) -> None:
    """A place between two characters, or behind the last, is still to be seen."""
    assert ("repo: acme/pool", " " * (column - 1) + "^") == quoted("repo: acme/pool", column, column)


def test_a_span_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    """The first line is where the reader begins."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
          --> records/acme/pool/pages.yaml:10:8
           |
        10 | sizes: {a: 1,
           |        ^^^^^^
    """)
    text = "\n" * 9 + "sizes: {a: 1,\n  b: 2}"
    assert expected == full(finding(Span(10, 8, 11, 8)), text)


def test_the_margin_grows_with_the_line_number() -> None:
    """Bars stand below each other; notes and help too."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
            --> records/acme/pool/pages.yaml:1234:1
             |
        1234 | sizes: 1
             | ^^^^^
             = help: delete it
    """)
    assert expected == full(finding(Span(1234, 1, 1234, 6), help="delete it"), "\n" * 1233 + "sizes: 1")


def test_an_empty_line_is_quoted_without_trailing_space() -> None:
    """Output can be compared and pasted."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml:1:1
          |
        1 |
          | ^
    """)
    assert expected == full(finding(Span(1, 1, 1, 1)), "\n\n")


def test_a_finding_without_span_names_the_file() -> None:
    """Nothing is quoted."""
    expected = golden("""
        warning[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml
          = help: keep to one error a file
    """)
    assert expected == full(finding(severity="warning", help="keep to one error a file"), "repo: acme/pool")


@pytest.mark.parametrize("text", ["", "one line", "a\nb"])
def test_a_place_that_cannot_be_read_is_named_alone(text: str) -> None:
    """The file is gone, or has become shorter since it was read."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml:3:7
    """)
    assert expected == full(finding(Span(3, 7, 3, 9)), text)


def test_without_a_reader_of_files_places_are_named_alone() -> None:
    """`lines` may be left out."""
    assert golden(f"""
        error[E0111]: unknown field `sizes`
         --> {PATH}:3:7
    """) == render([finding(Span(3, 7, 3, 9))])


def test_lines_are_asked_for_by_the_path_of_each_finding() -> None:
    """Findings of several files are quoted each from its own."""
    asked = []

    def lines(path: str) -> Sequence[str]:
        asked.append(path)
        return [f"text of {path}"]

    one, other = finding(Span(1, 1, 1, 5)), Diagnostic("E0101", "not YAML", "b.yaml", Span(1, 1, 1, 5))
    text = render([one, other], lines=lines)
    assert [PATH, "b.yaml"] == asked
    assert ["1 | text of records/acme/pool/pages.yaml", "1 | text of b.yaml"] == [
        row for row in text.split("\n") if row.startswith("1 |")
    ]


# Notes and help.


def test_notes_come_in_order_before_the_help() -> None:
    """Facts first, the cure last."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
         --> records/acme/pool/pages.yaml
          = note: first
          = note: second
          = help: delete it
    """)
    assert expected == full(finding(notes=("first", "second"), help="delete it"))


def test_lines_of_a_note_are_indented_below_its_text() -> None:
    """A note may hold code; so may a cure."""
    expected = golden("""
        error[E0111]: unknown field `sizes`
          --> records/acme/pool/pages.yaml:10:1
           = note: it raises
                   ValueError
           = help: write
                     size: 1
    """)
    one = finding(Span(10, 1, 10, 2), notes=("it raises\nValueError",), help="write\n  size: 1")
    assert expected == full(one)


def test_lines_of_a_message_are_indented() -> None:
    """A message that repeats another's lines cannot pass for a second finding."""
    expected = golden("""
        error[E0111]: raised `E: a
          warning[E0001]: b`
         --> records/acme/pool/pages.yaml
    """)
    assert expected == full(finding(message="raised `E: a\nwarning[E0001]: b`"))


# What a terminal makes of a line.


def test_a_tab_is_four_spaces_in_text_and_mark() -> None:
    """A terminal's own tab stops would part the two."""
    assert ("    a    b", "         ^") == quoted("\ta\tb", 4, 5)
    assert ("    a", "^^^^^") == quoted("\ta", 1, 3)


def test_wide_characters_are_marked_over_two_columns() -> None:
    """Chinese, Japanese and Korean characters take two."""
    assert ("标题: 值", "      ^^") == quoted("标题: 值", 5, 6)
    assert ("标题: 值", "^^^^") == quoted("标题: 值", 1, 3)
    assert ("a: \uff21b", "     ^") == quoted("a: \uff21b", 5, 6)


def test_an_ideographic_space_takes_two_columns() -> None:
    """Spaces that no ASCII text has are shown as they are."""
    assert ("a\u3000b", "   ^") == quoted("a\u3000b", 3, 4)
    assert ("a\u00a0b", "  ^") == quoted("a\u00a0b", 3, 4)


@pytest.mark.parametrize("mark", ["\u0301", "\u20dd", "\ufe0f", "\u0941"])
def test_marks_on_a_character_take_no_column(mark: str) -> None:
    """Accents, enclosing marks, variation selectors, vowel signs: what follows stands where it is seen."""
    assert (f"e{mark}: 1", "   ^") == quoted(f"e{mark}: 1", 5, 6)


@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x1b", "\r", "\x7f", "\x9b", "\u202e", "\u200b", "\ud800"]
)
def test_what_would_change_the_terminal_is_shown_as_a_sign(character: str) -> None:
    """Controls, marks of direction and surrogates from a hostile file are one visible character each."""
    assert ("a\ufffdb: 1", "  ^") == quoted(f"a{character}b: 1", 3, 4)


@pytest.mark.parametrize("style", ["full", "concise"])
@pytest.mark.parametrize("field", ["message", "path", "note", "help"])
def test_no_text_of_a_finding_reaches_the_terminal_unseen(style: str, field: str) -> None:
    """Messages repeat what a file says, and a file may say `ESC [ 2 J`."""
    hostile = "a\x1b[2J\x9b\u202e\ud800"
    one = Diagnostic(
        "E0111",
        hostile if field == "message" else "said",
        hostile if field == "path" else PATH,
        None,
        "error",
        (hostile,) if field == "note" else (),
        hostile if field == "help" else None,
    )
    text = render([one], style="concise" if style == "concise" else "full")
    assert (style == "full" or field in {"message", "path"}) == ("a\ufffd[2J\ufffd\ufffd\ufffd" in text)
    assert text.replace("\n", "").isprintable()


def test_a_path_with_a_line_end_stays_on_its_line() -> None:
    """A file may be called so."""
    text = render([Diagnostic("E0103", "the file is empty", "a\nb.yaml")], style="concise")
    assert "a\ufffdb.yaml:1:1: error[E0103] the file is empty\n" == text


# Long lines.


def test_a_line_of_the_width_is_quoted_whole() -> None:
    """The window has 100 characters."""
    line = "a" * (WIDTH - 1) + "b"
    assert (line, " " * (WIDTH - 1) + "^") == quoted(line, WIDTH, WIDTH + 1)


def test_a_long_line_is_cut_behind_its_beginning() -> None:
    """What was left out shows as `…`."""
    assert ("b" + "a" * (WIDTH - 1) + "…", "^") == quoted("b" + "a" * WIDTH, 1, 2)


def test_a_long_line_is_cut_around_the_place() -> None:
    """Half a window stands before it, and the mark below it."""
    line = "a" * 300 + "here" + "b" * 300
    text, marks = quoted(line, 301, 305)
    assert "…" + "a" * 50 + "here" + "b" * 46 + "…" == text
    assert " " * 51 + "^^^^" == marks


def test_the_end_of_a_long_line_is_not_cut() -> None:
    """Nothing follows that was left out."""
    text, marks = quoted("a" * 300 + "here", 301, 305)
    assert ("…" + "a" * 50 + "here", " " * 51 + "^^^^") == (text, marks)


def test_a_mark_ends_with_the_window() -> None:
    """A span of a thousand characters is underlined as far as it is seen."""
    text, marks = quoted("a" * 1000, 1, 1001)
    assert ("a" * WIDTH + "…", "^" * WIDTH) == (text, marks)
    text, marks = quoted("a" * 1000, 201, 1001)
    assert ("…" + "a" * WIDTH + "…", " " * 51 + "^" * 50) == (text, marks)


def test_a_long_line_of_wide_characters_is_marked_where_it_is_seen() -> None:
    """Columns are counted within the window."""
    text, marks = quoted("页" * 300 + "here", 301, 305)
    assert ("…" + "页" * 50 + "here", " " * 101 + "^^^^") == (text, marks)


PRINTED = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=WIDTH - 1)


def columns(text: str) -> int:
    """Return what a terminal gives a text without controls: none, one or two columns a character."""
    widths = {"W": 2, "F": 2}
    return sum(
        0 if unicodedata.category(one) in {"Mn", "Me"} else widths.get(unicodedata.east_asian_width(one), 1)
        for one in text
    )


@settings(deadline=None)
@given(PRINTED, st.data())
def test_marks_stand_below_what_they_mark(line: str, data: st.DataObject) -> None:
    """For any line that fits and any place in it: as far to the right, and as wide."""
    column = data.draw(st.integers(1, len(line) + 1))
    end = data.draw(st.integers(column, len(line) + 1))
    text, marks = quoted(f"{line}.", column, end)
    assert f"{line}." == text
    before, marked = line[: column - 1], line[column - 1 : end - 1]
    assert " " * columns(before) + "^" * max(1, columns(marked)) == marks


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\n"), max_size=400), st.data())
def test_any_line_and_place_are_quoted_in_one_row_each(line: str, data: st.DataObject) -> None:
    """Whatever a file holds, five rows come out, and nothing in them that a terminal would obey."""
    column = data.draw(st.integers(1, 500))
    rows = full(finding(Span(1, column, 1, column + data.draw(st.integers(0, 500)))), f"{line}.").split("\n")
    assert 7 == len(rows)
    assert all(unicodedata.category(one) not in {"Cc", "Cf", "Cs"} for one in "".join(rows))
    assert "^" == rows[4].lstrip(" |")[0]


# Colour.


def test_colour_is_off_unless_asked_for() -> None:
    """A file and a pipe get plain text."""
    assert ESCAPE not in full(finding(Span(1, 1, 1, 2), notes=("n",), help="h"), "a: 1")


@pytest.mark.parametrize(("severity", "code"), [("error", "1;31"), ("warning", "1;33")])
def test_colour_marks_severity_place_and_margin(severity: Severity, code: str) -> None:
    """Errors are red, warnings yellow, what is around them blue; each colour is ended."""
    blue, off = f"{ESCAPE}1;34m", f"{ESCAPE}0m"
    said = f"{ESCAPE}{code}m"
    one = finding(Span(1, 1, 1, 3), severity=severity, notes=("n",), help="h")
    assert (
        f"{said}{severity}[E0111]{off}: unknown field `sizes`\n"
        f" {blue}-->{off} {PATH}:1:1\n"
        f"  {blue}|{off}\n"
        f"{blue}1{off} {blue}|{off} ab: 1\n"
        f"  {blue}|{off} {said}^^{off}\n"
        f"  {blue}={off} note: n\n"
        f"  {blue}={off} help: h\n\n"
    ) == full(one, "ab: 1", is_coloured=True)


@pytest.mark.parametrize("span", [None, Span(1, 1, 1, 3), Span(12, 1, 12, 3)])
def test_colour_changes_nothing_but_colour(span: Span | None) -> None:
    """Without the codes the text is that of a plain rendering."""
    one = finding(span, notes=("n\nm",), help="h")
    coloured = full(one, "ab: 1", is_coloured=True)
    for code in ("1;31m", "1;34m", "0m"):
        coloured = coloured.replace(ESCAPE + code, "")
    assert full(one, "ab: 1") == coloured


# The values.


@pytest.mark.parametrize(
    ("errors", "warnings", "said"),
    [
        (0, 0, "no findings"),
        (1, 0, "1 error"),
        (2, 0, "2 errors"),
        (0, 1, "1 warning"),
        (0, 3, "3 warnings"),
        (1, 2, "1 error, 2 warnings"),
        (2, 1, "2 errors, 1 warning"),
    ],
)
def test_findings_are_counted_in_words(errors: int, warnings: int, said: str) -> None:
    """Nothing is said of a severity that is not there."""
    assert said == count([finding()] * errors + [finding(severity="warning")] * warnings)


def test_findings_are_counted_once_even_if_they_come_one_by_one() -> None:
    """An iterator is read once."""
    assert "1 error, 1 warning" == count(iter([finding(), finding(severity="warning")]))


@pytest.mark.parametrize(
    ("severities", "is_strict", "is_failing"),
    [
        ((), False, False),
        ((), True, False),
        (("warning",), False, False),
        (("warning",), True, True),
        (("warning", "error"), False, True),
        (("error",), True, True),
    ],
)
def test_errors_fail_a_run_and_warnings_a_strict_one(
    severities: Sequence[Severity],
    is_strict: bool,  # noqa: FBT001 - a table's columns
    is_failing: bool,  # noqa: FBT001 - a table's columns
) -> None:
    """The exit code follows from it."""
    found = [finding(severity=severity) for severity in severities]
    assert is_failing == has_errors(found, strict=is_strict)


def test_findings_are_ordered_by_path_place_code_and_message() -> None:
    """Numbers are compared as numbers; a finding of the whole file counts as at its beginning."""
    ordered = [
        Diagnostic("E0101", "m", "a.yaml", Span(9, 1, 9, 2)),
        Diagnostic("E0102", "m", "b.yaml"),
        Diagnostic("E0103", "m", "b.yaml", Span(1, 1, 1, 1)),
        Diagnostic("E0101", "m", "b.yaml", Span(1, 2, 1, 3)),
        Diagnostic("E0101", "a", "b.yaml", Span(9, 10, 9, 11)),
        Diagnostic("E0101", "b", "b.yaml", Span(9, 10, 9, 11)),
        Diagnostic("E0102", "a", "b.yaml", Span(9, 10, 9, 11)),
        Diagnostic("E0101", "m", "b.yaml", Span(10, 2, 10, 3)),
    ]
    shuffled = random.Random(7).sample(ordered, len(ordered))  # noqa: S311 - no secret is made
    assert ordered == sorted(shuffled, key=lambda one: one.position)


def test_a_rejection_carries_its_findings_and_says_them() -> None:
    """Whoever catches it can show them; a traceback names them."""
    rejected = Rejected(iter([finding(message="one"), finding(message="two")]))
    assert (finding(message="one"), finding(message="two")) == rejected.diagnostics
    assert "one; two" == str(rejected)
