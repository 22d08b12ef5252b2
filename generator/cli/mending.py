"""The command that mends what has one right answer: checks, writes, and checks again."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator import document, fixes, rewriting
from generator.cli.run import Run
from generator.cli.speech import EXIT_FINDINGS, EXIT_USAGE, fail
from generator.diagnostics import Diagnostic, Rejected, Source, printable

if TYPE_CHECKING:
    from generator.build import Report

# What is mended can show what else is wrong; more rounds than this mend what mending breaks.
ROUNDS = 5


def mend(run: Run, paths: Sequence[Path]) -> int:
    """Mends what can be, and shows what is left; the exit status."""
    mended: dict[str, list[str]] = defaultdict(list)
    report = run.look(paths)
    for _ in range(ROUNDS):
        count = 0
        for before, after, said in _mended(report):
            try:
                rewriting.replace(Path(before.path), after)
            except OSError as error:
                fail(f"{before.path}: cannot be written: {error.strerror or error}", EXIT_USAGE)
            mended[before.path] += said
            count += 1
        if not count:
            break
        report = run.look(paths)
    if not run.is_quiet:
        for path, said in sorted(mended.items()):
            click.echo(f"{path}: mended", err=True)
            for one in said:
                click.echo(f"  {one}", err=True)
    return run.tell(report)


def show(run: Run, paths: Sequence[Path]) -> int:
    """Shows what would be mended at once, and what is wrong; the exit status."""
    report = run.look(paths)
    is_any = False
    for before, after, _ in _mended(report):
        is_any = True
        click.echo(rewriting.difference(before.path, before.text, after).encode(), nl=False)
    return run.tell(report) or (EXIT_FINDINGS if is_any else 0)


def _mended(report: "Report") -> list[tuple[Source, str, list[str]]]:
    """Each file that can be mended, its text then, and what is done to it."""
    by_path: dict[str, list[Diagnostic]] = defaultdict(list)
    for one in report.diagnostics:
        if one.fix is not None:
            by_path[one.path].append(one)
    found = []
    for path, about in sorted(by_path.items()):
        try:
            source = document.read(Path(path), name=path)
        except Rejected:
            continue
        text, applied = fixes.apply(source, [one.fix for one in about if one.fix])
        if text != source.text:
            codes = {one.fix: one.code for one in reversed(about)}
            found.append((source, text, [_said(codes[fix], fix.span.line, fix.title) for fix in applied]))
    return found


def _said(code: str, line: int, title: str) -> str:
    return f"{code} at line {line}: {' '.join(printable(title).split())}"
