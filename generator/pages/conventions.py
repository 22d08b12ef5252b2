"""Files whose names others decided: for git, and for the host that would run Jekyll."""

from collections.abc import Iterator

from generator.model import Page, Site
from generator.pages import PageKind


def plan(site: Site) -> Iterator[Page]:  # noqa: ARG001 - the signature of page kinds
    """The build's output is not to be committed, nor to be built again."""
    yield Page(".gitignore", "text", "*\n!.gitignore\n")
    yield Page(".nojekyll", "text", "")


PAGE = PageKind("conventions", plan)
