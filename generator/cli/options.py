"""What commands that read records share: their options, and how they are run to an exit status."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from generator.cli.speech import EXIT_INTERRUPTED, EXIT_USAGE, closest, fail, named

if TYPE_CHECKING:
    from generator.cli.run import Run

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = click.Path(path_type=Path, file_okay=False)


class Existing(click.Path):
    """A path that is there; of a mistyped one, the nearest is said."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, exists=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            path = Path(value)
            beside = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
            close = closest(path.name, beside)
            if close is None:
                raise
            message = f"there is no {value}: did you mean `{named(path.parent / close)}`?"
            raise click.BadParameter(message, ctx, param) from None


def common(function: F) -> F:
    """The options of every command that reads records."""
    for option in reversed(
        [
            click.option("--records", type=FOLDER, help="Folder of records.  [default: records]"),
            click.option("--templates", type=FOLDER, help="Folder whose templates shadow ours."),
            click.option("--out", type=FOLDER, help="Folder of the site.  [default: site]"),
            click.option("--cache", type=FOLDER, help="Folder of facts.  [.cache/pagefault]"),
            click.option("--outputs", help="What to build, e.g. `html,json`.  [default: all]"),
            click.option("--jobs", type=click.IntRange(1, 256), help="Processes at once.  [default: cores]"),
            click.option("--why", is_flag=True, help="Say why something is run again."),
            click.option("--no-cache", is_flag=True, help="Run and render everything anew."),
            click.option("--strict", is_flag=True, help="Count warnings as errors."),
            click.option(
                "--format",
                "style",
                type=click.Choice(["full", "concise", "json", "github", "sarif"]),
                default="full",
                show_default=True,
                help="How findings are shown.",
            ),
            click.option(
                "--isolation",
                type=click.IntRange(1, 3),
                help="Run nothing behind less: 1 limits, 2 sealed, 3 namespaces.  [default: 1]",
            ),
            click.option("--base-url", help="Where the site will stand, for absolute links."),
            click.option("--tracker", help="Address of the form for reports about a page."),
            click.option("--edit", help="Address below which records can be edited."),
            click.option("--preview", is_flag=True, help="Mark pages as a preview; keep engines away."),
            click.option("--max-size", type=click.IntRange(1), help="MiB a site may have.  [default: 1024]"),
            click.option("--timings", type=click.Path(path_type=Path), help="Write seconds here."),
            click.option("-q", "--quiet", is_flag=True, help="Show errors only."),
            click.option("-v", "--verbose", is_flag=True, help="Show each stage and its time."),
        ]
    ):
        function = option(function)
    return function


def run_with(options: dict[str, Any], command: "Callable[[Run], int]") -> NoReturn:
    """Runs a command that reads records; ends with its exit status."""

    def start() -> int:
        from generator.cli.run import Run  # noqa: PLC0415 - `--help` does without it

        return command(Run(options))

    end_with(start)


def end_with(command: Callable[[], int]) -> NoReturn:
    """Ends with a command's exit status; what the user can mend is told without a traceback."""
    try:
        status = command()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        raise  # whoever reads has seen enough: click ends quietly
    except Exception as error:  # noqa: BLE001 - whatever it is, it ends with status 2
        fail_for(error)
    sys.exit(status)


def fail_for(error: Exception) -> NoReturn:
    """Says what ends a command; what the user can mend without a traceback. Raises speech.Failed."""
    from generator.executor import Poisoned  # noqa: PLC0415 - only after a failure
    from generator.plain import Changed  # noqa: PLC0415 - as above
    from generator.theme import TemplateFailed  # noqa: PLC0415 - as above

    if isinstance(error, TemplateFailed):
        fail(f"{named(Path(error.file))}:{error.line}: {error.why}", EXIT_USAGE)
    if isinstance(error, Changed):
        fail(f"{error} changed while the site was built from it: build again", EXIT_USAGE)
    if isinstance(error, Poisoned):
        fail(f"{error} ended every process that worked on it: is there enough memory?", EXIT_USAGE)
    import traceback  # noqa: PLC0415 - slow to import, and only after a failure

    traceback.print_exception(error)
    fail("this is a fault of pagefault: please report it with the lines above", EXIT_USAGE)
