"""`generator.config`: which file is read, what it says, and what is wrong with it."""

from pathlib import Path

import msgspec
import pytest

from generator import config
from generator.config import Config, Project
from generator.diagnostics import Diagnostic

EVERY = """\
[project]
name = "x"

[tool.pagefault]
title = "Errors"
base-url = "https://example.org/errors/"
tracker = "https://example.org/new?template=error"
edit = "https://example.org/edit/main/"
logo = "docs/logo.svg"
footer = "By [us](https://example.org/)."
colors = { link = "#00f", text = ["#111111", "#EEEEEE80"] }
max-size = 500
records = "errors"
out = "public"
cache = "/var/cache/errors"
templates = "theme"
outputs = ["html", "json"]
deadline = 2.5
memory = 512
floor = 47
isolation = 3
"""

SETTINGS = ", ".join(sorted(field.encode_name for field in msgspec.structs.fields(Config)))


def write(folder: Path, text: str) -> Path:
    """Write a pyproject.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def read(folder: Path, text: str) -> tuple[Project, tuple[Diagnostic, ...]]:
    """Read a text as the configuration."""
    return config.load(write(folder, text), "pyproject.toml", folder)


def only(folder: Path, text: str) -> Diagnostic:
    """Return the one thing that is wrong with a text."""
    (found,) = read(folder, text)[1]
    assert ("E0702", "error", "pyproject.toml") == (found.code, found.severity, found.path)
    return found


def place(found: Diagnostic) -> tuple[int, int, int] | None:
    """Line, column and end of what is underlined."""
    return (found.span.line, found.span.column, found.span.end_column) if found.span else None


# The file.


def test_the_nearest_file_with_a_table_is_found(tmp_path: Path) -> None:
    """In the folder itself or above it; others' configurations are passed over."""
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    outer = write(tmp_path, '[tool.pagefault]\ntitle = "outer"\n')
    assert outer == config.find(inner)
    write(tmp_path / "a" / "b", '[project]\nname = "pagefault"\n[tool.other]\n')
    assert outer == config.find(inner)
    nearer = write(tmp_path / "a", "[tool.pagefault]\n")
    assert nearer == config.find(inner)
    assert nearer == config.find(tmp_path / "a")


@pytest.mark.parametrize(
    "text",
    [
        "[tool.pagefault]",
        "[ tool . pagefault ]",
        "[tool]\npagefault = {title = 'x'}",
        "tool.pagefault.title = 'x'",
        "[tool]\npagefault.title = 'x'",
        "[tool.pagefault]\ntitle = ",
        "[tool]\npagefault = 5",
    ],
)
def test_every_way_to_write_the_table_is_found(tmp_path: Path, text: str) -> None:
    """Also in a text that is wrong, which is then complained of."""
    assert write(tmp_path, text) == config.find(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["# [tool.pagefault]", "tool = 5 # tool.pagefault", "[tool.pagefaults]", "x = 'tool.pagefault'", "x ="],
)
def test_a_mere_mention_is_no_table(tmp_path: Path, text: str) -> None:
    """In a comment, a text or another name."""
    file = write(tmp_path, text)
    assert file != config.find(tmp_path)


def test_a_file_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    """A folder of that name, or one that is no text."""
    outer = write(tmp_path, "[tool.pagefault]\n")
    (tmp_path / "a" / "pyproject.toml").mkdir(parents=True)
    (tmp_path / "a" / "b").mkdir()
    (tmp_path / "a" / "b" / "pyproject.toml").write_bytes(b"[tool.pagefault]\n# \xff")
    assert outer == config.find(tmp_path / "a" / "b")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    """For the folder given."""
    assert (Project(Config(), tmp_path, None, None), ()) == config.load(None, "pyproject.toml", tmp_path)


# What it says.


def test_every_setting_is_read(tmp_path: Path) -> None:
    """By its name with hyphens."""
    project, problems = read(tmp_path, EVERY)
    assert () == problems
    assert (
        Config(
            title="Errors",
            base_url="https://example.org/errors/",
            tracker="https://example.org/new?template=error",
            edit="https://example.org/edit/main/",
            logo="docs/logo.svg",
            footer="By [us](https://example.org/).",
            colors={"link": "#00f", "text": ("#111111", "#EEEEEE80")},
            max_size=500,
            records="errors",
            out="public",
            cache="/var/cache/errors",
            templates="theme",
            outputs=("html", "json"),
            deadline=2.5,
            memory=512,
            floor=47,
            isolation=3,
        )
        == project.config
    )
    assert (tmp_path, tmp_path / "pyproject.toml") == (project.folder, project.file)
    assert project.table is not None
    assert 4 == project.table.line


def test_the_test_above_knows_every_setting(tmp_path: Path) -> None:
    """None of those that it reads has its default."""
    said = msgspec.structs.asdict(read(tmp_path, EVERY)[0].config)
    assert [] == [name for name, value in msgspec.structs.asdict(Config()).items() if value == said[name]]


@pytest.mark.parametrize(
    "text",
    [
        "colors = {link = '#00f'}",
        "colors.link = '#00f'",
        "[tool.pagefault.colors]\nlink = '#00f'",
    ],
)
def test_colors_are_read_however_they_are_written(tmp_path: Path, text: str) -> None:
    """In a line, or in a table of their own."""
    project, problems = read(tmp_path, f"[tool.pagefault]\n{text}\n")
    assert ({"link": "#00f"}, ()) == (project.config.colors, problems)


def test_an_empty_table_says_nothing(tmp_path: Path) -> None:
    """The defaults hold, and messages know where settings would stand."""
    project, problems = read(tmp_path, "\n  [tool.pagefault]\n")
    assert ((), Config()) == (problems, project.config)
    assert project.table is not None
    assert (2, 3, 19) == (project.table.line, project.table.column, project.table.end_column)


def test_a_whole_number_of_seconds_is_one(tmp_path: Path) -> None:
    """TOML tells `5` from `5.0`, people do not."""
    assert 5.0 == read(tmp_path, "[tool.pagefault]\ndeadline = 5\n")[0].config.deadline


# What is wrong with it.


@pytest.mark.parametrize(
    ("line", "message", "end"),
    [
        ("title = 5", "`title`: expected `str`, got `int`", 6),
        ('title = ""', "`title`: expected `str` of length >= 1", 6),
        ("deadline = 0", "`deadline`: expected `float` > 0.0", 9),
        ("deadline = 601", "`deadline`: expected `float` <= 600.0", 9),
        ("deadline = nan", "`deadline`: expected `float` > 0.0", 9),
        ("deadline = inf", "`deadline`: expected `float` <= 600.0", 9),
        ("memory = 255", "`memory`: expected `int` >= 256", 7),
        ("memory = true", "`memory`: expected `int`, got `bool`", 7),
        ("memory = 512.5", "`memory`: expected `int`, got `float`", 7),
        ("floor = -1", "`floor`: expected `int` >= 0", 6),
        ("floor = 4.5", "`floor`: expected `int`, got `float`", 6),
        ('floor = "47"', "`floor`: expected `int`, got `str`", 6),
        ("isolation = 0", "`isolation`: expected `int` >= 1", 10),
        ("isolation = 4", "`isolation`: expected `int` <= 3", 10),
        ('outputs = "html"', "`outputs`: expected `array | null`, got `str`", 8),
        ("outputs = [1]", "`outputs`: expected `str`, got `int`", 8),
        ('records = ["a"]', "`records`: expected `str`, got `array`", 8),
        ("out = 2026-01-01", "`out`: expected `str`, got `date`", 4),
        ('"title" = 5', "`title`: expected `str`, got `int`", 8),
        ("max-size = 0", "`max-size`: expected `int` >= 1", 9),
        ('max-size = "1 GB"', "`max-size`: expected `int`, got `str`", 9),
        ('footer = ""', "`footer`: expected `str` of length >= 1", 7),
        ('colors = "#00f"', "`colors`: expected `object`, got `str`", 7),
    ],
)
def test_a_wrong_value_is_reported_at_its_line(tmp_path: Path, line: str, message: str, end: int) -> None:
    """With what was expected; the setting keeps its default."""
    text = f"[tool.other]\n{line}\n\n[tool.pagefault]\n# {line}\n{line}\n"
    found = only(tmp_path, text)
    assert (message, (6, 1, end), None) == (found.message, place(found), found.help)
    assert Config() == read(tmp_path, text)[0].config


@pytest.mark.parametrize(
    "url", ["example.org", "javascript:alert(1)", "https://a b/", 'https://a/"x', "//a/"]
)
@pytest.mark.parametrize("setting", ["base-url", "tracker", "edit"])
def test_an_address_is_of_the_web(tmp_path: Path, setting: str, url: str) -> None:
    """It stands in links on every page."""
    found = only(tmp_path, f"[tool.pagefault]\n{setting} = '{url}'\n")
    assert f"`{setting}`: expected `str` matching regex" in found.message
    assert (2, 1, len(setting) + 1) == place(found)


@pytest.mark.parametrize("url", ["https://example.org/edit", "https://example.org/edit/?path="])
def test_files_are_edited_below_an_address(tmp_path: Path, url: str) -> None:
    """One that ends in `/`: a record's path is put behind it."""
    assert "`edit`: expected" in only(tmp_path, f"[tool.pagefault]\nedit = '{url}'\n").message


@pytest.mark.parametrize("name", ["logo", "logo.txt", "logo.svg.exe", ""])
def test_a_logo_is_an_image(tmp_path: Path, name: str) -> None:
    """By the ending of its name, which pages keep."""
    assert "`logo`: expected" in only(tmp_path, f"[tool.pagefault]\nlogo = '{name}'\n").message


@pytest.mark.parametrize(
    ("color", "message", "cure"),
    [
        ("lnk = '#00f'", "unknown color `lnk`", "did you mean `link`?"),
        ("blue = '#00f'", "unknown color `blue`", f"known colors: {', '.join(sorted(config.COLORED))}"),
        ("link = 'blue'", "`colors.link`: expected `str` matching regex", "write `#rgb` or `#rrggbb`, or"),
        ("link = '#12345'", "`colors.link`: expected `str` matching regex", "write `#rgb` or `#rrggbb`, or"),
        ("link = '#00f;}'", "`colors.link`: expected `str` matching regex", "write `#rgb` or `#rrggbb`, or"),
        ("link = ['#00f']", "`colors.link`: expected `array` of length 2, got 1", "write `#rgb` or"),
        ("link = 255", "`colors.link`: expected `str | array`, got `int`", "write `#rgb` or"),
    ],
)
def test_a_wrong_color_is_reported_and_the_others_are_kept(
    tmp_path: Path, color: str, message: str, cure: str
) -> None:
    """At its own line, where it has one."""
    for text, line in (
        (f"[tool.pagefault]\n\n[tool.pagefault.colors]\ntext = '#111'\n{color}\n", 5),
        (f"[tool.pagefault]\ncolors = {{text = '#111', {color}}}\n", 2),
    ):
        project, problems = read(tmp_path, text)
        (found,) = problems
        assert found.message.startswith(message)
        assert (found.help or "").startswith(cure)
        assert (line, {"text": "#111"}) == (found.span and found.span.line, project.config.colors)


@pytest.mark.parametrize(
    ("key", "cure"),
    [
        ("titel", "did you mean `title`?"),
        ("base_url", "did you mean `base-url`?"),
        ("record", "did you mean `records`?"),
        (
            "xyz",
            f"known settings: {SETTINGS}",
        ),
    ],
)
def test_an_unknown_setting_is_reported_with_the_nearest_one(tmp_path: Path, key: str, cure: str) -> None:
    """Or with all that there are."""
    found = only(tmp_path, f"[tool.pagefault]\ntitle = 'x'\n  {key} = 5\n")
    assert (f"unknown setting `{key}`", cure) == (found.message, found.help)
    assert (3, 3, len(key) + 3) == place(found)


def test_every_problem_is_reported_and_the_rest_is_kept(tmp_path: Path) -> None:
    """In one run."""
    project, problems = read(tmp_path, "[tool.pagefault]\ntitle = 5\nout = 'public'\nnope = 1\nmemory = 1\n")
    assert [(2, 1, 6), (4, 1, 5), (5, 1, 7)] == [place(found) for found in problems]
    assert Config(out="public") == project.config


def test_a_longer_name_is_not_taken_for_a_shorter_one(tmp_path: Path) -> None:
    """`outputs` begins with `out`."""
    assert (3, 1, 4) == place(only(tmp_path, "[tool.pagefault]\noutputs = ['html']\nout = 5\n"))


def test_a_file_that_is_no_toml_is_reported_where_it_breaks(tmp_path: Path) -> None:
    """The defaults hold."""
    found = only(tmp_path, "[tool.pagefault]\ntitle = 'x\nout = 'y'\n")
    assert found.message.startswith("cannot be read: ")
    assert (2, 11, 12) == place(found)
    assert "cannot be read" in only(tmp_path, "[tool.pagefault]\n[tool.pagefault]\n").message


@pytest.mark.parametrize("text", ["[tool]\npagefault = 5\n", "[[tool.pagefault]]\n"])
def test_what_is_no_table_is_reported(tmp_path: Path, text: str) -> None:
    """It is a number, or a list of tables."""
    assert "`tool.pagefault` must be a table" == only(tmp_path, text).message


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    """Between finding and reading it."""
    _, (found,) = config.load(tmp_path / "pyproject.toml", "pyproject.toml", tmp_path)
    assert found.message.startswith("cannot be read: ")
    assert found.span is None
