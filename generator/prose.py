"""Markdown and code to HTML that is safe whatever the text says.

Raw HTML is text, there are no images, links go to https, mail or within the site, and the grammar is cut
to what records use, which keeps it linear on the texts that make a full one slow. Code is coloured by
one of a few lexers that are known to end: two of Pygments' others hang on fifty characters.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from generator import highlight, quotes, sentences
from generator.escaping import as_html, shown

LONGEST_PROSE = 16_000  # characters; a longer text is shown as it is
LONGEST_CODE = 64_000  # characters; a longer one is not coloured
# Characters of one line, or of one run of white space: the lexers take their square.
LONGEST_RUN = 500
GAP = 100  # characters of white space behind a line's end, of which there are few

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
_BLANKS = re.compile(r"\s\s+")
_GAP = re.compile(rf"\n\s{{{GAP}}}")
# A scheme, or what browsers take for the start of another host.
_FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\]{2}", re.IGNORECASE)


def is_safe_url(url: str) -> bool:
    """Whether a link may lead there: https, mailto, within the site or the page."""
    # As most begin; with what is taken out of the others, these would begin so too.
    if url.startswith("https://"):
        return True
    if url.startswith("../"):
        return "\\" not in url
    plain = re.sub(r"[\x00-\x20]", "", url)
    if plain.lower().startswith(("https://", "mailto:")):
        return True
    return not _FOREIGN.match(plain) and "\\" not in plain


def safe_url(url: str) -> str:
    """The address if a link may lead there, else one that leads nowhere."""
    return url if is_safe_url(url) else "#"


def markdown(text: str, lowered: int = 2) -> Markup:
    """The blocks of a Markdown text as HTML, with headings `lowered` by so many levels."""
    if len(text) > LONGEST_PROSE:
        return Markup("<p>{}</p>").format(text)
    html = sentences.blocks(text)
    if html is None:
        html = grammar().render(text, {"lowered": lowered})
    return as_html(html)  # noqa: S704 - both escape all text


def targets(text: str) -> list[str]:
    """Where the links of a Markdown text lead, in order."""
    if "](" not in text or len(text) > LONGEST_PROSE:
        return []
    html = sentences.blocks(text)
    if html is not None:
        # Quotes are escaped in whatever is no attribute.
        return re.findall(r' href="([^"]*)"', html)
    tokens = [child for token in grammar().parse(text) for child in token.children or ()]
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


def markdown_inline(text: str) -> Markup:
    """A Markdown text of one paragraph as HTML, without the paragraph."""
    if len(text) > LONGEST_PROSE:
        return escape(text)
    html = sentences.inline(text)
    return as_html(grammar().renderInline(text) if html is None else html)  # noqa: S704 - as above


def message(parts: Iterable[Mapping[str, str]]) -> Markup:
    """A message of texts, holes by their names, and values that stood in holes."""
    html = []
    for part in parts:
        if "hole" in part:
            html.append(f"<var>{{{shown(part['hole'])}}}</var>")
        elif "value" in part:
            html.append(f"<mark>{shown(part['value'])}</mark>")
        else:
            html.append(shown(part["text"]))
    return as_html("".join(html))  # noqa: S704 - as above


def breakable(text: str) -> Markup:
    """A path as HTML that may go on in the next line after each of its parts, and not within them."""
    html = str(shown(text))
    return as_html(html.replace("/", "/<wbr>").replace("_", "_<wbr>"))  # noqa: S704 - as above


def code(
    text: str,
    language: str = "python",
    first_line: int | None = None,
    marked: int = 0,
    before: str | None = None,
) -> Markup:
    """Coloured lines of code; numbered if `first_line` is given, with line `marked` set off.

    Each line is one element that holds its line end. Numbers stand in an attribute, for style sheets to
    show: what readers select and copy is the code. Numbered lines are a part of a file, which may begin in a
    string: `before` says what opens that, None that it is not known.
    """
    if first_line is None:
        return as_html("\n".join((*_lines(text, language), "")))  # noqa: S704 - `_lines` escapes all text
    lines, first = _part(text, language, before), first_line or 1
    parts = [
        f'<span class="line" id="L{number}" data-line="{number}">{line}\n</span>'
        for number, line in enumerate(lines, first)
    ]
    if 0 <= marked - first < len(parts):
        parts[marked - first] = parts[marked - first].replace('"line"', '"line raising"', 1)
    return as_html("".join(parts))  # noqa: S704 - as above


def changed(text: str, lines: Sequence[int], kind: str) -> Markup:
    """Coloured lines of code, those in `lines` (1-based) marked as `kind`: `gone` or `come`."""
    parts = [
        f'<span class="line {kind}">{line}\n</span>'
        if number in lines
        else f'<span class="line">{line}\n</span>'
        for number, line in enumerate(_lines(text, "python"), 1)
    ]
    return as_html("".join(parts))  # noqa: S704 - as above


def _part(text: str, language: str, before: str | None) -> list[str]:
    """The lines of a part of a file."""
    if language not in {"python", "py"} or _is_costly(text):
        return _lines(text, language)
    return highlight.lines(text, language, *quotes.around(text, before))


def _lines(text: str, language: str) -> list[str]:
    """One HTML text a line; spans never cross a line's end."""
    if language not in highlight.LEXERS or _is_costly(text):
        return str(escape(text)).split("\n")
    return highlight.lines(text, language)


def _is_costly(text: str) -> bool:
    """Whether a lexer might take long over it."""
    if len(text) <= LONGEST_RUN:
        return False
    longest = max(map(len, text.split("\n")))
    if len(text) > LONGEST_CODE or longest > LONGEST_RUN:
        return True
    # What is longer than all lines has a line's end in it, and more behind the first one than a line less.
    is_gapless = longest < LONGEST_RUN - GAP and not _GAP.search(text)
    return not is_gapless and any(len(run) > LONGEST_RUN for run in _BLANKS.findall(text))


@cache
def grammar() -> MarkdownIt:
    """What knows all the Markdown that there is."""
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
