"""JSON Schemas of the files that people write, for editors: made from the types that they decode to.

They are of draft 7, which language servers for YAML read. A schema says less than `schema.decode`: it knows
no calendar and no templates. What it refuses is refused there too, but for two spellings that few use: the
text "null" for a number, which is taken as null with a warning, and the API's envelope around a record.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from generator import schema
from generator.model import Record, Repository

DRAFT = "http://json-schema.org/draft-07/schema#"
# What can be asked for, by name; editors find each in the folder of records, at `FOLDER`/<name>.json.
KINDS: Mapping[str, type[Any]] = {"record": Record, "repo": Repository}
FOLDER = ".schema"
_MODELINE = "# yaml-language-server: $schema="

_TITLES = {"Record": "pagefault error record", "Repository": "pagefault repository"}
# Plain numbers and truth values are texts here, as YAML's readers in editors do not know.
_SCALAR = ["string", "number", "boolean"]
_LOOSE = {
    ("Record", "errorCode"),
    ("Record", "removedIn"),
    ("Verification", "captures"),
    ("Lookalike", "returns"),
    ("Wheelhouse", "python"),
}
_SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
_PLACE = "src/jinja2/compiler.py:1813"

# What each field may hold, by the type's name: shown by editors, and tried by the tests.
EXAMPLES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "Record": {
        "id": ("ba4db60e324417e3",),
        "repo": ("pallets/jinja",),
        "slug": ("no-filter-named",),
        "errorCode": ("E0302",),
        "errorMessage": ("No filter named '{node.name}'.",),
        "messagePattern": (r"No filter named '(.+?)'\.",),
        "errorType": ("validation", "lookup"),
        "errorClass": ("ValueError", "jinja2.exceptions.TemplateAssertionError"),
        "httpStatus": (404,),
        "severity": ("error", "warning"),
        "filePath": ("src/jinja2/compiler.py",),
        "lineNumber": (382,),
        "sourceCode": ("if not unit:\n    raise IndexError(f'no unit {idx}')",),
        "sourceCodeStart": (94,),
        "sourceCodeEnd": (130,),
        "githubUrl": (f"https://github.com/pallets/jinja/blob/{_SHA}/src/jinja2/compiler.py#L382",),
        "documentation": ("The word after `|` is no filter of this environment.",),
        "triggerScenarios": ("`{{ created|date }}`, or any name that is not in `env.filters`.",),
        "commonSituations": ("A template was taken from another program.",),
        "solutions": (['Register it before the template is loaded: `env.filters["date"] = format_date`.'],),
        "exampleFix": ("# before\nidx = pool.alloc(37)\n\n# after\nidx = pool.alloc(48)",),
        "handlingStrategy": ("validation", "retry"),
        "validationCode": ("if need > pool.available_size():\n    raise MemoryError('no room')",),
        "typeGuard": ("if type(need_size) is not int:\n    raise TypeError('need_size must be an int')",),
        "tryCatchPattern": ("try:\n    out = pool.alloc(n)\nexcept ValueError:\n    out = None",),
        "preventionTips": (["Make the environment in one function that registers all filters."],),
        "tags": (["jinja", "template-syntax"],),
        "backgroundTag": ("template-stages",),
        "analyzedSha": (_SHA,),
        "analyzedAt": ("2026-11-30", "2026-08-28T05:10:05.995Z"),
        "schemaVersion": (2,),
        "aliases": (["filter-unknown", "pallets/jinja2/no-filter-named"],),
        "status": ("removed",),
        "removedIn": ("4.0",),
        "reason": ("Unknown filters are found by `Environment.compile` alone since.",),
        "verification": ({"subject": "jinja2==3.1.6", "trigger": "env.compile(source)"},),
    },
    "Verification": {
        "subject": ("jinja2==3.1.6", "sglang.LogicalHostPool"),
        "setup": ("from jinja2 import Environment\n\nenv = Environment()",),
        "trigger": ("pool.alloc(37)",),
        "captures": ({"need_size": "37", "page_size": "16"},),
        "more": (["pool.alloc(1)", "pool.alloc(16.5)"],),
        "instead": ([{"call": "pool.alloc(80)", "returns": "None", "why": "80 is aligned, and too many."}],),
        "fixed": ({"expect": "idx.numel() == 48"},),
        "guarded": ("pool.alloc(need)",),
        "recovered": ({"expect": "out is not None"},),
        "computed": ([{"name": "whole pages", "value": "-(-n // 16)", "expect": "value * 16 >= 37"}],),
        "sites": ([_PLACE],),
        "builtAt": (_PLACE,),
        "native": (True,),
        "readIn": ("3.11.7",),
        "reachable": ({"via": "the compiler, when it writes the call of a filter", "site": _PLACE},),
        "patternReason": ("the source writes one template for filters and tests",),
        "overlaps": ([{"record": "no-test-named", "apart": "the word after *No*"}],),
        "unproven": ("needs a CUDA device",),
    },
    "Expectation": {"expect": ("idx.numel() == 48",)},
    "Lookalike": {
        "call": ("pool.alloc(80)",),
        "returns": ("None", "48 of the 64 slots"),
        "raises": ("UndefinedError: 'date' is undefined",),
        "expect": ("result.numel() == 48",),
        "why": ("80 is aligned, but more than the 64 slots that are free.",),
    },
    "Reachability": {
        "via": ("direct construction only",),
        "site": (_PLACE,),
    },
    "Computed": {
        "name": ("whole pages to ask for",),
        "value": ("-(-need_size // page_size)",),
        "expect": ("pool.alloc(value * pool.page_size) is not None",),
    },
    "Overlap": {
        "record": ("no-test-named",),
        "apart": ("The word after *No* tells: `filter` here, `test` there.",),
    },
    "Repository": {
        "repo": ("pallets/jinja",),
        "title": ("Jinja",),
        "description": ("A template engine for Python.",),
        "license": ("BSD-3-Clause",),
        "wheel": (
            {
                "requirement": "pool==1.5",
                "python": "3.11",
                "platform": "any",
                "file": "pool-1.5-py3-none-any.whl",
                "sha256": "4" * 64,
                "commit": _SHA,
            },
        ),
        "package": ({"requirement": "jinja2==3.1.6", "commit": _SHA, "prefix": "src/"},),
        "sites": (["src/jinja2/*.py"],),
    },
    "Wheelhouse": {
        "requirement": ("pool==1.5",),
        "python": ("3.11",),
        "platform": ("any", "manylinux_2_34_x86_64"),
        "file": ("pool-1.5-py3-none-any.whl",),
        "sha256": ("4" * 64,),
        "commit": (_SHA,),
        "prefix": ("python/",),
    },
    "Release": {
        "requirement": ("jinja2==3.1.6",),
        "commit": (_SHA,),
        "prefix": ("src/",),
        "caveat": ("The installed file was not compared with the repository at this commit.",),
    },
}


def of(kind: type[Any]) -> dict[str, Any]:
    """The schema of a file that holds a `Record` or a `Repository`."""
    parts = components(kind)
    for name, part in parts.items():
        for field, body in part["properties"].items():
            body["examples"] = list(EXAMPLES[name][field])
            _adapt(body, is_loose=(name, field) in _LOOSE)
    whole = parts.pop(kind.__name__)
    return {"$schema": DRAFT, **whole, "title": _TITLES[kind.__name__], "definitions": parts}


def text(kind: type[Any]) -> str:
    """The same as a file's text."""
    return msgspec.json.format(msgspec.json.encode(of(kind)), indent=2).decode() + "\n"


def modeline(file: Path, kind: str, base_url: str | None = None) -> str | None:
    """The comment by which editors find the schema of a file; None where there is none for it.

    Meant is the one in the nearest folder above the file, else a record's of the site at `base_url`.
    """
    here = Path(os.path.abspath(file)).parent  # noqa: PTH100 - as it is named, whatever is linked
    for folder in (here, *here.parents):
        place = folder / FOLDER / f"{kind}.json"
        if place.is_file():
            return f"{_MODELINE}{Path(os.path.relpath(place, here)).as_posix()}"
    if base_url and kind == "record":
        return f"{_MODELINE}{base_url.rstrip('/')}/schema/record.schema.json"
    return None


def components(kind: type[Any], refs: str = "#/definitions/{name}") -> dict[str, Any]:
    """The schemas of a type and of those within it, by their names; `refs` says where they will stand."""
    _, parts = msgspec.json.schema_components([kind], ref_template=refs)
    for part in parts.values():
        part["additionalProperties"] = False
    if "Record" in parts:
        needed = parts["Record"]["required"]
        parts["Record"]["required"] = [name for name in needed if name not in schema.DERIVED]
    return parts


def _adapt(body: dict[str, Any], *, is_loose: bool) -> None:
    """Says what the types do not: that blanks are no text, and where any scalar is one."""
    for part in (body, *body.get("anyOf", ())):
        for one in (part, part.get("items", {}), part.get("additionalProperties", {})):
            if one.get("type") != "string":
                continue
            # Of an empty text one complaint is enough.
            if one.pop("minLength", 0):
                one.setdefault("pattern", r"\S")
            if is_loose:
                one["type"] = _SCALAR
