"""Highlighting: to the letter what Pygments' tokens say, from fewer rules tried, and from lines kept."""

import ast
import os
import random
import re
import sysconfig
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markupsafe import escape
from pygments.lexer import Lexer, RegexLexer, bygroups, default, using
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashLexer
from pygments.token import STANDARD_TYPES, Keyword, Name, Operator, String, Text

from generator import highlight, lexing, quotes, tokens
from generator.highlight import LEXERS, faster
from generator.lexing import Faster
from generator.reach import Expression
from generator.rules import Unfit

IS_WHOLE = os.environ.get("PAGEFAULT_CORPUS") == "1"
LIBRARY = Path(sysconfig.get_path("stdlib"))
LINES = 36  # of an excerpt


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no text left to Pygments for being among the first."""
    monkeypatch.setattr(highlight, "FEW", 0)


def expected(text: str, lexer: type[RegexLexer]) -> list[str]:
    """Return the lines as they were made before there was a faster way: token by token."""
    lines: list[list[tuple[str, str]]] = [[]]
    for _, kind, value in lexer().get_tokens_unprocessed(text):
        while kind not in STANDARD_TYPES:
            kind = kind.parent or Text  # noqa: PLW2901 - upwards
        style = STANDARD_TYPES[kind]
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append(("" if style in {"n", "o", "p", "w"} else style, piece))
    return ["".join(shown(*pieces) for pieces in groupby(line, lambda piece: piece[0])) for line in lines]


def shown(style: str, pieces: Iterator[tuple[str, str]]) -> str:
    """Return neighbours of one style as HTML."""
    text = escape("".join(piece for _, piece in pieces))
    return f'<span class="{style}">{text}</span>' if style else str(text)


def sources() -> list[str]:
    """Return the texts of Python files: a sample of the standard library's, or all that are installed."""
    files = sorted(LIBRARY.rglob("*.py"))
    files += sorted(Path(sysconfig.get_path("purelib")).rglob("*.py")) if IS_WHOLE else []
    found = []
    chosen = files if IS_WHOLE else random.Random(7).sample(files, 60)  # noqa: S311 - no secret
    for file in chosen:
        try:
            found.append(file.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
    return found


def excerpts(text: str, count: int, chance: random.Random) -> Iterator[str]:
    """Yield parts of a text, cut at any line; as many tries, less such as no page would colour."""
    lines = text.split("\n")
    for _ in range(count):
        first = chance.randrange(len(lines))
        part = lines[first : first + LINES]
        if max(map(len, part)) <= 500:
            yield "\n".join(part)


# The same as Pygments.


def test_excerpts_are_coloured_as_pygments_does() -> None:
    """Of real files, cut at any line, with lines kept from one to the next.

    With PAGEFAULT_CORPUS=1 of every installed file; whole files too, as far as a page would colour them.
    """
    chance = random.Random(11)  # noqa: S311 - no secret
    count = 0
    for text in sources():
        for part in excerpts(text, 3, chance):
            assert expected(part, PythonLexer) == highlight.lines(part, "python")
            count += 1
    assert count > (10_000 if IS_WHOLE else 100)


WORDS = r"""
    \ " ' { } {{ }} ( ) [ ] : , . = !r # #! @ | - -> ** := ; $ ? ` & < > ~ é 页 ª def class import from as
    lazy match case _ self print True None async yield not in raise ValueError __init__ __name__ f' rf" Rb"
    u' t" 0x1f 1_0 .5 1e5 1. 0b1 x abc \N{DASH} \x41 \u00e9 %s %(a)d {x!r:>{n}} {a[b]} {a[ ${ $( $(( <<EOF EOF
    if then fi echo || && export A=
"""
SPACES = (" ", "  ", "    ", "\t", "\n", "\n\n", "\\\n", "\r\n", "\f", "\0", "\u2028", "async for ")
PIECES = (*WORDS.split(), *SPACES, '"' * 3, "'" * 3, "b" + "'" * 3)
CODE = st.lists(st.sampled_from(PIECES), max_size=50).map("".join)


@settings(deadline=None, max_examples=600)
@given(
    CODE | st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.sampled_from(["python", "bash"])
)
@example('    """a\n\n    """\nb', "python")
@example("   \n   '''a'''\n", "python")
@example("import a\n as b\n", "python")
@example("#!a\n#!b\n", "python")
@example("lazy\nimport a", "python")
@example("match a:\n    case _:\n        pass", "python")
@example("f'{(\n[{'", "python")
@example("def\n\n  f", "python")
@example("'{a[b\n]}'", "python")
@example("xª yª\nselfª", "python")
def test_any_text_is_coloured_as_pygments_does(text: str, language: str) -> None:
    """What is no code too; twice, since lines are kept; and behind another line, where they may be known."""
    for whole in (text, text, f"\n{text}", f"x\n{text}\n{text}"):
        assert expected(whole, LEXERS[language]) == highlight.lines(whole, language)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_broken_code_is_coloured_as_pygments_does(data: st.DataObject) -> None:
    """This file, with pieces put in and cut out of a part of it."""
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    first = data.draw(st.integers(0, len(lines) - 1))
    text = "\n".join(lines[first : first + 12])
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 3)))
        text = text[:begin] + data.draw(st.sampled_from(PIECES)) + text[end:]
    assert expected(text, PythonLexer) == highlight.lines(text, "python")


@pytest.mark.parametrize("language", ["json", "yaml"])
def test_lexers_of_another_kind_are_left_to_pygments(language: str) -> None:
    """They have no rules, or such as change more than a stack of states."""
    text = '{"a": [1, true]}\nb: "c" # d\n'
    assert faster(LEXERS[language]) is None
    assert expected(text, LEXERS[language]) == highlight.lines(text, language)  # type: ignore[arg-type]
    assert tokens.stock(LEXERS[language], text) == highlight.lines(text, language)


def test_lexers_with_rules_are_not() -> None:
    """Python's and that of shells."""
    assert {"python", "py", "bash", "sh"} == {name for name, lexer in LEXERS.items() if faster(lexer)}
    assert {PythonLexer, BashLexer, JsonLexer, YamlLexer} == set(LEXERS.values())


class Odd(RegexLexer):
    """Rules of all kinds that Pygments has."""

    name = "odd"
    tokens = {  # noqa: RUF012 - as Pygments has it
        "root": [
            (r"(a+)(b)?(c)", bygroups(Keyword, None, Name)),  # type: ignore[no-untyped-call]
            (r"\bpush\b", Keyword, "#push"),
            (r"two", Keyword, ("in", "in")),
            (r"<(.*?)>", bygroups(using(PythonLexer))),  # type: ignore[no-untyped-call]
            (r"(?=z)", String, "in"),
            (r"z+", Operator),
            (r"(?i)k(?P<late>\n)?", Name.Builtin),
            (r"(x)\1", String),
            (r"x(?=\n\s*y)", Keyword),
            (r"(?<=\n)y", Keyword),
            (r"[ \n]+", Text),
        ],
        "in": [(r"\)", Operator, "#pop"), (r"\]\]", Operator, "#pop:5"), (r"\w", Name), default("#pop")],
    }


@settings(deadline=None, max_examples=400)
@given(st.text(st.sampled_from("abc xyzk\nK\u212a)]<>w1"), max_size=25) | CODE)
@example("two)]]two]]w")
@example("x\n  y\nx\n")
@example("push two push")
def test_rules_of_any_kind_mean_what_they_mean_to_pygments(text: str) -> None:
    """References, conditions behind a line, several states at once, other lexers; or the lexer is unfit.

    Unfit is what drops a part of the text, as `abc` here does.
    """
    fast = Faster(Odd())
    try:
        found = [fast.lines(text) for _ in range(2)]
    except Unfit:
        assert re.search("a+b|<.*>", text)
    else:
        assert [expected(text, Odd)] * 2 == found


def test_a_rule_that_is_no_expression_is_unfit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later Pygments may have such: then its own way is taken."""
    lexer = PythonLexer()
    monkeypatch.setattr(lexer, "_tokens", {"root": [(lambda _text, _at: None, None, None)]})
    with pytest.raises(Unfit):
        Faster(lexer)
    faster.cache_clear()
    monkeypatch.setattr(highlight, "Faster", lambda _lexer: Faster(lexer))
    assert expected("raise\n", PythonLexer) == highlight.lines("raise\n", "python")
    faster.cache_clear()


# Lines that are kept.


def test_a_line_in_the_same_state_is_lexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in other texts; in another state it is another line."""
    fast = Faster(PythonLexer())
    lexed: list[str] = []
    block = fast._block

    def remembered(text: str, at: int, end: int, stack: Any) -> Any:
        lexed.append(text[at:end])
        return block(text, at, end, stack)

    monkeypatch.setattr(fast, "_block", remembered)
    fast.lines("a\nb = 1\n\nb = 1\n")
    assert ["a\n", "b = 1\n", "\n"] == lexed
    fast.lines('c\n\nb = 1\nd = """\nb = 1\nb = 1\n"""\nb = 1\n')
    assert ["c\n", 'd = """\n', "b = 1\n", '"""\n'] == lexed[3:]


def test_a_first_line_is_a_line_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept for other texts, and taken from them, unless a rule for the start of a text may match."""
    fast = Faster(PythonLexer())
    fast.lines("a = 1\n#!b\n")
    monkeypatch.setattr(fast, "_block", None)
    assert expected("a = 1\na = 1\n#!b\n", PythonLexer) == fast.lines("a = 1\na = 1\n#!b\n")
    with pytest.raises(TypeError):
        fast.lines("#!b\n")


@pytest.mark.parametrize(
    "line",
    ["    \n", '    """a\n', "import a\n", "def\n", '"{a[b\n', "from a\n", "match\n"],
)
def test_a_line_that_what_follows_may_change_is_not_kept(line: str) -> None:
    """Some rule looks beyond its end."""
    fast = Faster(PythonLexer())
    fast.lines(f"x\n{line}y\n")
    assert line not in {kept for lines in fast._young.values() for kept in lines}


@pytest.mark.parametrize(
    ("line", "one", "other"),
    [
        ("import a\n", "b\n", "    as b\n"),
        ("    \n", "b\n", '    """a"""\n'),
        ('    """a\n', "b\n", '    """\n'),
        ("def\n", "b\n", "(\n"),
        ('f"""{a\n', "=}\n", "b}\n"),
        ("from a\n", "b\n", "  import b\n"),
        ("match a:\n", "b\n", " _\n"),
    ],
)
def test_what_follows_a_line_can_change_it(line: str, one: str, other: str) -> None:
    """It is read anew."""
    fast = Faster(PythonLexer())
    for text in (f"x\n{line}{one}", f"x\n{line}{other}", f"x\n{line}{one}"):
        assert expected(text, PythonLexer) == fast.lines(text)


def test_so_many_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those asked for last."""
    monkeypatch.setattr(lexing, "KEPT", 40)
    fast = Faster(PythonLexer())
    for number in range(1000):
        fast.lines(f"\nasked\nx{number}\n")
        kept = [line for lines in (*fast._young.values(), *fast._old.values()) for line in lines]
        assert len(kept) <= 40
        assert "asked\n" in kept


def test_stacks_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text may nest as deep as it is long; the next one begins anew."""
    monkeypatch.setattr(lexing, "STACKS", 100)
    fast = Faster(PythonLexer())
    text = "f'{" + "([{\n" * 15_000
    assert tokens.stock(PythonLexer, text) == fast.lines(text)
    assert fast._stacks > 40_000
    fast.lines("x")
    assert fast._stacks < 100


# Counts.


class Counting:
    """A rule's match that counts how often it is tried."""

    def __init__(self, match: Any, counts: list[int]) -> None:
        self.__self__ = match.__self__
        self._match, self._counts = match, counts

    def __call__(self, text: str, at: int) -> object:
        """Match, and count."""
        self._counts[0] += 1
        return self._match(text, at)


def counting() -> tuple[Any, list[int]]:
    """Return a lexer that counts the rules that it tries, and its count."""
    counts = [0]
    lexer: Any = PythonLexer()
    lexer._tokens = {
        state: [(Counting(match, counts), *rest) for match, *rest in rules]
        for state, rules in lexer._tokens.items()
    }
    return lexer, counts


def test_few_rules_are_tried() -> None:
    """Of what Pygments tries for this file, a thirtieth; for the same once more, next to none."""
    text = Path(__file__).read_text(encoding="utf-8")
    lexer, counts = counting()
    fast = Faster(lexer)
    fast.lines(text)
    first, counts[0] = counts[0], 0
    fast.lines(text)
    again, counts[0] = counts[0], 0
    list(lexer.get_tokens_unprocessed(text))
    assert 0 < first < counts[0] / 30
    assert again < first / 2


@pytest.mark.parametrize(
    "line",
    ["x = 1", "f'{a!r:>{w}}'", '"', "'''", "((((", "%(a", "{a[", "    ", "import a", "\\", "é = ü", "@"],
)
def test_twice_the_text_tries_twice_the_rules(line: str) -> None:
    """At most, whatever it says."""
    lexer, counts = counting()
    fast = Faster(lexer)
    tried = []
    for size in (200, 400):
        counts[0] = 0
        fast.lines("\n".join(f"{line} {number}" for number in range(size)))
        tried.append(counts[0])
    assert tried[1] <= 2 * tried[0] + 20


# Expressions.


@pytest.mark.parametrize(
    ("expression", "flags", "starts", "seconds"),
    [
        (r"ab|cd", 0, "ac", {"a": "b", "c": "d"}),
        (r"a?b", 0, "ab", {"a": "b"}),
        (r"^(x)\b(?!q)yz", re.MULTILINE, "x", {"x": "y"}),
        (r"a+b", 0, "a", {"a": "ab"}),
        (r"(?i)a[b-c]", re.IGNORECASE, "aA", {"A": "bBcC"}),
        (r"[^\x00-y]z", 0, "z{|}~\x7f", {"z": "z"}),
        (r"(?:ab){2}c", 0, "a", {"a": "b"}),
    ],
)
def test_what_an_expression_can_begin_with(
    expression: str, flags: int, starts: str, seconds: dict[str, str]
) -> None:
    """No character more, and none less."""
    told = Expression(re.compile(expression, flags))
    assert set(starts) == told.starts()
    assert {char: set(after) for char, after in seconds.items()} == {
        char: told.seconds(char) for char in seconds
    }


@pytest.mark.parametrize("expression", ["", "a?", "(?=a)", r"(a)?(?(1)b|c)", "(?:)|a"])
def test_what_can_be_empty_can_stand_anywhere(expression: str) -> None:
    """Also what is not understood."""
    told = Expression(re.compile(expression))
    assert all(told.is_before(key) for key in ("a", "\n", "~~", " x", " xy", "\x00"))


@settings(deadline=None)
@given(st.text(st.sampled_from(" ab\n#\"'rm\\1"), min_size=1, max_size=8), st.data())
def test_no_rule_matches_where_it_is_not_tried(text: str, data: st.DataObject) -> None:
    """Of Python's rules, at any place of any text: before its next characters, or behind blanks."""
    rules = [rule for rules in PythonLexer()._tokens.values() for rule in rules]  # type: ignore[attr-defined]
    match = data.draw(st.sampled_from(rules))[0]
    at = data.draw(st.integers(0, len(text) - 1))
    told = Expression(match.__self__)
    keys = {text[at], text[at : at + 2]}
    if text[at] == " " and (rest := text[at:].lstrip(" ")):
        keys |= {" " + rest[0], " " + rest[:2]}
    if match(text, at):
        assert all(told.is_before(key) for key in keys)


@pytest.mark.parametrize(
    ("expression", "line", "is_beyond"),
    [
        (r"a\n", "a\n", False),
        (r"a\s+", "a\n", True),
        (r"a\s+", "a b\n", False),
        (r"a\s+b", "a \n", True),
        (r"a(?!\s*b)", "a\n", True),
        (r"a(?!\s*b)", "a c\n", False),
        (r'"[\s\S]*?"', '"a\n', True),
        (r"(?<!\.)a", "a\n", False),
        (r"(?<=\n)a", "a\n", True),
        (r"(a)\1", "a\n", True),
        (r"a\Z", "a\n", True),
        (r"a$", "a\n", False),
        (r"(?:a\n?){3}", "aa\n", True),
        (r"(?:ab?\n|c)", "ab\n", False),
    ],
)
def test_where_an_expression_looks_beyond_the_line(expression: str, line: str, is_beyond: bool) -> None:  # noqa: FBT001 - a table's column
    """A line end that it ends with is the line's own."""
    told = Expression(re.compile(expression, re.MULTILINE))
    assert is_beyond == bool(told.beyond and told.beyond(line + "b", 0, len(line)))


# Texts that begin and end in strings.


def test_a_text_is_read_with_what_stands_around_it() -> None:
    """What opens the string that it begins in, what closes that which it ends in."""
    assert [
        '<span class="sd">a</span>',
        '<span class="sd">    &#34;&#34;&#34;</span>',
        '<span class="k">pass</span>',
    ] == highlight.lines('a\n    """\npass', "python", '    """')
    assert ['    <span class="sd">&#39;&#39;&#39;a</span>', '<span class="sd">b</span>'] == highlight.lines(
        "    '''a\nb", "python", "", "'''"
    )


def test_excerpts_are_coloured_as_in_their_files() -> None:
    """Around every `raise` of a sample of files: with what opens the first string, to the letter."""
    count = 0
    for text in sources():
        if not re.search(r'"""|\'\'\'', text) or max(map(len, text.split("\n"))) > 500:
            continue
        lines, whole = text.split("\n"), highlight.lines(text, "python")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for at in [number for number, line in enumerate(lines) if re.match(r"\s+raise\b", line)][:20]:
            first = max(0, at - 18)
            part = "\n".join(lines[first : at + 19])
            before = quotes.opening(text, first + 1)
            after = quotes.closing(f"{before}\n{part}" if before else part)
            assert whole[first : at + 19] == highlight.lines(part, "python", before, after)
            count += 1
    assert count > 100


def test_the_first_texts_are_left_to_pygments(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a page or two, making the rules ready would take longer; what follows is the same."""
    made: list[type[Lexer]] = []

    def counted(lexer: type[Lexer]) -> Faster | None:
        made.append(lexer)
        return faster(lexer)

    monkeypatch.setattr(highlight, "FEW", 3)
    monkeypatch.setattr(highlight, "faster", counted)
    highlight._asked.cache_clear()
    text = "def held(size: int) -> str:\n    return f'{size} pages'\n"
    found = [highlight.lines(text, "python") for _ in range(5)]

    assert 2 == len(made)
    assert [expected(text, PythonLexer)] * 5 == found
