"""Arguments, printing and exit codes: the only package that does any of the three."""

from collections.abc import Sequence
from importlib import import_module

import click

from generator import __version__
from generator.cli.speech import nearest

# In the order in which they are met.
SECTIONS = {
    "Write records": ("init", "new", "harvest", "coverage", "fmt", "schema"),
    "Prove and publish": ("check", "build", "serve", "diff", "drift", "fetch"),
    "Look errors up": ("explain",),
    "For your shell": ("completion",),
}
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's interface
        """The names of all."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """The command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"generator.cli.commands.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; of a mistyped name, the nearest is said."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command `{args[0]}`: {nearest(args[0], COMMANDS, 'commands')}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what they are for."""
        width = max(map(len, COMMANDS))
        for title, names in SECTIONS.items():
            rows = [
                (name.ljust(width), command.get_short_help_str(formatter.width))
                for name in names
                if (command := self.get_command(ctx, name))
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 clean, 1 findings, 2 usage or internal error.",
)
@click.version_option(__version__, prog_name="pagefault")
def pagefault() -> None:
    """An error reference whose every page has been proven by running it."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; ends by SystemExit."""
    pagefault.main(args=list(arguments) if arguments is not None else None, prog_name="pagefault")
