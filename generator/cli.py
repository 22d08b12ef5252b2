"""Arguments, printing and exit codes: the only module that does any of the three."""

import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from generator import __version__, config, diagnostics, walls
from generator.diagnostics import Diagnostic

if TYPE_CHECKING:
    from generator.build import Report, Settings
    from generator.renderings import Rendering

# Some hosts set these because their numeric libraries compute wrongly without; they name nobody.
KEPT_ENVIRONMENT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
EXIT_FINDINGS, EXIT_USAGE = 1, 2

F = TypeVar("F", bound=Callable[..., Any])


def _common(function: F) -> F:
    """The options of every command that reads records."""
    folder = click.Path(path_type=Path, file_okay=False)
    for option in reversed(
        [
            click.option("--records", type=folder, help="Folder of records.  [default: records]"),
            click.option("--templates", type=folder, help="Folder whose templates shadow ours."),
            click.option("--out", type=folder, help="Folder of the site.  [default: site]"),
            click.option("--cache", type=folder, help="Folder of facts.  [.cache/pagefault]"),
            click.option("--outputs", help="What to build, e.g. `html,json`.  [default: all]"),
            click.option("--jobs", type=click.IntRange(1, 256), help="Processes at once.  [default: cores]"),
            click.option("--why", is_flag=True, help="Say why something is run again."),
            click.option("--no-cache", is_flag=True, help="Run and render everything anew."),
            click.option("--strict", is_flag=True, help="Count warnings as errors."),
            click.option(
                "--format",
                "style",
                type=click.Choice(["full", "concise", "json", "github", "sarif"]),
                default="full",
                show_default=True,
                help="How findings are shown.",
            ),
            click.option(
                "--isolation",
                type=click.IntRange(1, 3),
                help="Run nothing behind less: 1 limits, 2 sealed, 3 namespaces.  [default: 1]",
            ),
            click.option("--base-url", help="Where the site will stand, for absolute links."),
            click.option("--tracker", help="Address of the form for reports about a page."),
            click.option("--timings", type=click.Path(path_type=Path), help="Write seconds here."),
            click.option("-q", "--quiet", is_flag=True, help="Show errors only."),
            click.option("-v", "--verbose", is_flag=True, help="Show each stage and its time."),
        ]
    ):
        function = option(function)
    return function


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 clean, 1 findings, 2 usage or internal error.",
)
@click.version_option(__version__, prog_name="pagefault")
def commands() -> None:
    """An error reference whose every page has been proven by running it."""


@commands.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--pins", is_flag=True, help="Hold records against their pinned source too.")
@click.option(
    "--clone",
    "clones",
    multiple=True,
    metavar="OWNER/NAME=PATH",
    help="Where a repository is cloned, for --pins.",
)
@_common
def check(paths: tuple[Path, ...], **options: Any) -> None:
    r"""Run what the records claim, and report every claim that does not hold.

    With PATHS (files or folders), only those are run and reported.

    \b
    Examples:
      pagefault check
      pagefault check records/acme --format concise
      pagefault check --pins --clone acme/widgets=../widgets
      pagefault check --format sarif > findings.sarif
    """
    _guarded(lambda run: run.check(paths), options)


@commands.command()
@_common
def build(**options: Any) -> None:
    """Check the records, and write the site unless an error stands."""
    _guarded(lambda run: run.build(), options)


@commands.command()
@_common
def fetch(**options: Any) -> None:
    """Fetch the released wheels from which excerpts are read, checked by their hashes.

    They go into the cache. Without them pages link to the source instead of quoting it.
    """
    _guarded(lambda run: run.fetch(), options)


class _Run:
    """One command: its settings, its findings, and what it says."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.style: str = options["style"]
        self.is_quiet: bool = options["quiet"]
        self.is_verbose: bool = options["verbose"]
        self.timings: Path | None = options["timings"]
        here = Path.cwd()
        file = config.find(here)
        name = _named(file) if file else config.FILE
        self.project, self.problems = config.load(file, name, here)
        self.progress = _Progress(is_shown=not self.is_quiet and sys.stderr.isatty())
        self.settings = self._settings(options, name)

    def check(self, paths: Sequence[Path]) -> int:
        from generator import build  # noqa: PLC0415 - `--help` does without it

        self._require_records()
        try:
            report = build.check(self.settings, paths)
        except build.NoRecords as error:
            _fail(
                f"no record at {error}: records are .yaml, .yml and .json files, "
                "but `repo.yaml`, `differential.json`, hidden ones and those in `guides`",
                EXIT_USAGE,
            )
        status = self._show(report)
        self._say(_verdict(report, self.settings.limits.level))
        return status

    def build(self) -> int:
        from generator import build, publish  # noqa: PLC0415 - as above

        self._require_records()
        # A wrong setting may be about the very site: it is not published as if it were right.
        run = build.check if diagnostics.has_errors(self.problems) else build.build
        try:
            report = run(self.settings)
        except publish.Unpublishable as error:
            _fail(f"nothing was published: {error}", EXIT_USAGE)
        status = self._show(report)
        self._say(_verdict(report, self.settings.limits.level))
        if report.changes is None:
            self._say(f"nothing was published: {self.settings.out} is as it was")
        else:
            self._say(_published(report, self.settings))
        return status

    def fetch(self) -> int:
        from generator import build, wheels  # noqa: PLC0415 - as above

        self._require_records()
        status = 0
        for wheel in build.wanted_wheels(self.settings):
            self._say(f"fetching {wheel.requirement}")
            try:
                wheels.fetch(wheel, self.settings.cache)
            except wheels.WheelUnavailable as error:
                status = EXIT_FINDINGS
                # Also where nothing but errors is to be said.
                click.echo(f"{error}: pages will not quote it", err=True)
        return status

    def _settings(self, options: dict[str, Any], name: str) -> "Settings":
        from generator.build import OUTPUTS, Settings  # noqa: PLC0415 - as above
        from generator.probe import Limits  # noqa: PLC0415 - as above

        kept = self.project.config
        jobs = options["jobs"] or os.cpu_count() or 1
        templates = options["templates"] or (self.project.folder / kept.templates if kept.templates else None)
        outputs = tuple((options["outputs"] or ",".join(kept.outputs or OUTPUTS)).split(","))
        if unknown := [one for one in outputs if one not in OUTPUTS]:
            _fail(f"unknown output `{unknown[0]}`: there are {', '.join(OUTPUTS)}", EXIT_USAGE)
        for option, refused in (("base_url", "?#"), ("tracker", "#")):
            if options[option] and not re.fullmatch(rf"https://[^\s\"'<>\\{refused}]+", options[option]):
                name = option.replace("_", "-")
                _fail(f"--{name} takes an address that begins with https://", EXIT_USAGE)
        base_url = options["base_url"] or kept.base_url
        level = walls.available()
        if level < (wanted := options["isolation"] or kept.isolation):
            _fail(
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
            outputs=outputs,
            floor=0 if options["records"] else kept.floor,
            clones=_clones(options.get("clones", ()), is_wanted=options.get("pins", False)),
            is_explaining=options["why"],
            config_name=name,
            config_table=self.project.table,
            environment={name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ},
            name=_named,
            say=self.progress.update,
        )

    def _require_records(self) -> None:
        if not self.settings.records.is_dir():
            _fail(
                f"no folder of records at {_named(self.settings.records)}: "
                "name one with --records, or set `records` in `[tool.pagefault]`",
                EXIT_USAGE,
            )

    def _show(self, report: "Report") -> int:
        self.progress.clear()
        found: tuple[Diagnostic, ...] = (*self.problems, *report.diagnostics)
        shown = [one for one in found if one.severity == "error" or not self.is_quiet]
        is_coloured = _is_coloured()
        rendering = _rendering(self.style)
        text = rendering.render(shown, _lines_of, is_coloured)
        if rendering.is_result:
            # Programs expect UTF-8, whatever the terminal's encoding is.
            click.echo(text.encode(), nl=False)
        else:
            click.echo(text, nl=False, err=True, color=is_coloured)
        if self.is_verbose:
            for stage, seconds in report.seconds.items():
                self._say(f"{stage:8} {seconds:8.3f} s")
        if self.timings:
            import json  # noqa: PLC0415 - rarely wanted

            try:
                self.timings.parent.mkdir(parents=True, exist_ok=True)
                self.timings.write_text(json.dumps(dict(report.seconds), indent=2) + "\n")
            except OSError as error:
                _fail(f"--timings: cannot write {self.timings}: {error.strerror}", EXIT_USAGE)
        for reason in report.reasons:
            self._say(f"run again: {reason}")
        if found:
            self._say(diagnostics.count(found))
        return EXIT_FINDINGS if diagnostics.has_errors(found, strict=self.settings.is_strict) else 0

    def _say(self, text: str) -> None:
        if not self.is_quiet:
            click.echo(text, err=True)


class _Progress:
    """A line on a terminal that says how far a long stage is; nothing for the first half second."""

    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._start = time.monotonic()
        self._width = 0

    def update(self, stage: str, done: int, of: int) -> None:
        if not self._is_shown or not of or time.monotonic() - self._start < 0.5:
            return
        text = f"{stage} {done}/{of}"
        click.echo(f"\r{text.ljust(self._width)}", nl=False, err=True)
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            click.echo(f"\r{' ' * self._width}\r", nl=False, err=True)
            self._width = 0


def _verdict(report: "Report", level: walls.Level) -> str:
    standings = report.standings
    said = ", ".join(
        f"{standings[standing]} {standing}"
        for standing in ("proven", "read", "unproven")
        if standing in standings
    )
    plural = "s" * (report.scripts_run != 1)
    ran = f"{report.scripts_run} snippet{plural} run" if report.scripts_run else "no snippet had to run"
    records = f"{report.records} record{'s' * (report.records != 1)}"
    unread = report.records - sum(standings.values())
    if unread and said:
        said += f", {unread} could not be read"
    return f"{records}: {said or 'none could be read'}; {ran}; isolation level {level.value}"


def _published(report: "Report", settings: "Settings") -> str:
    changes = report.changes
    assert changes is not None  # noqa: S101 - for the type checker
    out = _named(settings.out)
    if not (changes.written or changes.removed or report.pages_rendered):
        return f"{out}: nothing changed; no page rendered, no file written"
    return (
        f"{out}: {report.pages_rendered} of {report.pages} files rendered, "
        f"{len(changes.written)} written, {len(changes.removed)} removed, "
        f"{changes.unchanged} unchanged"
    )


def _named(path: Path) -> str:
    """A path as messages show it: from the working folder where it lies below, with slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def _clones(given: Sequence[str], *, is_wanted: bool) -> dict[str, Path] | None:
    """Folders by repository, from `owner/name=path`; None where no pinned source is to be read."""
    if not is_wanted:
        if given:
            _fail("--clone says where pinned source lies: add --pins to have it read", EXIT_USAGE)
        return None
    clones = {}
    for one in given:
        repo, equals, path = one.partition("=")
        if not equals or not path or repo.count("/") != 1 or not all(repo.split("/")):
            _fail(f"--clone takes OWNER/NAME=PATH, not `{one}`", EXIT_USAGE)
        if not Path(path).is_dir():
            _fail(f"--clone: {path} is no folder", EXIT_USAGE)
        clones[repo] = Path(path)
    return clones


def _rendering(name: str) -> "Rendering":
    """How findings are shown, by the name that `--format` gives it."""
    from generator import renderings  # noqa: PLC0415 - `--help` does without it
    from generator.registry import discover  # noqa: PLC0415 - as above
    from generator.renderings import Rendering  # noqa: PLC0415 - as above

    return next(one for one in discover(renderings, Rendering) if one.name == name)


def _lines_of(path: str) -> list[str]:
    """The lines of a file that a finding is about; none of one that was refused."""
    from generator import document  # noqa: PLC0415 - `--help` does without it

    try:
        return document.read(Path(path), name=path).text.split("\n")
    except diagnostics.Rejected:
        return []


def _is_coloured() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stderr.isatty()


def _guarded(command: Callable[[_Run], int], options: dict[str, Any]) -> NoReturn:
    """Runs a command to its exit status; a template that fails is the user's to mend, not a traceback."""
    try:
        status = command(_Run(options))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - whatever it is, it ends with status 2
        from generator.theme import TemplateFailed  # noqa: PLC0415 - only after a failure

        if isinstance(error, TemplateFailed):
            _fail(f"{_named(Path(error.file))}:{error.line}: {error.why}", EXIT_USAGE)
        traceback.print_exc()
        _fail("this is a fault of pagefault: please report it with the lines above", EXIT_USAGE)
    sys.exit(status)


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"pagefault: {message}", err=True)
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; ends by SystemExit."""
    commands.main(args=list(arguments) if arguments is not None else None, prog_name="pagefault")
