"""Pygments' tokens as HTML: a piece in a style, and the lines that Pygments itself finds."""

from functools import cache

from pygments.lexer import Lexer
from pygments.token import STANDARD_TYPES, _TokenType

# Names, operators, punctuation and white space have the text's own color: half of all tokens need no element.
_PLAIN = frozenset({"n", "o", "p", "w"})


@cache
def style(kind: _TokenType) -> str:
    """Pygments' short class of a token type, or of the nearest one around it; empty for plain text."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    found = STANDARD_TYPES.get(kind, "")
    return "" if found in _PLAIN else found


def span(name: str, text: str) -> str:
    """A piece of text in a style as HTML, with quotes written as `markupsafe.escape` writes them."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if '"' in text:
        text = text.replace('"', "&#34;")
    if "'" in text:
        text = text.replace("'", "&#39;")
    if not name or not text:
        return text
    if "\n" in text:
        return "\n".join(f'<span class="{name}">{line}</span>' if line else "" for line in text.split("\n"))
    return f'<span class="{name}">{text}</span>'


def stock(lexer: type[Lexer], text: str) -> list[str]:
    """One HTML text a line, as Pygments finds the tokens: neighbours of one style are one."""
    parts: list[str] = []
    found: list[str] = []
    current = ""
    # Not `get_tokens`, which changes line ends and with them the numbers of the lines.
    for _, kind, value in lexer().get_tokens_unprocessed(text):
        name = style(kind)
        if value and name != current:
            parts.append(span(current, "".join(found)))
            current = name
            found.clear()
        found.append(value)
    parts.append(span(current, "".join(found)))
    return "".join(parts).split("\n")
