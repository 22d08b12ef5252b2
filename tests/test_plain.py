"""`generator.plain`, and many records in one file: what is kept, and when it is looked at again."""

import gzip
import json
import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from generator import build, kinship, plain, reading
from generator.build import Report
from generator.executor import Here
from generator.reading import Reading
from generator.settings import Settings


def record(n: int, **fields: Any) -> dict[str, Any]:
    """Return a record that claims nothing."""
    return {
        "repo": f"acme/r{n % 3}",
        "slug": f"error-{n}",
        "errorMessage": f"the gate number {n} was closed at {{when}} by the keeper",
        "errorClass": "ValueError",
        "filePath": "src/gate.py",
        "lineNumber": 7 + n,
        "documentation": f"The gate {n} is closed at night.",
        "solutions": ["Come by day."],
        "tags": ["gates"],
        "analyzedSha": "0132848349585cfe6aae51c4941cbae872505f8a",
        "analyzedAt": "2026-01-02",
        **fields,
    }


RUN = {"verification": {"subject": "python==3", "trigger": "1"}}


def write(folder: Path, *records: dict[str, Any]) -> None:
    """Write each record into a file of its own."""
    (folder / "records").mkdir(exist_ok=True)
    for n, one in enumerate(records):
        (folder / "records" / f"{n}.json").write_text(json.dumps(one))


def lines(*records: dict[str, Any]) -> bytes:
    """Return the records one a line, with a blank line between the first two."""
    text = [json.dumps(one) for one in records]
    return "\n".join([text[0], "", *text[1:], ""]).encode()


def settings(folder: Path, **options: Any) -> Settings:
    """Return settings that keep facts."""
    return Settings(
        records=folder / "records",
        out=folder / "site",
        cache=folder / "cache",
        name=lambda path: path.relative_to(folder).as_posix(),
        **options,
    )


class Counting(Here):
    """Does work here, and counts the items."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def map(self, work: Any, items: Any, *, size: int | None = None) -> Any:
        """As `Executor.map`."""
        asked = list(items)
        self.names += [name for name, _ in asked]
        return super().map(work, asked, size=size)


def read(
    folder: Path, sourced: frozenset[str] | None = frozenset(), **options: Any
) -> tuple[Reading, list[str]]:
    """Read the records; what was looked at now."""
    counting = Counting()
    found = reading.read_records(settings(folder, **options), executor=counting, sourced=sourced)
    return found, counting.names


def age(folder: Path) -> None:
    """Make every file older than any clock's tick."""
    for path in folder.rglob("*.json*"):
        os.utime(path, ns=(path.stat().st_mtime_ns - 10**9,) * 2)


# What is kept.


def test_a_plain_record_is_looked_at_once(tmp_path: Path) -> None:
    """Then it is known, as long as its file looks the same."""
    write(tmp_path, *(record(n) for n in range(5)))
    age(tmp_path)
    first, looked = read(tmp_path)
    assert [f"records/{n}.json" for n in range(5)] == looked
    again, looked = read(tmp_path)
    assert [] == looked
    assert [one.head for one in first.files] == [one.head for one in again.files]
    assert [True] * 5 == [one.is_plain for one in again.files]


def test_an_edited_record_alone_is_looked_at_again(tmp_path: Path) -> None:
    """The others are known."""
    write(tmp_path, *(record(n) for n in range(5)))
    age(tmp_path)
    read(tmp_path)
    (tmp_path / "records" / "3.json").write_text(json.dumps(record(3, documentation="Other words.")))
    found, looked = read(tmp_path)
    assert ["records/3.json"] == looked
    assert "Other words." == found.files[3].record.documentation


def test_a_change_that_a_clock_cannot_show_is_seen(tmp_path: Path) -> None:
    """A file that was written just before it was looked at may change without its time or size changing."""
    write(tmp_path, record(0, documentation="one"))
    read(tmp_path)
    path = tmp_path / "records" / "0.json"
    status = path.stat()
    with path.open("r+") as stream:
        stream.write(json.dumps(record(0, documentation="two")))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    found, looked = read(tmp_path)
    assert ["records/0.json"] == looked
    assert "two" == found.files[0].record.documentation


@pytest.mark.parametrize(
    "fields",
    [RUN, {"documentation": "See [there](../other/index.html)."}, {"tags": "no list"}],
)
def test_what_is_no_plain_record_is_read_whole(tmp_path: Path, fields: dict[str, Any]) -> None:
    """What claims something, links into the site, or cannot be read."""
    write(tmp_path, record(0, **fields))
    found, _ = read(tmp_path)
    assert [] == [one for one in found.files if one.is_plain]
    assert 1 == found.count


def test_a_record_whose_source_may_be_at_hand_is_read_whole(tmp_path: Path) -> None:
    """Its excerpt depends on more than its file, unless it holds that itself."""
    held = {"sourceCode": "raise ValueError", "sourceCodeStart": 7, "sourceCodeEnd": 7}
    write(tmp_path, record(0), record(3, **held))
    found, _ = read(tmp_path, frozenset({"acme/r0"}))
    assert [False, True] == [one.is_plain for one in found.files]
    found, _ = read(tmp_path, None)
    assert [False, False] == [one.is_plain for one in found.files]


def test_both_ways_say_the_same(tmp_path: Path) -> None:
    """The findings of plain records are those of records that are read whole."""
    write(
        tmp_path,
        record(0),
        record(1, lineNumber=1, sourceCode="x = 1", sourceCodeStart=1, sourceCodeEnd=3),
        record(2, messagePattern="(.+?)"),
        record(3, typeGuard="null"),
        record(4, githubUrl="https://github.com/other/place"),
    )
    (tmp_path / "records" / "5.yaml").write_text(
        "\n".join(f"{name}: {json.dumps(value)}" for name, value in record(5, lineNumber=3).items())
    )
    whole = build.check(settings(tmp_path, clones={}))
    found = build.check(settings(tmp_path))
    assert [True] * 6 == [one.case.file.is_plain for one in found.verified]
    assert [one for one in whole.diagnostics if one.code != "E0503"] == list(found.diagnostics)
    assert len(found.diagnostics) > 3


# A site of them.


def test_a_site_of_plain_records_is_one_of_records(tmp_path: Path) -> None:
    """Byte for byte, whatever way each was read."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        write(folder, *(record(n) for n in range(7)))
    build.build(settings(one))
    (other / "records" / "acme").mkdir()
    for n in range(3):
        # Source may be at hand, and is not.
        (other / "records" / "acme" / f"{n}").mkdir()
        (other / "records" / "acme" / f"{n}" / "repo.yaml").write_text(
            f"repo: acme/r{n}\ntitle: acme/r{n}\n"
            f"package: {{requirement: none==1, commit: {'0' * 40}, prefix: x/}}\n"
        )
    report = build.build(settings(other))
    assert {False} == {each.case.file.is_plain for each in report.verified}
    skipped = {"report"}
    assert {p: d for p, d in tree(one).items() if p.split("/")[0] not in skipped} == {
        p: d for p, d in tree(other).items() if p.split("/")[0] not in skipped
    }


def tree(folder: Path) -> dict[str, bytes]:
    """Return the files of the site but its state."""
    site = folder / "site"
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and ".pagefault" not in path.parts
    }


def test_a_record_that_changes_under_the_build_is_named(tmp_path: Path) -> None:
    """What was judged is not what would be shown."""
    write(tmp_path, record(0))
    found, _ = read(tmp_path)
    (tmp_path / "records" / "0.json").write_text(json.dumps(record(0, documentation="Other words.")))
    with pytest.raises(plain.Changed, match=r"records/0\.json"):
        _ = found.files[0].record


# Many in one file.


@pytest.mark.parametrize("name", ["all.jsonl", "deep/er/all.jsonl.gz"])
def test_a_file_may_hold_a_record_a_line(tmp_path: Path, name: str) -> None:
    """Blank lines are none; the site is that of records in files of their own."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    write(one, *(record(n) for n in range(5)))
    file = other / "records" / name
    file.parent.mkdir(parents=True)
    text = lines(*(record(n) for n in range(4)), {"record": record(4), "datasetVersion": "2026-01-02"})
    file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    build.build(settings(one))
    report = build.build(settings(other))
    assert 5 == report.records
    assert tree(one) == tree(other)
    again = build.build(settings(other))
    assert 0 == again.pages_rendered


def test_an_edited_line_alone_is_looked_at_again(tmp_path: Path) -> None:
    """The others are known by what they say."""
    file = tmp_path / "records" / "all.jsonl"
    file.parent.mkdir()
    file.write_bytes(lines(*(record(n) for n in range(5))))
    age(tmp_path)
    read(tmp_path)
    file.write_bytes(lines(*(record(n, **({"severity": "warning"} if n == 2 else {})) for n in range(5))))
    found, looked = read(tmp_path)
    assert ["records/all.jsonl:4"] == looked
    assert [f"error-{n}" for n in range(5)] == [one.record.slug for one in found.files]


def test_what_is_wrong_in_a_line_is_told_there(tmp_path: Path) -> None:
    """By the file's name and the line, whichever way the record was read."""
    file = tmp_path / "records" / "all.jsonl"
    file.parent.mkdir()
    file.write_bytes(
        lines(record(0), record(1, typeGuard="null"), record(2, colour="red"), {"slug": 5}) + b"{\n\xff\n"
    )
    report = build.check(settings(tmp_path))
    told = {(one.code, one.path, one.span.line) for one in report.diagnostics if one.span}
    assert ("E0115", "records/all.jsonl", 3) in told
    assert ("E0111", "records/all.jsonl", 4) in told
    assert {("records/all.jsonl", line) for line in (3, 4, 5, 6, 7)} <= {
        (path, line) for _, path, line in told
    }
    assert 6 == report.records


def test_a_line_that_is_too_long_costs_itself_alone(tmp_path: Path) -> None:
    """It is told at its place, and is not held in memory."""
    file = tmp_path / "records" / "all.jsonl"
    file.parent.mkdir()
    long = json.dumps(record(1, documentation="x" * 3_000_000)).encode()
    file.write_bytes(lines(record(0)) + long + b"\n" + lines(record(2)))
    report = build.check(settings(tmp_path))
    (found,) = (one for one in report.diagnostics if one.severity == "error")
    assert ("E0104", "records/all.jsonl", 3) == (found.code, found.path, found.span and found.span.line)
    assert ["error-0", "error-2"] == [one.head.slug for one in report.verified]


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.jsonl", b""), ("a.jsonl.gz", b"no gzip"), ("a.jsonl.gz", gzip.compress(b"x" * 99)[:-9])],
)
def test_a_file_without_records_is_reported(tmp_path: Path, name: str, data: bytes) -> None:
    """Be it empty or damaged."""
    file = tmp_path / "records" / name
    file.parent.mkdir()
    file.write_bytes(data)
    (found,) = (one for one in build.check(settings(tmp_path)).diagnostics if one.code != "E0701")
    assert ("error", f"records/{name}") == (found.severity, found.path)


def test_a_link_to_a_file_of_records_is_not_followed(tmp_path: Path) -> None:
    """As with every other record."""
    (tmp_path / "other").write_bytes(lines(record(0), record(1)))
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "all.jsonl").symlink_to(tmp_path / "other")
    report = build.check(settings(tmp_path))
    assert "E0102" in {one.code for one in report.diagnostics}
    assert () == report.verified


def test_lines_can_be_chosen_by_their_file(tmp_path: Path) -> None:
    """All records of the file are meant."""
    write(tmp_path, record(9, typeGuard="null"))
    file = tmp_path / "records" / "all.jsonl"
    file.write_bytes(lines(record(0), record(1, typeGuard="null")))
    report: Report = build.check(settings(tmp_path), [file])
    assert [("E0115", "records/all.jsonl")] == [(one.code, one.path) for one in report.diagnostics]
    assert (2, 2) == (report.records, len(report.verified))


def test_jobs_have_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes at every number of processes."""
    monkeypatch.setattr("generator.executor.BATCH", 2)
    write(tmp_path, *(record(n) for n in range(9)))
    build.build(settings(tmp_path))
    first = tree(tmp_path)
    for jobs in (2, 3, 7):
        build.build(replace(settings(tmp_path), jobs=jobs, out=tmp_path / "other", is_caching=False))
        (tmp_path / "site").rename(tmp_path / f"site {jobs}")
        (tmp_path / "other").rename(tmp_path / "site")
        assert first == tree(tmp_path)


# How much is held.


def test_a_site_is_the_same_however_few_rows_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more records than that, each is unpacked again where it is asked for."""
    sites: list[dict[str, bytes]] = []
    for held in (plain.HELD, 4):
        cached = lru_cache(held)(plain.unpacked)
        monkeypatch.setattr(plain, "_held", cached)
        folder = tmp_path / str(held)
        folder.mkdir()
        write(folder, *(record(n) for n in range(40)))
        assert build.build(settings(folder)).changes is not None
        found = {path: path.read_bytes() for path in (folder / "site").rglob("*") if path.is_file()}
        named = {path.relative_to(folder).as_posix(): data for path, data in found.items()}
        sites.append({path: data for path, data in named.items() if "/.pagefault/" not in path})
        asked = cached.cache_info()
        assert min(held, 40) == asked.currsize
        # Those that are held were unpacked once.
        assert (40 == asked.misses) == (held == plain.HELD)

    assert sites[0] == sites[1]


def test_addresses_that_share_a_bit_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every address has the same bit, those that are one are found all the same, and no others."""
    write(tmp_path, *(record(n) for n in range(6)), record(7, repo="acme/r1", slug="error-1"))
    plainly = build.check(settings(tmp_path))
    monkeypatch.setattr(kinship, "_BITS", 8)
    crowded = build.check(settings(tmp_path))

    assert ["E0122"] == [one.code for one in plainly.diagnostics if one.severity == "error"]
    assert plainly.diagnostics == crowded.diagnostics
