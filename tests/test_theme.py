"""`generator.theme`: which template is meant, what it may do, and what is said where it fails."""

import hashlib
import pickle
import re
from pathlib import Path

import pytest

from generator import config, theme
from generator.theme import TemplateFailed, Theme, default_templates, palette, room


def write(folder: Path, **files: str) -> Path:
    """Write templates; `__` stands for a dot, `_in_` for a slash."""
    for name, text in files.items():
        path = folder / name.replace("_in_", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_users_file_shadows_ours(tmp_path: Path) -> None:
    """File by file: what is not shadowed stays."""
    mine = write(tmp_path / "mine", page__html="mine", static_in_a__css="mine")
    ours = write(tmp_path / "ours", page__html="ours", part__html="ours", static_in_b__css="ours")
    both = Theme((mine, ours))
    assert ("mine", "ours") == (both.render("page.html", {}), both.render("part.html", {}))
    assert {
        "page.html": b"mine",
        "part.html": b"ours",
        "static/a.css": b"mine",
        "static/b.css": b"ours",
    } == both.files


def test_our_templates_are_at_hand() -> None:
    """Beside the package in a checkout, inside it once installed."""
    assert {"base.html", "error.html", "static/site.css"} <= Theme((default_templates(),)).files.keys()


def test_installed_templates_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel holds them as `_templates`."""
    monkeypatch.setattr(theme, "__file__", str(tmp_path / "theme.py"))
    assert tmp_path.parent / "templates" == default_templates()
    (tmp_path / "_templates").mkdir()
    assert tmp_path / "_templates" == default_templates()


def test_every_file_is_part_of_the_digest(tmp_path: Path) -> None:
    """Its name and its bytes; hidden files are not."""
    write(tmp_path, a__html="a", static_in_b__css="b")
    digests = [Theme((tmp_path,)).digest]
    write(tmp_path, a__html="c")
    digests.append(Theme((tmp_path,)).digest)
    write(tmp_path, c__html="")
    digests.append(Theme((tmp_path,)).digest)
    (tmp_path / "c.html").rename(tmp_path / "d.html")
    digests.append(Theme((tmp_path,)).digest)
    assert 4 == len(set(digests))
    (tmp_path / ".hidden").write_text("x")
    assert digests[-1] == Theme((tmp_path,)).digest


def test_an_assets_address_changes_with_its_bytes(tmp_path: Path) -> None:
    """So that no reader mixes two builds."""
    write(tmp_path, static_in_a__css="a", static_in_deep_in_b__js="b", page__html="{{ assets['a.css'] }}")
    before = Theme((tmp_path,)).assets
    assert ["a.css", "deep/b.js"] == sorted(before)
    assert all(before[name].startswith(f"static/{name.split('.')[0]}.") for name in before)
    assert before["a.css"] == Theme((tmp_path,)).render("page.html", {})
    write(tmp_path, static_in_a__css="other")
    after = Theme((tmp_path,)).assets
    assert before["a.css"] != after["a.css"]
    assert before["deep/b.js"] == after["deep/b.js"]


def test_colors_become_custom_properties(tmp_path: Path) -> None:
    """Behind those of the style sheet, light and dark; where none is set, it stays as it is."""
    write(tmp_path, static_in_site__css=":root { --link: #000 }")
    colors = {"text": ("#111", "#eee"), "link": ("#00f", "#00f")}
    assert (
        b":root { --link: #000 }\n:root {\n"
        b"  --link: light-dark(#00f, #00f);\n  --text: light-dark(#111, #eee);\n}\n"
    ) == Theme((tmp_path,), (("static/site.css", palette(colors)),)).files["static/site.css"]
    plain, unset = Theme((tmp_path,)), Theme((tmp_path,), (("static/site.css", palette({})),))
    assert (plain.files, plain.assets) == (unset.files, unset.assets)


def test_every_color_is_the_style_sheets() -> None:
    """What can be set is what `site.css` gives colors to, for both schemes."""
    sheet = (default_templates() / "static" / "site.css").read_text(encoding="utf-8")
    given = re.findall(r"--([a-z-]+):\s*light-dark\(", sheet)
    assert sorted(config.COLORED) == sorted(given)


def test_an_added_file_is_an_asset_like_any_other(tmp_path: Path) -> None:
    """Under a name with its own digest; other bytes have another name, and another theme."""
    write(tmp_path, page__html="{{ assets['logo.svg'] }}")
    for data in (b"<svg/>", b"<svg></svg>"):
        known = Theme((tmp_path,), (("static/logo.svg", data),))
        assert data == known.files["static/logo.svg"]
        digest = hashlib.sha256(data).hexdigest()[:8]
        assert f"static/logo.{digest}.svg" == known.assets["logo.svg"] == known.render("page.html", {})
    digests = {Theme((tmp_path,), added).digest for added in ((), (("static/logo.svg", b"<svg/>"),))}
    assert 2 == len(digests)


def test_html_escapes_and_markdown_does_not(tmp_path: Path) -> None:
    """Whatever the file's name has beside its ending."""
    write(tmp_path, page__html="{{ x }}", page__j2__html="{{ x }}", page__md="{{ x }}")
    known = Theme((tmp_path,))
    assert ["&lt;b&gt;", "&lt;b&gt;", "<b>"] == [
        known.render(name, {"x": "<b>"}) for name in ("page.html", "page.j2.html", "page.md")
    ]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("\n{{ x }}", 2, "'x' is undefined"),
        ("{{ {}.x }}", 1, "'dict object' has no attribute 'x'"),
        ("\n\n{% if %}", 3, "Expected an expression, got 'end of statement block'"),
        ("\n{{ 1 / 0 }}", 2, "ZeroDivisionError: division by zero"),
        ("{% include 'absent.html' %}", 1, "there is no template `absent.html`"),
        ("\n{{ [1, 2] | join(1, 2, 3, 4) }}", 2, "TypeError: "),
        ("{% block a %}\n{{ 1 }}\nb {{ 2 }}{{ x.y }}\n{{ 3 }}{% endblock %}", 3, "'x' is undefined"),
        ("{% macro a(b) %}\n{{ 1 }}\n{{ b.c }}{% endmacro %}\n{{ a({}) }}", 3, "'dict object' has no"),
    ],
)
def test_a_template_that_fails_is_named_with_its_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    """By the file that its author knows."""
    write(tmp_path, page__html=text)
    with pytest.raises(TemplateFailed) as failed:
        Theme((tmp_path,)).render("page.html", {})
    assert (str(tmp_path / "page.html"), line) == (failed.value.file, failed.value.line)
    assert failed.value.why.startswith(why)


def test_a_template_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Without a file, by its name."""
    with pytest.raises(TemplateFailed) as failed:
        Theme((tmp_path,)).render("page.html", {})
    assert ("page.html", 1, "there is no template `page.html`") == failed.value.args


def test_a_failure_comes_whole_out_of_another_process() -> None:
    """With its file and line."""
    failed = pickle.loads(pickle.dumps(TemplateFailed("page.html", 3, "why")))  # noqa: S301 - bytes of ours
    assert ("page.html", 3, "why") == (failed.file, failed.line, failed.why)


@pytest.mark.parametrize(
    ("logo", "ratio"),
    [
        (b'<?xml version="1.0"?>\n<svg class="a" viewBox="0 0 96 32" width="1"/>', b"96 / 32"),
        (b"<svg\n viewBox='-8,-8, 16.5 , 8'>", b"16.5 / 8"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x20\x08", b"64 / 32"),
        (b"GIF89a\x40\0\x20\0\x80", b"64 / 32"),
    ],
)
def test_a_logo_has_its_room_before_it_comes(logo: bytes, ratio: bytes) -> None:
    """Its proportions are read from it, so that nothing moves when it is shown."""
    assert b"\n.brand img {\n  aspect-ratio: " + ratio + b";\n}\n" == room(logo)


@pytest.mark.parametrize(
    "logo",
    [
        b"",
        b"<svg/>",
        b'<svg viewBox="0 0 0 8"/>',
        b'<svg viewBox="0 0 1;} 8"/>',
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
        b"RIFF\0\0\0\0WEBP",
        b"\xff\xd8\xff\xe0",
    ],
)
def test_a_logo_of_unknown_proportions_has_no_room(logo: bytes) -> None:
    """Rather none than a wrong one."""
    assert b"" == room(logo)
