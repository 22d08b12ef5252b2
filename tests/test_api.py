"""The API of a whole site: what `api/openapi.json` says of it is true of every file."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from generator import plain
from generator.model import Case, Head, Held, RecordFile, Site
from generator.pages import api_lists
from tests.test_sites import CASES, SiteCase

NOWHERE: Any = None  # lists show heads alone


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A site's files: records with and without proof, a removed one, former ids."""
    case = SiteCase(CASES / "former", tmp_path_factory.mktemp("api"))
    case.build()
    return case.files


@pytest.fixture(scope="module")
def description(files: dict[str, bytes]) -> dict[str, Any]:
    """What the site says of its API."""
    found: dict[str, Any] = json.loads(files["api/openapi.json"])
    return found


def pattern(path: str) -> re.Pattern[str]:
    """The output paths that a described path stands for."""
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/.]+", re.escape(path.removeprefix("/"))))


def test_the_description_is_valid(description: dict[str, Any]) -> None:
    """By the schema of OpenAPI 3.1."""
    validate(description)


def test_every_file_is_described_and_every_description_has_a_file(
    files: dict[str, bytes], description: dict[str, Any]
) -> None:
    """None is left out; what is described and absent are the further parts of a list that has one."""
    described = {path: pattern(path) for path in description["paths"]}
    of_api = [path for path in files if re.match(r"(api|schema)/.|lookup/.*\.json$", path)]

    undescribed = {"api/index.html", "api/openapi.json"}
    assert undescribed == {
        path for path in of_api if not any(one.fullmatch(path) for one in described.values())
    }
    assert ["/api/errors/page/{name}.json"] == [
        path for path, one in described.items() if not any(map(one.fullmatch, of_api))
    ]


def test_every_answer_is_as_described(files: dict[str, bytes], description: dict[str, Any]) -> None:
    """By the schema of its path."""
    checked = 0
    for path, operation in description["paths"].items():
        content = operation["get"]["responses"]["200"]["content"]
        schema = next(iter(content.values()))["schema"]
        validator = Draft202012Validator({**schema, "components": description["components"]})
        for name, data in files.items():
            if pattern(path).fullmatch(name) and not name.endswith(".gz"):
                assert [] == [error.message for error in validator.iter_errors(json.loads(data))], name
                checked += 1

    assert checked > 10


def test_the_page_about_the_api_shows_what_is_answered(files: dict[str, bytes]) -> None:
    """Each value shown, as long as it was not cut, stands in the file that it is said to be of."""
    page = files["api/index.html"].decode()
    shown = re.findall(
        r'<a href="([^"]+)">the whole file</a></figcaption>\n<pre[^>]*><code>(.*?)</code>', page, re.DOTALL
    )

    assert len(shown) == 4
    for address, html in shown:
        text = re.sub(r"<[^>]+>", "", html).replace("&#34;", '"').replace("&#39;", "'")
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        whole = json.loads(files[str(Path("api") / address)])
        assert is_beginning(json.loads(text), whole), address


def is_beginning(part: object, whole: object) -> bool:
    """Whether one value is another with texts and lists cut."""
    match part, whole:
        case dict(), dict():
            return part.keys() == whole.keys() and all(is_beginning(part[key], whole[key]) for key in part)
        case list(), list():
            return all(is_beginning(one, other) for one, other in zip(part, whole, strict=False))
        case str(), str():
            return part == whole or (part.endswith("…") and whole.startswith(part[:-1]))
    return part == whole


def listed(slugs: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The parts of the list of errors for records of these names, by path."""
    heads = [
        Head(slug, "acme/pool", slug, "ValueError", f"{slug} is odd", None, "pool.py", 1, ())
        for slug in slugs
    ]
    records = tuple(plain.judged(Case(RecordFile(Held(head.slug, head, NOWHERE, NOWHERE)))) for head in heads)
    site = Site("Errors", None, None, "1", tuple(sorted(records, key=lambda one: one.head.slug)), {})
    return {page.path: msgspec.to_builtins(page.made) for page in api_lists.plan(site)}


def test_the_list_of_errors_is_followed_to_its_end() -> None:
    """By `next`, from the one known address: each error once, in order, in parts that are not long."""
    slugs = [f"error-{number:05}" for number in range(1700)]
    parts = listed(slugs)

    path, found, seen = "api/errors.json", list[str](), 0
    while path:
        part = parts[path]
        assert 1 <= len(part["errors"]) <= api_lists.PER_FILE
        found += [error["slug"] for error in part["errors"]]
        path, seen = part["next"], seen + 1
    assert slugs == found
    first = parts["api/errors.json"]
    assert (1700, seen) == (first["total"], first["parts"])
    assert len(parts) - 1 == seen


def test_a_new_error_touches_one_part_of_the_list() -> None:
    """Beside the first, which counts all: no part behind it moves."""
    slugs = [f"error-{number:05}" for number in range(1700)]
    before, after = listed(slugs), listed([*slugs, "error-00850-b"])

    changed = {path for path in after if after[path] != before.get(path)} - {"api/repos.json"}
    held = {path for path in changed if "error-00850-b" in str(after[path]["errors"])}
    assert 1 == len(held)
    assert changed <= held | {"api/errors.json"}
