"""`pagefault check`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import Existing, common, run_with

if TYPE_CHECKING:
    from generator.cli.run import Run


@click.command()
@click.argument("paths", nargs=-1, type=Existing())
@click.option("--pins", is_flag=True, help="Hold records against their pinned source too.")
@click.option(
    "--clone",
    "clones",
    multiple=True,
    metavar="OWNER/NAME=PATH",
    help="Where a repository is cloned, for --pins.",
)
@click.option("--changed-since", "since", metavar="REF", help="Check what a branch changed since REF.")
@click.option("--fix", "is_fixing", is_flag=True, help="Mend what has one right answer, in place.")
@click.option("--diff", "is_showing", is_flag=True, help="With --fix, show what would be mended instead.")
@common
def check(
    paths: tuple[Path, ...], since: str | None, *, is_fixing: bool, is_showing: bool, **options: Any
) -> None:
    """Run what records claim, and report what does not hold.

    With PATHS (files or folders), only those are run and reported. With --changed-since, only records and
    guides whose files differ from the commit at which REF and HEAD part are, in commits or in the working
    tree, and records beside a changed `repo.yaml` or `differential.json`; all of them where the
    configuration, templates or pagefault itself changed. The others are there to be compared with.

    With --fix, misspelt fields, lines that are off, patterns in another dialect and the like are mended where
    one answer alone is right; what is left is reported.

    \b
    Examples:
      pagefault check
      pagefault check records/acme --format concise
      pagefault check --changed-since origin/main --format github
      pagefault check --pins --clone acme/widgets=../widgets
      pagefault check --fix --diff
      pagefault check --format sarif > findings.sarif
    """
    if is_showing and not is_fixing:
        raise click.UsageError("--diff shows what --fix would do: give both")
    if since is not None and (paths or is_fixing):
        raise click.UsageError(
            "--changed-since chooses what is checked: name no PATHS beside it, and no --fix"
        )

    def command(run: "Run") -> int:
        from generator.cli import branches, mending  # noqa: PLC0415 - `--help` does without them

        if since is not None:
            return branches.check(run, since)
        if is_fixing:
            return mending.show(run, paths) if is_showing else mending.mend(run, paths)
        return run.check(paths)

    run_with(options, command)
