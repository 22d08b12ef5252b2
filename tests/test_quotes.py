"""Strings that are longer than a line: what opens one in which an excerpt begins, found or guessed."""

import ast
import sysconfig
import tokenize
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import quotes

FILE = '''"""Of the file.

Its end.
"""
# Not """ this
x = "'' \\"\\"\\" #"; y = ''
def f(a):  # nor \'\'\'
    r\'\'\'Of f: """
    and \\\'\'\' more
    \'\'\'
    return f"""{a}
b"""
'''


@pytest.mark.parametrize(
    ("line", "before"),
    [
        *((1, ""), (2, '"""'), (3, '"""'), (4, '"""'), (5, ""), (6, ""), (7, ""), (8, "")),
        *((9, "    r'''"), (10, "    r'''"), (11, ""), (12, '    return f"""'), (13, ""), (14, "")),
    ],
)
def test_what_opens_the_string_that_a_line_begins_in(line: int, before: str) -> None:
    """Its own line, up to the quotes; quotes in comments and in shorter strings open nothing."""
    assert before == quotes.opening(FILE, line)


def test_of_a_long_line_the_quotes_remain() -> None:
    """A page holds all that it shows, and not a line without end."""
    assert 'rb"""' == quotes.opening(f'x = [{"1, " * 100} rb"""a\nb"""]', 2)


def test_the_end_of_a_string_that_has_none_is_the_files() -> None:
    """So it is for Pygments."""
    assert '"""' == quotes.opening('"""a\n\nb', 3)


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        *(("", ""), ("a", ""), ('"""a', '"""'), ('"""a"""', ""), ("'''a\"\"\"", "'''"), ('x = """', '"""')),
        *(('"""a\\"""', ""), ('# """', ""), ('\'"""\'', ""), ('"""a""" \'\'\'b', "'''"), ('"', "")),
    ],
)
def test_what_closes_the_string_that_a_text_ends_in(text: str, closing: str) -> None:
    """Its quotes; nothing where it ends in none, or in one that may be closed."""
    assert closing == quotes.closing(text)


def test_openings_are_those_of_pythons_own_tokens() -> None:
    """For every line of a part of the standard library."""
    count = 0
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::5]:
        text = file.read_text(encoding="utf-8")
        expected = {}
        lines = text.split("\n")
        for token in tokenize.generate_tokens(StringIO(text).readline):
            if token.type == tokenize.STRING and token.start[0] < token.end[0]:
                at = token.start[1] + token.string.index(token.string.rstrip()[-3:]) + 3
                for line in range(token.start[0] + 1, token.end[0] + 1):
                    expected[line] = lines[token.start[0] - 1][:at]
        found = {line: quotes.opening(text, line) for line in range(1, len(lines) + 1)}
        assert expected == {line: before for line, before in found.items() if before}, file
        count += len(expected)
    assert count > 1000


# Guesses.


def test_guesses_about_a_library() -> None:
    """Around every `raise` of a third of the standard library's files: 99 of 100 are right."""
    right, wrong = 0, 0
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::3]:
        text = file.read_text(encoding="utf-8")
        lines = text.split("\n")
        places = [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
        for first in {max(1, line - 18) for line in places}:
            excerpt = "\n".join(lines[first - 1 : first + 36])
            is_right = quotes.opening(text, first)[-3:] == quotes.guess(excerpt)
            right, wrong = right + is_right, wrong + (not is_right)
    assert right > 500
    assert wrong <= right / 100


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("x = 1\n", ""),
        ("only prose\n", ""),
        ('    prose.\n    """\n    return 1\n', '"""'),
        ("    prose.\n    '''\n    return 1\n", "'''"),
        ('def f():\n    """Prose.\n    """\n', ""),
        ('def f():\n    """\n    prose\n    """\n    x = 1\n', ""),
        ('prose."""\nx = f(1)\ndef g():\n    """Prose.\n', '"""'),
        ('x = """\na = 1\nb = 2\n"""\nreturn x\nreturn y\n', ""),
        ('"""', '"""'),
    ],
)
def test_guesses(text: str, guess: str) -> None:
    """By the lines that look like statements, and by the first quotes."""
    assert guess == quotes.guess(text)


@given(st.text(st.sampled_from("'\"\\#\n a=:rf()"), max_size=40), st.integers(1, 10))
def test_any_text_has_an_answer(text: str, line: int) -> None:
    """What opens is the end of a line that stands before, and what is guessed are quotes or nothing."""
    before = quotes.opening(text, line)
    assert not before or (
        before[-3:] in {'"""', "'''"} and any(one.startswith(before) for one in text.split("\n")[: line - 1])
    )
    assert quotes.guess(text) in {"", '"""', "'''"}
    assert quotes.closing(text) in {"", '"""', "'''"}
    closed = quotes.closing(text)
    assert not closed or not quotes.closing(f"{text}\n{closed}")


@given(
    st.text(st.sampled_from("'\"\\#\n a=:rf()"), max_size=40) | st.sampled_from(FILE.split("x = ")),
    st.sampled_from([None, "", '"""', "    r'''"]),
)
def test_what_stands_around_is_both_what_opens_and_what_closes(text: str, before: str | None) -> None:
    """In one answer."""
    opening = quotes.guess(text) if before is None else before
    closed = quotes.closing(f"{opening}\n{text}" if opening else text)
    assert (opening, closed) == quotes.around(text, before)


@pytest.mark.parametrize(
    "repeated", ['"', "'", '"""', "\\", '\\"', "#", "''' ", "x = 1\n", '"""\nx = 1\n', "return\n"]
)
def test_long_texts_end(repeated: str) -> None:
    """64,000 characters of what might take long."""
    text = (repeated * 64_000)[:64_000]
    quotes.guess(text)
    quotes.closing(text)
    quotes.opening(text, 1000)
