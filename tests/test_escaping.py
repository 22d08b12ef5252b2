"""`generator.escaping`: what is shown is what `markupsafe` shows, and no text is taken for HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from generator.escaping import as_html, shown


class Name(str):
    """A text that is shown otherwise than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        """What is shown of it."""
        return "<name>"


class Loud(Markup):
    """HTML with a say of its own."""

    def __html__(self) -> "Loud":
        """What is shown of it."""
        return Loud(f"{self}!")


@given(st.one_of(st.text(), st.text("&<>\"'a", max_size=5), st.text().map(Markup), st.none(), st.floats()))
def test_a_value_is_shown_as_markupsafe_shows_it(value: object) -> None:
    """Whatever it is."""
    assert str(escape(value)) == str(shown(value))


@pytest.mark.parametrize("value", [Name("name"), Loud("<i>"), ["<"], b"<", 1, True, None, "", Markup()])
def test_what_is_no_plain_text_has_its_own_say(value: object) -> None:
    """Also what is a text, or HTML, of another class."""
    assert str(escape(value)) == str(shown(value))


@pytest.mark.parametrize("mark", "&<>\"'")
def test_each_character_that_means_something_is_escaped(mark: str) -> None:
    """Wherever it stands."""
    for text in (mark, f"a{mark}", f"{mark}a", f"a{mark}\u2028b"):
        assert mark not in shown(text).replace("&amp;", "").replace("&", "")
        assert isinstance(shown(text), Markup)


def test_what_holds_nothing_to_escape_is_not_made_anew() -> None:
    """Nor is what is HTML."""
    for value in ("text", Markup("<i>")):
        assert value is shown(value)


@given(st.text())
def test_what_is_html_is_marked_as_such(html: str) -> None:
    """As it is, and of the library's own class."""
    made = as_html(html)  # noqa: S704 - nobody reads it
    assert (Markup, html) == (type(made), str(made))
    assert made is shown(made)
