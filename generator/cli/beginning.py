"""The command that begins a reference: what of it is there already, and what is written."""

import json
import os
import tomllib
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator import __version__
from generator.cli.speech import EXIT_USAGE, fail, named
from generator.cli.writing import Writing

if TYPE_CHECKING:
    from generator.origins import Place

WORKFLOW = ".github/workflows/errors.yml"


def begin(folder: Path, options: dict[str, Any]) -> int:
    """Writes what a reference begins with; the exit status."""
    from generator import config, json_schema, starting  # noqa: PLC0415 - `--help` does without it

    if not folder.is_dir():
        fail(f"there is no folder {folder}", EXIT_USAGE)
    os.chdir(folder)
    file = Path(config.FILE)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fail(f"{config.FILE} cannot be read: {error}", EXIT_USAGE)
    project = table.get("project", {})
    name = str(project.get("name") or "")
    source: Path | None = options["source"]
    writing = Writing(
        {
            "records": None,
            "cache": None,
            "repo": options["repo"],
            "commit": None,
            "prefix": None,
            "is_dry": False,
        }
    )
    places = _places(writing, source or _package(name))
    repo = options["repo"] or next((one.release.repo for one in places if one.release.repo), None)
    repo = repo or writing.ask("repo", _origin())
    start = starting.Start(name or repo.partition("/")[2], repo, _ourselves(), "." if project else "")
    if "pagefault" not in table.get("tool", {}):
        _write(file, f"{text.rstrip()}\n\n{starting.settings(start)}".lstrip())
    else:
        click.echo(f"{config.FILE} has settings already: they are kept", err=True)
    ignore = Path(".gitignore")
    known = ignore.read_text(encoding="utf-8") if ignore.is_file() else ""
    if (wanted := starting.ignored(known)) != known:
        _write(ignore, wanted)
    workflow = Path(WORKFLOW)
    if workflow.exists():
        click.echo(f"{WORKFLOW} is kept", err=True)
    else:
        _write(workflow, starting.workflow(start))
    is_new = not writing.settings.records.exists()
    for kind, meant in json_schema.KINDS.items():
        schema = writing.settings.records / json_schema.FOLDER / f"{kind}.json"
        if not schema.exists():
            _write(schema, json_schema.text(meant))
    if is_new:
        _begin_record(writing, places, repo, start.title)
    click.echo("next: pagefault check, then pagefault serve", err=True)
    return 0


def _begin_record(writing: Writing, places: "list[Place]", repo: str, title: str) -> None:
    """Begins the first record, of the first place whose lines are those of a commit."""
    from generator import drafts  # noqa: PLC0415 - `--help` does without it

    for place in places:
        if place.release.commit is None:
            continue
        statement, function = drafts.at(place.text, place.line)
        origin = drafts.Origin(repo, place.release.commit, requirement=place.release.requirement)
        draft = drafts.draft(
            place.text, statement, function, file=place.file, origin=origin, date=writing.today
        )
        for one in writing.write_repository(origin, replace(place.release, title=title)):
            click.echo(one)
        click.echo(writing.write(repo, draft))
        return
    click.echo(
        "no record was begun, as no commit has a `raise` with a message: "
        "`pagefault new` begins one from a traceback or from the place of a `raise`",
        err=True,
    )


def _places(writing: Writing, source: Path | None) -> "list[Place]":
    """Where the project's own package raises errors: those of functions that others call first."""
    from generator import harvest, origins  # noqa: PLC0415 - `--help` does without it

    if source is None:
        return []
    try:
        _, files = origins.source(str(source), {}, cache=writing.settings.cache)
    except origins.Unplaceable as error:
        fail(str(error), EXIT_USAGE)
    folders = (Path.cwd(), *Path.cwd().parents)
    raised = sorted(harvest.read(files).raised, key=lambda one: "._" in f".{one.site.function}")
    # Files are named from the top of the working folder of git.
    paths = [
        (path, one.site.line)
        for one in raised[:20]
        if (path := next((each for folder in folders if (each := folder / one.site.file).is_file()), None))
    ]
    return [origins.of_file(path, line, {}, cache=writing.settings.cache) for path, line in paths]


def _origin() -> str | None:
    """The repository that git would push to."""
    from generator import origins  # noqa: PLC0415 - `--help` does without it

    return origins.origin_of(Path.cwd())


def _package(name: str) -> Path | None:
    """The folder of a project's own package; None where there is none of its name."""
    own = name.lower().replace("-", "_").replace(".", "_")
    for one in (Path("src") / own, Path(own)) if own else ():
        if one.is_dir():
            return one
    return Path("src") if Path("src").is_dir() else None


def _ourselves() -> str:
    """How pip gets this very pagefault."""
    try:
        told = json.loads(metadata.distribution("pagefault").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        told = {}
    commit = told.get("vcs_info", {}).get("commit_id") if isinstance(told, dict) else None
    return f"pagefault @ git+{told['url']}@{commit}" if commit else f"pagefault=={__version__}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{named(path)} cannot be written: {error.strerror or error}", EXIT_USAGE)
    click.echo(named(path))
