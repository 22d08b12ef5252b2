"""The command that begins a record: what is asked, what is asked back, and what is written."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, fail, named

if TYPE_CHECKING:
    from generator.drafts import Draft, Origin
    from generator.model import Repository
    from generator.origins import Place, Release
    from generator.paste import Spoken
    from generator.settings import Settings

_LONGEST = 16 * 2**20  # bytes of a paste
_FORMS = {
    "repo": (re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9][A-Za-z0-9_.-]*"), "`owner/name` on GitHub"),
    "commit": (re.compile(r"[0-9a-f]{40}"), "a full commit sha: 40 hex digits"),
    "prefix": (re.compile(r"(?!/)(?!.*\.\./)[^\\\s]*/"), "a folder of the repository, ending in `/`"),
}


def settings_for(records: Path | None, cache: Path | None) -> "Settings":
    """What a command needs that runs nothing: the folders, as the configuration has them."""
    from generator import config  # noqa: PLC0415 - `--help` does without it
    from generator.settings import Settings  # noqa: PLC0415 - as above

    file = config.find(Path.cwd())
    project, _ = config.load(file, named(file) if file else config.FILE, Path.cwd())
    kept = project.config
    return Settings(
        records=records or project.folder / kept.records,
        out=project.folder / kept.out,
        cache=cache or project.folder / kept.cache,
        name=named,
    )


def _laid_out(path: Path, text: str) -> str:
    """A file's text as `pagefault fmt` would leave it."""
    from generator import json_schema, layout  # noqa: PLC0415 - `--help` does without it
    from generator.diagnostics import Source  # noqa: PLC0415 - as above

    kind = "repo" if path.name == "repo.yaml" else "record"
    modeline = json_schema.modeline(path, kind)
    return layout.arrange(
        Source(named(path), text), json_schema.KINDS[kind], is_json=False, modeline=modeline
    )


class Writing:
    """One call of `new`: what is known so far, and the questions that are left."""

    def __init__(self, options: dict[str, Any]) -> None:
        from generator import reading  # noqa: PLC0415 - `--help` does without it

        self.options = options
        self.settings = settings_for(options["records"], options["cache"])
        found = reading.read_repositories(self.settings) if self.settings.records.is_dir() else None
        self.repositories: Mapping[str, Repository] = found.repositories if found else {}
        for name, (form, wanted) in _FORMS.items():
            if options.get(name) and not form.fullmatch(options[name]):
                fail(f"--{name} takes {wanted}", EXIT_USAGE)

    @property
    def today(self) -> str:
        """The date, in UTC."""
        return datetime.now(tz=UTC).date().isoformat()

    def new(self, place: str | None) -> int:
        """Writes the record of an error; the exit status."""
        from generator import drafts, origins  # noqa: PLC0415 - `--help` does without it

        spoken = None if place and place != "-" else self._pasted()
        try:
            found = self._place(place, spoken)
            statement, function = drafts.at(found.text, found.line)
            origin = self.origin(found.release)
            draft = drafts.draft(
                found.text,
                statement,
                function,
                file=found.file,
                origin=origin,
                values=_values(statement.message, spoken),
                date=self.today,
            )
        except (origins.Unplaceable, drafts.Undraftable) as error:
            fail(str(error), EXIT_USAGE)
        if self.options["is_dry"]:
            click.echo(_laid_out(self._file(origin.repo, draft), draft.text), nl=False)
            return 0
        if known := self._documented(draft):
            click.echo(f"{known} documents this error already", err=True)
            return EXIT_FINDINGS
        beside = self.write_repository(origin, found.release)
        path = self.write(origin.repo, draft)
        click.echo(path)
        for one in beside:
            click.echo(f"with {one}", err=True)
        click.echo(f"recognised by {draft.pattern}\nnext: pagefault check {path}", err=True)
        return 0

    def origin(self, release: "Release") -> "Origin":
        """What a record says of a release. What is not known is asked, or refused where nobody is there."""
        from generator.drafts import Origin  # noqa: PLC0415 - `--help` does without it

        only = next(iter(self.repositories)) if len(self.repositories) == 1 else None
        repo = self.options["repo"] or release.repo or self.ask("repo", only)
        known = self.repositories.get(repo)
        package = known.package if known else None
        if package is not None and package.requirement == release.requirement and not self.options["commit"]:
            return Origin(repo, package.commit, package.prefix, release.requirement, is_at_hand=True)
        commit = self.options["commit"] or release.commit or self.ask("commit", None)
        # Without a `repo.yaml` of another release, one is written that names this.
        is_at_hand = release.is_at_hand or (release.title is not None and known is None)
        return Origin(
            repo, commit, self.options["prefix"] or release.prefix, release.requirement, is_at_hand=is_at_hand
        )

    def has(self, repo: str, draft: "Draft") -> bool:
        """Whether a file of the record's name is there."""
        return self._file(repo, draft).exists()

    def _file(self, repo: str, draft: "Draft") -> Path:
        return self.settings.records / repo / f"{draft.slug}.yaml"

    def write(self, repo: str, draft: "Draft") -> str:
        """Writes a record's file, and never over another; what messages call it."""
        path = self._file(repo, draft)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(_laid_out(path, draft.text))
        except FileExistsError:
            fail(f"{named(path)} is there already, and is left as it is", EXIT_USAGE)
        except OSError as error:
            fail(f"{named(path)} cannot be written: {error.strerror or error}", EXIT_USAGE)
        return named(path)

    def write_repository(self, origin: "Origin", release: "Release") -> list[str]:
        """Writes what stands beside the records of a repository that has none yet; what that is called."""
        from generator import drafts  # noqa: PLC0415 - `--help` does without it

        path = self.settings.records / origin.repo / "repo.yaml"
        if origin.repo in self.repositories or path.exists():
            return []
        title = release.title or origin.repo.rpartition("/")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        text = drafts.repository(origin, title=title, license=release.license)
        path.write_text(_laid_out(path, text), encoding="utf-8")
        return [named(path)]

    def _place(self, place: str | None, spoken: "Spoken | None") -> "Place":
        """Where the error is raised. Raises Unplaceable."""
        from generator import origins  # noqa: PLC0415 - `--help` does without it

        if spoken is not None:
            found = origins.of_frames(
                spoken.frames, self.repositories, cache=self.settings.cache, here=Path.cwd()
            )
        else:
            file, _, line = (place or "").rpartition(":")
            if not file or not re.fullmatch("[1-9][0-9]{0,6}", line):
                fail(f"`{place}` is no place: name a file and a line, `src/pool.py:112`", EXIT_USAGE)
            if self.options["package"]:
                found = origins.of_member(
                    self.options["package"], file, int(line), self.repositories, cache=self.settings.cache
                )
            else:
                found = origins.of_file(Path(file), int(line), self.repositories, cache=self.settings.cache)
        if self.options["package"] and spoken is not None:
            fail("--package takes a place in it, `jinja2/environment.py:123`", EXIT_USAGE)
        return found

    def _pasted(self) -> "Spoken":
        """The error that standard input ends in."""
        from generator import paste  # noqa: PLC0415 - `--help` does without it

        if sys.stdin.isatty():
            click.echo("paste a traceback, and end it with Ctrl-D:", err=True)
        text = sys.stdin.buffer.read()[-_LONGEST:].decode(errors="replace")
        found = paste.spoken(text)
        if not found:
            fail("there is no error in what was pasted", EXIT_USAGE)
        return found[0]

    def ask(self, name: str, default: str | None) -> str:
        """What only the user can know."""
        form, wanted = _FORMS[name]
        if default is not None and not sys.stdin.isatty():
            return default
        if not sys.stdin.isatty() or self.options["is_dry"]:
            fail(f"say which {name} this is of: --{name} takes {wanted}", EXIT_USAGE)
        while True:
            answer: str = click.prompt(f"{name} ({wanted})", default=default, err=True)
            if form.fullmatch(answer.strip()):
                return answer.strip()

    def _documented(self, draft: "Draft") -> str | None:
        """The record that explains the error already, if there is one."""
        from generator import reading  # noqa: PLC0415 - `--help` does without it

        if not self.settings.records.is_dir():
            return None
        for file in reading.read_records(replace(self.settings, is_caching=False)).files:
            if file.head.id == draft.id or draft.id in file.head.aliases:
                return file.path
        return None


def _values(message: str | None, spoken: "Spoken | None") -> dict[str, str]:
    """What a real message had in the holes, by their labels."""
    from generator.template import TemplateError, template  # noqa: PLC0415 - `--help` does without it

    if message is None or spoken is None:
        return {}
    try:
        meant = template(message)
    except TemplateError:
        return {}
    return dict(zip(meant.labels, meant.pattern().captures(spoken.message) or (), strict=False))
