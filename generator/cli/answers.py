"""The command that explains errors: what is asked, where it is looked up, and how the answer is shown."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from generator import config
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, Progress, fail, is_coloured, named

if TYPE_CHECKING:
    from generator.answering import Answer
    from generator.libraries import Library

LONGEST = 16 * 2**20  # bytes of a paste; what matters of a longer one is at its end


def explain(message: tuple[str, ...], options: dict[str, Any]) -> int:
    """Shows what is known of a paste; the exit status."""
    from generator import libraries  # noqa: PLC0415 - `--help` does without it

    text = _pasted(message)
    try:
        found = _answer(text, options)
    except libraries.LibraryUnavailable as error:
        fail(str(error), EXIT_USAGE)
    if options["is_json"]:
        click.echo(found.as_json(), nl=False)
    else:
        _show_answer(found)
    if options["is_opening"] and found.is_exact:
        if not found.urls[0]:
            fail("the page stands nowhere: build the site, or name one with --site", EXIT_USAGE)
        click.launch(found.urls[0])
    return 0 if found.is_exact else EXIT_FINDINGS


def _pasted(message: tuple[str, ...]) -> str:
    """What is to be explained: the words given, a file of that name, or standard input."""
    if not message or message == ("-",):
        if not message and sys.stdin.isatty():
            fail("say what is to be explained: a message, a file, or - for standard input", EXIT_USAGE)
        return _decoded(sys.stdin.buffer.read())
    if len(message) == 1 and len(message[0]) < 4096 and Path(message[0]).is_file():
        try:
            return _decoded(Path(message[0]).read_bytes())
        except OSError as error:
            fail(f"{message[0]}: {error.strerror or error}", EXIT_USAGE)
    return " ".join(message)


def _decoded(data: bytes) -> str:
    return data[-LONGEST:].decode(errors="replace")


def scan(message: tuple[str, ...], options: dict[str, Any]) -> int:
    """Shows which records' messages a log holds, and how many; the exit status."""
    from generator import libraries, logs, scanning, tally  # noqa: PLC0415 - `--help` does without it

    if message or options["is_opening"]:
        fail("--scan takes one file and neither a message nor --open", EXIT_USAGE)
    places = _Places(options)
    progress = Progress()
    try:
        library = places.library()
        with _log(options["scan"]) as file:
            whole = os.fstat(file.fileno()).st_size >> 20
            found = scanning.scan(
                logs.blocks(file),
                libraries.entries(library),
                lambda done: progress.update("MiB of log:", done >> 20, max(whole, done >> 20)),
            )
    except libraries.LibraryUnavailable as error:
        fail(str(error), EXIT_USAGE)
    except OSError as error:
        fail(f"{options['scan']}: {error.strerror or error}", EXIT_USAGE)
    progress.clear()
    urls = tally.urls(found, library)
    if options["is_json"]:
        click.echo(tally.as_json(found, urls), nl=False)
    elif found.counts:
        click.echo(tally.table(found, urls), nl=False)
    else:
        size = f"{found.lines} line{'s' * (found.lines != 1)}, {found.bytes} bytes"
        click.echo(f"no record's message is in this log: {size}")
    return 0 if found.counts else EXIT_FINDINGS


def _log(name: str) -> BinaryIO:
    """The log of that name, or standard input; it is closed when it was read."""
    return sys.stdin.buffer if name == "-" else Path(name).open("rb")


def _answer(text: str, options: dict[str, Any]) -> "Answer":
    """What is known of a text. Raises libraries.LibraryUnavailable."""
    from generator import answering, shards  # noqa: PLC0415 - `--help` does without it

    places = _Places(options)
    shelf = places.shelf()
    if shards.code_word(text.strip()):
        from generator import theme  # noqa: PLC0415 - only for a code

        if shelf is not None and (found := answering.by_code(text, shelf)):
            return found
        # Our own codes can be explained everywhere.
        own = theme.own_record(text.strip())
        if own is not None and (found := answering.by_code(text, places.unbuilt(own))):
            return found
        if shelf is not None:
            fail(f"no record explains {text.strip()}", EXIT_FINDINGS)
    library = shelf or places.library()
    if answering.is_name(text) and not options["site"]:
        found_by_name = answering.by_name(text, library)
        if not isinstance(found_by_name, tuple):
            return found_by_name
        if found_by_name:
            named_so = " or ".join(f"`{one}`" for one in found_by_name)
            fail(f"no record is called `{text.strip()}`: did you mean {named_so}?", EXIT_FINDINGS)
    return answering.answer(text, library)


class _Places:
    """Where records are looked up."""

    def __init__(self, options: dict[str, Any]) -> None:
        file = config.find(Path.cwd())
        project, _ = config.load(file, named(file) if file else config.FILE, Path.cwd())
        kept = project.config
        self._site: str | None = options["site"]
        self._is_told: bool = options["records"] is not None
        self._base_url = kept.base_url
        self._cache: Path = options["cache"] or project.folder / kept.cache
        self._out: Path = options["out"] or project.folder / kept.out
        self._records: Path = options["records"] or project.folder / kept.records

    def library(self) -> "Library":
        """The site or the records. Raises libraries.LibraryUnavailable if there is neither."""
        from generator import libraries  # noqa: PLC0415 - `--help` does without it

        if (shelf := self.shelf()) is None:
            raise libraries.LibraryUnavailable(
                f"there is nothing to look in: no built site at {named(self._out)}, "
                f"no records at {named(self._records)}; name a site with --site"
            )
        return shelf

    def shelf(self) -> "Library | None":
        """The same; None if there is neither."""
        from generator import libraries  # noqa: PLC0415 - `--help` does without it

        if self._site:
            if not re.fullmatch(r"https?://[^\s\"'<>\\?#]+", self._site):
                fail("--site takes the address of a site", EXIT_USAGE)
            base = f"{self._site.rstrip('/')}/"
            return libraries.Remote(base, self._cache / "sites", lambda said: click.echo(said, err=True))
        if (self._out / "lookup" / "meta.json").is_file() and not self._is_told:
            return libraries.Built(self._out, self._base_url or f"{self._out.resolve().as_uri()}/")
        return self.unbuilt() if self._records.is_dir() else None

    def unbuilt(self, *only: Path) -> "Library":
        """The records, or `only` some, without a site."""
        from generator import unbuilt  # noqa: PLC0415 - slow to import, and not needed where a site was built
        from generator.settings import Settings  # noqa: PLC0415 - as above

        return unbuilt.library(Settings(records=self._records, out=self._out, cache=self._cache), only)


def _show_answer(found: "Answer") -> None:
    if found.is_exact:
        also = f"\n## What else fits\n\n{found.others}" if found.others else ""
        _page(found.page + also)
        return
    query = found.found.query
    if query is None:
        click.echo("there are no words in it to look for")
        return
    head = f"{query.error_class}: " if query.error_class else ""
    sites = [match for match in found.found.matches if match.match == "site"]
    click.echo("raised here, but not documented" if sites else "no page fits the whole message")
    click.echo(f"looked for: {head}{query.message.splitlines()[0][:300] if query.message else ''}")
    if found.others:
        what = "It is raised here" if sites else "Near it"
        click.echo(f"\n{what}:\n\n{found.others}", nl=False)


def _page(text: str) -> None:
    """Shows a page: as it is to programs, in color and by a pager to people."""
    is_terminal = sys.stdout.isatty()
    if not is_terminal and not is_coloured(sys.stdout):
        click.echo(text, nl=False)
        return
    import shutil  # noqa: PLC0415 - slow to import, and only for terminals

    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.markdown import Markdown  # noqa: PLC0415 - as above

    console = Console(
        no_color=not is_coloured(sys.stdout),
        force_terminal=True,
        width=min(100, shutil.get_terminal_size().columns),
    )
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    shown = capture.get()
    if not is_terminal or shown.count("\n") < console.height:
        click.echo(shown, nl=False, color=True)
    else:
        click.echo_via_pager(shown, color=True)
