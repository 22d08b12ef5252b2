"""Markdown and code to HTML that is safe whatever the text says.

Raw HTML is text, there are no images, links go to https, mail or within the site, and the grammar is cut
to what records use, which keeps it linear on the texts that make a full one slow. Code is coloured by
one of a few lexers that are known to end: two of Pygments' others hang on fifty characters.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashLexer
from pygments.token import STANDARD_TYPES, _TokenType

LONGEST_PROSE = 16_000  # characters; a longer text is shown as it is
LONGEST_CODE = 64_000  # characters; a longer one is not coloured
# Characters of one line, or of one run of white space: the lexers take their square.
LONGEST_RUN = 500

_RULES = [
    "backticks",
    "blockquote",
    "emphasis",
    "entity",
    "escape",
    "fence",
    "heading",
    "link",
    "list",
    "newline",
]
# A scheme, or what browsers take for the start of another host.
_FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}", re.IGNORECASE)
_LEXERS: dict[str, type[Lexer]] = {
    "python": PythonLexer,
    "py": PythonLexer,
    "json": JsonLexer,
    "yaml": YamlLexer,
    "bash": BashLexer,
    "sh": BashLexer,
}


def is_safe_url(url: str) -> bool:
    """Whether a link may lead there: https, mailto, within the site or the page."""
    plain = re.sub(r"[\x00-\x20]", "", url)
    if plain.lower().startswith(("https://", "mailto:")):
        return True
    return not _FOREIGN.match(plain) and "\\" not in plain


def fenced(text: str, language: str = "python") -> str:
    """A Markdown block of code, in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def safe_url(url: str) -> str:
    """The address if a link may lead there, else one that leads nowhere."""
    return url if is_safe_url(url) else "#"


def markdown(text: str, lowered: int = 2) -> Markup:
    """The blocks of a Markdown text as HTML, with headings `lowered` by so many levels."""
    if len(text) > LONGEST_PROSE:
        return Markup("<p>{}</p>").format(text)
    return Markup(_markdown().render(text, {"lowered": lowered}))  # noqa: S704 - its renderer escapes all text


def targets(text: str) -> list[str]:
    """Where the links of a Markdown text lead, in order."""
    if "](" not in text or len(text) > LONGEST_PROSE:
        return []
    tokens = [child for token in _markdown().parse(text) for child in token.children or ()]
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


def markdown_inline(text: str) -> Markup:
    """A Markdown text of one paragraph as HTML, without the paragraph."""
    if len(text) > LONGEST_PROSE:
        return escape(text)
    return Markup(_markdown().renderInline(text))  # noqa: S704 - as above


def code(text: str, language: str = "python", first_line: int | None = None, marked: int = 0) -> Markup:
    """Coloured lines of code; numbered if `first_line` is given, with line `marked` set off.

    Each line is one element that holds its line end. Numbers stand in an attribute, for style sheets to
    show: what readers select and copy is the code.
    """
    lines = _lines(text, language)
    parts = []
    for number, line in enumerate(lines, first_line or 1):
        if first_line is None:
            parts.append(line + "\n")
            continue
        mark = ' class="line raising"' if number == marked else ' class="line"'
        parts.append(f'<span{mark} id="L{number}" data-line="{number}">{line}\n</span>')
    return Markup("".join(parts))  # noqa: S704 - `_lines` escapes all text


def changed(text: str, lines: Sequence[int], kind: str) -> Markup:
    """Coloured lines of code, those in `lines` (1-based) marked as `kind`: `gone` or `come`."""
    parts = [
        f'<span class="line {kind}">{line}\n</span>'
        if number in lines
        else f'<span class="line">{line}\n</span>'
        for number, line in enumerate(_lines(text, "python"), 1)
    ]
    return Markup("".join(parts))  # noqa: S704 - as above


def _lines(text: str, language: str) -> list[str]:
    """One HTML text a line; spans never cross a line's end."""
    lexer = _LEXERS.get(language)
    if lexer is None or _is_costly(text):
        return [str(escape(line)) for line in text.split("\n")]
    lines = [""]
    # Not `get_tokens`, which changes line ends and with them the numbers of the lines.
    for _, kind, value in lexer().get_tokens_unprocessed(text):
        style = _style(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append("")
            if piece:
                shown = str(escape(piece))
                lines[-1] += f'<span class="{style}">{shown}</span>' if style else shown
    return lines


def _is_costly(text: str) -> bool:
    """Whether a lexer might take long over it."""
    runs = (*text.split("\n"), *re.findall(r"\s+", text))
    return len(text) > LONGEST_CODE or max(map(len, runs)) > LONGEST_RUN


@cache
def _style(kind: _TokenType) -> str:
    """Pygments' short class of a token type, or of the nearest one around it; empty for plain text."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    style = STANDARD_TYPES.get(kind, "")
    return "" if style == "w" else style


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False, "maxNesting": 20}).enable(_RULES)
    parser.validateLink = is_safe_url  # type: ignore[method-assign]  # the documented way to restrict links
    parser.add_render_rule("fence", _fence)
    # A record's headings stand below the page's own, a guide's are the page's own.
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _heading)
    return parser


def _fence(self: RendererHTML, tokens: list[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG001 - markdown-it's signature
    token = tokens[index]
    language = token.info.split()[0] if token.info.split() else ""
    shown = "\n".join(_lines(token.content.rstrip("\n"), language))
    return f'<pre tabindex="0"><code>{shown}\n</code></pre>\n'


def _heading(self: RendererHTML, tokens: list[Token], index: int, options: Any, env: Any) -> str:  # noqa: ARG001 - markdown-it's signature
    token = tokens[index]
    level = min(6, int(token.tag[1]) + env["lowered"])
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
