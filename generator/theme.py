"""Templates and assets: ours, shadowed file by file by a user's own folder."""

import hashlib
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
        """The template's text. Raises jinja2.TemplateError."""
        environment = self._markdown if template.endswith(".md") else self._html
        return environment.get_template(template).render(context)

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
            "url": prose.safe_url,
            "fenced": prose.fenced,
        }
        environment.globals["assets"] = self.assets
        return environment


def _hashed(name: str, data: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:8]}{dot}{suffix}"
