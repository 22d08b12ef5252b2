"""Markdown of plain forms to HTML: the same bytes as the whole grammar's, without its cost.

Most texts are sentences with some code in them. These functions know the forms that can mean one thing
only, and give None for a text with anything else: then the grammar must be asked.
"""

import re

# Code between single backticks that keeps its blanks, and whatever stands in a text for itself.
_CODE = r"`(?![ \n][^`]*[ \n]`)[^`\r\0]++`(?!`)"
_TEXT = r"[^\\`*_\[&\n\r\0]++|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])|&(?![#A-Za-z])|(?<! )\n(?![ \t])"
_LABEL = rf"(?:[^\\`*_\[\]&\n\r\0]++|{_CODE})++"
# Addresses that stay as they are written.
_HREF = r"https://[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){1,4}(?:/[A-Za-z0-9_.~/#?=-]{0,200})?+"
# Stars that can only begin, and those that can only end what is between them.
_STRESSED = r"[A-Za-z0-9](?:[A-Za-z0-9 ,'-]*[A-Za-z0-9])?"
_EMPHASIS = rf"(?<![^ \n(])\*{_STRESSED}\*(?![^ \n.,;:)])"
_STRONG = rf"(?<![^ \n(])\*\*{_STRESSED}\*\*(?![^ \n.,;:)])"
# No groups within: Python 3.11 loses track of those that are in a possessive repetition.
_SENTENCES = re.compile(rf"(?:{_TEXT}|{_CODE}|{_EMPHASIS}|{_STRONG}|\[{_LABEL}\]\({_HREF}\))*+")
# What is marked in sentences, once they are escaped and known to be nothing else.
_MARKED = re.compile(r"`[^`]+`|(\*\*?)([^*]+)\*\*?|\[((?:[^`\]]+|`[^`]+`)+)\]\(([^)]+)\)")
# What may begin another block than a paragraph, and what may be cut off a paragraph's beginning.
_BLOCK = r"(?:[^\S\n]|>|#{1,6}(?:[ \t]|$)|[-+*](?:[ \t]|$)|[0-9]+[.)](?:[ \t]|$)|```|~~~)"
_BEGINS = re.compile(_BLOCK, re.MULTILINE).match
# By the line's end before it: that is looked for, where what is only anchored is tried at each character.
_GOES_ON = re.compile(rf"\n{_BLOCK}", re.MULTILINE).search
_apart = re.compile(r"\n\n+").split
_ITEM = "- "


def inline(text: str) -> str | None:
    """The text's HTML, without a paragraph around it."""
    if not _SENTENCES.fullmatch(text):
        return None
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return _MARKED.sub(_marked, html) if "*" in html or "](" in html else _coded(html)


def blocks(text: str) -> str | None:
    """The HTML of paragraphs, and of lists of items of one line each."""
    made = []
    was_list = False
    for block in _apart(text.strip("\n")) if text.strip("\n") else ():
        is_list = block.startswith(_ITEM)
        # Lists that follow each other are one, whose items have paragraphs.
        html = None if is_list and was_list else _items(block) if is_list else _paragraph(block)
        if html is None:
            return None
        made.append(html)
        was_list = is_list
    return "".join(made)


def _paragraph(text: str) -> str | None:
    html = _inner(text)
    return None if html is None else f"<p>{html}</p>\n"


def _items(text: str) -> str | None:
    made = []
    for line in text.split("\n"):
        html = _inner(line.removeprefix(_ITEM)) if line.startswith(_ITEM) else None
        if html is None:
            return None
        made.append(f"<li>{html}</li>\n")
    return f"<ul>\n{''.join(made)}</ul>\n"


def _inner(text: str) -> str | None:
    """What stands in a paragraph; None for what is none, or would be cut."""
    return None if not text or text[-1].isspace() or _BEGINS(text) or _GOES_ON(text) else inline(text)


def _coded(html: str) -> str:
    """Escaped text with its code marked as such."""
    parts = html.split("`")
    parts[1::2] = [f"<code>{part}</code>".replace("\n", " ") for part in parts[1::2]]
    return "".join(parts)


def _marked(found: re.Match[str]) -> str:
    stars, stressed, label, href = found.groups()
    if stars:
        tag = "em" if stars == "*" else "strong"
        return f"<{tag}>{stressed}</{tag}>"
    return f'<a href="{href}">{_coded(label)}</a>' if href else _coded(found[0])
