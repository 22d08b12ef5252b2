"""What a branch changed of all that records are judged by: which of them are to be judged again."""

from dataclasses import dataclass
from pathlib import Path

from generator import config, schema
from generator.history import History
from generator.settings import Settings
from generator.theme import default_templates

PACKAGE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be judged: the `files` of records and guides, and each `repo.yaml` that changed.

    `changed` are those of them that changed themselves. `is_wide` says that some are gone. `why_all` says
    in words why everything is to be judged; it is empty otherwise.
    """

    files: frozenset[Path]
    changed: frozenset[Path]
    is_wide: bool = False
    why_all: str = ""


def scope(settings: Settings, history: History, commit: str, configuration: Path | None) -> Scope:
    """What a branch changed since a commit. Raises history.HistoryUnavailable."""
    root = history.inside(settings.records)
    if root is None:
        raise AssertionError("the repository is the one that the records lie in")
    start = 0 if root == "." else len(root) + 1
    told = {path[start:]: is_there for path, is_there in history.changed(commit, [settings.records]).items()}
    written = {path for path in told if schema.is_record(path) or is_guide(path)}
    beside = {path for path in told if path.rpartition("/")[2] in schema.NOT_RECORDS}
    changed = frozenset(settings.records / path for path in written | beside if told[path])
    files = set(changed)
    for path in beside:
        files |= set(schema.record_paths((settings.records / path).parent))
    return Scope(
        frozenset(files),
        changed,
        is_wide=not all(told[path] for path in written),
        why_all=_why_all(settings, history, commit, configuration),
    )


def is_guide(path: str) -> bool:
    """Whether a file holds a guide, by its path from the folder of records, with slashes."""
    folder, _, name = path.rpartition("/")
    return folder == schema.GUIDES and name.endswith(".md")


def is_configured_anew(history: History, commit: str, configuration: Path | None) -> bool:
    """Whether the settings that are ours are others than in a commit."""
    if configuration is None or not history.changed(commit, [configuration]):
        return False
    now = configuration.read_text(encoding="utf-8", errors="replace")
    blobs = history.blobs([*history.files(commit, [configuration]).values()])
    then = [data.decode(errors="replace") for data in history.read(blobs)]
    return [config.said(text) for text in then] != [config.said(now)]


def _why_all(settings: Settings, history: History, commit: str, configuration: Path | None) -> str:
    if is_configured_anew(history, commit, configuration):
        return "the configuration changed"
    templates = [folder for folder in (settings.templates, default_templates()) if folder is not None]
    if history.changed(commit, templates):
        return "templates changed"
    return "pagefault itself changed" if history.changed(commit, [PACKAGE]) else ""
