"""What programs really printed, looked up among this repository's own records: in Python and in node.

`tests/lookups/<name>.txt` is a paste, `<name>.json` what must be found first: how it matches (`match`, or
`unknown`), the record's address, and what the holes hold. `cases.yaml` there says how each was made.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator import harvest, reading, schema, search, shards
from generator.entries import entry, undocumented
from generator.excerpts import Sources
from generator.model import Case
from generator.settings import Settings
from tests.browser_scripts import answers

CASES = Path(__file__).parent / "lookups"
ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "records"
NAMES = sorted(path.stem for path in CASES.glob("*.json"))


@cache
def own_index() -> dict[str, bytes]:
    """The index of our own records as they are written, by file: nothing is run.

    Beside them stands what their packages raise without a record, as in the built site.
    """
    entries = []
    records = []
    for path in schema.record_paths(RECORDS):
        file, _ = schema.load(path, str(path), "")
        assert file is not None, path
        entries.append(entry(Case(file=file), "unproven"))
        records.append(file.head)
    settings = Settings(records=RECORDS, out=Path("site"), cache=ROOT / ".cache" / "pagefault")
    for repo, repository in reading.read_repositories(settings).repositories.items():
        known = harvest.sites(repository, Sources(settings.cache))
        entries += [
            undocumented(repo, site)
            for site in harvest.undocumented(known, [one for one in records if one.repo == repo])
        ]
    meta, filed = shards.shard(entries)
    return {
        "meta": msgspec.json.encode(meta),
        **{name: msgspec.json.encode(shard) for name, shard in filed.items()},
    }


def paste(name: str) -> str:
    """The case's text, as a browser would read the file."""
    return (CASES / f"{name}.txt").read_bytes().decode("utf-8", "replace")


@pytest.fixture(scope="module")
def node() -> dict[str, dict[str, Any]]:
    """What node makes of every case, in one run."""
    return dict(zip(NAMES, answers([paste(name) for name in NAMES], own_index()), strict=True))


def first(found: dict[str, Any]) -> dict[str, Any]:
    """The first answer in the form of the cases."""
    if not found["matches"]:
        return {"match": "unknown", "record": None, "values": {}}
    match = found["matches"][0]
    record = f"{match['repo']}/{match['slug']}" if match["slug"] else None
    return {"match": match["match"], "record": record, "values": match["values"]}


def expected(name: str) -> dict[str, Any]:
    """What the case says."""
    case = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return {"match": case["match"], "record": case["record"], "values": case.get("values") or {}}


def test_there_are_cases() -> None:
    """Each with its text: none is left out."""
    assert NAMES
    assert sorted(path.stem for path in CASES.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_right_page_is_found(name: str) -> None:
    """In Python."""
    found = msgspec.to_builtins(search.search(paste(name), own_index().__getitem__))

    assert expected(name) == first(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_browser_finds_the_same(node: dict[str, dict[str, Any]], name: str) -> None:
    """All of the answer, not only the first match; and it fetches the same files, few of them."""
    fetched: list[str] = []

    def load(file: str) -> bytes:
        fetched.append(file)
        return own_index()[file]

    found = json.loads(msgspec.json.encode(search.search(paste(name), load)))

    assert found == node[name]["found"]
    assert fetched == node[name]["asked"]
    assert len(fetched) <= 1 + search.SHARDS
