"""`api/openapi.json`: the static API described, as OpenAPI 3.1."""

from collections.abc import Iterator

from generator import json_schema
from generator.model import FOUNDING_FIELDS, Page, Record, Site
from generator.pages import PageKind


def plan(site: Site) -> Iterator[Page]:
    """The one file. Its schema of a record is that of record files, with what the API adds."""
    definitions = json_schema.components(Record, refs="#/components/schemas/{name}")
    record = definitions.pop("Record")
    fields = dict(list(record["properties"].items())[:FOUNDING_FIELDS])
    text = {"type": "string"}
    listed = dict.fromkeys(
        ("id", "repo", "slug", "errorClass", "errorMessage", "messagePattern", "standing"), text
    )
    error = {
        "type": "object",
        "properties": {
            **fields,
            "standing": {"enum": ["proven", "read", "unproven"]},
            "evidence": {"type": "object"},
            "computed": {
                "type": "array",
                "description": "what a reader's values lead to: arithmetic over the template's holes",
                "items": {
                    "type": "object",
                    "properties": {"name": text, "formula": text},
                    "required": ["name", "formula"],
                },
            },
            "related": {"type": "array", "items": {"type": "object"}},
            "pageUrl": text,
            "aliases": {"type": "array", "items": text},
            "status": {"enum": ["removed", None]},
            "removedIn": {"type": ["string", "null"]},
            "reason": {"type": ["string", "null"]},
        },
        "required": [*fields, "standing", "evidence", "computed", "related", "pageUrl", "aliases"],
    }
    part = {
        "errors": {"type": "array", "items": {"type": "object", "properties": listed}},
        "next": {"type": ["string", "null"], "description": "the address of the next part"},
    }
    counts = {"total": {"type": "integer"}, "parts": {"type": "integer"}}
    one = _envelope({"record": {"$ref": "#/components/schemas/Error"}})
    digests = {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
    content = {
        "openapi": "3.1.0",
        "info": {
            "title": site.title,
            "version": site.version_date or site.version,
            "description": "Static files. Ids are stable; fields may be added, none changes its meaning.",
        },
        "servers": [{"url": site.base_url or "/"}],
        "paths": {
            "/api/errors/{id}.json": _get("One error, with the evidence", one, "id"),
            "/api/errors/{id}": _get(
                "The same bytes, which some hosts serve without a type", one, "id", "application/octet-stream"
            ),
            "/api/errors.json": _get(
                "All errors in short, the first part of several", _envelope({**part, **counts})
            ),
            "/api/errors/page/{name}.json": _get("A further part", _envelope(part), "name"),
            "/api/dataset.jsonl.gz": _get(
                "Every record, one a line, compressed", {}, media="application/gzip"
            ),
            "/api/repos.json": _get(
                "The repositories", _envelope({"repos": {"type": "array", "items": {"type": "object"}}})
            ),
            "/api/manifest.json": _get(
                "The sha256 of every API file but the records', and of the lists of those",
                _envelope({"files": digests}),
            ),
            "/api/manifest/{digits}.json": _get(
                "The sha256 of the files of all records whose ids begin with two digits",
                {"type": "object", "properties": {"files": digests}, "required": ["files"]},
                "digits",
            ),
            "/lookup/meta.json": _get("What must be known before a look-up", {"type": "object"}),
            "/lookup/{shard}.json": _get("The records filed under some words", {"type": "object"}, "shard"),
            "/schema/record.schema.json": _get("The JSON Schema of a record file", {"type": "object"}),
        },
        "components": {"schemas": {"Error": error, **definitions}},
    }
    yield Page("api/openapi.json", "json", content)


def _envelope(properties: dict[str, object]) -> dict[str, object]:
    dated = {**properties, "datasetVersion": {"type": ["string", "null"]}}
    return {"type": "object", "properties": dated, "required": [*properties]}


def _get(
    summary: str, body: dict[str, object], parameter: str = "", media: str = "application/json"
) -> dict[str, object]:
    operation: dict[str, object] = {
        "summary": summary,
        "responses": {
            "200": {"description": summary, "content": {media: {"schema": body}}},
            "404": {"description": "There is no such file"},
        },
    }
    if parameter:
        operation["parameters"] = [
            {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
        ]
    return {"get": operation}


PAGE = PageKind("openapi", plan)
