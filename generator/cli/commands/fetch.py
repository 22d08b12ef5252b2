"""`pagefault fetch`."""

from typing import Any

import click

from generator.cli.options import common, run_with


@click.command()
@common
def fetch(**options: Any) -> None:
    """Fetch the released wheels from which excerpts are read.

    They are checked by their hashes, and go into the cache. Without them pages link to the source instead of
    quoting it.
    """
    run_with(options, lambda run: run.fetch())
