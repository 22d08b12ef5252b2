"""Code to lines of HTML, coloured to the letter as Pygments would colour them, and several times as fast."""

from collections.abc import Iterator
from functools import cache
from itertools import count

from pygments.lexer import Lexer, RegexLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashLexer

from generator.lexing import Faster
from generator.rules import Unfit
from generator.tokens import stock

FEW = 16  # texts that Pygments itself colours in each process, of a build with little to do

# Any other of Pygments' lexers may hang on a short text, as two do.
LEXERS: dict[str, type[Lexer]] = {
    "python": PythonLexer,
    "py": PythonLexer,
    "json": JsonLexer,
    "yaml": YamlLexer,
    "bash": BashLexer,
    "sh": BashLexer,
}


def lines(text: str, language: str, before: str = "", after: str = "") -> list[str]:
    """One HTML text a line; spans never cross a line's end. Raises KeyError for a language without lexer.

    The text is read as if the lines `before` and `after` stood around it: they open and close the strings in
    which it begins and ends.
    """
    lexer = LEXERS[language]
    whole = "\n".join([*filter(None, [before]), text, *filter(None, [after])])
    # To make its rules ready takes as long as to colour some fifty texts without them.
    fast = faster(lexer) if next(_asked(lexer)) >= FEW else None
    try:
        found = fast.lines(whole) if fast else stock(lexer, whole)
    except Unfit:
        found = stock(lexer, whole)
    first = before.count("\n") + 1 if before else 0
    return found[first : first + text.count("\n") + 1]


@cache
def _asked(lexer: type[Lexer]) -> Iterator[int]:  # noqa: ARG001 - what is counted by
    """Counts the texts of a lexer."""
    return count()


@cache
def faster(lexer: type[Lexer]) -> Faster | None:
    """What colours as that lexer does; None where Pygments has to.

    JSON's lexer has no rules, and YAML's rules change more than a stack of states.
    """
    stocks = RegexLexer.get_tokens_unprocessed
    if not issubclass(lexer, RegexLexer) or lexer.get_tokens_unprocessed is not stocks:
        return None
    try:
        return Faster(lexer())
    except Unfit:
        return None
