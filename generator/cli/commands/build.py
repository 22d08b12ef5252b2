"""`pagefault build`."""

from typing import Any

import click

from generator.cli.options import common, run_with


@click.command()
@common
def build(**options: Any) -> None:
    """Check the records, and write their site.

    Nothing is written while an error stands.

    \b
    Examples:
      pagefault build
      pagefault build --out public --base-url https://acme.github.io/errors/
      pagefault build --outputs html,json --strict
    """
    run_with(options, lambda run: run.build())
