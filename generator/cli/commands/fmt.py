"""`pagefault fmt`."""

from pathlib import Path
from typing import Any

import click

from generator.cli.options import end_with


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", "is_checking", is_flag=True, help="List what would change, and write nothing.")
@click.option("--diff", "is_showing", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--name", type=click.Path(path_type=Path), help="The file that standard input is, for editors.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["full", "concise"]),
    default="full",
    show_default=True,
    help="How findings are shown.",
)
@click.option("-q", "--quiet", "is_quiet", is_flag=True, help="Say only what is wrong.")
def fmt(paths: tuple[Path, ...], **options: Any) -> None:
    """Lay records out, all alike.

    Fields stand in order, long texts in blocks, comments where they belong. PATHS are files or folders, by
    default the folder of records; - is standard input. What a record says
    never changes: fields that say nothing are left out, and the text "null" is written as null. Files that
    cannot be read are left alone and reported. In a folder of records with a `.schema`, each gets the line by
    which editors find it. Exit status 1 says that a file was left alone, or with --check and --diff that one
    would change.

    \b
    Examples:
      pagefault fmt
      pagefault fmt records/acme --diff
      pagefault fmt --check
      pagefault fmt - --name records/acme/widgets/no-room.yaml < draft.yaml
    """

    def run() -> int:
        from generator.cli import formatting  # noqa: PLC0415 - `--help` does without it

        return formatting.run(paths, options)

    end_with(run)
