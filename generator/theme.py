"""Templates and assets: ours, shadowed file by file by a user's own folder."""

import hashlib
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from generator import store

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC = "static"


def default_templates() -> Path:
    """The folder of our templates: inside an installed wheel, beside the package in a checkout."""
    inside = Path(__file__).parent / "_templates"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "templates"


class TemplateFailed(Exception):  # noqa: N818 - a fault of the template, not of the program
    """A template cannot be rendered: its file, the 1-based line, and why."""

    def __init__(self, file: str, line: int, why: str) -> None:
        self.file, self.line, self.why = file, line, why
        # All of it, so that it comes whole out of another process.
        super().__init__(file, line, why)


@dataclass(frozen=True)
class Theme:
    """Folders of templates, the first shadowing the next."""

    folders: tuple[Path, ...]

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every template and asset by its name below the folders."""
        found: dict[str, bytes] = {}
        for folder in reversed(self.folders):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    found[path.relative_to(folder).as_posix()] = path.read_bytes()
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
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - slow to import

        environment = Environment(
            loader=FileSystemLoader([str(folder) for folder in self.folders]),
            undefined=StrictUndefined,
            # Not by file name: the library's own choice would leave some names unescaped.
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        from generator import prose  # noqa: PLC0415 - as above

        environment.filters |= {
            "markdown": prose.markdown,
            "markdown_inline": prose.markdown_inline,
            "code": prose.code,
            "changed": prose.changed,
            "url": prose.safe_url,
            "fenced": prose.fenced,
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
