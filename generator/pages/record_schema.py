"""`schema/record.schema.json`, from the types that records decode to."""

from collections.abc import Iterator

from generator import json_schema
from generator.model import Page, Record, Site
from generator.pages import PageKind


def plan(site: Site) -> Iterator[Page]:  # noqa: ARG001 - the signature of page kinds
    """The one file."""
    yield Page("schema/record.schema.json", "json", json_schema.of(Record))


PAGE = PageKind("record_schema", plan)
