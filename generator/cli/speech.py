"""What commands share: how they end, name paths, know a terminal, and show how far they are."""

import os
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import NoReturn, TextIO

import click

EXIT_FINDINGS, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


class Failed(SystemExit):
    """A command's end, and why; what goes on after it can say it elsewhere."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(status)
        self.message = message


def fail(message: str, status: int) -> NoReturn:
    """Says why a command ends, and ends it."""
    click.echo(f"pagefault: {message}", err=True)
    raise Failed(message, status)


def named(path: Path) -> str:
    """A path as messages show it: from the working folder where it lies below, with slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def named_from_checkout(name: str) -> str:
    """The name of a file, from the working folder, as GitHub reads it: from the top of its checkout.

    Elsewhere, and outside of a checkout, it stays as it is.
    """
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top:
        return name
    path = os.path.relpath(name, os.path.realpath(top))
    return name if path.startswith("..") else Path(path).as_posix()


def nearest(word: str, known: Collection[str], kind: str) -> str:
    """What may have been meant, or all that is known."""
    close = closest(word, known)
    return f"did you mean `{close}`?" if close else f"{kind} are {', '.join(known)}"


def closest(word: str, known: Collection[str]) -> str | None:
    """What may have been meant."""
    import difflib  # noqa: PLC0415 - slow to import, and only after a mistake

    return next(iter(difflib.get_close_matches(word, known, n=1)), None)


def is_coloured(stream: TextIO | None = None) -> bool:
    """Whether what is said on a stream, that of findings if none is named, has colors."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream or sys.stderr).isatty()


class Progress:
    """How far a long stage is.

    On a terminal a line that changes, and nothing for the first half second; in CI a line for each stage.
    """

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_line = not is_quiet and sys.stderr.isatty()
        self._is_listed = not is_quiet and not self._is_line and bool(os.environ.get("CI"))
        self._listed = ""
        self._start = time.monotonic()
        self._width = 0

    def restart(self) -> None:
        """Counts the half second from now."""
        self._start = time.monotonic()

    def update(self, stage: str, done: int, of: int) -> None:
        """Shows how far the stage is."""
        if self._is_listed and of and stage != self._listed:
            self._listed = stage
            click.echo(f"{stage}: {of:,}", err=True)
        if not self._is_line or not of or time.monotonic() - self._start < 0.5:
            return
        text = f"{stage} {done}/{of}"
        click.echo(f"\r{text.ljust(self._width)}", nl=False, err=True)
        self._width = len(text)

    def clear(self) -> None:
        """Leaves the line empty."""
        if self._width:
            click.echo(f"\r{' ' * self._width}\r", nl=False, err=True)
            self._width = 0
