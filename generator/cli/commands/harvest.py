"""`pagefault harvest`."""

from typing import Any

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("target", metavar="PACKAGE|PATH")
@click.option(
    "--records",
    is_flag=False,
    flag_value="",
    metavar="[FOLDER]",
    help="Write a record to begin with for each error that has none.",
)
@click.option("--repo", metavar="OWNER/NAME", help="The repository on GitHub, for --records.")
@click.option("--commit", metavar="SHA", help="The commit that has these lines, for --records.")
@click.option("--prefix", metavar="FOLDER/", help="Put before a release's path, gives the repository's.")
@click.option("--cache", type=FOLDER, help="Folder of what is kept.")
@click.option("--json", "is_json", is_flag=True, help="List the same for programs.")
def harvest(target: str, **options: Any) -> None:
    """List every error that source raises.

    Each with class, message, places and functions. PACKAGE is an installed release or a repository that
    records name, PATH a folder or a file. Places that raise the same error stand together. What could not
    be read is counted, with the reason. With --records, a record is begun for each error that has none, as
    `pagefault new` would; nothing is overwritten.

    \b
    Examples:
      pagefault harvest jinja2==3.1.6
      pagefault harvest src/pool --json
      pagefault harvest jinja2 --records --commit 15206881c006c79667fe5154fe80c01c65410679 --prefix src/
    """

    def start() -> int:
        from generator.cli.surveys import harvested  # noqa: PLC0415 - `--help` does without it

        return harvested(target, options)

    end_with(start)
