"""`pagefault coverage`."""

from pathlib import Path

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("repos", nargs=-1, metavar="[OWNER/NAME]...")
@click.option("--records", type=FOLDER, help="Folder of records.  [default: records]")
@click.option("--cache", type=FOLDER, help="Folder of what is kept.")
@click.option("--json", "is_json", is_flag=True, help="List the same for programs.")
def coverage(repos: tuple[str, ...], *, records: Path | None, cache: Path | None, is_json: bool) -> None:
    """Show how much of what is raised has records.

    Read are the files that `sites` of a `repo.yaml` names, of the release that it names. Exit status 1 says
    that records have lost their place: nothing in these files raises their error.

    \b
    Examples:
      pagefault coverage
      pagefault coverage pallets/jinja --json
    """

    def start() -> int:
        from generator.cli.surveys import covered  # noqa: PLC0415 - `--help` does without it

        return covered(repos, records, cache, is_json=is_json)

    end_with(start)
