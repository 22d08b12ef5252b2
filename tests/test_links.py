"""Addresses within the site."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from generator import links

FOLDERS = st.lists(st.sampled_from(["a", "b", "a.b", "page"]), max_size=4)
PATHS = st.builds(
    lambda folders, name: "/".join([*folders, name]), FOLDERS, st.sampled_from(["index.html", "x"])
)


@given(PATHS, PATHS)
def test_an_address_leads_from_page_to_page(target: str, start: str) -> None:
    """As the standard library has it, which asks the system for the working folder each time."""
    assert posixpath.relpath(target, posixpath.dirname(start) or ".") == links.relative(target, start)
