"""`pagefault serve`."""

from typing import Any

import click

from generator.cli.options import common, end_with


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port wanted.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--open", "is_opening", is_flag=True, help="Open the site in a browser.")
@common
def serve(*, port: int, host: str, is_opening: bool, **options: Any) -> None:
    """Serve the site, and build again what is saved.

    Records, templates, the configuration and the code under test are watched. Browsers load a page again when
    it was built again; while something does not hold they show what, and the last good site stays. The site
    stands at the path of its base URL, and is served as GitHub Pages would. A port that is taken is
    replaced by a free one. Ctrl-C ends it, with status 0.

    \b
    Examples:
      pagefault serve
      pagefault serve --open --port 9000
      pagefault serve --base-url https://acme.github.io/errors/ --strict
    """

    def start() -> int:
        from generator.cli.rebuilding import serve  # noqa: PLC0415 - `--help` does without it

        return serve(options, host=host, port=port, is_opening=is_opening)

    end_with(start)
