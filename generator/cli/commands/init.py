"""`pagefault init`."""

from pathlib import Path
from typing import Any

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("folder", default=".", type=FOLDER)
@click.option("--repo", metavar="OWNER/NAME", help="The repository on GitHub.  [default: git's `origin`]")
@click.option("--source", type=click.Path(path_type=Path, exists=True), help="Folder of your own package.")
def init(folder: Path, **options: Any) -> None:
    """Begin a reference of your project's errors.

    Written are settings in `pyproject.toml`, a workflow that proves records and publishes their site, and a
    first record: of the first error that your package raises, to be proven by you. Files that are there
    are kept; what they lack is added.

    \b
    Examples:
      pagefault init
      pagefault init --repo acme/widgets --source src/widgets
    """

    def start() -> int:
        from generator.cli.beginning import begin  # noqa: PLC0415 - `--help` does without it

        return begin(folder, options)

    end_with(start)
