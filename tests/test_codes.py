"""Codes: each is listed, explained by one record, and really emitted where that record says."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator import build, codes, diagnostics, probe, schema, subjects
from generator.build import Report
from generator.model import Record, Script, Step, Trial, Verification
from generator.probe import Limits
from generator.settings import Settings
from generator.workers import WarmProcess

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "records" / "pagefault"
LIMITS = Limits(seconds=20, jobs=2)
KNOWN = codes.names()

_CODE = re.compile(r"\bE0\d{3}\b")

# What the step `emitted` runs: a record's snippet, to see under which code it is told what it is told.
_EMIT = """\
try:
    exec({code!r}, globals())
    emitted = ""
except Diagnostic as error:
    emitted = f"{{error.severity}}[{{error.code}}]"
emitted
"""


def _read() -> dict[str, Record]:
    """The records about codes, by their files' names without the ending."""
    read = {path.stem: schema.load(path, path.name) for path in schema.record_paths(FOLDER)}
    return {name: file.record for name, (file, _) in read.items() if file is not None}


RECORDS = _read()


def _claims(record: Record) -> Verification:
    assert record.verification is not None
    return record.verification


def _snippets(record: Record) -> dict[str, str]:
    """The triggers and look-alikes of a record, by the names of their scripts."""
    claims = _claims(record)
    return {
        "trigger": claims.trigger or "",
        **{f"more[{number}]": code for number, code in enumerate(claims.more)},
        **{f"instead[{number}]": one.call for number, one in enumerate(claims.instead)},
    }


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What a run says of these records."""
    folder = tmp_path_factory.mktemp("codes")
    settings = Settings(
        records=ROOT / "records", out=folder / "site", cache=folder / "cache", jobs=2, limits=LIMITS
    )
    return build.check(settings, [FOLDER])


@pytest.fixture(scope="session")
def emitted() -> Mapping[tuple[str, str], str]:
    """`error[E0302]` and the like, or nothing, for each file's name and script."""
    subject = subjects.bundled()["pagefault"]
    trials = [
        Trial(
            subject=subject.name,
            scripts=tuple(
                Script(
                    name=script,
                    steps=(
                        Step(role="setup", code=_claims(record).setup or ""),
                        Step(role="emitted", code=_EMIT.format(code=code)),
                    ),
                )
                for script, code in _snippets(record).items()
            ),
        )
        for record in RECORDS.values()
    ]
    names = list(RECORDS)
    with WarmProcess({}) as warm:
        return {
            (names[index], one.name): one.outcomes["emitted"].text.strip("'")
            for index, observed in probe.observe([(trial, subject) for trial in trials], warm, LIMITS)
            for one in observed.observations
        }


def test_every_code_has_one_record_and_every_record_a_code() -> None:
    """What is listed is what is explained, each once."""
    assert list(KNOWN) == sorted(record.error_code or "" for record in RECORDS.values())


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_found_by_its_code(name: str) -> None:
    """Its file is called like the code, its address begins with it, and a guide explains the ground."""
    record = RECORDS[name]
    assert name == (record.error_code or "").lower()
    assert record.slug.startswith(f"{name}-")
    assert "pagefault" in record.tags
    assert (ROOT / "records" / "guides" / f"{record.background_tag}.md").is_file()


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_names_the_module_that_emits_its_code(name: str) -> None:
    """The file that it points at holds the code."""
    record = RECORDS[name]
    assert f'"{record.error_code}"' in (ROOT / record.file_path).read_text(encoding="utf-8")


def test_every_record_is_proven_unless_it_says_why_not(report: Report) -> None:
    """And nothing else is said of them."""
    expected = {
        record.slug: "unproven" if _claims(record).unproven else "proven" for record in RECORDS.values()
    }
    assert expected == {one.record.slug: one.standing for one in report.verified}
    assert "" == diagnostics.render(report.diagnostics)


@pytest.mark.parametrize("name", [name for name, one in RECORDS.items() if not _claims(one).unproven])
def test_triggers_are_told_the_code_of_their_record(
    name: str, emitted: Mapping[tuple[str, str], str]
) -> None:
    """Every trigger is told something under this very code, as grave as the record says."""
    record = RECORDS[name]
    triggers = [script for script in _snippets(record) if not script.startswith("instead")]
    assert dict.fromkeys(triggers, f"{record.severity}[{record.error_code}]") == {
        script: emitted[name, script] for script in triggers
    }


@pytest.mark.parametrize("name", RECORDS)
def test_look_alikes_are_told_the_code_that_their_reason_names(
    name: str, emitted: Mapping[tuple[str, str], str]
) -> None:
    """`why` begins with the code of what is told instead; with none, if nothing is."""
    for number, one in enumerate(_claims(RECORDS[name]).instead):
        code = re.match(r"(E0\d{3})?", one.why or "")
        told = re.sub(r"\w+\[(.*)\]", r"\1", emitted[name, f"instead[{number}]"])
        assert code is not None
        assert (code[1] or "") == told


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md"])
def test_codes_in_the_documentation_exist(file: str) -> None:
    """Those that the prose and the examples name."""
    named = set(_CODE.findall((ROOT / file).read_text(encoding="utf-8")))
    assert named
    assert set() == named - KNOWN.keys()


def test_codes_in_the_records_exist() -> None:
    """Those that one page says about another."""
    for path in schema.record_paths(FOLDER):
        assert set() == set(_CODE.findall(path.read_text(encoding="utf-8"))) - KNOWN.keys()


def test_codes_in_the_code_are_those_that_are_listed() -> None:
    """Every listed code is emitted by some module, and no module emits another."""
    sources = [path for path in sorted((ROOT / "generator").rglob("*.py")) if path.name != "codes.py"]
    found = {code for path in sources for code in _CODE.findall(path.read_text(encoding="utf-8"))}
    assert list(KNOWN) == sorted(found)
