"""Templates and assets: ours, shadowed file by file by a user's own folder."""

import hashlib
import re
import struct
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from generator import store

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC = "static"
_VIEW_BOX = re.compile(
    rb"<svg\b[^>]*\bviewBox\s*=\s*[\"'][^\"',\s]+[\s,]+[^\"',\s]+[\s,]+([0-9]{1,6}(?:\.[0-9]{1,6})?)[\s,]+([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*[\"']"
)


def default_templates() -> Path:
    """The folder of our templates: inside an installed wheel, beside the package in a checkout."""
    inside = Path(__file__).parent / "_templates"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "templates"


def own_record(code: str) -> Path | None:
    """The file of the record about one of our own codes, whatever its case; None if there is none."""
    inside = Path(__file__).parent / "_records"
    folder = inside if inside.is_dir() else Path(__file__).parent.parent / "records"
    wanted = f"errorCode: {code.upper()}"
    for file in sorted((folder / "pagefault" / "pagefault").glob("*.yaml")):
        if wanted in file.read_text(encoding="utf-8").splitlines():
            return file
    return None


def palette(colors: Mapping[str, tuple[str, str]]) -> bytes:
    """The style sheet that sets colors (light, dark) by what they are of; nothing for none."""
    if not colors:
        return b""
    lines = [f"  --{name}: light-dark({light}, {dark});\n" for name, (light, dark) in sorted(colors.items())]
    return f"\n:root {{\n{''.join(lines)}}}\n".encode()


def room(logo: bytes) -> bytes:
    """The style sheet that keeps a logo's room while it loads; nothing for unknown proportions.

    Known are those of SVG (by its `viewBox`), PNG and GIF.
    """
    if found := _VIEW_BOX.search(logo[:4096]):
        width, height = float(found[1]), float(found[2])
    elif logo.startswith(b"\x89PNG\r\n\x1a\n") and len(logo) >= 24:
        width, height = struct.unpack(">II", logo[16:24])
    elif logo.startswith(b"GIF8") and len(logo) >= 10:
        width, height = struct.unpack("<HH", logo[6:10])
    else:
        return b""
    return (
        f"\n.brand img {{\n  aspect-ratio: {width:g} / {height:g};\n}}\n".encode()
        if width and height
        else b""
    )


class TemplateFailed(Exception):  # noqa: N818 - a fault of the template, not of the program
    """A template cannot be rendered: its file, the 1-based line, and why."""

    def __init__(self, file: str, line: int, why: str) -> None:
        self.file, self.line, self.why = file, line, why
        # All of it, so that it comes whole out of another process.
        super().__init__(file, line, why)


@dataclass(frozen=True)
class Theme:
    """Folders of templates, the first shadowing the next.

    `additions` are put behind the files that have their names, or are files of their own.
    """

    folders: tuple[Path, ...]
    additions: tuple[tuple[str, bytes], ...] = ()

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every template and asset by its name below the folders."""
        found: dict[str, bytes] = {}
        for folder in reversed(self.folders):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    found[path.relative_to(folder).as_posix()] = path.read_bytes()
        for name, data in self.additions:
            found[name] = found.get(name, b"") + data
        return found

    @cached_property
    def digest(self) -> str:
        """Of all templates and assets."""
        parts = (part for name in sorted(self.files) for part in (name, self.files[name]))
        return store.digest(*parts)

    @cached_property
    def assets(self) -> dict[str, str]:
        """The output path of each asset: its name with a digest, so that no reader mixes two builds."""
        return {
            name.removeprefix(f"{STATIC}/"): _hashed(name, data)
            for name, data in self.files.items()
            if name.startswith(f"{STATIC}/")
        }

    def render(self, template: str, context: dict[str, object]) -> str:
        """The template's text. Raises TemplateFailed."""
        environment = self._markdown if template.endswith(".md") else self._html
        try:
            return environment.get_template(template).render(context)
        except Exception as error:
            raise _failed(error, self.folders, template) from error

    @cached_property
    def _markdown(self) -> "Environment":
        """For Markdown, whose readers would see what escapes HTML."""
        return self._html.overlay(autoescape=False)

    @cached_property
    def _html(self) -> "Environment":
        from jinja2 import FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow to import

        from generator import fences, prose  # noqa: PLC0415 - as above
        from generator.environment import Hasty  # noqa: PLC0415 - as above

        environment = Hasty(
            loader=FileSystemLoader([str(folder) for folder in self.folders]),
            # A theme is what its files were when it was made.
            auto_reload=False,
            undefined=StrictUndefined,
            # Not by file name: the library's own choice would leave some names unescaped.
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {
            "markdown": prose.markdown,
            "markdown_inline": prose.markdown_inline,
            "message": prose.message,
            "breakable": prose.breakable,
            "code": prose.code,
            "changed": prose.changed,
            "url": prose.safe_url,
            "fenced": fences.fenced,
        }
        environment.globals["assets"] = self.assets
        return environment


def _failed(error: Exception, folders: Sequence[Path], name: str) -> TemplateFailed:
    """Where an error came from. Jinja rewrites tracebacks: a template's frame is its file and line."""
    from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError  # noqa: PLC0415 - as above

    file, line = name, 1
    for frame, at in traceback.walk_tb(error.__traceback__):
        if any(frame.f_code.co_filename.startswith(f"{folder}/") for folder in folders):
            file, line = frame.f_code.co_filename, at
    if isinstance(error, TemplateNotFound):
        return TemplateFailed(file, line, f"there is no template `{error.name}`")
    if isinstance(error, TemplateSyntaxError):
        file, line = error.filename or file, error.lineno
    told = error.message if isinstance(error, TemplateError) else None
    return TemplateFailed(file, line, told or f"{type(error).__name__}: {error}")


def _hashed(name: str, data: bytes) -> str:
    folder, _, base = name.rpartition("/")
    stem, dot, suffix = base.partition(".")
    return f"{folder}/{stem}.{hashlib.sha256(data).hexdigest()[:8]}{dot}{suffix}"
