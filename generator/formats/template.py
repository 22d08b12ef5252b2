"""HTML and Markdown by a template."""

from generator.formats import Format
from generator.model import Page
from generator.theme import Theme


def encode(page: Page, theme: Theme) -> bytes:
    """The rendered template. Raises theme.TemplateFailed, and TypeError for a context that is no mapping."""
    if not isinstance(context := page.made, dict):
        raise TypeError(f"{page.path}: a template needs a mapping")
    return theme.render(page.template, context).encode()


FORMAT = Format("template", encode, is_themed=True)
