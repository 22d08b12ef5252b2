"""What mends findings: which code has a fix and what it writes, how fixes are applied, and `check --fix`."""

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from generator import build, cli, fixes, schema, selfcheck, subjects
from generator.checks import Check, excerpt_raises, pin_holds, site_raises
from generator.cli import pagefault
from generator.diagnostics import Diagnostic, Fix, Source, Span
from generator.model import Case, Corpus, Excerpt, Pinned
from generator.settings import Settings

GOOD = selfcheck.GOOD
SUBJECT = subjects.bundled()["sglang.RadixKey"]
COMPARED = {
    "subjects": {
        SUBJECT.name: {
            "source": SUBJECT.module,
            "sourceSha256": subjects.source_digest(SUBJECT),
            "operations": 1,
            "upstream": {},
        }
    }
}


@dataclass(frozen=True)
class Broken:
    """A way to break `GOOD`: what is put in the place of what, and what mending makes of it, by its code."""

    code: str
    old: str
    new: str
    mended: str | None = None  # None: `old` again


def more(code: str, row: str, mended: str) -> Broken:
    """A row more in the record, and what becomes of it."""
    return Broken(code, "documentation:", f"{row}\ndocumentation:", f"{mended}\ndocumentation:".lstrip("\n"))


MENDED = {
    "a field with a letter too few": Broken("E0111", "analyzedSha:", "analyzedSh:"),
    "a field with two letters exchanged": Broken("E0111", "  guarded:", "  gaurded:"),
    "a field within a list": Broken("E0111", "      returns:", "      return:"),
    "a number in quotes": Broken("E0113", "lineNumber: 2", 'lineNumber: "2"'),
    "a truth value in quotes": Broken(
        "E0113", "  fixed:", "  native: 'false'\n  fixed:", "  native: false\n  fixed:"
    ),
    "a number that is empty": more("E0113", 'httpStatus: ""', "httpStatus: null"),
    "a text that is empty": more("E0114", "typeGuard: ''", "typeGuard: null"),
    "the text null": more("E0115", 'errorCode: "null"', "errorCode: null"),
    "the text null in a block": more("E0115", "typeGuard: |-\n  null", "typeGuard: null"),
    "capitals": more("E0116", "errorType: Lookup", "errorType: lookup"),
    "blanks around": more("E0116", "errorType: ' lookup'", 'errorType: "lookup"'),
    "a pattern in another dialect": more(
        "E0201",
        r"messagePattern: '^RadixKey\sindex out of range: (?:.*)$'",
        'messagePattern: "RadixKey index out of range: (.+?)"',
    ),
    "a pattern with a typed group": more(
        "E0202",
        r"messagePattern: 'RadixKey index out of range: (\d+)'",
        'messagePattern: "RadixKey index out of range: (.+?)"',
    ),
    "a pattern that misses what was raised": more(
        "E0203",
        "messagePattern: 'RadixKey index out of reach: (.+?)'",
        'messagePattern: "RadixKey index out of range: (.+?)"',
    ),
    "a reason for no difference": Broken("E0203", "  fixed:", "  patternReason: none\n  fixed:"),
    "a pattern fitted to one trigger": Broken(
        "E0204",
        "  recovered: {expect: len(unit) == 1}\n",
        "  patternReason: units are 3\n  recovered: {expect: len(unit) == 1}\n"
        "messagePattern: 'RadixKey index out of range: 3'\n",
        "  patternReason: units are 3\n  recovered: {expect: len(unit) == 1}\n"
        'messagePattern: "RadixKey index out of range: (.+?)"\n',
    ),
    "a last line that is off": Broken("E0301", "sourceCodeEnd: 2", "sourceCodeEnd: 3"),
    "a last line end": Broken("E0301", "sourceCode: |-", "sourceCode: |"),
    "a line outside": Broken("E0301", "lineNumber: 2", "lineNumber: 9"),
    "a line that is off": Broken("E0302", "lineNumber: 2", "lineNumber: 1"),
    "another class": Broken("E0403", "errorClass: IndexError", "errorClass: KeyError"),
    "a hole of another name": Broken("E0303", 'range: {idx}"\nerrorClass', 'range: {number}"\nerrorClass'),
    "a subject with a slip": Broken("E0401", "sglang.RadixKey", "sglang.RadixKye"),
    "a reason that is no longer true": Broken("E0411", "  guarded:", "  unproven: needs keys\n  guarded:"),
}

# Broken in a way that has more than one answer, or none that is known.
LEFT = {
    "a field like two others": Broken("E0111", "documentation:", "sourceCodeXXX: 1\ndocumentation:"),
    "a field that is there already": Broken("E0111", "documentation:", "documentatio: x\ndocumentation:"),
    "a number that is none": Broken("E0113", "lineNumber: 2", "lineNumber: two"),
    "a text that must not be empty": Broken(
        "E0114", "documentation: A key has no such unit.", "documentation: ''"
    ),
    "a pattern that says something else": Broken(
        "E0201", "documentation:", "messagePattern: 'RadixKey (index|slice) out: .*'\ndocumentation:"
    ),
    "a class that the source and the trigger call otherwise": Broken(
        "E0302", "raise IndexError", "raise ValueError"
    ),
    "a line that two places could be": Broken(
        "E0302",
        '      raise IndexError(f"RadixKey index out of range: {idx}")\nsourceCodeStart: 1\nsourceCodeEnd: 2',
        '      raise IndexError(f"RadixKey index out of range: {idx}")\n'
        "  else:\n"
        '      raise IndexError(f"RadixKey index out of range: {idx}")\nsourceCodeStart: 2\nsourceCodeEnd: 5',
    ),
    "a value that is not captured": Broken("E0206", '{idx: "3"}', '{idx: "4"}'),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[Source, list[Diagnostic]]]:
    """Return each broken record with what is said of it; all are checked in one run."""
    folder = tmp_path_factory.mktemp("fixes")
    records = folder / "records"
    records.mkdir()
    (records / "differential.json").write_text(json.dumps(COMPARED))
    texts = {}
    for number, (name, broken) in enumerate((MENDED | LEFT).items()):
        assert broken.old in GOOD, name
        text = GOOD.replace(broken.old, broken.new, 1).replace("acme/keys", f"acme/keys-{number}")
        texts[name] = Source(f"records/{number}.yaml", text)
        (folder / texts[name].path).write_text(text)
    report = build.check(
        Settings(
            records=records,
            out=folder / "site",
            cache=folder / "cache",
            is_caching=False,
            tracker="https://example.org/new",
            name=lambda path: path.relative_to(folder).as_posix(),
        )
    )
    return {
        name: (source, [one for one in report.diagnostics if one.path == source.path])
        for name, source in texts.items()
    }


@pytest.mark.parametrize("name", MENDED)
def test_what_has_one_right_answer_is_mended(
    found: Mapping[str, tuple[Source, list[Diagnostic]]], name: str
) -> None:
    """By a fix of its code, and by nothing else than that."""
    broken, (source, said) = MENDED[name], found[name]
    assert broken.code in {one.code for one in said if one.fix}, said
    after, applied = fixes.apply(source, [one.fix for one in said if one.fix])
    mended = broken.old if broken.mended is None else broken.mended
    repo = source.text.partition("\n")[0].removeprefix("repo: ")
    assert GOOD.replace(broken.old, mended, 1).replace("acme/keys", repo) == after
    assert 1 == len(applied)


@pytest.mark.parametrize("name", LEFT)
def test_what_has_several_answers_is_left(
    found: Mapping[str, tuple[Source, list[Diagnostic]]], name: str
) -> None:
    """It is reported, without a fix."""
    broken, (_, said) = LEFT[name], found[name]
    assert broken.code in {one.code for one in said}, said
    assert [] == [one.fix for one in said if one.fix]


# What is said where source is at hand.

RAISED = 'raise IndexError(f"RadixKey index out of range: {idx}")'
FILE = (f"if a: {RAISED}", "", RAISED, "", RAISED, 'raise IndexError("another")')


def case_of(text: str, **known: Any) -> Case:
    """A record of that text, and what is known of it."""
    file, problems = schema.decode_text(Source("r.yaml", text), is_json=False)
    assert file is not None
    assert () == problems
    return Case(file, **known)


def fixes_of(check: Check, case: Case) -> list[str | None]:
    """What each finding of a check would write."""
    return [one.fix.text if one.fix else None for one in check.run(case, Corpus((), {}, {}, {}, {}))]


@pytest.mark.parametrize(
    ("sites", "expected"),
    [
        (["src/keys.py:4"], ["src/keys.py:5"]),
        (["src/keys.py:6"], ["src/keys.py:5"]),
        # Both cannot be the one that is missing.
        (["src/keys.py:4", "src/keys.py:6"], [None, None]),
        (["src/keys.py:5", "src/keys.py:6"], [None]),
    ],
)
def test_a_further_place_is_mended(sites: list[str], expected: list[str | None]) -> None:
    """Where one place of the file raises the error and is not named, and one name is wrong."""
    text = (
        GOOD.replace("lineNumber: 2", "lineNumber: 3")
        .replace("Start: 1", "Start: 2")
        .replace("End: 2", "End: 3")
    )
    excerpt = Excerpt("\n".join(FILE), 1, "read from a release", whole=FILE)
    case = case_of(f"{text}  sites: [{', '.join(sites)}]\n", sites=(excerpt,) * len(sites))
    assert expected == fixes_of(site_raises.CHECK, case)


def test_a_line_that_the_pinned_source_contradicts_is_mended() -> None:
    """As the one line of all the file that raises the error, whatever is nearest."""
    lines = ('raise IndexError("another")', "", "", "", "", "", RAISED)
    assert ["7"] == fixes_of(pin_holds.CHECK, case_of(without_excerpt(), pinned=Pinned(lines, "a clone")))
    two = (*lines, RAISED)
    assert [None] == fixes_of(pin_holds.CHECK, case_of(without_excerpt(), pinned=Pinned(two, "a clone")))


def test_a_class_that_the_pinned_source_contradicts_is_mended() -> None:
    """As the source writes it, where it writes the record's message."""
    lines = ("", RAISED.replace("IndexError", "KeyError"))
    assert ["KeyError"] == fixes_of(
        pin_holds.CHECK, case_of(without_excerpt(), pinned=Pinned(lines, "a clone"))
    )


def test_a_line_is_looked_for_in_the_whole_file() -> None:
    """Not only in the lines that are shown: one there may be one of two."""
    text = without_excerpt()
    for whole, expected in ((("", "", RAISED), ["3"]), (("", "", RAISED, "", RAISED), [None])):
        excerpt = Excerpt(f"\n\n{RAISED}", 1, "read from a release", whole=whole)
        assert expected == fixes_of(excerpt_raises.CHECK, case_of(text, excerpt=excerpt))


def without_excerpt() -> str:
    """`GOOD` with its lines elsewhere."""
    start, end = GOOD.index("sourceCode:"), GOOD.index("documentation:")
    return GOOD[:start] + GOOD[end:]


# Applying.

ROWS = "a: one\r\nb: two\r\nc: three\r\n"


def fix(line: int, start: int, end: int, text: str) -> Fix:
    """What writes a text into a row."""
    return Fix(f"write `{text}`", Span(line, start, line, end), text)


def test_fixes_are_applied_from_the_first_to_the_last() -> None:
    """In whatever order they come, each once, and line ends stay."""
    every = [fix(3, 4, 9, "3"), fix(1, 4, 7, "1"), fix(1, 4, 7, "1"), Fix("remove `b`", Span(2, 1, 3, 1), "")]
    text, applied = fixes.apply(Source("r.yaml", ROWS), every)
    assert "a: 1\r\nc: 3\r\n" == text
    assert [1, 2, 3] == [one.span.line for one in applied]


def test_of_fixes_that_meet_the_first_is_applied() -> None:
    """The other is about a text that is no longer there."""
    text, applied = fixes.apply(Source("r.yaml", ROWS), [fix(1, 5, 7, "x"), fix(1, 4, 6, "y")])
    assert ("a: ye\r\nb: two\r\nc: three\r\n", 1) == (text, len(applied))


def test_a_fix_that_breaks_a_file_is_not_applied() -> None:
    """Nor are the others of that file then; one that is broken already is left."""
    text, applied = fixes.apply(Source("r.yaml", ROWS), [fix(1, 4, 7, "["), fix(2, 4, 7, "2")])
    assert (ROWS, ()) == (text, applied)
    twice = f"{ROWS}a: one\n"
    assert (twice, ()) == fixes.apply(Source("r.yaml", twice), [fix(1, 4, 7, "1")])


# The command.


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of records of a project, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "records"
    folder.mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.pagefault]\ntracker = "https://example.org/new"\n')
    return folder


def check(*arguments: str) -> Result:
    """Run `pagefault check` in this process."""
    return CliRunner().invoke(pagefault, ["check", *arguments])


PLAIN = """\
repo: acme/pool
errorMessage: no room for {size} pages
errorClass: PoolError
filePath: pool/pages.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
githubUrl: https://github.com/acme/pool/blob/main/pool/pages.py#L7
"""
TWICE = PLAIN.replace("lineNumber: 7", 'lineNumber: "9"').replace("errorClass", "errClass")
MENDED_URL = "https://github.com/acme/pool/blob/0132848349585cfe6aae51c4941cbae872505f8a/pool/pages.py#L9"


def test_mending_goes_on_until_nothing_is_left(records: Path) -> None:
    """What the first round mends shows what the second has to; it is said what was done, and modes stay."""
    file = records / "a.yaml"
    file.write_text(TWICE)
    file.chmod(0o600)
    said = check("--fix")
    assert 0 == said.exit_code, said.stderr
    expected = PLAIN.replace("lineNumber: 7", "lineNumber: 9")
    assert expected[: expected.index("githubUrl")] + f"githubUrl: {MENDED_URL}\n" == file.read_text()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert said.stderr.splitlines()[:4] == [
        "records/a.yaml: mended",
        "  E0111 at line 3: write `errorClass`",
        "  E0113 at line 5: write 9 without quotes",
        f"  E0501 at line 8: let `githubUrl` be `{MENDED_URL}`",
    ]
    again = check("--fix")
    assert (0, False) == (again.exit_code, "mended" in again.stderr)


def test_what_would_be_mended_is_shown_and_not_written(records: Path) -> None:
    """As a difference, beside what is wrong."""
    file = records / "a.yaml"
    file.write_text(TWICE)
    said = check("--fix", "--diff")
    assert 1 == said.exit_code
    assert "-errClass: PoolError\n+errorClass: PoolError\n" in said.stdout
    assert "error[E0111]" in said.stderr
    assert TWICE == file.read_text()


def test_a_check_says_that_something_can_be_mended(records: Path) -> None:
    """And writes nothing."""
    (records / "a.yaml").write_text(TWICE)
    said = check()
    assert 1 == said.exit_code
    assert "; 2 can be mended by `pagefault check --fix`\n" in said.stderr
    assert TWICE == (records / "a.yaml").read_text()


def test_what_cannot_be_mended_is_reported(records: Path) -> None:
    """Others are mended all the same; paths say which."""
    (records / "a.yaml").write_text(TWICE)
    (records / "b.yaml").write_text(PLAIN.replace("lineNumber: 7", "lineNumber: seven"))
    said = check("--fix", "--format", "concise", "records/b.yaml")
    assert (1, TWICE) == (said.exit_code, (records / "a.yaml").read_text())
    said = check("--fix", "--format", "concise")
    assert 1 == said.exit_code
    assert "records/b.yaml:5:13: error[E0113]" in said.stderr
    assert "records/a.yaml:" not in said.stderr.partition("error[E0113]")[2]


def test_json_is_mended_in_its_own_way(records: Path) -> None:
    """Keys and texts stay in double quotes; a record in a file of many is left."""
    value = dict(row.split(": ", 1) for row in PLAIN.splitlines()) | {"lineNumber": 7, "errorCode": "null"}
    value["errClass"] = value.pop("errorClass")
    file, lines = records / "a.json", records / "all.jsonl"
    file.write_text(json.dumps(value))
    lines.write_text(json.dumps(value | {"repo": "acme/other"}) + "\n")
    before = lines.read_bytes()
    assert 1 == check("--fix").exit_code
    assert value | {
        "errorClass": "PoolError",
        "errorCode": None,
        "githubUrl": MENDED_URL.replace("L9", "L7"),
    } == (json.loads(file.read_text()) | {"errClass": "PoolError"})
    assert before == lines.read_bytes()


def test_a_difference_alone_makes_no_sense(records: Path) -> None:
    """It says of what it would be one."""
    assert records.is_dir()
    said = check("--diff")
    assert (2, True) == (said.exit_code, "give both" in said.stderr)


def test_programs_are_told_the_fix(records: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In `json` and `sarif`, by place and text."""
    (records / "a.yaml").write_text(
        PLAIN.replace("lineNumber: 7", 'lineNumber: "7"').replace("/main/", f"/{'0' * 40}/")
    )
    with pytest.raises(SystemExit):
        cli.main(["check", "--format", "json"])
    (one,) = json.loads(capsys.readouterr().out)["findings"]
    expected = {
        "title": "write 7 without quotes",
        "line": 5,
        "column": 13,
        "endLine": 5,
        "endColumn": 16,
        "text": "7",
    }
    assert expected == one["fix"]
    with pytest.raises(SystemExit):
        cli.main(["check", "--format", "sarif"])
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert {"uri": "records/a.yaml"} == change["artifactLocation"]
    assert [{"text": "7"}] == [each["insertedContent"] for each in change["replacements"]]
    assert 16 == change["replacements"][0]["deletedRegion"]["endColumn"]
