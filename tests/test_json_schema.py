"""The JSON Schemas for editors: what they say, what they accept, and what they refuse as `check` does."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft7Validator

from generator import document, json_schema, schema, selfcheck
from generator.cli import pagefault
from generator.diagnostics import Source
from generator.model import FOUNDING_FIELDS, Record, Repository

RECORDS = Path(__file__).parent.parent / "records"
SCHEMA = json_schema.of(Record)
PATHS = tuple(schema.record_paths(RECORDS))
REPOSITORIES = tuple(sorted(RECORDS.rglob("repo.yaml")))

REPO = """\
repo: acme/keys
title: Keys
package: {requirement: keys==1.0, commit: 0132848349585cfe6aae51c4941cbae872505f8a}
"""


class Editor(yaml.SafeLoader):
    """YAML as language servers read it: by the core schema of YAML 1.2, where a date is a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the class above has it
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag.rpartition(":")[2] in {"null", "int", "float"}
            or (tag.endswith("bool") and first in "tTfF")
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def faults(text: str, kind: type[Any] = Record) -> list[str]:
    """What an editor shows of a text."""
    value = yaml.load(text, Loader=Editor)  # noqa: S506 - it is a safe loader
    return [error.message for error in Draft7Validator(json_schema.of(kind)).iter_errors(value)]


def is_refused(text: str) -> bool:
    """Whether decoding finds an error in a record."""
    return any(
        one.severity == "error" for one in schema.decode_text(Source("r.yaml", text), is_json=False)[1]
    )


@pytest.mark.parametrize("kind", json_schema.KINDS.values())
def test_a_schema_is_of_draft_7(kind: type[Any]) -> None:
    """Which language servers read; the document says so."""
    found = json_schema.of(kind)
    Draft7Validator.check_schema(found)
    assert "http://json-schema.org/draft-07/schema#" == found["$schema"]


def structures() -> list[tuple[str, dict[str, Any]]]:
    """Every mapping that a schema describes, by its type's name."""
    found = []
    for kind in json_schema.KINDS.values():
        whole = json_schema.of(kind)
        found += [(kind.__name__, whole), *whole["definitions"].items()]
    return found


@pytest.mark.parametrize(("name", "body"), structures(), ids=[name for name, _ in structures()])
def test_every_field_is_described_and_no_other_allowed(name: str, body: dict[str, Any]) -> None:
    """With an example of each, and no example of a field that is none."""
    assert body["additionalProperties"] is False
    for field in body["properties"].values():
        assert field["description"]
        assert field["examples"]
    assert set(body["properties"]) == set(json_schema.EXAMPLES[name])


@pytest.mark.parametrize("kind", json_schema.KINDS.values())
def test_every_example_is_what_its_field_may_hold(kind: type[Any]) -> None:
    """By the field's own schema, and by decoding where the type stands in a file of its own."""
    whole = json_schema.of(kind)
    for body in (whole, *whole["definitions"].values()):
        for field in body["properties"].values():
            for example in field["examples"]:
                Draft7Validator({**field, "definitions": whole["definitions"]}).validate(example)
    examples = json_schema.EXAMPLES[kind.__name__]
    for name, values in examples.items():
        for value in values:
            some = {field: examples[field][0] for field in whole["required"]} | {name: value}
            msgspec.convert({"id": "0" * 16, "slug": "x", **_rest(kind)} | some, kind)


def _rest(kind: type[Any]) -> dict[str, str]:
    return {"messagePattern": "x", "githubUrl": "https://github.com/x"} if kind is Record else {}


def test_the_schema_begins_with_the_founding_fields_in_order() -> None:
    """31 of them; what came later follows, in the order of the type."""
    names = list(SCHEMA["properties"])
    assert 31 == FOUNDING_FIELDS
    assert ("id", "schemaVersion") == (names[0], names[30])
    assert [field.encode_name for field in msgspec.structs.fields(Record)] == names


def test_the_schema_needs_what_cannot_be_derived() -> None:
    """The seven fields without which there is no record."""
    expected = {"repo", "errorMessage", "errorClass", "filePath", "lineNumber", "documentation"}
    assert {*expected, "analyzedSha"} == set(SCHEMA["required"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem[:40])
def test_the_schema_accepts_each_record_of_ours(path: Path) -> None:
    """As an editor reads the file, and completed as the API publishes it."""
    assert [] == faults(path.read_text(encoding="utf-8"))
    file, found = schema.load(path, path.name)
    assert () == found
    assert file is not None
    assert [] == faults(msgspec.json.encode(file.record).decode())


@pytest.mark.parametrize("path", REPOSITORIES, ids=lambda path: path.parent.name)
def test_the_schema_accepts_each_repository_of_ours(path: Path) -> None:
    """As an editor reads the file."""
    assert [] == faults(path.read_text(encoding="utf-8"), Repository)


@pytest.mark.parametrize(
    "more",
    [
        "colour: red",
        "errorCode: [404]",
        "errorType: Not Found",
        "httpStatus: 4040",
        "httpStatus: none",
        "sourceCodeStart: 0",
        "solutions:",
        "solutions: Ask first.",
        "solutions: ['']",
        "exampleFix: ''",
        "typeGuard: '  '",
        "tags: [Radix Keys]",
        "analyzedAt: yesterday",
        "schemaVersion: 1",
        "aliases: [No Room]",
        "status: gone",
        "id: 0123",
        "slug: No Room",
        "githubUrl: http://github.com/a",
    ],
)
def test_the_schema_refuses_what_check_refuses(more: str) -> None:
    """One field that is wrong, everything else right."""
    good = selfcheck.GOOD
    assert [] == faults(good)
    assert not is_refused(good)
    assert [1, True] == [len(faults(f"{good}{more}\n")), is_refused(f"{good}{more}\n")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lineNumber: 2", 'lineNumber: "2"'),
        ("lineNumber: 2", "lineNumber: 0"),
        ("lineNumber: 2", "line: 2"),
        ("repo: acme/keys", "repo: acme"),
        ("verification:", "verification:\n  colour: red"),
        ("    - call: key[3:]\n      returns", "    - returns"),
        ("    - call:", "    - colour: red\n      call:"),
        ("verification:", "verification:\n  builtAt: keys.py"),
        ("verification:", "verification:\n  native: 'true'"),
        ("filePath: ", "filePath: /"),
        ("filePath: ", "filePath: ../"),
    ],
)
def test_the_schema_refuses_what_check_refuses_within(old: str, new: str) -> None:
    """Fields that every record has, and those of mappings in a record."""
    text = selfcheck.GOOD.replace(old, new, 1)
    assert text != selfcheck.GOOD
    assert faults(text)
    assert is_refused(text)


@pytest.mark.parametrize(
    "more",
    [
        "errorCode: 404",
        "status: removed\nremovedIn: 2.0\nreason: Keys are unbounded now.",
        "analyzedAt: 2026-11-30",
        "errorCode: null",
        "tags: []",
    ],
)
def test_the_schema_accepts_what_check_accepts(more: str) -> None:
    """Numbers too where a text is meant: in YAML they need no quotes for us."""
    assert [[], False] == [faults(f"{selfcheck.GOOD}{more}\n"), is_refused(f"{selfcheck.GOOD}{more}\n")]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (REPO, 0),
        (f"{REPO}colour: red\n", 1),
        (f"{REPO}sites: [src]\n", 1),
        (REPO.replace("title: Keys\n", ""), 1),
        (REPO.replace("commit: 0132", "commit: 01"), 1),
    ],
)
def test_the_schema_of_a_repository_refuses_what_check_refuses(text: str, count: int, tmp_path: Path) -> None:
    """By number: one complaint for one field."""
    file = tmp_path / "repo.yaml"
    file.write_text(text, encoding="utf-8")
    assert [count, count] == [
        len(faults(text, Repository)),
        len(schema.load_repository(file, "repo.yaml")[1]),
    ]


@pytest.mark.parametrize("kind", json_schema.KINDS)
def test_our_editors_have_the_schema_that_the_program_prints(kind: str) -> None:
    """`pagefault schema` and the file that records name in their first line are the same bytes."""
    tracked = (RECORDS / json_schema.FOLDER / f"{kind}.json").read_text(encoding="utf-8")
    said = CliRunner().invoke(pagefault, ["schema", kind])
    assert (0, tracked) == (said.exit_code, said.output)


def test_the_folder_of_schemas_holds_no_records() -> None:
    """Hidden folders are passed over."""
    assert [] == [path for path in PATHS if json_schema.FOLDER in path.parts]
    node, _ = document.parse(Source("r.json", json_schema.text(Record)))
    assert node is not None
    assert schema.decode(node, "r.json")[0] is None
