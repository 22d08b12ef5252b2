"""What a run depends on, all of it named by whoever starts it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.diagnostics import Span
from generator.memory import Memory
from generator.probe import Limits
from generator.store import Store
from generator.workers import Runner, WarmProcess

OUTPUTS = ("html", "json", "other")


@dataclass(frozen=True, slots=True)
class Rest:
    """Records that lie in another folder: all below it but the files `without`, paths from there."""

    folder: Path
    without: frozenset[str]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a run depends on. Paths are as the user gave them.

    `edit` is the address below which the folder of the records' folder can be edited; `logo` an image;
    `footer` Markdown; `colors` (light, dark) by what they are of; `max_size` bytes that a site may have.
    `is_preview` marks a site of changes under review. Fewer proven records than `floor` are an error.
    `clones` (folders by `owner/name`) asks for records to be held against their pinned source.
    `is_explaining` has it said why something runs again. `rest` are records beside those in `records`.

    `config_name` is what messages call the configuration, `config_table` where its table begins; `name`
    turns a file into the name that they use for it; `environment` is what a child's environment keeps of
    ours; `start` starts the process that runs scripts; `say` is told of progress: a stage, how far it is,
    how much there is. Runs with the same `memory` do not make again what they made of the same inputs.
    """

    records: Path
    out: Path
    cache: Path
    templates: Path | None = None
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    is_caching: bool = True
    is_strict: bool = False
    title: str = "pagefault"
    base_url: str | None = None
    tracker: str | None = None
    edit: str | None = None
    logo: Path | None = None
    footer: str | None = None
    colors: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    max_size: int = 2**30
    is_preview: bool = False
    outputs: tuple[str, ...] = OUTPUTS
    cache_size: int = 2**30
    floor: int = 0
    clones: Mapping[str, Path] | None = None
    is_explaining: bool = False
    rest: Rest | None = None
    config_name: str = "pyproject.toml"
    config_table: Span | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    start: Callable[[Mapping[str, str]], Runner] = WarmProcess
    name: Callable[[Path], str] = str
    memory: Memory = field(default_factory=Memory)
    say: Callable[[str, int, int], None] = lambda stage, done, of: None  # noqa: ARG005 - says nothing

    @property
    def store(self) -> Store:
        """Where facts are kept."""
        return Store(self.cache / "facts" if self.is_caching else None)
