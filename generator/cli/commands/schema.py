"""`pagefault schema`."""

import click

from generator.cli.options import end_with


@click.command()
@click.argument("kind", type=click.Choice(["record", "repo"]), default="record")
def schema(kind: str) -> None:
    """Print the JSON Schema of records, for editors.

    It is of draft 7. Keep it in the folder of records, at .schema/record.json: `pagefault fmt` then
    writes the line into each record by which editors find it. A built site has it at
    schema/record.schema.json.

    \b
    Examples:
      pagefault schema
      pagefault schema record > records/.schema/record.json
      pagefault schema repo > records/.schema/repo.json
    """

    def run() -> int:
        from generator import json_schema  # noqa: PLC0415 - `--help` does without it

        click.echo(json_schema.text(json_schema.KINDS[kind]), nl=False)
        return 0

    end_with(run)
