"""`pagefault completion`."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "fish", "zsh"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what completes commands in your SHELL.

    \b
    Put it where your shell begins:
      eval "$(pagefault completion bash)"
      eval "$(pagefault completion zsh)"
      pagefault completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - for the type checker
    click.echo(kind(ctx.find_root().command, {}, "pagefault", "_PAGEFAULT_COMPLETE").source())
