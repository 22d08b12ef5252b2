"""`api/openapi.json`: the static API described, as OpenAPI 3.1."""

from collections.abc import Iterator

from generator import schema
from generator.model import FOUNDING_FIELDS, Page, Site
from generator.pages import PageKind


def plan(site: Site) -> Iterator[Page]:
    """The one file. Its schema of a record is that of record files, with what the API adds."""
    record = schema.json_schema()
    definitions = {name: body for name, body in record["$defs"].items() if name != "Record"}
    fields = dict(list(record["$defs"]["Record"]["properties"].items())[:FOUNDING_FIELDS])
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
            "related": {"type": "array", "items": {"type": "object"}},
            "pageUrl": text,
            "aliases": {"type": "array", "items": text},
            "status": {"enum": ["removed", None]},
            "removedIn": {"type": ["string", "null"]},
            "reason": {"type": ["string", "null"]},
        },
        "required": [*fields, "standing", "evidence", "related", "pageUrl", "aliases"],
    }
    content = {
        "openapi": "3.1.0",
        "info": {
            "title": site.title,
            "version": site.version_date or site.version,
            "description": "Static files. Ids are stable; fields may be added, none changes its meaning.",
        },
        "servers": [{"url": site.base_url or "/"}],
        "paths": {
            "/api/errors/{id}.json": _get(
                "One error, with the evidence",
                _envelope({"record": {"$ref": "#/components/schemas/Error"}}),
                "id",
            ),
            "/api/errors.json": _get(
                "All errors in short, the first page of several",
                _envelope(
                    {
                        "errors": {"type": "array", "items": {"type": "object", "properties": listed}},
                        "page": {"type": "integer"},
                        "pages": {"type": "integer"},
                        "total": {"type": "integer"},
                        "next": {"type": ["string", "null"]},
                    }
                ),
            ),
            "/api/repos.json": _get(
                "The repositories", _envelope({"repos": {"type": "array", "items": {"type": "object"}}})
            ),
            "/api/manifest.json": _get(
                "The sha256 of every API file", _envelope({"files": {"type": "object"}})
            ),
            "/schema/record.schema.json": _get("The JSON Schema of a record file", {"type": "object"}),
        },
        "components": {"schemas": {"Error": error, **definitions}},
    }
    yield Page("api/openapi.json", "json", _local(content))


def _envelope(properties: dict[str, object]) -> dict[str, object]:
    dated = {**properties, "datasetVersion": {"type": ["string", "null"]}}
    return {"type": "object", "properties": dated, "required": [*properties]}


def _get(summary: str, body: dict[str, object], parameter: str = "") -> dict[str, object]:
    operation: dict[str, object] = {
        "summary": summary,
        "responses": {
            "200": {"description": summary, "content": {"application/json": {"schema": body}}},
            "404": {"description": "There is no such file"},
        },
    }
    if parameter:
        operation["parameters"] = [
            {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
        ]
    return {"get": operation}


def _local(value: object) -> object:
    """The same with references to where OpenAPI keeps its schemas."""
    if isinstance(value, dict):
        return {
            name: part.replace("#/$defs/", "#/components/schemas/") if name == "$ref" else _local(part)
            for name, part in value.items()
        }
    return [_local(part) for part in value] if isinstance(value, list) else value


PAGE = PageKind("openapi", plan)
