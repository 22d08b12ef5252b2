"""`serve`: builds again whenever something changed, and has browsers see what came of it."""

import ast
import os
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from generator import config, diagnostics, distributions, serving, subjects, theme
from generator.cli.options import fail_for
from generator.cli.run import Run, lines_of
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, Failed, fail, named
from generator.diagnostics import Diagnostic
from generator.hosting import Host, State, Unbindable
from generator.memory import Memory
from generator.watching import Places
from generator.workers import LastingProcesses

if TYPE_CHECKING:
    from generator.build import Report

_PACKAGE = Path(subjects.__file__).parent.parent
_SHOWN = 50  # findings that a browser shows
_NAMED = 3  # changed files that are named


def serve(options: dict[str, Any], *, host: str, port: int, is_opening: bool) -> int:
    """Builds and serves until it is interrupted; the exit status."""
    run = Run(options)
    state = State(run.settings.out.absolute(), serving.prefix_of(run.settings.base_url))
    try:
        with Host(state, host=host, port=port) as server, closing(LastingProcesses()) as processes:
            if server.port != port:
                run.say(f"port {port} is taken: {server.port} is used")
            if not serving.is_loopback(host):
                run.say(f"listening at {host}: others who reach this machine can read the site too")
            rebuilding = _Rebuilding(options, run, state, server, processes)
            rebuilding.say_where()
            if is_opening:
                click.launch(rebuilding.address)
            rebuilding.go_on()
    except Unbindable as error:
        fail(f"cannot listen at {host}, port {port}: {error}", EXIT_USAGE)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        fail("the process that served the site was ended", EXIT_USAGE)
    except KeyboardInterrupt:
        # The end that a server is meant to have.
        return 0


class _Rebuilding:
    """What goes on from build to build: settings, what browsers see, and what can be kept."""

    def __init__(
        self, options: dict[str, Any], run: Run, state: State, server: Host, processes: LastingProcesses
    ) -> None:
        self._options = options
        self._run = run
        self._state = state
        self._server = server
        self._processes = processes
        self._memory = Memory()
        self._files = tuple(folder / config.FILE for folder in (Path.cwd(), *Path.cwd().parents))
        self._is_configured = False
        self._watched: Places | None = None
        self._installed: frozenset[tuple[str, int, int]] = frozenset()
        self._told: Sequence[Diagnostic] | None = None
        self._is_prepared = True

    @property
    def address(self) -> str:
        """Where the site is."""
        return f"http://{self._server.address}{self._state.prefix}"

    def say_where(self) -> None:
        """Says where the site is."""
        click.echo(f"serving {named(self._state.root)} at {self.address} (Ctrl-C ends it)")

    def go_on(self) -> NoReturn:
        """Builds whenever something changed. Raises KeyboardInterrupt, EOFError."""
        changed: list[str] = []
        while True:
            try:
                self._renew(changed)
                self._configure(changed)
                self._build(changed)
                problem = ""
            except Failed as failed:
                problem = failed.message
            self._state = replace(self._state, problem=problem)
            self._server.show(self._state)
            self._prepare()
            changed = self._server.changed()

    def _renew(self, changed: Sequence[str]) -> None:
        """Starts anew what is not what it was: processes, or this program. Raises Failed if it cannot be."""
        installed = distributions.stamps()
        if installed == self._installed and not any(Path(one).is_relative_to(_PACKAGE) for one in changed):
            return
        # What was imported is not what would be imported now.
        self._processes.close()
        self._installed = installed
        if not subjects.is_outdated():
            return
        for file in sorted(_PACKAGE.rglob("*.py")):
            try:
                ast.parse(file.read_bytes())
            except (SyntaxError, ValueError) as error:
                line = error.lineno if isinstance(error, SyntaxError) else 1
                fail(f"{named(file)}:{line}: {error.args[0]}", EXIT_USAGE)
        self._run.say("pagefault itself, or what is installed beside it, changed: starting anew")
        self._server.close()
        self._processes.close()
        sys.stdout.flush()
        sys.stderr.flush()
        again = [one for one in sys.orig_argv[1:] if one != "--open"]
        os.execv(sys.executable, [sys.executable, *again])  # noqa: S606 - as it was started

    def _configure(self, changed: Sequence[str]) -> None:
        """Reads the settings where they may be others, and watches what they name. Raises Failed."""
        try:
            if not self._is_configured or {*map(str, self._files)} & {*changed}:
                self._is_configured = False
                run = Run(self._options)
                if diagnostics.has_errors(run.problems):
                    run.show_findings(run.problems)
                    raise Failed(_text(run.problems), EXIT_FINDINGS)
                self._is_configured, self._run = True, run
                self._move()
        finally:
            # Also what is named by settings that are wrong: that may be mended anywhere.
            self._watch()

    def _move(self) -> None:
        """Has the site stand where the settings say."""
        settings = self._run.settings
        root, prefix = settings.out.absolute(), serving.prefix_of(settings.base_url)
        if (root, prefix) != (self._state.root, self._state.prefix):
            self._state = replace(self._state, root=root, prefix=prefix)
            self.say_where()

    def _watch(self) -> None:
        settings = self._run.settings
        trees = [settings.records, theme.default_templates(), _PACKAGE, *distributions.sources()]
        if settings.templates is not None:
            trees.append(settings.templates)
        if (fetched := settings.cache / "wheels").is_dir():
            trees.append(fetched)
        places = Places(
            tuple(trees),
            (*self._files, *([settings.logo] if settings.logo else ())),
            (settings.out, settings.cache),
        )
        if places != self._watched:
            self._server.watch(places)
            self._watched = places

    def _build(self, changed: Sequence[str]) -> None:
        """Publishes what changed, and says what came of it. Raises Failed."""
        run, start = self._run, time.perf_counter()
        is_first = self._told is None
        run.settings = replace(run.settings, memory=self._memory)
        if not is_first:
            # The first build runs much, each subject after the lighter ones; a later one runs little.
            run.settings = replace(run.settings, start=self._processes)
        try:
            report = run.publish()
        except Exception as error:  # noqa: BLE001 - a server goes on, whatever it is
            fail_for(error)
        found = run.found(report)
        if is_first:
            run.tell_published(report)
        else:
            if found != self._told:
                run.show_findings(found)
            run.show_stages(report)
            run.say(_what_came(report, changed, time.perf_counter() - start))
        self._told = found
        self._is_prepared = not is_first or report.site is not None
        if report.changes is None:
            standing = [one for one in found if one.severity == "error"] or found
            raise Failed(_text(standing), EXIT_FINDINGS)
        if report.changes.written or report.changes.removed or not self._state.version:
            self._state = replace(self._state, version=secrets.token_hex(4))

    def _prepare(self) -> None:
        """Fills the memory where the first build had nothing to do, so that the next has little."""
        if not self._is_prepared:
            from generator import build  # noqa: PLC0415 - rarely wanted

            self._is_prepared = True
            # What does not hold is told by the next build.
            with suppress(Exception):
                build.check(self._run.settings)


def _what_came(report: "Report", changed: Sequence[str], seconds: float) -> str:
    names = [named(Path(one)) for one in changed]
    said = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    if report.changes is None:
        came = "nothing was published"
    else:
        written, removed = len(report.changes.written), len(report.changes.removed)
        came = f"{written} file{'s' * (written != 1)} written"
        if removed:
            came += f", {removed} removed"
    return f"{time.strftime('%H:%M:%S')} {said}: {came}; {seconds:.2f} s"


def _text(found: Sequence[Diagnostic]) -> str:
    """Findings as a browser shows them."""
    text = diagnostics.render(found[:_SHOWN], lines=lines_of)
    more = len(found) - _SHOWN
    return text + (f"and {more} more, which the terminal shows\n" if more > 0 else "")
