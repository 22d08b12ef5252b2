"""JSON in one line, as the founding API writes it: no spaces, text unescaped, no line end."""

import msgspec

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme


def encode(page: Page, theme: Theme) -> bytes:  # noqa: ARG001 - the signature of formats
    """The context as it is; the order of its keys is the page kind's."""
    return msgspec.json.encode(page.made)


FORMAT = Format("json", encode)
