"""`generator.environment`: templates say what they say with Jinja alone, and less is done for it."""
# ruff: noqa: E501 - templates stand on one line

from collections import defaultdict
from collections.abc import Mapping
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, StrictUndefined, pass_context
from jinja2.exceptions import UndefinedError
from jinja2.runtime import Context
from markupsafe import Markup

from generator.environment import Hasty


class Object:
    """Has an attribute and items, and knows itself as HTML."""

    key = "<attribute>"

    def __getitem__(self, name: str) -> str:
        """The item, whatever it is."""
        return f"<item {name}>"

    def __html__(self) -> str:
        """What is shown of it."""
        return "<b>object</b>"


class Loud(Markup):
    """HTML with a say of its own."""

    def __html__(self) -> "Loud":
        """What is shown of it."""
        return Loud(f"{self}!")


class Name(str):
    """A text that is shown otherwise than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        """What is shown of it."""
        return "<name>"


@pass_context
def seen(context: Context, name: str) -> object:
    """What a template has under a name where it calls this."""
    return context.get(name)


PARTS = {
    "base.html": "<{% block title %}{{ title }}{% endblock %}|{{ self.title() }}|{% block main %}main{% endblock %}>",
    "macros.html": (
        "{% macro plain(a, b='b') %}{{ a }}{{ b }}{% endmacro %}"
        "{% macro around(a) %}[{{ caller() }}{{ a }}]{% endmacro %}"
        "{% macro own(a) %}{{ a }}{{ title }}{% endmacro %}"
    ),
    "part.html": "({{ title }}{% for one in many %}{{ one }}{% endfor %})",
}
CONTEXT = {
    "title": "a <b> & 'c' \"d\"",
    "many": ["x", "<y>", Markup("<z>"), 1, None],
    "mapping": {"items": "item", "key": "<value>", "none": None},
    "made": Markup("<i>made</i>"),
    "deep": {"a": {"b": {"items": "<item>", "c": "<c>"}}, "list": [{"a": "<"}]},
    "others": defaultdict(str, a="<a>"),
    "object": Object(),
    "loud": Loud("<i>"),
    "name": Name("name"),
    "seen": seen,
    "part": partial(str, "<part>"),
    "ended": (one for one in list[str]()),
}
TEMPLATES = [
    "",
    "plain text & <tags>",
    "{{ title }}{{ made }}{{ many }}{{ 1 }}{{ none }}{{ 'a<b' }}{{ 1.5 }}{{ true }}",
    "{{ mapping.key }}{{ mapping['key'] }}{{ mapping.none }}{{ mapping.items() | list }}{{ mapping['items'] }}",
    "{{ title.upper() }}{{ title | upper }}{{ title | e }}{{ made | forceescape }}{{ many | join(', ') }}",
    "{{ mapping.absent is defined }}{{ absent is defined }}{{ mapping.absent | default('d') }}",
    "{% for one in many %}{{ loop.index }}{{ one }}{% else %}none{% endfor %}",
    "{% for one in many if one %}{% if loop.first %}{{ one }}{% elif loop.last %}!{% else %}.{% endif %}{% endfor %}",
    "{% for one in [[1, [2]], [3]] recursive %}{{ loop(one) if one is iterable else one }}{% endfor %}",
    "{% set a %}<{{ title }}>{% endset %}{{ a }}{% set b = title %}{{ b }}{% set c = namespace(d=1) %}{{ c.d }}",
    "{% filter upper %}a{{ title }}{% endfilter %}{% with a = title %}{{ a }}{% endwith %}",
    "{% autoescape false %}{{ title }}{% endautoescape %}{{ title }}{% autoescape true %}{{ title }}{% endautoescape %}",
    "{% include 'part.html' %}{% include 'absent.html' ignore missing %}{% include ['absent.html', 'part.html'] %}",
    "{% extends 'base.html' %}{% block title %}[{{ super() }}]{% endblock %}out{% block main %}{{ title }}{% endblock %}",
    "{% extends 'base.html' %}{% block main %}{% for one in many %}{% block one scoped %}{{ one }}{% endblock %}{% endfor %}{% endblock %}",
    "before{% if title %}{% extends 'base.html' %}{% endif %}behind",
    "{% from 'macros.html' import plain %}{{ plain('<') }}{{ plain('<') }}{{ plain('<', 'c') }}{{ plain(a='d') }}{{ plain(title) }}",
    "{% from 'macros.html' import plain %}{{ plain(made) }}{{ plain('<i>made</i>') }}{{ plain(1) }}{{ plain('1') }}",
    "{% from 'macros.html' import plain %}{% autoescape false %}{{ plain('<') }}{% endautoescape %}{{ plain('<') }}",
    "{% import 'macros.html' as m with context %}{{ m.own('a') }}{% for one in many %}{{ m.own('a') }}{% endfor %}",
    "{{ many | tojson }}{{ {'b': [], 'a': title} | tojson }}{{ [] | tojson }}{{ [1, {}] | tojson(indent=2) }}",
    "{% from 'macros.html' import around %}{% call around('a') %}{{ title }}{% endcall %}{% call around('a') %}b{% endcall %}",
    "{% macro mine(a) %}{{ a }}{{ title }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ mine('a') }}{{ mine('a', 'b', c=1) }}",
    "{% macro mine(a) %}{{ title }}{% endmacro %}{% for title in many %}{{ mine('a') }}{% endfor %}",
    "{% set n = namespace(a=0) %}{% macro next(b) %}{% set n.a = n.a + 1 %}{{ n.a }}{% endmacro %}{{ next('a') }}{{ next('a') }}",
    "{% from 'macros.html' import plain %}{% for one in ['a', 'a', '<'] %}{{ plain(one) }}{% endfor %}",
    "{{ deep.a.b.c }}{{ deep.a.b.items() | list }}{{ deep['a'].b['c'] }}{{ deep.list[0].a }}{{ {'a': {'b': '<'}}.a.b }}",
    "{{ deep.a.b.c ~ deep.a.b['items'] }}{{ deep.list | map(attribute='a') | join }}{{ deep.a.d is defined }}",
    "{% for one in deep.list if one.a == '<' %}{{ one.a }}{% endfor %}{{ plain(a=deep.a.b.c) if plain is defined }}",
    "{% macro mine(a, b=deep.a.b.c) %}{{ a.c }}{{ b }}{% endmacro %}{{ mine(deep.a.b) }}{{ mine(b=deep.a, a=deep.a.b) }}",
    "{{ others.a }}{{ others.items() | list }}{{ object.key }}{{ object.other }}{{ object['key'] }}{{ others.__class__.__name__ }}",
    "{{ object }}{{ loud }}{{ name }}{{ object | string }}{{ [object, loud] }}{{ '{}'.format(title) }}{{ made.format(title) }}",
    "{{ seen('title') }}{% for a in 'b' %}{% set c = '<c>' %}{{ seen('a') }}{{ seen('c') }}{% endfor %}{{ part() }}",
    "{% extends 'base.html' %}{% block main %}{% set d = '<d>' %}{{ seen('d') }}{{ title.split() }}{% endblock %}",
    "{{ ended.send(none) is defined }}{{ title.split('&')[0] }}{{ made.split('>')[0] }}{{ mapping.get('key') }}",
    "{% block empty %}{% endblock %}{% block full %}{{ self.empty() }}.{% endblock %}{{ cycler('a', '<').next() }}",
    "{% macro mine() %}{{ caller() if caller is defined }}{% endmacro %}{% call mine() %}{{ deep.a.b.c }}{% endcall %}{{ mine() }}",
    "{{ range(3) | list }}{{ dict(a='<').a }}{{ lipsum is defined }}{{ namespace(a='<').a }}{{ joiner('<')() }}",
]


def both(templates: Mapping[str, str], *, autoescape: bool = True) -> tuple[Environment, Environment]:
    """Jinja's environment, and ours."""
    options = {
        "undefined": StrictUndefined,
        "autoescape": autoescape,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    loader = DictLoader({**PARTS, **templates})
    return Environment(loader=loader, **options), Hasty(loader=loader, **options)  # type: ignore[arg-type]  # noqa: S701


@pytest.mark.parametrize("autoescape", [True, False])
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_says_what_it_says_with_jinja(template: str, autoescape: bool) -> None:  # noqa: FBT001 - a parameter of a test
    """Also the second time, and with other values: nothing of one page is in another."""
    plain, ours = both({"page.html": template}, autoescape=autoescape)
    for title in ("a <b> & 'c' \"d\"", "other", ""):
        context = CONTEXT | {"title": title}
        expected = plain.get_template("page.html").render(context)
        assert expected == ours.get_template("page.html").render(context)


@given(
    st.one_of(
        st.text(),
        st.text("&<>\"'a", max_size=5),
        st.text().map(Markup),
        st.none(),
        st.integers(),
        st.lists(st.text("<a"), max_size=2),
    )
)
def test_what_is_shown_is_escaped(value: object) -> None:
    """Unless it is marked as HTML."""
    plain, ours = both({"page.html": "{{ value }}"})
    context = {"value": value}
    assert plain.get_template("page.html").render(context) == ours.get_template("page.html").render(context)


@pytest.mark.parametrize(
    "template",
    [
        "{{ mapping.absent }}",
        "{{ absent }}",
        "{{ absent.key }}",
        "{{ title.absent }}",
        "{{ mapping.a.b }}",
        "{{ deep.a.b.d }}",
        "{{ deep.a.b.c.d }}",
        "{{ ended.send(none) }}",
        "{{ absent() }}",
        "{{ mapping.absent() }}",
    ],
)
def test_what_is_undefined_is_said_as_jinja_says_it(template: str) -> None:
    """By name, and of what."""
    messages = []
    for environment in both({"page.html": template}):
        with pytest.raises(UndefinedError) as failed:
            environment.get_template("page.html").render(CONTEXT)
        messages.append(str(failed.value))
    assert 1 == len(set(messages))


@pytest.mark.parametrize(
    "call", ["plain('a', 'b', 'c')", "plain(c='a')", "title.split(1)", "title.split(a=1)", "mapping()"]
)
def test_a_call_that_fails_is_said_as_jinja_says_it(call: str) -> None:
    """With the arguments that were given."""
    messages = []
    for environment in both({"page.html": "{% from 'macros.html' import plain %}{{ " + call + " }}"}):
        with pytest.raises(TypeError) as failed:
            environment.get_template("page.html").render(CONTEXT)
        messages.append(str(failed.value))
    assert 1 == len(set(messages))


def test_what_a_template_knows_is_its_own() -> None:
    """What one is given with its name, no other has."""
    templates = {"page.html": "{{ a is defined }}", "other.html": "{{ a is defined }}{{ b is defined }}"}
    for environment in both(templates):
        environment.globals["b"] = 1
        for _ in range(2):
            assert "True" == environment.get_template("page.html", globals={"a": 1}).render()
        assert "FalseTrue" == environment.get_template("other.html").render()


def test_an_overlay_has_templates_of_its_own() -> None:
    """What one of the two escapes, the other does not."""
    _, ours = both({"page.html": "{{ title }}"})
    other = ours.overlay(autoescape=False)
    shown = [each.get_template("page.html").render(title="<") for each in (ours, other, ours)]
    assert ["&lt;", "<", "&lt;"] == shown
