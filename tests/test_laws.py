"""The law: whatever was edited, a warm parallel build writes what a cold serial one would."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from generator import build, subjects, workers
from generator.build import Report, Settings
from generator.diagnostics import has_errors
from generator.model import Subject

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
GUIDE = """\
# {title}

```python
{number} + 1
#> {sum}
```
"""
TEMPLATE = '{{% extends "base.html" %}}{{% block content %}}<p>{text} {{{{ root }}}}</p>{{% endblock %}}'

words = st.sampled_from(["apples", "pears", "plums", "quinces"])
Edit = Callable[[Path], None]


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    """One change to a folder of records: something written anew, or something removed."""
    kind = draw(st.sampled_from(["record", "other", "guide", "template", "remove"]))
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
            case "guide":
                guide = GUIDE.format(title=other.title(), number=digit, sum=digit + 1)
                (records / "guides").mkdir(exist_ok=True)
                (records / "guides" / f"{word}.md").write_text(guide)
            case "template":
                (templates / "not_found.html").write_text(TEMPLATE.format(text=word))
            case _:
                for path in (records / f"{word}.yaml", records / "guides" / f"{word}.md"):
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
    """Every file of a site, its state included: that too is a function of the input."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(autouse=True)
def _subject(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "bundled", lambda: {"json": JSON})
    # So small a site would never be rendered by several processes.
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 8)


@settings(
    max_examples=8,
    deadline=None,
    # A build takes half a second: a failing example is told as it was found.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rounds=st.lists(st.lists(edits(), min_size=1, max_size=3), min_size=1, max_size=3))
def test_warm_parallel_build_equals_cold_serial_build(rounds: list[list[Edit]]) -> None:
    """After each round of edits, the site that was edited along is the site built from nothing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "records").mkdir()
        (folder / "templates").mkdir()
        for number, round_of in enumerate(rounds):
            for edit in round_of:
                edit(folder)

            built(folder, "site", jobs=2)
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

    assert (0, 0) == (report.scripts_run, report.pages_rendered)
    assert first == tree(tmp_path / "site")


def test_no_machine_path_is_published(tmp_path: Path) -> None:
    """No file of the site names the folder that it was built in."""
    (tmp_path / "records").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "records/a.yaml").write_text(OTHER.format(slug="apples", word="plums", line=3))
    built(tmp_path, "site")

    folder = str(tmp_path).encode()
    assert [] == [path for path, data in tree(tmp_path / "site").items() if folder in data]
