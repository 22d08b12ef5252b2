"""For people: the place quoted, with notes and help."""

from collections.abc import Callable, Sequence

from generator import diagnostics
from generator.diagnostics import Diagnostic
from generator.renderings import Rendering


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],
    is_coloured: bool,  # noqa: FBT001 - the signature of renderings
) -> str:
    """One block a finding."""
    return diagnostics.render(found, style="full", lines=lines, is_coloured=is_coloured)


RENDERING = Rendering("full", render)
