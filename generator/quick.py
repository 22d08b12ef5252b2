"""A short way to a record: plain JSON that nothing can be wrong with, decoded without its places.

Knowing where every value stands costs twenty times what reading it does, and is asked for only where
something is wrong. What this way takes, the long way (`document`, `schema.decode`) reads to the same
record without a finding; whatever might be otherwise is left to that, and tests hold the two together.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

import msgspec

from generator.model import FOUNDING_FIELDS, Record
from generator.nodes import HIDDEN, Limits

_LIMITS = Limits()
# May be left out of a file, and is then derived; any value that the schema takes stands in for it.
_DERIVED = {"id": "0" * 16, "slug": "x", "messagePattern": "x", "githubUrl": "https://github.com/x"}
_FIELDS = {field.encode_name: field.name for field in msgspec.structs.fields(Record)}
_NULLABLE = {field.encode_name for field in msgspec.structs.fields(Record) if field.default is None}
_PLAIN = (*list(_FIELDS)[:FOUNDING_FIELDS], "aliases", "status", "removedIn", "reason")


# Those of controls, and of any character by its number.
_ESCAPES = re.compile(r"\\[bfru]")
# Fields that hold any text.
_TEXTS = frozenset(
    (
        *("errorCode", "errorMessage", "messagePattern", "sourceCode", "documentation", "triggerScenarios"),
        *("commonSituations", "solutions", "exampleFix", "validationCode", "typeGuard", "tryCatchPattern"),
        *("preventionTips", "removedIn", "reason"),
    )
)


def _bare(kind: Any) -> Any:
    """A field's type without what constrains it."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _bare(inner[0])
    if origin in {UnionType, Union}:
        return Union[tuple(map(_bare, inner))]  # noqa: UP007 - of as many as there are
    return tuple[_bare(inner[0]), ...] if origin is tuple else kind  # type: ignore[misc]  # made at run time


class _OtherWay(Exception):  # noqa: N818 - no error: the long way reads it
    """Not for this way."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A record, the envelope's `datasetVersion`, and fields that hold the text "null" and are taken as null.

    Each of these with where its value begins and ends, in characters of the text. What the file leaves out
    is empty, as after `schema`'s own decoding, and waits for `schema.complete`.
    """

    record: Record
    version: str | None
    nulls: tuple[tuple[str, int, int], ...]


def decode(text: str) -> Decoded | None:
    """The record in a JSON text; None for what the long way must read."""
    # Escapes can hide characters; no text in a short file is too long.
    if _ESCAPES.search(text) or len(text) > _LIMITS.scalar or HIDDEN.search(text.replace("\r\n", "\n")):
        return None
    try:
        found = json.loads(
            text, object_pairs_hook=_distinct, parse_float=_refuse, parse_constant=_refuse, parse_int=_whole
        )
        version = None
        if isinstance(found, dict) and isinstance(found.get("record"), dict):
            if not found.keys() <= {"record", "datasetVersion"}:
                return None
            version = found.get("datasetVersion")
            if not (version is None or _is_sound(version)):
                return None
            found = found["record"]
        if not isinstance(found, dict) or not found.keys() <= set(_PLAIN):
            return None
        nulls = [name for name, value in found.items() if value == "null" and name in _NULLABLE]
        found = found | dict.fromkeys(nulls)
        if not all(_is_sound(value) for value in found.values()):
            return None
        # Before a last line end, a pattern's `$` holds for msgspec and not for the long way.
        if any(_ends_line(value) for name, value in found.items() if name not in _TEXTS):
            return None
        # The fields of this way hold texts and lists of texts, so nothing can be nested too deep.
        if sum(len(value) for value in found.values() if isinstance(value, list)) > _LIMITS.nodes // 2:
            return None
        record = msgspec.convert({**_DERIVED, **found}, Record)
    except (_OtherWay, ValueError, RecursionError, msgspec.ValidationError):
        return None
    missing = {_FIELDS[name]: "" for name in _DERIVED.keys() - found.keys()}
    if missing:
        record = msgspec.structs.replace(record, **missing)
    return Decoded(record, version, tuple(_place(name, text) for name in nulls))


@cache
def _known() -> tuple[Any, Any]:
    """A record without its constraints, and an envelope with one.

    To look at constraints again takes five times as long as all else.
    """
    fields: list[Any] = [
        (each.name, _bare(each.type)) if each.required else (each.name, _bare(each.type), each.default)
        for each in msgspec.structs.fields(Record)
        if each.name != "verification"
    ]
    record = msgspec.defstruct(
        "_Known", [*fields, ("verification", None, None)], rename="camel", kw_only=True
    )
    version = ("datasetVersion", str | None, None)
    return record, msgspec.defstruct("_Envelope", [("record", record), version], kw_only=True)


def again(text: str) -> tuple[Record, str | None] | None:
    """The record and its envelope's version in a text that was decoded before to just that; else None.

    Nothing is looked for that could be wrong: the caller has compared, and knows the text by its digest. What
    it gets has the fields of a record.
    """
    record, envelope = _known()
    version = None
    try:
        found = msgspec.json.decode(text, type=record)
    except (msgspec.DecodeError, RecursionError):
        try:
            around = msgspec.json.decode(text, type=envelope)
        except (msgspec.DecodeError, RecursionError):
            return None
        found, version = around.record, around.datasetVersion
    if '"null"' in text:
        for name in _NULLABLE:
            if getattr(found, _FIELDS[name]) == "null":
                setattr(found, _FIELDS[name], None)
    return cast("Record", found), version


def _place(name: str, text: str) -> tuple[str, int, int]:
    """Where a field's "null" stands: within a text, quotes have a backslash before them."""
    found = re.search(rf'(?<!\\)"{name}"\s*:\s*("null")', text)
    if found is None:
        raise AssertionError(f"{name} was read, and stands nowhere")
    return name, found.start(1), found.end(1)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _OtherWay
    return found


def _refuse(_: str) -> None:
    raise _OtherWay


def _whole(digits: str) -> int:
    if len(digits) > 18:
        raise _OtherWay
    return int(digits)


def _is_sound(value: object) -> bool:
    """Whether no text in a value is one that is reported, or read in another way by a pattern."""
    if isinstance(value, str):
        return value != "null" and bool(value.strip())
    if isinstance(value, list):
        return all(isinstance(one, str) and _is_sound(one) for one in value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _ends_line(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(text, str) and text.endswith("\n") for text in texts)
