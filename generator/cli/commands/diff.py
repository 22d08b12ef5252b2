"""`pagefault diff`."""

from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import FOLDER, run_with

if TYPE_CHECKING:
    from generator.cli.run import Run

LIMIT = 60_000  # bytes of Markdown: a comment on GitHub takes 65,536 characters
# Options of other commands, which have no say here.
UNSAID = ("out", "outputs", "tracker", "edit", "max_size", "timings", "preview", "why")


@click.command()
@click.argument("base", metavar="BASE")
@click.option("--records", type=FOLDER, help="Folder of records.  [default: records]")
@click.option("--templates", type=FOLDER, help="Folder whose templates shadow ours.")
@click.option("--cache", type=FOLDER, help="Folder of facts.  [.cache/pagefault]")
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes at once.  [default: cores]")
@click.option("--no-cache", is_flag=True, help="Run everything anew.")
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How it is told.",
)
@click.option(
    "--limit", type=click.IntRange(2000), metavar="BYTES", help=f"End of Markdown.  [default: {LIMIT}]"
)
@click.option(
    "--isolation",
    type=click.IntRange(1, 3),
    help="Run nothing behind less: 1 limits, 2 sealed, 3 namespaces.  [default: 1]",
)
@click.option("--base-url", help="Where the site will stand, for absolute links.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def diff(base: str, limit: int | None, **options: Any) -> None:
    """Tell what a branch changes, by meaning.

    That is what records say, how they stand, whose messages they match, how pages read. The working tree is
    compared with the commit at which BASE and HEAD part, as the three dots of a pull request do. BASE is a
    branch, a tag or a commit. Both sides are read, run and judged by this pagefault; what ran before is not
    run again. The working tree stays as it is.

    Exit status 1 says that an address of a record would vanish, which no alias and no `status: removed`
    keeps, or that an error stands in the branch.

    \b
    Examples:
      pagefault diff origin/main
      pagefault diff origin/main --format markdown --limit 60000 >> "$GITHUB_STEP_SUMMARY"
      pagefault diff v1.2 --format json | jq .vanished
    """
    if limit is not None and options["style"] != "markdown":
        raise click.UsageError("--limit is for --format markdown: the others leave nothing out")

    def command(run: "Run") -> int:
        from generator.cli import branches  # noqa: PLC0415 - `--help` does without it

        return branches.diff(run, base, limit or LIMIT)

    run_with({**dict.fromkeys(UNSAID), **options, "verbose": False}, command)
