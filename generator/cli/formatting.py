"""The command that lays files of records out: which files, what is said of them, and what is written."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from generator import config, diagnostics, document, json_schema, layout, rewriting, schema
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, fail, is_coloured, named
from generator.diagnostics import Diagnostic, Rejected, Source

_SUFFIXES = (".yaml", ".yml", ".json")
_REPO = "repo.yaml"


def run(paths: Sequence[Path], options: dict[str, Any]) -> int:
    """Lays the files out, or says what would change; the exit status."""
    here = Path.cwd()
    file = config.find(here)
    project, _ = config.load(file, config.FILE, here)
    return _Formatting(project.config.base_url, options).run(
        paths or (project.folder / project.config.records,), name=options["name"]
    )


class _Formatting:
    """One command, and what it met."""

    def __init__(self, base_url: str | None, options: dict[str, Any]) -> None:
        self._base_url = base_url
        self._is_dry = options["is_checking"] or options["is_showing"]
        self._is_showing = options["is_showing"]
        self._style: diagnostics.Style = options["style"]
        self._is_quiet = options["is_quiet"]
        self._changed = self._refused = self._count = 0

    def run(self, paths: Sequence[Path], *, name: Path | None) -> int:
        if Path("-") in paths:
            if len(paths) > 1:
                fail("- stands for standard input, and takes no other path beside it", EXIT_USAGE)
            self._stream(name)
        elif name is not None:
            fail("--name says what standard input is: give - for a path", EXIT_USAGE)
        else:
            for file in _files(paths):
                self._file(file)
            self._sum_up()
        return EXIT_FINDINGS if self._refused or (self._is_dry and self._changed) else 0

    def _stream(self, name: Path | None) -> None:
        """Standard input to standard output; as it was, where it cannot be read."""
        data = sys.stdin.buffer.read()
        called = named(name) if name else "<stdin>"
        is_json = name.suffix == ".json" if name else data.lstrip().startswith(b"{")
        try:
            source = document.decode(data, name=called)
        except Rejected as rejected:
            self._tell(Source(called, ""), rejected.diagnostics)
            text = None
        else:
            text = self._arranged(source, name, is_json=is_json)
        if not self._is_dry:
            click.echo(data if text is None else text.encode(), nl=False)
        elif text is not None:
            self._compare(source, text)

    def _file(self, file: Path) -> None:
        self._count += 1
        name = named(file)
        try:
            source = document.read(file, name=name)
        except Rejected as rejected:
            self._tell(Source(name, ""), rejected.diagnostics)
            return
        text = self._arranged(source, file, is_json=file.suffix == ".json")
        if text is None or not self._compare(source, text) or self._is_dry:
            return
        try:
            rewriting.replace(file, text)
        except OSError as error:
            fail(f"{name}: cannot be written: {error.strerror or error}", EXIT_USAGE)

    def _arranged(self, source: Source, file: Path | None, *, is_json: bool) -> str | None:
        """The text laid out; None where that cannot be."""
        kind = "repo" if file is not None and file.name == _REPO else "record"
        modeline = None
        if file is not None and not is_json:
            modeline = json_schema.modeline(file, kind, self._base_url)
        try:
            return layout.arrange(source, json_schema.KINDS[kind], is_json=is_json, modeline=modeline)
        except Rejected as rejected:
            self._tell(source, rejected.diagnostics)
        except layout.Unsettled:
            self._refused += 1
            click.echo(
                f"{source.path}: left as it is: laid out anew it would be read as something else", err=True
            )
        return None

    def _compare(self, source: Source, text: str) -> bool:
        """Whether the file changes; says so."""
        if text == source.text:
            return False
        self._changed += 1
        if self._is_showing:
            click.echo(rewriting.difference(source.path, source.text, text).encode(), nl=False)
        elif self._is_dry or not self._is_quiet:
            click.echo(source.path)
        return True

    def _tell(self, source: Source, found: Sequence[Diagnostic]) -> None:
        self._refused += 1
        has_color = is_coloured()
        text = diagnostics.render(
            found, style=self._style, lines=lambda _: source.text.split("\n"), is_coloured=has_color
        )
        click.echo(text, nl=False, err=True, color=has_color)

    def _sum_up(self) -> None:
        if self._is_quiet:
            return
        said = [f"{self._changed} {'would change' if self._is_dry else 'formatted'}"]
        if self._refused:
            said.append(f"{self._refused} left alone")
        files = f"{self._count} file{'s' * (self._count != 1)}"
        click.echo(f"{files}: {', '.join(said)}", err=True)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that are meant, each once; what is no record and no `repo.yaml` is passed over in folders."""
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            inside = [file for file in schema.record_paths(path) if file.suffix in _SUFFIXES]
            inside += _repositories(path)
        elif not path.exists() and not path.is_symlink():
            fail(f"no file or folder at {named(path)}", EXIT_USAGE)
        elif path.suffix not in _SUFFIXES:
            fail(f"{named(path)}: what is formatted are {', '.join(_SUFFIXES)} files", EXIT_USAGE)
        else:
            is_meant = path.name == _REPO or path.name not in schema.NOT_RECORDS
            is_hidden = any(name.startswith(".") for name in (path.name, path.parent.name))
            inside = [path] if is_meant and not is_hidden else []
        for file in sorted(inside):
            if (place := Path(os.path.abspath(file))) not in seen:  # noqa: PTH100 - links are not followed
                seen.add(place)
                yield file


def _repositories(folder: Path) -> Iterator[Path]:
    for file in folder.rglob(_REPO):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file
