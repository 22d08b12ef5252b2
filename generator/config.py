"""`[tool.pagefault]` of a pyproject.toml."""

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from generator.diagnostics import Diagnostic, Span

FILE = "pyproject.toml"

Address = Annotated[str, Meta(pattern=r"^https?://[^\s\"'<>\\]+$")]


class Config(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings that a project keeps. Folders are relative to the file's own.

    `base_url` is where the site will stand, ending in `/`; `tracker` the address of the form for new
    issues; `deadline` seconds and `memory` mebibytes of one script.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)] = "pagefault"
    base_url: Address | None = None
    tracker: Address | None = None
    records: str = "records"
    out: str = "site"
    cache: str = ".cache/pagefault"
    templates: str | None = None
    outputs: tuple[str, ...] | None = None
    deadline: Annotated[float, Meta(gt=0, le=600)] = 10.0
    memory: Annotated[int, Meta(ge=256)] = 2048


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
            if "tool.pagefault" in file.read_text(encoding="utf-8"):
                return file
        except (OSError, UnicodeDecodeError):
            continue
    return None


def load(file: Path | None, name: str, folder: Path) -> tuple[Project, tuple[Diagnostic, ...]]:
    """The configuration in a file, and what is wrong with it; without a file, the defaults for `folder`."""
    if file is None:
        return Project(Config(), folder, None, None), ()
    try:
        text = file.read_text(encoding="utf-8")
        table = tomllib.loads(text).get("tool", {}).get("pagefault", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        found = Diagnostic("E0702", f"cannot be read: {error}", name)
        return Project(Config(), file.parent, file, None), (found,)
    place = _place(text, "[tool.pagefault]")
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
                    _place(text, key),
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


def _place(text: str, start: str) -> Span | None:
    """The first line that begins so; the standard library's TOML reader keeps no places."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(start):
            column = len(line) - len(line.lstrip()) + 1
            return Span(number, column, number, column + len(start))
    return None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].partition(" - at")[0]
