"""The commands that read records: their settings, what they find, and what they say."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator import config, diagnostics
from generator.cli.speech import (
    EXIT_FINDINGS,
    EXIT_USAGE,
    Progress,
    fail,
    is_coloured,
    named,
    named_from_checkout,
)
from generator.diagnostics import Diagnostic

if TYPE_CHECKING:
    from generator.build import Report
    from generator.renderings import Rendering
    from generator.settings import Settings
    from generator.walls import Level

# Some hosts set these because their numeric libraries compute wrongly without; they name nobody.
KEPT_ENVIRONMENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class Run:
    """One command: its settings, its findings, and what it says."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.style: str = options["style"]
        self.is_quiet: bool = options["quiet"]
        self.is_verbose: bool = options["verbose"]
        self.timings: Path | None = options["timings"]
        here = Path.cwd()
        file = config.find(here)
        name = named(file) if file else config.FILE
        self.project, self.problems = config.load(file, name, here)
        self.progress = Progress(is_quiet=self.is_quiet)
        self.name, self._options = name, options
        self.settings = self.settings_of(self.project)

    def check(self, paths: Sequence[Path]) -> int:
        """Shows what does not hold; the exit status."""
        return self.tell(self.look(paths))

    def look(self, paths: Sequence[Path]) -> "Report":
        """What a check finds."""
        from generator import build, reading  # noqa: PLC0415 - `--help` does without it

        self.require_records()
        try:
            return build.check(self.settings, paths)
        except reading.NoRecords as error:
            fail(
                f"no record at {error}: records are .yaml, .yml and .json files, "
                "but `repo.yaml`, `differential.json`, `drift.json`, hidden ones and those in `guides`",
                EXIT_USAGE,
            )

    def tell(self, report: "Report") -> int:
        """Shows what a check found; the exit status."""
        status = self.show(report)
        self.say(verdict(report, self.settings.limits.level))
        return status

    def publish(self) -> "Report":
        """Publishes the site unless something does not hold."""
        from generator import build, stage  # noqa: PLC0415 - as above

        self.require_records()
        # A wrong setting may be about the very site: it is not published as if it were right.
        run = build.check if diagnostics.has_errors(self.problems) else build.build
        self.progress.restart()
        try:
            return run(self.settings)
        except stage.Unpublishable as error:
            fail(f"nothing was published: {error}", EXIT_USAGE)
        finally:
            self.progress.clear()

    def build(self) -> int:
        """Shows what does not hold, else publishes the site; the exit status."""
        return self.tell_published(self.publish())

    def tell_published(self, report: "Report") -> int:
        """Says all that came of publishing; the exit status."""
        status = self.tell(report)
        if report.changes is None:
            self.say(f"nothing was published: {self.settings.out} is as it was")
        else:
            self.say(_published(report, self.settings))
        return status

    def fetch(self) -> int:
        """Fetches what excerpts are read from; the exit status."""
        from generator import reading, wheels  # noqa: PLC0415 - as above

        self.require_records()
        status = 0
        for wheel in reading.wanted_wheels(self.settings):
            self.say(f"fetching {wheel.requirement}")
            try:
                wheels.fetch(wheel, self.settings.cache)
            except wheels.WheelUnavailable as error:
                status = EXIT_FINDINGS
                # Also where nothing but errors is to be said.
                click.echo(f"{error}: pages will not quote it", err=True)
        return status

    def settings_of(self, project: config.Project) -> "Settings":
        """What the options say, and where they say nothing, a configuration."""
        from generator import walls  # noqa: PLC0415 - as above
        from generator.probe import Limits  # noqa: PLC0415 - as above
        from generator.settings import OUTPUTS, Settings  # noqa: PLC0415 - as above

        kept, options, name = project.config, self._options, self.name
        jobs = options["jobs"] or os.cpu_count() or 1
        templates = options["templates"] or (self.project.folder / kept.templates if kept.templates else None)
        outputs = tuple((options["outputs"] or ",".join(kept.outputs or OUTPUTS)).split(","))
        if unknown := [one for one in outputs if one not in OUTPUTS]:
            fail(f"unknown output `{unknown[0]}`: there are {', '.join(OUTPUTS)}", EXIT_USAGE)
        for option, refused in (("base_url", "?#"), ("tracker", "#"), ("edit", "?#")):
            if options[option] and not re.fullmatch(rf"https://[^\s\"'<>\\{refused}]+", options[option]):
                name = option.replace("_", "-")
                fail(f"--{name} takes an address that begins with https://", EXIT_USAGE)
        base_url, edit = options["base_url"] or kept.base_url, options["edit"] or kept.edit
        level = walls.available()
        if level < (wanted := options["isolation"] or kept.isolation):
            fail(
                f"isolation {wanted} was asked for, and here only level {level.value} works: nothing was run",
                EXIT_USAGE,
            )
        return Settings(
            records=options["records"] or self.project.folder / kept.records,
            out=options["out"] or self.project.folder / kept.out,
            cache=options["cache"] or self.project.folder / kept.cache,
            templates=templates,
            jobs=jobs,
            limits=Limits(kept.deadline, kept.memory * 2**20, jobs, level),
            is_caching=not options["no_cache"],
            is_strict=options["strict"],
            title=kept.title,
            base_url=f"{base_url.rstrip('/')}/" if base_url else None,
            tracker=options["tracker"] or kept.tracker,
            edit=f"{edit.rstrip('/')}/" if edit else None,
            logo=self.project.folder / kept.logo if kept.logo else None,
            footer=kept.footer,
            colors={
                name: (value, value) if isinstance(value, str) else value
                for name, value in kept.colors.items()
            },
            max_size=(options["max_size"] or kept.max_size) * 2**20,
            is_preview=options["preview"],
            outputs=outputs,
            floor=0 if options["records"] else kept.floor,
            clones=_clones(options.get("clones", ()), is_wanted=options.get("pins", False)),
            is_explaining=options["why"],
            config_name=name,
            config_table=project.table,
            environment={name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ},
            name=named,
            say=self.progress.update,
        )

    def require_records(self) -> None:
        """Ends the command where there is no folder of records."""
        if not self.settings.records.is_dir():
            fail(
                f"no folder of records at {named(self.settings.records)}: "
                "name one with --records, or set `records` in `[tool.pagefault]`",
                EXIT_USAGE,
            )

    def found(self, report: "Report") -> tuple[Diagnostic, ...]:
        """What was found, of the settings too."""
        return (*self.problems, *report.diagnostics)

    def show_findings(self, found: Sequence[Diagnostic]) -> None:
        """Shows them, and nothing else."""
        self.progress.clear()
        shown = [one for one in found if one.severity == "error" or not self.is_quiet]
        has_color = is_coloured()
        if self.style == "github":
            shown = [replace(one, path=named_from_checkout(one.path)) for one in shown]
        rendering = _rendering(self.style)
        text = rendering.render(shown, lines_of, has_color)
        if rendering.is_result:
            # Programs expect UTF-8, whatever the terminal's encoding is.
            click.echo(text.encode(), nl=False)
        else:
            click.echo(text, nl=False, err=True, color=has_color)

    def show_stages(self, report: "Report") -> None:
        """Shows how long each stage took, if that was asked for."""
        if self.is_verbose:
            for stage, seconds in report.seconds.items():
                self.say(f"{stage:8} {seconds:8.3f} s")

    def show(self, report: "Report", first: frozenset[str] = frozenset()) -> int:
        """Shows findings, those about some files first; the exit status."""
        found = self.found(report)
        found = tuple(sorted(found, key=lambda one: one.path not in first)) if first else found
        self.show_findings(found)
        self.show_stages(report)
        if self.timings:
            import json  # noqa: PLC0415 - rarely wanted

            try:
                self.timings.parent.mkdir(parents=True, exist_ok=True)
                self.timings.write_text(json.dumps(dict(report.seconds), indent=2) + "\n")
            except OSError as error:
                fail(f"--timings: cannot write {self.timings}: {error.strerror}", EXIT_USAGE)
        for reason in report.reasons:
            self.say(f"run again: {reason}")
        if found:
            mendable = sum(1 for one in found if one.fix)
            cure = f"; {mendable} can be mended by `pagefault check --fix`" if mendable else ""
            self.say(f"{diagnostics.count(found)}{cure}")
        return EXIT_FINDINGS if diagnostics.has_errors(found, strict=self.settings.is_strict) else 0

    def say(self, text: str) -> None:
        """Says something to people, unless they want errors alone."""
        if not self.is_quiet:
            click.echo(text, err=True)


def verdict(report: "Report", level: "Level") -> str:
    """How many records have which standing, and what was run, in one line."""
    standings = report.standings
    said = ", ".join(
        f"{standings[standing]} {standing}"
        for standing in ("proven", "read", "unproven")
        if standing in standings
    )
    plural = "s" * (report.scripts_run != 1)
    ran = f"{report.scripts_run} snippet{plural} run" if report.scripts_run else "no snippet had to run"
    records = f"{report.records} record{'s' * (report.records != 1)}"
    if not report.records:
        guides = f"{report.guides} guide{'s' * (report.guides != 1)}; " if report.guides else ""
        return f"{guides or 'no record; '}{ran}; isolation level {level.value}"
    unread = report.records - sum(standings.values())
    if unread and said:
        said += f", {unread} could not be read"
    return f"{records}: {said or 'none could be read'}; {ran}; isolation level {level.value}"


def _published(report: "Report", settings: "Settings") -> str:
    changes = report.changes
    assert changes is not None  # noqa: S101 - for the type checker
    out = named(settings.out)
    if not (changes.written or changes.removed or report.pages_rendered):
        return f"{out}: nothing changed; no page rendered, no file written"
    return (
        f"{out}: {report.pages_rendered} of {report.pages} files rendered, "
        f"{len(changes.written)} written, {len(changes.removed)} removed, "
        f"{changes.unchanged} unchanged"
    )


def _clones(given: Sequence[str], *, is_wanted: bool) -> dict[str, Path] | None:
    """Folders by repository, from `owner/name=path`; None where no pinned source is to be read."""
    if not is_wanted:
        if given:
            fail("--clone says where pinned source lies: add --pins to have it read", EXIT_USAGE)
        return None
    clones = {}
    for one in given:
        repo, equals, path = one.partition("=")
        if not equals or not path or repo.count("/") != 1 or not all(repo.split("/")):
            fail(f"--clone takes OWNER/NAME=PATH, not `{one}`", EXIT_USAGE)
        if not Path(path).is_dir():
            fail(f"--clone: {path} is no folder", EXIT_USAGE)
        clones[repo] = Path(path)
    return clones


def _rendering(name: str) -> "Rendering":
    """How findings are shown, by the name that `--format` gives it."""
    from generator import renderings  # noqa: PLC0415 - `--help` does without it
    from generator.registry import discover  # noqa: PLC0415 - as above
    from generator.renderings import Rendering  # noqa: PLC0415 - as above

    return next(one for one in discover(renderings, Rendering) if one.name == name)


def lines_of(path: str) -> list[str]:
    """The lines of a file that a finding is about; none of one that was refused."""
    from generator import document  # noqa: PLC0415 - `--help` does without it

    try:
        return document.read(Path(path), name=path).text.split("\n")
    except diagnostics.Rejected:
        return []
