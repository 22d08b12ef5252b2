"""`[tool.pagefault]` of a pyproject.toml."""

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from generator.diagnostics import Diagnostic, Span

FILE = "pyproject.toml"

Address = Annotated[str, Meta(pattern=r"^https://[^\s\"'<>\\?#]+$")]
# Files are edited below it.
Below = Annotated[str, Meta(pattern=r"^https://[^\s\"'<>\\?#]+/$")]
Color = Annotated[str, Meta(pattern="^#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$")]
# What templates/static/site.css gives colors to.
Colored = Literal[
    "ground",
    "raised",
    "sunk",
    "line",
    "text",
    "soft",
    "link",
    "tint",
    "mark",
    "mark-ground",
    "good",
    "good-ground",
    "fair",
    "fair-ground",
    "keyword",
    "string",
    "number",
    "comment",
    "name",
]
COLORED: tuple[str, ...] = get_args(Colored)
Form = Annotated[str, Meta(pattern=r"^https://[^\s\"'<>\\#]+$")]

_HEAD = re.compile(r"\[ *tool *\. *pagefault *\]")


class Config(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings that a project keeps. Folders are relative to the file's own.

    `base_url` is where the site will stand, ending in `/`; `tracker` the address of the form for new
    issues; `edit` the address below which this folder's files can be edited, ending in `/`; `logo` an image
    beside the title; `footer` Markdown at the foot of each page; `colors` one for both schemes or two, light
    and dark; `max_size` how many mebibytes a site may have; `deadline` seconds and `memory` mebibytes of one
    script; `isolation` the least level of walls behind which a script may run; `floor` how many records must
    be proven at least.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)] = "pagefault"
    base_url: Address | None = None
    tracker: Form | None = None
    edit: Below | None = None
    logo: Annotated[str, Meta(pattern=r"\.(svg|png|webp|avif|jpg|jpeg|gif)$")] | None = None
    footer: Annotated[str, Meta(min_length=1, max_length=2000)] | None = None
    colors: dict[Colored, Color | tuple[Color, Color]] = {}
    max_size: Annotated[int, Meta(ge=1)] = 1024
    records: str = "records"
    out: str = "site"
    cache: str = ".cache/pagefault"
    templates: str | None = None
    outputs: tuple[str, ...] | None = None
    deadline: Annotated[float, Meta(gt=0, le=600)] = 10.0
    memory: Annotated[int, Meta(ge=256)] = 2048
    floor: Annotated[int, Meta(ge=0)] = 0
    isolation: Annotated[int, Meta(ge=1, le=3)] = 1


@dataclass(frozen=True, slots=True)
class Project:
    """A configuration, the folder that its paths start from, and its file if there is one."""

    config: Config
    folder: Path
    file: Path | None
    table: Span | None


def find(start: Path) -> Path | None:
    """The nearest pyproject.toml with a `[tool.pagefault]` table, in this folder or above it."""
    for folder in (start, *start.parents):
        file = folder / FILE
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "pagefault" in text and _has_table(text):
            return file
    return None


def load(file: Path | None, name: str, folder: Path) -> tuple[Project, tuple[Diagnostic, ...]]:
    """The configuration in a file, and what is wrong with it; without a file, the defaults for `folder`."""
    if file is None:
        return Project(Config(), folder, None, None), ()
    try:
        text = file.read_text(encoding="utf-8")
        table = _table(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        found = Diagnostic("E0702", f"cannot be read: {_lower(str(error))}", name, _place_said(str(error)))
        return Project(Config(), file.parent, file, None), (found,)
    place = _place(text, _HEAD)
    if not isinstance(table, dict):
        found = Diagnostic("E0702", "`tool.pagefault` must be a table", name, place)
        return Project(Config(), file.parent, file, place), (found,)
    kept: dict[str, Any] = {}
    problems = []
    for key, inner, value in _settings(table):
        try:
            msgspec.convert({key: value}, Config)
        except msgspec.ValidationError as error:
            why, cure = _wrong(key, inner, str(error))
            problems.append(Diagnostic("E0702", why, name, _place_of(text, key, inner, place), help=cure))
        else:
            kept[key] = kept.get(key, {}) | value if inner else value
    return Project(msgspec.convert(kept, Config), file.parent, file, place), tuple(problems)


def said(text: str) -> object:
    """What a configuration's text says to us, to be compared with another's; None if it is no TOML."""
    try:
        return _table(text)
    except tomllib.TOMLDecodeError:
        return None


def _settings(table: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each setting, and each color by itself: the rest is kept where one is wrong."""
    for key, value in table.items():
        if key == "colors" and isinstance(value, dict):
            for inner, color in value.items():
                yield key, inner, {inner: color}
        else:
            yield key, "", value


def _wrong(key: str, inner: str, error: str) -> tuple[str, str | None]:
    """What is wrong with a setting, and what to do."""
    known = {field.encode_name for field in msgspec.structs.fields(Config)}
    if key not in known:
        return f"unknown setting `{key}`", _nearest(key, known, "settings")
    if inner and inner not in COLORED:
        return f"unknown color `{inner}`", _nearest(inner, COLORED, "colors")
    cure = "write `#rgb` or `#rrggbb`, or two of them: light and dark" if inner else None
    return f"`{key}{'.' * bool(inner)}{inner}`: {_lower(error)}", cure


def _nearest(word: str, known: Collection[str], kind: str) -> str:
    import difflib  # noqa: PLC0415 - slow to import, and only needed where something is wrong

    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known {kind}: {', '.join(sorted(known))}"


def _place_of(text: str, key: str, inner: str, after: Span | None) -> Span | None:
    """Where a setting's name stands; of a color in a table of its own, the color's."""
    for one in (inner, key) if inner else (key,):
        name = re.compile(rf"([\"']?){re.escape(one)}\1(?=\s*[=.])")
        if found := _place(text, name, after=after):
            return found
    return _place(text, re.compile(rf"\[ *tool *\. *pagefault *\. *{re.escape(key)} *\]")) or after


def _table(text: str) -> Any:
    """What stands at `tool.pagefault`, an empty table if nothing does. Raises tomllib.TOMLDecodeError."""
    tool = tomllib.loads(text).get("tool")
    return tool.get("pagefault", {}) if isinstance(tool, dict) else {}


def _has_table(text: str) -> bool:
    """Whether anything stands at `tool.pagefault`; in a text that is no TOML, whether it seems so."""
    try:
        return bool(_table(text)) or _place(text, _HEAD) is not None
    except tomllib.TOMLDecodeError:
        return _place(text, _HEAD) is not None


def _place(text: str, start: re.Pattern[str], *, after: Span | None = None) -> Span | None:
    """The first line that begins so, below that of `after`; the standard library's reader keeps no places."""
    for number, line in enumerate(text.splitlines(), 1):
        found = start.match(line.lstrip())
        if found and (after is None or number > after.line):
            column = len(line) - len(line.lstrip()) + 1
            return Span(number, column, number, column + found.end())
    return None


def _place_said(message: str) -> Span | None:
    """The place that the standard library's reader names in the text of an error."""
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    if found is None:
        return None
    line, column = int(found[1]), int(found[2])
    return Span(line, column, line, column + 1)


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].partition(" - at")[0]
