"""A theme's asset, byte for byte; the context is its name below the theme's folder."""

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme


def encode(page: Page, theme: Theme) -> bytes:
    """The asset's bytes. Raises KeyError."""
    return theme.files[str(page.made)]


FORMAT = Format("asset", encode, is_themed=True)
