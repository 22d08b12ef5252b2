"""One line a finding: `path:line:column: severity[code] message`, for editors and `grep`."""

from collections.abc import Callable, Sequence

from generator import diagnostics
from generator.diagnostics import Diagnostic
from generator.renderings import Rendering


def render(
    found: Sequence[Diagnostic],
    lines: Callable[[str], Sequence[str]],  # noqa: ARG001 - the signature of renderings
    is_coloured: bool,  # noqa: ARG001, FBT001 - as above
) -> str:
    """One line a finding."""
    return diagnostics.render(found, style="concise")


RENDERING = Rendering("concise", render)
