"""Pages to bytes: each module of this folder is one output format."""

from collections.abc import Callable
from dataclasses import dataclass

from generator.model import Page
from generator.theme import Theme


@dataclass(frozen=True, slots=True)
class Format:
    """A way to encode a page's context. `is_themed` says that templates and assets are part of it."""

    name: str
    encode: Callable[[Page, Theme], bytes]
    is_themed: bool = False
