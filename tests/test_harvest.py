"""Places that raise an error, read from source: what a look-up knows before there is a record."""

from pathlib import Path
from typing import Any

import pytest

from generator import harvest, reading
from generator.excerpts import Sources
from generator.model import Coverage, Head, Module, RaiseSite, Repository
from generator.settings import Settings

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def jinja() -> Repository:
    """What the records say of Jinja, whose release is installed for its records."""
    settings = Settings(records=ROOT / "records", out=Path("site"), cache=Path("cache"))
    return reading.read_repositories(settings).repositories["pallets/jinja"]


def test_every_statement_with_a_message_is_a_place(jinja: Repository, tmp_path: Path) -> None:
    """By its path in the repository, its line, its function, its class and its template."""
    found = harvest.sites(jinja, Sources(tmp_path))

    assert (
        RaiseSite(
            "src/jinja2/bccache.py", 87, "Bucket.write_bytecode", "TypeError", "can't write empty bucket"
        )
        in found
    )
    assert len([one for one in found if one.template]) > 40
    assert list(found) == sorted(found, key=lambda one: (one.file, one.line))


def test_a_statement_without_a_message_of_its_own_is_a_place_too(jinja: Repository, tmp_path: Path) -> None:
    """Nothing is looked for there, and a record may name it."""
    found = harvest.sites(jinja, Sources(tmp_path))

    # It raises what it was given.
    assert RaiseSite("src/jinja2/environment.py", 526, "Environment._filter_test_common") in found
    assert all(one.template for one in harvest.undocumented(found, []))


def test_a_release_that_is_not_at_hand_has_no_places(jinja: Repository, tmp_path: Path) -> None:
    """Nor has a repository that names no files."""
    assert jinja.package is not None
    absent = type(jinja.package)("jinja2==0.0.1", "0" * 40, "src/")
    other = Repository(jinja.repo, jinja.title, package=absent, sites=jinja.sites)

    assert () == harvest.sites(other, Sources(tmp_path))
    assert not Sources(tmp_path).has(other)
    assert () == harvest.sites(Repository(jinja.repo, jinja.title, package=jinja.package), Sources(tmp_path))


def test_documented_places_are_left_out(jinja: Repository, tmp_path: Path) -> None:
    """What a record explains, and the second of two places that say the same."""
    settings = Settings(records=ROOT / "records", out=tmp_path, cache=tmp_path)
    records = [file.head for file in reading.read_records(settings).files if file.head.repo == jinja.repo]
    known = harvest.sites(jinja, Sources(tmp_path))
    left = harvest.undocumented([*known, *known], records)

    assert len(left) < len(known)
    assert {one.template for one in left} <= {one.template for one in known}
    assert len(left) == len({(one.error_class, one.template) for one in left})


def test_coverage_counts_places_and_names_records_without_one(jinja: Repository) -> None:
    """A record's own place counts whatever it raises; a record that nothing raises has lost its place."""
    known = [
        RaiseSite("src/jinja2/a.py", 3, "f", "ValueError", "there is no room for {name}"),
        RaiseSite("src/jinja2/a.py", 9, "g", "ValueError", "there is no room for {name}"),
        RaiseSite("src/jinja2/a.py", 12, "g", "TypeError", "there is no name for {room}"),
        RaiseSite("src/jinja2/a.py", 15, "h"),
        RaiseSite("src/jinja2/a.py", 18, "h"),
        RaiseSite("src/jinja2/b.py", 1, "", "TypeError", "this one has no record"),
    ]

    def head(id_: str, message: str, line: int, **fields: Any) -> Head:
        told = {"error_class": "acme.ValueError", "file_path": "src/jinja2/a.py", **fields}
        return Head(id=id_, repo=jinja.repo, slug=id_, error_message=message, message_pattern=None,
                    line_number=line, tags=(), **told)  # fmt: skip

    records = [
        head("a", "there is no room for {other}", 4),
        head("b", "whatever was given", 15),
        head("c", "nobody raises this any more", 99),
        head("d", "nobody raises this any more", 99, status="removed"),
        head("e", "this is of another folder", 99, file_path="docs/conf.py"),
    ]

    assert harvest.coverage(jinja, known, records) == Coverage(
        jinja.repo, (Module("src/jinja2/a.py", 4, 3), Module("src/jinja2/b.py", 1, 0)), ("c",)
    )
    assert None is harvest.coverage(jinja, [], records)
