"""`[tool.pagefault]` of a pyproject.toml."""

import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from generator.diagnostics import Diagnostic, Span

FILE = "pyproject.toml"

Address = Annotated[str, Meta(pattern=r"^https://[^\s\"'<>\\?#]+$")]
Form = Annotated[str, Meta(pattern=r"^https://[^\s\"'<>\\#]+$")]


_HEAD = re.compile(r"\[ *tool *\. *pagefault *\]")


class Config(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings that a project keeps. Folders are relative to the file's own.

    `base_url` is where the site will stand, ending in `/`; `tracker` the address of the form for new
    issues; `deadline` seconds and `memory` mebibytes of one script; `isolation` the least level
    of walls behind which a script may run; `floor` how many records must be proven at least.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)] = "pagefault"
    base_url: Address | None = None
    tracker: Form | None = None
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
    known = {field.encode_name for field in msgspec.structs.fields(Config)}
    for key, value in table.items():
        try:
            msgspec.convert({key: value}, Config)
        except msgspec.ValidationError as error:
            close = difflib.get_close_matches(key, known, n=1)
            is_known = key in known
            problems.append(
                Diagnostic(
                    "E0702",
                    f"`{key}`: {_lower(str(error))}" if is_known else f"unknown setting `{key}`",
                    name,
                    _place(text, re.compile(rf"([\"']?){re.escape(key)}\1(?=\s*=)"), after=place),
                    help=None
                    if is_known
                    else f"did you mean `{close[0]}`?"
                    if close
                    else f"known settings: {', '.join(sorted(known))}",
                )
            )
        else:
            kept[key] = value
    return Project(msgspec.convert(kept, Config), file.parent, file, place), tuple(problems)


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
