"""`generator.theme`: which template is meant, what it may do, and what is said where it fails."""

import pickle
from pathlib import Path

import pytest

from generator import theme
from generator.theme import TemplateFailed, Theme, default_templates


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
