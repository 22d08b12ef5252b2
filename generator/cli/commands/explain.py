"""`pagefault explain`."""

from typing import Any

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("message", nargs=-1)
@click.option("--site", metavar="URL", help="Ask a site on the web; answers are kept for offline use.")
@click.option("--json", "is_json", is_flag=True, help="Answer programs: matches, best first, and the query.")
@click.option("--scan", metavar="FILE", help="Count the messages of all records in a log, or - for input.")
@click.option("--open", "is_opening", is_flag=True, help="Open the best page in a browser too.")
@click.option("--records", type=FOLDER, help="Folder of records.")
@click.option("--out", type=FOLDER, help="Folder of a built site.")
@click.option("--cache", type=FOLDER, help="Folder of what is kept.")
def explain(message: tuple[str, ...], **options: Any) -> None:
    """Find the page of an error by what was printed.

    MESSAGE may be a file, or be left out for standard input. A message, a whole traceback, test output or a
    piece of log will do; so will a code such as E0301, and a record's id or slug. Looked up in the built
    site, else in the records, else where --site says. Exit status 1 says that no page fits whole. With
    --scan, a log of any size is read for the messages of all records, most frequent first; status 1 says
    that it holds none.

    \b
    Examples:
      pagefault explain "ValueError: name must be provided"
      pytest 2>&1 | pagefault explain -
      pagefault explain app.log --json
      pagefault explain E0301
      pagefault explain --scan app.log
      pagefault explain --site https://example.org/errors/ "No filter named 'shout'."
    """

    def start() -> int:
        from generator.cli import answers  # noqa: PLC0415 - `--help` does without it

        return (answers.scan if options["scan"] else answers.explain)(message, options)

    end_with(start)
