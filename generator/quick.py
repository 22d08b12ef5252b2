"""A short way to a record: plain JSON that nothing can be wrong with, decoded without its places.

Knowing where every value stands costs twenty times what reading it does, and is asked for only where
something is wrong. What this way takes, the long way (`document`, `schema.decode`) reads to the same
record without a finding; whatever might be otherwise is left to that, and tests hold the two together.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

import msgspec

from generator.model import FOUNDING_FIELDS, Record
from generator.nodes import HIDDEN, Limits

_LIMITS = Limits()
_RECORD = {field.name: field for field in msgspec.structs.fields(Record)}
# May be left out of a file, and are then derived.
_DERIVED = ("id", "slug", "message_pattern", "github_url")
_PLAIN = (*list(_RECORD)[:FOUNDING_FIELDS], "aliases", "status", "removed_in", "reason")
_NULLABLE = {field.encode_name: field.name for field in _RECORD.values() if field.default is None}

# Those of controls, and of any character by its number.
_ESCAPES = re.compile(r"\\[bfru]")
# Within texts, quotes have a backslash before them: so this is every key that is known, and nothing else.
_KEY = re.compile(r'"([A-Za-z]+)"\s*:')
_AROUND = re.compile(r'"record"\s*:')
_NULL = re.compile(r'("([A-Za-z]+)"\s*:\s*)"null"')


def _retyped(kind: Any, meant: Callable[[msgspec.Meta], msgspec.Meta | None]) -> Any:
    """A field's type with other constraints."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        metas = [one for one in map(meant, inner[1:]) if one is not None]
        retyped = _retyped(inner[0], meant)
        return Annotated[(retyped, *metas)] if metas else retyped
    if origin in {UnionType, Union}:
        return Union[tuple(_retyped(one, meant) for one in inner)]  # noqa: UP007 - of as many as there are
    return tuple[_retyped(inner[0], meant), ...] if origin is tuple else kind  # type: ignore[misc]  # made at run time


def _to_the_end(meta: msgspec.Meta) -> msgspec.Meta:
    """A pattern's `$` as the long way reads it: not before a last line end."""
    if meta.pattern is None:
        return meta
    pattern = meta.pattern.replace("$", r"\Z")
    return msgspec.Meta(pattern=pattern, min_length=meta.min_length, max_length=meta.max_length)


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
    if _ESCAPES.search(text) or len(text) > _LIMITS.scalar or _hides(text):
        return None
    names = _KEY.findall(text)
    if len(names) != len(set(names)):
        return None
    nulls: tuple[tuple[str, int, int], ...] = ()
    if '"null"' in text:
        nulls = tuple((one[2], one.end(1), one.end()) for one in _NULL.finditer(text) if one[2] in _NULLABLE)
        text = _NULL.sub(lambda one: f"{one[1]}null" if one[2] in _NULLABLE else one[0], text)
    try:
        found, version = _read(text, _written(), has_envelope="record" in names)
    except (ValueError, RecursionError):
        return None
    fields = msgspec.structs.asdict(found)
    values: list[object] = [version]
    for value in fields.values():
        if type(value) is tuple:
            values += value
        else:
            values.append(value)
    texts = [value for value in values if type(value) is str]
    # No text may be one that is reported, nor all of them more than a file may hold.
    if "null" in texts or any(map(str.isspace, texts)) or len(texts) > _LIMITS.nodes // 2:
        return None
    if found.source_code == "" or version == "":
        return None
    return Decoded(Record(**fields), version, nulls)


def _hides(text: str) -> bool:
    """Whether a text holds characters that are reported: all of them are such as cannot be printed."""
    if text.replace("\n", "").isprintable():
        return False
    return HIDDEN.search(text.replace("\r\n", "\n")) is not None


_Readers = tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]


@cache
def _written() -> _Readers:
    """Readers of a record that claims nothing, as the long way takes it, and of an envelope with one."""
    fields = [_field(_RECORD[name], _to_the_end) for name in _PLAIN]
    return _readers([(*one, "") if one[0] in _DERIVED else one for one in fields], is_strict=True)


@cache
def _known() -> _Readers:
    """Readers of a record without its constraints, and of an envelope with one.

    To look at constraints again takes as long as all else.
    """
    fields = [_field(one, lambda _: None) for name, one in _RECORD.items() if name != "verification"]
    return _readers([*fields, ("verification", None, None)], is_strict=False)


def _field(
    field: msgspec.structs.FieldInfo, meant: Callable[[msgspec.Meta], msgspec.Meta | None]
) -> tuple[Any, ...]:
    kind = _retyped(field.type, meant)
    return (field.name, kind) if field.required else (field.name, kind, field.default)


def _readers(fields: list[Any], *, is_strict: bool) -> _Readers:
    """With `is_strict`, no other fields are taken."""
    options: dict[str, Any] = {"rename": "camel", "kw_only": True, "forbid_unknown_fields": is_strict}
    record = msgspec.defstruct("_Fields", fields, **options)
    around: list[Any] = [("record", record), ("dataset_version", str | None, None)]
    envelope = msgspec.defstruct("_Envelope", around, **options)
    return msgspec.json.Decoder(record), msgspec.json.Decoder(envelope)


def _read(text: str, readers: _Readers, *, has_envelope: bool) -> tuple[Any, str | None]:
    """What a text holds, and its envelope's version. Raises msgspec.DecodeError, RecursionError."""
    alone, around = readers
    if not has_envelope:
        return alone.decode(text), None
    found = around.decode(text)
    return found.record, found.dataset_version


def again(text: str) -> tuple[Record, str | None] | None:
    """The record and its envelope's version in a text that was decoded before to just that; else None.

    Nothing is looked for that could be wrong: the caller has compared, and knows the text by its digest. What
    it gets has the fields of a record.
    """
    try:
        found, version = _read(text, _known(), has_envelope=_AROUND.search(text) is not None)
    except (msgspec.DecodeError, RecursionError):
        return None
    if '"null"' in text:
        for name in _NULLABLE.values():
            if getattr(found, name) == "null":
                setattr(found, name, None)
    return cast("Record", found), version
