"""The law: whatever was edited, a warm parallel build writes what a cold serial one would."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from generator import build, executor, schema, stage, subjects
from generator.build import Report
from generator.diagnostics import has_errors
from generator.memory import Memory
from generator.model import Subject
from generator.settings import Settings
from generator.workers import LastingProcesses

# Real code that raises, and that needs nothing installed.
JSON = Subject(name="json", imports="import json\n", module="json.decoder", kind="python")

RECORD = """\
repo: python/cpython
slug: {slug}
errorMessage: "Expecting value: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 355
analyzedSha: "0123456789012345678901234567890123456789"
analyzedAt: "2026-0{month}-01"
documentation: |-
  {prose}
tags: [{tags}]
backgroundTag: {guide}
aliases: [{aliases}]
verification:
  subject: json
  trigger: json.loads({text!r})
"""
OTHER = """\
repo: acme/{slug}
errorMessage: "{word} is not what was ordered, got {{order.{slug}}}"
errorClass: ValueError
filePath: src/orders.py
lineNumber: {line}
analyzedSha: "0123456789012345678901234567890123456789"
documentation: {word}
tags: [orders, {slug}]
"""
LINE = {
    "repo": "acme/many",
    "errorClass": "LookupError",
    "filePath": "src/orders.py",
    "analyzedSha": "0123456789012345678901234567890123456789",
    "tags": ["orders"],
}
GUIDE = """\
# {title}

```python
{number} + 1
#> {sum}
```
"""
TEMPLATE = '{{% extends "base.html" %}}{{% block content %}}<p>{text} {{{{ root }}}}</p>{{% endblock %}}'

PIN = "0123456789012345678901234567890123456789"


def drift(word: str, digit: int) -> dict[str, object]:
    """What became of two of the records of a word, one of which claims something and one nothing."""
    repo = "python/cpython" if digit % 2 else f"acme/{word}"
    message = (
        "Expecting value: line {err.lineno} column {err.colno} (char {err.pos})"
        if digit % 2
        else f"{word} is not what was ordered, got {{order.{word}}}"
    )
    known = schema.identity(repo, "json.decoder.JSONDecodeError" if digit % 2 else "ValueError", message)
    trace = {"state": "moved", "path": "src/a.py", "line": digit, "text": word}
    return {
        "repo": repo,
        "pinned": "1",
        "commit": PIN,
        "releases": [{"version": "1", "new": digit}, {"version": "2"}],
        "records": {known: {"1": {"state": "same", "path": "src/a.py", "line": 3}, "2": trace}},
        "unfollowed": {"0" * 16: word},
    }


words = st.sampled_from(["apples", "pears", "plums", "quinces"])
Edit = Callable[[Path], None]


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    """One change to a folder of records: something written anew, or something removed."""
    kind = draw(st.sampled_from(["record", "other", "lines", "guide", "drift", "template", "remove"]))
    word, other, digit = draw(words), draw(words), draw(st.integers(1, 9))
    is_aliased = draw(st.booleans())

    def edit(folder: Path) -> None:
        records, templates = folder / "records", folder / "templates"
        match kind:
            case "record":
                text = RECORD.format(
                    slug=word,
                    month=digit,
                    prose=f"No *{other}* stand {digit} there.",
                    tags=f"{word}, {other}" if word != other else word,
                    guide=other,
                    aliases=f"former-{word}" if is_aliased else "",
                    text="\n" * digit,
                )
                (records / "decoder.yaml").write_text(text)
            case "other":
                (records / f"{word}.yaml").write_text(OTHER.format(slug=word, word=other, line=digit))
            case "lines":
                lines = [
                    LINE
                    | {"lineNumber": n, "slug": f"late-{n}", "errorMessage": f"{{n}} {word} came on day {n}"}
                    for n in range(1, digit + 1)
                ]
                text = "\n".join(json.dumps(line | {"documentation": other}) for line in lines)
                (records / "all.jsonl").write_text(text)
            case "guide":
                guide = GUIDE.format(title=other.title(), number=digit, sum=digit + 1)
                (records / "guides").mkdir(exist_ok=True)
                (records / "guides" / f"{word}.md").write_text(guide)
            case "drift":
                (records / "drift.json").write_text(json.dumps(drift(word, digit)))
            case "template":
                (templates / "not_found.html").write_text(TEMPLATE.format(text=word))
            case _:
                for path in (
                    records / f"{word}.yaml",
                    records / "all.jsonl",
                    records / "guides" / f"{word}.md",
                    records / "drift.json",
                ):
                    path.unlink(missing_ok=True)

    return edit


def built(folder: Path, out: str, **options: object) -> Report:
    """Builds the folder's records into `out` beside them."""
    report = build.build(
        Settings(
            records=folder / "records",
            out=folder / out,
            cache=folder / "cache",
            templates=folder / "templates",
            name=lambda path: path.relative_to(folder).as_posix(),
            **options,  # type: ignore[arg-type]  # options of Settings, as each test names them
        )
    )
    assert not has_errors(report.diagnostics), report.diagnostics
    return report


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a site; in the state beside it are times."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and stage.STATE not in path.parts
    }


@pytest.fixture(autouse=True)
def _subject(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "bundled", lambda: {"json": JSON})
    # So small a site would never be rendered by several processes.
    monkeypatch.setattr(executor, "BATCH", 4)


@settings(
    max_examples=8,
    deadline=None,
    # A build takes half a second: a failing example is told as it was found.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rounds=st.lists(
        st.tuples(st.lists(edits(), min_size=1, max_size=3), st.integers(1, 4), st.booleans()),
        min_size=1,
        max_size=3,
    )
)
def test_warm_parallel_build_equals_cold_serial_build(rounds: list[tuple[list[Edit], int, bool]]) -> None:
    """After each round of edits, at every number of jobs, the site is the one that is built from nothing.

    Whether or not the process that builds is the one that built before.
    """
    with TemporaryDirectory() as name, closing(LastingProcesses()) as processes:
        kept = {"memory": Memory(), "start": processes}
        folder = Path(name)
        (folder / "records").mkdir()
        (folder / "templates").mkdir()
        for number, (round_of, jobs, is_kept) in enumerate(rounds):
            for edit in round_of:
                edit(folder)

            built(folder, "site", jobs=jobs, **(kept if is_kept else {}))
            built(folder, f"cold-{number}", jobs=1, is_caching=False)

            assert tree(folder / f"cold-{number}") == tree(folder / "site")


def test_published_addresses_never_vanish(tmp_path: Path) -> None:
    """A record that is renamed with aliases, or removed by status, leaves no address without an answer."""
    (tmp_path / "records").mkdir()
    (tmp_path / "templates").mkdir()
    file = tmp_path / "records" / "plums.yaml"
    file.write_text(OTHER.format(slug="plums", word="plums", line=3))
    built(tmp_path, "site")
    api = json.loads((tmp_path / "site/api/errors.json").read_bytes())["errors"][0]
    before = {path for path in tree(tmp_path / "site") if path.startswith(("acme/plums/", "api/errors/"))}

    file.write_text(
        OTHER.format(slug="plums", word="pears", line=9)
        + f"slug: another-name\naliases: [{api['slug']}, {api['id']}]\n"
        + 'status: removed\nremovedIn: "2.0"\nreason: gone\n'
    )
    built(tmp_path, "site")
    after = tree(tmp_path / "site")

    assert before <= set(after)
    assert b"This page has moved" in after[f"acme/plums/{api['slug']}/index.html"]
    kept = json.loads(after[f"api/errors/{api['id']}.json"])
    assert kept["record"]["slug"] == "another-name"
    assert kept["record"]["status"] == "removed"


def test_site_is_written_anew_from_nothing_as_it_was(tmp_path: Path) -> None:
    """Removing the output and building from the cache makes the same tree, and runs nothing."""
    (tmp_path / "records").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "records/a.yaml").write_text(OTHER.format(slug="apples", word="plums", line=3))
    built(tmp_path, "site")
    first = tree(tmp_path / "site")
    shutil.rmtree(tmp_path / "site")

    report = built(tmp_path, "site")

    assert (0, report.pages) == (report.scripts_run, report.pages_rendered)
    assert first == tree(tmp_path / "site")


def test_no_machine_path_is_published(tmp_path: Path) -> None:
    """No file of the site names the folder that it was built in."""
    (tmp_path / "records").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "records/a.yaml").write_text(OTHER.format(slug="apples", word="plums", line=3))
    built(tmp_path, "site")

    folder = str(tmp_path).encode()
    assert [] == [path for path, data in tree(tmp_path / "site").items() if folder in data]


def test_what_a_page_says_of_other_releases_is_that_of_the_table(tmp_path: Path) -> None:
    """A changed `drift.json` changes the pages of its records and the report, and no others."""
    (tmp_path / "records").mkdir()
    (tmp_path / "templates").mkdir()
    for word in ("apples", "pears"):
        (tmp_path / f"records/{word}.yaml").write_text(OTHER.format(slug=word, word=word, line=3))
    table = tmp_path / "records" / "drift.json"
    table.write_text(json.dumps(drift("apples", 4)))
    built(tmp_path, "site")
    before = tree(tmp_path / "site")

    table.write_text(json.dumps(drift("apples", 6)))
    built(tmp_path, "site")
    after = tree(tmp_path / "site")

    changed = {path for path in after if before.get(path) != after[path]}
    page = next(path for path in after if path.startswith("acme/apples/") and path.count("/") == 3)
    assert {page, page.replace(".html", ".md")} == {
        path for path in changed if "acme/" in path and "report" not in path
    }
    assert {"report/acme/apples/index.html"} <= changed
    assert not any("pears" in path for path in changed)
    assert b"same text, 3 lines further down" in after[page]
    assert not any(path.startswith("api/errors/") for path in changed)
