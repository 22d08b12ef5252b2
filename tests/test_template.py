"""The template: what opens a hole, what the hole is called, and what the message looks like."""

import doctest
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import template as module
from generator.pattern import Hole, parse
from generator.template import Slot, Template, TemplateError, template

CONVERTERS: dict[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
NAMES = {"x": 7, "y": 2.5, "name": "né", "width": 9, "d": {"a": [1]}}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("got {size}", ("got ", Slot("size"))),
        ("got {self.page_size}!", ("got ", Slot("self.page_size"), "!")),
        ("{len(indices)}", (Slot("len(indices)"),)),
        ("{name!r}", (Slot("name", "r"),)),
        ("{ name !r}", (Slot("name", "r"),)),
        ("{x:.2f}", (Slot("x", "", ".2f"),)),
        ("{x!s:>5}", (Slot("x", "s", ">5"),)),
        ("{x:>{width}}", (Slot("x", "", ">{width}"),)),
        ("{x: >{width}}", (Slot("x", "", " >{width}"),)),
        ("{x: .2f}", (Slot("x", "", " .2f"),)),
        ("{x:>{d['a']}}", (Slot("x", "", ">{d['a']}"),)),
        ("{now:%Y-%m-%d}", (Slot("now", "", "%Y-%m-%d"),)),
        ("{d['a']}", (Slot("d['a']"),)),
        ("{d['a}:!r']}", (Slot("d['a}:!r']"),)),
        ("{ {1: x}[1] }", (Slot("{1: x}[1]"),)),
        ("{', '.join(names)}", (Slot("', '.join(names)"),)),
        ("{a if b else 'c'}", (Slot("a if b else 'c'"),)),
        ("{a != b}", (Slot("a != b"),)),
        ("{a == b}", (Slot("a == b"),)),
        ("{f(a, b=1)}", (Slot("f(a, b=1)"),)),
        ("{x\n}", (Slot("x"),)),
        ("{a}{b}", (Slot("a"), Slot("b"))),
    ],
)
def test_an_expression_in_braces_is_one_hole(text: str, parts: tuple[str | Slot, ...]) -> None:
    """Its name is the expression as written, without conversion and spec."""
    assert parts == template(text).parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{x=}", ("x=", Slot("x", "r"))),
        ("a {x=}", ("a x=", Slot("x", "r"))),
        ("{ x = }", (" x = ", Slot("x", "r"))),
        ("{x=!s}", ("x=", Slot("x", "s"))),
        ("{x=:.2f}", ("x=", Slot("x", "", ".2f"))),
        ("{f(a=1)=}", ("f(a=1)=", Slot("f(a=1)", "r"))),
    ],
)
def test_a_self_documenting_hole_prints_its_expression(text: str, parts: tuple[str | Slot, ...]) -> None:
    """`{x=}` puts the expression before the value, spaces as written, and shows the repr."""
    assert parts == template(text).parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{{", ("{",)),
        ("}}", ("}",)),
        ("{{x}}", ("{x}",)),
        ("{{{x}}}", ("{", Slot("x"), "}")),
        ("{{%s}}", ("{", Slot("1", "s"), "}")),
    ],
)
def test_doubled_braces_are_braces(text: str, parts: tuple[str | Slot, ...]) -> None:
    """With or without holes beside them."""
    assert parts == template(text).parts


@pytest.mark.parametrize(
    "text",
    [
        "expected {",
        "expected }",
        "expected { after x",
        "expected '{' or '}'",
        "expected {, got }",
        "fn() { }",
        "{your key here}",
        "{key: value}",
        '{"a": 1}',
        "{...}",
        "{1, 2}",
        "{'a'}",
        "{it's}",
        "{x!z}",
        "{x!}",
        "{a ==}",
        "{x # why}",
        "{a) + (b}",
        "{a]}",
        "{x:>5",
        "{\0}",
        f"{{{'a' * 301}}}",
        f"{{{'(' * 299}}}",
    ],
)
def test_a_brace_that_opens_no_hole_is_text(text: str) -> None:
    """Plain strings hold braces too; nothing in them is lost or refused."""
    assert (text,) == template(text).parts


def test_text_behind_a_brace_that_opens_no_hole_is_read() -> None:
    """An unclosed brace takes no hole with it."""
    assert ("{x:", Slot("y", "", "{z}")) == template("{x:{y:{z}}").parts
    assert ("{x, ", Slot("y")) == template("{x, {y}").parts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{} of {}", ("0", "1")),
        ("{0} of {0}", ("0", "0")),
        ("{} and {size}", ("0", "size")),
        ("{!r} {:>5}", ("0", "1")),
        ("{:{}} {}", ("0", "2")),
        ("{.shape} {}", ("0.shape", "1")),
        ("{0.shape} {a[some key]}", ("0.shape", "a[some key]")),
        ("{class}", ("class",)),
    ],
)
def test_replacement_fields_are_holes(text: str, names: tuple[str, ...]) -> None:
    """`str.format`'s holes are called by position from 0 or as written."""
    assert names == template(text).names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("%s of %r", (Slot("1", "s"), " of ", Slot("2", "r"))),
        ("%d, %i, %c", (Slot("1", "", "d"), ", ", Slot("2", "", "i"), ", ", Slot("3", "", "c"))),
        ("%5.2f|%-#0+8x", (Slot("1", "", "5.2f"), "|", Slot("2", "", "-#0+8x"))),
        ("%-5s", (Slot("1", "s", "-5"),)),
        ("%(size)d of %(all)s", (Slot("size", "", "d"), " of ", Slot("all", "s"))),
        ("%*d, %s", (Slot("2", "", "*d"), ", ", Slot("3", "s"))),
        ("%s is 5%%", (Slot("1", "s"), " is 5%")),
        ("%%s %s", ("%s ", Slot("1", "s"))),
    ],
)
def test_printf_conversions_are_holes(text: str, parts: tuple[str | Slot, ...]) -> None:
    """They are called by position from 1 or by their key; `%%` is then one per cent sign."""
    assert parts == template(text).parts


@pytest.mark.parametrize("text", ["100%", "5%%", "100% sure", "%y", "%()", "%"])
def test_a_per_cent_sign_alone_is_text(text: str) -> None:
    """A text without conversions was never put through `%`, so `%%` stays as it is."""
    assert (text,) == template(text).parts


def test_printf_conversions_beside_a_brace_hole_are_text() -> None:
    """A message is formatted once: where braces are holes, per cent signs are not."""
    assert (Slot("x"), " %s %%") == template("{x} %s %%").parts


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("", 0, "empty message"),
        ("a\ud800", 1, "lone surrogate"),
        ("a" * 4_001, 4_000, "message of 4,001 characters, at most 4,000 are read"),
        ("." * 2_001, 0, "message whose pattern is longer than 4,000 characters"),
        ("{x:" * 1_333, 0, "message whose pattern is longer than 4,000 characters"),
    ],
)
def test_a_text_that_gives_no_pattern_is_refused(text: str, offset: int, message: str) -> None:
    """Every template has a pattern that can be published, so these are none."""
    with pytest.raises(TemplateError) as caught:
        template(text)
    assert (offset, message) == (caught.value.offset, caught.value.message)
    assert f"{message} at offset {offset}" == str(caught.value)


def test_the_pattern_has_one_hole_for_each_name() -> None:
    """Text is text, and every hole holds at least one character."""
    found = template("need {need_size} (of {self.size}), {x=}")
    assert ("need_size", "self.size", "x") == found.names
    assert r"need (.+?) \(of (.+?)\), x=(.+?)" == found.pattern().text
    assert ("need ", Hole(1), " (of ", Hole(1), "), x=", Hole(1)) == found.pattern().segments


def test_filling_needs_a_value_for_each_hole() -> None:
    """One too few or too many is an error; values are put in as they are."""
    found = template("{a} of {b}")
    assert "{x} of %s" == found.fill(["{x}", "%s"])
    with pytest.raises(ValueError, match="1 values for 2 holes"):
        found.fill(["1"])
    with pytest.raises(ValueError, match="3 values for 2 holes"):
        found.fill(["1", "2", "3"])


def test_documented_examples_hold() -> None:
    """What the module's docstrings show is what the code does."""
    results = doctest.testmod(module)
    assert results.failed == 0
    assert results.attempted > 0


def printed(slot: Slot) -> str:
    """Return what Python prints for a brace hole whose expression speaks of `NAMES`."""
    value = eval(slot.name, dict(NAMES))  # noqa: S307 - a name from the pieces below
    if slot.conversion:
        value = CONVERTERS[slot.conversion](value)
    if not slot.spec:
        return format(value)
    spec = template(slot.spec)
    return format(value, spec.fill([str(NAMES[name]) for name in spec.names]))


@given(
    st.lists(
        st.sampled_from(
            [
                "{x}",
                "{y:.3f}",
                "{y: .1f}",
                "{name!r}",
                "{name!a:>{width}}",
                "{x:{width}}",
                "{x=}",
                "{ y = }",
                "{y=:.1f}",
                "{name=!s}",
                "{d['a']}",
                "{d['a'][0] if x != 3 else '}'}",
                "{'-'.join(['{', name])}",
                "{{",
                "}}",
                "{{x}}",
                "%s 5% %%",
                " got ",
            ]
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(deadline=None)
def test_a_filled_f_string_is_what_python_prints(pieces: list[str]) -> None:
    """Reading an f-string's text and filling it gives Python's own message."""
    # A brace hole, so that `%s` is text as it is for Python.
    text = "{x}" + " ".join(pieces)
    found = template(text)
    expected = eval(f'f"""{text}"""', dict(NAMES))  # noqa: S307 - made of the pieces above
    assert expected == found.fill([printed(part) for part in found.parts if isinstance(part, Slot)])


@given(st.lists(st.tuples(TEXT, st.sampled_from(["{}", "{!r}", "{:>5}"])), min_size=1), TEXT)
@settings(deadline=None)
def test_a_filled_replacement_field_is_what_format_prints(pieces: list[tuple[str, str]], end: str) -> None:
    """Reading a text for `str.format` and filling it gives what `str.format` does."""
    doubled = [(re.sub("[{}]", r"\g<0>\g<0>", text), field) for text, field in pieces]
    written = "".join(text + field for text, field in doubled)
    written += re.sub("[{}]", r"\g<0>\g<0>", end)
    values = [str(number) for number in range(len(pieces))]
    each = [field.replace("{", "{0").format(value) for value, (_, field) in zip(values, pieces, strict=True)]
    assert written.format(*values) == template(written).fill(each)


@given(st.lists(st.tuples(TEXT, st.sampled_from(["%s", "%r", "%-5s", "%%"]))), TEXT)
@settings(deadline=None)
def test_a_filled_conversion_is_what_per_cent_prints(pieces: list[tuple[str, str]], end: str) -> None:
    """Reading a text for `%` and filling it gives what `%` does."""
    strip = str.maketrans("", "", "{}%")
    written = "%s" + "".join(text.translate(strip) + field for text, field in pieces)
    written += end.translate(strip)
    fields = ["%s", *(field for _, field in pieces if field != "%%")]
    values = tuple(str(number) for number in range(len(fields)))
    each = [field % value for field, value in zip(fields, values, strict=True)]
    assert written % values == template(written).fill(each)


@given(st.text(st.sampled_from([*"{}{}{}%s!:='\"\\()[]x0. \n+*"]), max_size=14))
@settings(deadline=None, max_examples=500)
def test_every_template_has_a_pattern_that_can_be_published(text: str) -> None:
    """No text fails otherwise than by TemplateError; the pattern is read again as it is."""
    try:
        found = template(text)
    except TemplateError:
        assert not text
    else:
        assert (found.pattern(), ()) == parse(found.pattern().text)
        assert len(found.names) == len(found.pattern().segments) - len(found.pattern().literals)


@given(st.lists(st.one_of(TEXT.filter(bool), st.just(Slot("x")))), st.data())
@settings(deadline=None)
def test_a_filled_template_matches_its_pattern(parts: list[str | Slot], data: st.DataObject) -> None:
    """Whatever the values, as long as none is empty."""
    text = "".join("{x}" if isinstance(part, Slot) else re.sub("[{}]", r"\g<0>\g<0>", part) for part in parts)
    found: Template = template("{x}" + text)
    count = len(found.names)
    values = data.draw(st.lists(TEXT.filter(bool), min_size=count, max_size=count))
    assert found.pattern().captures(found.fill(values)) is not None
