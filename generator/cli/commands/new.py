"""`pagefault new`."""

from typing import Any

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("place", required=False)
@click.option("--package", metavar="NAME==VERSION", help="The installed release that PLACE is in.")
@click.option("--repo", metavar="OWNER/NAME", help="The repository on GitHub.")
@click.option("--commit", metavar="SHA", help="The commit that has these lines.")
@click.option("--prefix", metavar="FOLDER/", help="Put before a release's path, gives the repository's.")
@click.option("--records", type=FOLDER, help="Folder of records.  [default: records]")
@click.option("--cache", type=FOLDER, help="Folder of what is kept.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Show the record, and write nothing.")
def new(place: str | None, **options: Any) -> None:
    """Begin a record, from a traceback or the PLACE of a `raise`.

    PLACE is a file and a line. Without it, a traceback is read from standard input. Class, message,
    pattern, address and excerpt are read from the source; what cannot be known is asked on a terminal,
    and named by options elsewhere. The file that is written says that the record is unproven, and how to
    prove it. Nothing is ever overwritten.

    \b
    Examples:
      python app.py 2>&1 | pagefault new
      pagefault new src/pool.py:112 --repo acme/pool --commit 0132848349585cfe6aae51c4941cbae872505f8a
      pagefault new --package jinja2==3.1.6 jinja2/environment.py:123
    """

    def start() -> int:
        from generator.cli.writing import Writing  # noqa: PLC0415 - `--help` does without it

        return Writing(options).new(place)

    end_with(start)
