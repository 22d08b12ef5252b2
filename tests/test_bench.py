"""What measures building: records are real, distinct and the same each time; builders show all of them."""

import json
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from generator import cli
from tests.bench import curves, edits, figures, page, process, records, sites
from tests.bench.peers import content, script
from tests.bench.peers.kin import Head, related
from tests.bench.peers.parts import PEER, missing

MODULE = '''
"""Shelves."""


class Shelf:
    """Holds books."""

    def put(self, book, place=None):
        """Puts a book at a place."""
        if place is not None and place < 0:
            raise ValueError(f"places are counted from zero, got {place!r} for `{book}`")
        if book in self.books:
            raise KeyError(
                "the book %s stands there already" % book
            )
        if place is None: raise ValueError("no place was given for the book")
        raise ValueError("short")

    def take(self):
        raise LookupError("nothing stands on this shelf any more")
'''
MANY = 12


@pytest.fixture
def origin(tmp_path: Path) -> sites.Origin:
    """A package of one module that raises, and one without source that can be read."""
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner/shelf.py").write_text(MODULE, encoding="utf-8")
    (folder / "latin.py").write_bytes(b"raise ValueError('\xe9')\n")
    (folder / "broken.py").write_text("raise (", encoding="utf-8")
    return sites.Origin("acme/shelves", "1.0", "src/shelves", folder)


@pytest.fixture
def folder(origin: sites.Origin, tmp_path: Path) -> Path:
    """Records of that package, a file each, in a folder of its own."""
    made = islice(records.records(sites.harvest([origin])), MANY)
    records.write(made, tmp_path / "records", "json")
    return tmp_path / "records"


def test_every_message_of_some_length_becomes_a_record(origin: sites.Origin) -> None:
    """With its place, its function, and the lines around it; not one that is short, or behind something."""
    found = {one.message: one for one in sites.harvest([origin])}
    assert {
        "places are counted from zero, got {place!r} for `{book}`",
        "the book %s stands there already",
        "nothing stands on this shelf any more",
    } == found.keys()
    one = found["the book %s stands there already"]
    assert ("src/shelves/inner/shelf.py", 13, 15) == (one.path, one.line, one.last_line)
    assert ("Shelf.put", ("book", "place"), "book in self.books") == (
        one.function,
        one.arguments,
        one.condition,
    )
    assert MODULE.removesuffix("\n") == one.text


def test_records_are_distinct_and_the_same_each_time(origin: sites.Origin) -> None:
    """More of them than there are statements: further ones are of forks, and tell it in another way."""
    first, again = (list(islice(records.records(sites.harvest([origin])), MANY)) for _ in range(2))
    assert first == again
    for field in ("id", "slug", "documentation", "exampleFix"):
        assert MANY == len({str(one[field]) for one in first}), field
    assert {"acme/shelves": 3, "fork-1/shelves": 3, "fork-2/shelves": 3, "fork-3/shelves": 3} == {
        repo: sum(1 for one in first if one["repo"] == repo)
        for repo in sorted({str(o["repo"]) for o in first})
    }
    assert all(str(one["sourceCode"]) in MODULE for one in first)


def test_files_hold_the_same_in_every_form(origin: sites.Origin, tmp_path: Path) -> None:
    """One digest, however they are written."""
    told = [
        records.write(islice(records.records(sites.harvest([origin])), 4), tmp_path / form, form)
        for form in records.FORMS
    ]
    assert [told[0]] * len(records.FORMS) == told
    read = [
        sorted((one["id"], one["documentation"]) for one in edits.read(tmp_path / form))
        for form in records.FORMS
    ]
    assert [read[0]] * len(records.FORMS) == read
    assert 4 == len(read[0])


def test_pagefault_finds_no_fault_in_the_records(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing but that no guides explain their backgrounds."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pagefault]\ntracker = "https://errors.example.org/report"\n', encoding="utf-8"
    )
    with pytest.raises(SystemExit) as ended:
        cli.main(["check", "--records", str(folder), "--format", "concise", "--cache", "cache"])
    said = capsys.readouterr()
    assert not ended.value.code, said
    told = [line for line in (said.out + said.err).splitlines() if "[E" in line]
    assert [] == [line for line in told if "warning[E0601]" not in line]


@pytest.mark.parametrize("form", records.FORMS)
def test_an_edit_changes_as_many_records_as_it_says(origin: sites.Origin, tmp_path: Path, form: str) -> None:
    """Their documentation and nothing else; a second one takes the place of the first."""
    into = tmp_path / "records"
    records.write(islice(records.records(sites.harvest([origin])), MANY), into, form)
    before = {one["id"]: one for one in edits.read(into)}
    for mark in ("1", "2"):
        changed = edits.edit(into, 5, mark)
        after = {one["id"]: one for one in edits.read(into)}
        assert {one["id"] for one in changed} == {key for key in before if before[key] != after[key]}
        assert 5 == len(changed)
        for one in changed:
            assert one == before[one["id"]] | {
                "documentation": f"{before[one['id']]['documentation']}{edits.MARK}{mark}."
            }


def test_the_script_shows_every_part(folder: Path, tmp_path: Path) -> None:
    """Of every record; and that a part is missing is seen."""
    script.build(folder, tmp_path / "out")
    kept = list(edits.read(folder))
    assert [] == [(one["id"], name) for one in kept for name in missing(tmp_path / "out", one, PEER)]
    other = kept[0] | {"lineNumber": kept[0]["lineNumber"] + 1, "solutions": ["Never said"], "tags": ["none"]}
    assert {"marked line", "solutions", "links to tags", "pages of tags", "record as JSON"} == set(
        missing(tmp_path / "out", other, PEER)
    )
    assert ["page"] == missing(tmp_path / "out", other | {"id": "0" * 16}, PEER)


def test_hugo_is_given_every_part(folder: Path, tmp_path: Path) -> None:
    """A file of Markdown and one of JSON for each record; fences are longer than any in the code between."""
    kept = list(edits.read(folder))
    into = tmp_path / "hugo"
    hugo = content.Hugo(into, kept)
    hugo.prepare(kept)
    assert MANY == len(list((into / "content/errors").glob("*.md")))
    assert MANY == len(list((into / "static/api/errors").glob("*.json")))
    fenced = kept[0] | {"exampleFix": "# before\n````\n\n# after\n"}
    hugo.write(fenced)
    front, _, body = (into / f"content/errors/{fenced['id']}.md").read_text("utf-8").partition("\n}\n")
    assert fenced["tags"] == json.loads(f"{front}}}")["tags"]
    line = fenced["lineNumber"] - fenced["sourceCodeStart"] + 1
    assert f"linenostart={fenced['sourceCodeStart']}, hl_lines=[{line}]" in body
    assert "`````python\n# before\n````\n" in body


def test_five_others_are_related(folder: Path) -> None:
    """Never a record itself, and those of its own file first."""
    heads = [Head.of(record) for record in edits.read(folder)]
    found = related(heads)
    for one in heads:
        assert 5 == len({other.id for other in found[one.id]} - {one.id})
        assert [one.repo] * 2 == [other.repo for other in found[one.id][:2]]


def test_a_run_is_measured_with_its_children(tmp_path: Path) -> None:
    """What a child holds counts; a run that fails says what it said."""
    size = 50_000_000
    child = f"import time; held = bytearray(b'x') * {size}; time.sleep(0.3)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    assert size < process.run((sys.executable, "-c", code), tmp_path, {}).memory
    with pytest.raises(process.Failed, match="gone wrong"):
        process.run((sys.executable, "-c", "raise SystemExit('gone wrong')"), tmp_path, {})


def test_what_was_written_is_counted(tmp_path: Path) -> None:
    """New files and changed ones; not what was left, and not what went."""
    for name in ("left", "changed", "gone", "replaced"):
        (tmp_path / name).write_bytes(b"before")
    before = process.state(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/new").write_bytes(b"new")
    (tmp_path / "changed").write_bytes(b"after it")
    (tmp_path / "other").write_bytes(b"before")
    (tmp_path / "other").replace(tmp_path / "replaced")
    (tmp_path / "gone").unlink()
    assert (3, 17) == process.written(before, process.state(tmp_path))
    assert {} == process.state(tmp_path / "nowhere")


def _told(number: int, **walls: tuple[float, ...]) -> dict[str, Any]:
    """Figures as if so many seconds had been measured."""
    run = {"cpu": 1.0, "memory": 200e6, "others": 0.0, "files": 3, "written": 1e6, "stored": 0}
    steps = {name: {"cold": [{"wall": wall, **run} for wall in taken]} for name, taken in walls.items()}
    size = {"records": number, "bytes": 4000 * number, "digest": "d1", "steps": steps, "missing": {}}
    return {
        "machine": {"cores": "2", "processor": "P", "memory": "8 GiB"},
        "versions": {},
        "sizes": {str(number): size},
    }


def test_builders_are_compared_round_by_round() -> None:
    """A round that was slow for all says as much as any other."""
    told = _told(10_000, pagefault=(1.0, 10.0, 2.0), hugo=(7.0, 70.0, 10.0))
    assert 7.0 == figures.ratio(told, 10_000, "hugo", "cold")
    assert None is figures.ratio(told, 10_000, "script", "cold")
    (target,) = figures.targets(told)
    assert (True, 7.0, 6.0) == (target.is_met, target.number, target.limit)
    assert "met: 10,000 cold, Hugo's time by ours: 7.00, wanted at least 6\n" in figures.verdict(told)
    assert "Hugo, cold: 7.00 times ours\n" in figures.report(told, 10_000)


def test_what_grows_too_fast_is_missed() -> None:
    """Several runs are read as one: what a record takes at 100,000 is held against 10,000."""
    told = figures.merged([_told(100_000, pagefault=(24.0,)), _told(10_000, pagefault=(2.0,))])
    assert ["10000", "100000"] == list(told["sizes"])
    assert [True, True, False] == [one.is_met for one in figures.targets(told)]


def test_a_builder_that_shows_less_is_told_of() -> None:
    """But for our related records, which are rather few than far."""
    told: Mapping[str, Any] = _told(10)
    told["sizes"]["10"]["missing"] = {"pagefault": {"related": 3}, "hugo": {"excerpt": 2}}
    assert ["Hugo: no excerpt on 2 of the pages that were looked at"] == figures.differences(told, 10)


def test_curves_say_in_words_what_they_show(tmp_path: Path) -> None:
    """A title and every point; the page beside them holds the figures."""
    told = figures.merged([_told(n, pagefault=(n / 1000,), hugo=(n / 100,)) for n in (100, 1000)])
    page.write(told, tmp_path)
    drawn = (tmp_path / "benchmark-time.svg").read_text(encoding="utf-8")
    assert '<title id="title">Seconds of a cold build</title>' in drawn
    assert "Hugo: 1 s at 100 records, 10 s at 1,000 records." in drawn
    assert "| Hugo | cold | 10.00 | 1.00 | 200 | 3 | 1.00 |" in (tmp_path / "benchmark.md").read_text("utf-8")


def test_names_of_curves_do_not_meet() -> None:
    """Three that end at one place are still three names to read."""
    drawn = curves.draw("T", "s", {name: [(1.0, 1.0), (10.0, 5.0)] for name in ("a", "b", "c")})
    heights = [line.split('y="')[1].split('"')[0] for line in drawn.splitlines() if "text name fill" in line]
    assert 3 == len(set(heights))
