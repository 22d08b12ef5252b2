"""Text that a page kind wrote whole."""

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme


def encode(page: Page, theme: Theme) -> bytes:  # noqa: ARG001 - the signature of formats
    """The context, which is the text."""
    return str(page.made).encode()


FORMAT = Format("text", encode)
