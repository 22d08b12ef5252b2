"""How the file of a record is laid out: as it would be written by hand, whoever wrote it."""

import json
from typing import Any

from generator import document, schema
from generator.diagnostics import Rejected, Source, has_errors
from generator.model import Record, Repository
from generator.nodes import Mapping, Node, Scalar
from generator.nodes import Sequence as Items
from generator.rows import Page, Unsettled
from generator.shapes import Shape, shape_of

__all__ = ["Unsettled", "arrange"]

_ENVELOPE = ("record", "datasetVersion")


def arrange(source: Source, kind: Any, *, is_json: bool, modeline: str | None = None) -> str:
    """The text of a record's file, or of a `repo.yaml`, laid out; the same where nothing is to be done.

    `kind` is `Record` or `Repository`. `modeline` is the comment by which editors find the schema: it becomes
    the first line, in place of any there is. Line ends stay. Raises Rejected for a file that is no
    such thing, Unsettled.
    """
    node, meaning = _read(source, kind, is_json=is_json)
    shape = shape_of(kind)
    if kind is Record and isinstance(node.get("record"), Mapping):
        shape = Shape(_ENVELOPE, {"record": Record}, {"datasetVersion": None})
    if is_json:
        text = f"{_json(node, shape)}\n"
    else:
        text = "".join(f"{row}\n" for row in Page(source).rows(node, shape, modeline))
    try:
        _, again = _read(Source(source.path, text), kind, is_json=is_json)
    except Rejected as rejected:
        raise Unsettled(source.path) from rejected
    if again != meaning:
        raise Unsettled(source.path)
    return text.replace("\n", "\r\n") if "\r\n" in source.text else text


def _read(source: Source, kind: type[Any], *, is_json: bool) -> tuple[Mapping, object]:
    """The tree of a text, and what it says. Raises Rejected."""
    meaning: object
    if kind is Repository:
        meaning, found = schema.decode_repository(source)
    else:
        file, found = schema.decode_text(source, is_json=is_json)
        meaning = file and (file.record, file.dataset_version)
    node, _ = document.parse(source, is_json=is_json)
    if meaning is None or has_errors(found) or not isinstance(node, Mapping):
        raise Rejected(found)
    return node, meaning


def _json(node: Node, shape: Shape, indent: str = "\n") -> str:
    """The node as JSON, two spaces a level."""
    deeper = f"{indent}  "
    match node:
        case Mapping():
            parts = [
                f"{json.dumps(entry.key.text, ensure_ascii=False)}: "
                f"{_json(entry.value, shape.within(entry.key.text), deeper)}"
                for entry in shape.kept(node)
            ]
            brackets = "{}"
        case Items():
            parts = [_json(item, shape, deeper) for item in node.items]
            brackets = "[]"
        case Scalar():
            if node.kind == "string":
                return json.dumps(node.text, ensure_ascii=False)
            return node.text
    if not parts:
        return brackets
    return f"{brackets[0]}{deeper}{f',{deeper}'.join(parts)}{indent}{brackets[1]}"
