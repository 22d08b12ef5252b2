"""A classic script that hands JSON to the page: a call with the file's name and the JSON as text."""

import msgspec

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme

# What would end a script within HTML, and what older engines take for the end of a line.
_ESCAPES = str.maketrans({"<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def encode(page: Page, theme: Theme) -> bytes:  # noqa: ARG001 - the signature of formats
    """The call, in one line: text, not a literal, because JSON is parsed faster. TypeError without a name."""
    if not isinstance(context := page.made, dict):
        raise TypeError(f"{page.path}: a script needs a name and a content")
    text = msgspec.json.encode(context["content"]).decode()
    name, quoted = (msgspec.json.encode(one).decode() for one in (context["name"], text))
    return f"pagefault.register({name}, {quoted.translate(_ESCAPES)});\n".encode()


FORMAT = Format("script", encode)
