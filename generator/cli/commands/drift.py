"""`pagefault drift`."""

from typing import Any

import click

from generator.cli.options import FOLDER, end_with


@click.command()
@click.argument("what", nargs=-1, metavar="[PATH | OWNER/NAME]...")
@click.option(
    "--releases", "wanted", metavar="LIST", help="Which, as `0.5.16,0.5.18..0.5.23`.  [the newest 8]"
)
@click.option(
    "--clone",
    "clones",
    multiple=True,
    metavar="OWNER/NAME=PATH",
    help="Where a repository is cloned: read its tags, not wheels.",
)
@click.option("--tags", default="v*", show_default=True, help="Which tags of the clone.")
@click.option("--offline", is_flag=True, help="Use only what the cache holds.")
@click.option(
    "--new", "is_new", is_flag=True, help="List the messages that the pinned release does not raise."
)
@click.option("--json", "is_json", is_flag=True, help="Answer as JSON.")
@click.option("--repin", metavar="VERSION", help="Move the records to this release.")
@click.option("--commit", metavar="SHA", help="The full commit of that release, for --repin.")
@click.option("--date", metavar="DATE", help="A new `analyzedAt`, for --repin.")
@click.option("--dry-run", is_flag=True, help="Write nothing; with --repin, show the changes.")
@click.option("--records", type=FOLDER, help="Folder of records.  [default: records]")
@click.option("--cache", type=FOLDER, help="Folder of facts.  [.cache/pagefault]")
@click.option("-q", "--quiet", is_flag=True, help="Show results and errors only.")
def drift(what: tuple[str, ...], **options: Any) -> None:
    """Find messages in other releases, and move records there.

    A message is known by its text, its class and its function, never by a line's number. What is found
    goes into `drift.json` beside `repo.yaml`, from which pages show it. Without a PATH or a repository
    these are the repositories that have such a table.

    The status is 1 if a release newer than the pinned one words a message in another way or does not
    raise it, or if --repin has to leave a record as it is.

    \b
    Examples:
      pagefault drift pallets/jinja
      pagefault drift sgl-project/sglang --releases 0.5.16,0.5.18..0.5.23
      pagefault drift --clone acme/widgets=../widgets --tags 'v2.*' --new
      pagefault drift pallets/click --repin 8.5.1 --commit 0123…cdef --dry-run
    """

    def start() -> int:
        from generator.cli.drifts import Drifts  # noqa: PLC0415 - `--help` does without it

        return Drifts(options).run(what)

    end_with(start)
