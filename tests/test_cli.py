"""`generator.cli`: what is said, where, and with which exit status."""

import os
import pty
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError

import pytest

from generator import __version__, build, cli, reading, stage, subjects, walls, wheels
from generator.build import Report
from generator.settings import Settings
from generator.wheels import WheelUnavailable

ROOT = Path(__file__).parent.parent
SUBJECT = subjects.bundled()["sglang.LogicalHostPool"]

RECORD = """\
repo: acme/pool
slug: {slug}
errorMessage: "{slug} is refused with {{value}} here"
errorClass: KeyError
filePath: src/pool.py
lineNumber: 7
documentation: What it means.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""

PROVEN = """\
repo: acme/pool
slug: size-is-refused
errorMessage: LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}
errorClass: ValueError
filePath: python/pool.py
lineNumber: 61
documentation: A pool is built of whole pages.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: sglang.LogicalHostPool
  trigger: LogicalHostPool(5, 16)
"""

# What any Python raises by itself.
DECODED = f"""\
repo: python/cpython
slug: expecting-value
errorMessage: "Expecting value: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: 355
documentation: There is no value here.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: python=={sys.version_info.major}.{sys.version_info.minor}
  setup: import json
  trigger: json.loads("")
  more: ["json.loads('[1, x]')"]
"""

CONFIGURED = '[tool.pagefault]\ntracker = "https://example.org/new"\n'

CONCISE = re.compile(r"^[^:]+:\d+:\d+: (error|warning)\[E\d{4}\] .+$")


@dataclass(frozen=True)
class Said:
    """What a command wrote and its exit status."""

    status: object
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines on standard error."""
        return self.err.splitlines()


Run = Callable[..., Said]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in an empty project, in this process."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        written = capsys.readouterr()
        return Said(ended.value.code, written.out, written.err)

    return run


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a folder with a record about which nothing is to be said, in a project that is set up."""
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "fine.yaml").write_text(RECORD.format(slug="the-size"))
    (tmp_path / "pyproject.toml").write_text(CONFIGURED)
    return folder


def add(records: Path, name: str, **fields: str) -> None:
    """Write a record, with some fields replaced or added."""
    text = RECORD.format(slug=name)
    for field, value in fields.items():
        text = re.sub(rf"(?m)^{field}: .*\n", "", text) + f"{field}: {value}\n"
    (records / f"{name}.yaml").write_text(text)


def add_warning(records: Path) -> None:
    """Write a record about which there is one warning: the text "null"."""
    add(records, "warned", errorCode='"null"')


def add_error(records: Path) -> None:
    """Write a record about which there is one error: an unknown field."""
    add(records, "wrong", tgs="[a]")


# Exit status.


def test_a_clean_check_ends_with_0(run: Run, records: Path) -> None:
    """And says so in one line."""
    assert records.is_dir()
    said = run("check")
    assert (0, "") == (said.status, said.out)
    verdict = f"1 record: 1 unproven; no snippet had to run; isolation level {walls.available().value}\n"
    assert verdict == said.err


def test_a_warning_ends_with_0(run: Run, records: Path) -> None:
    """It is shown all the same."""
    add_warning(records)
    said = run("check")
    assert 0 == said.status
    assert "warning[E0115]: " in said.err
    assert "1 warning; 1 can be mended by `pagefault check --fix`" == said.lines[-2]


def test_strictly_a_warning_ends_with_1(run: Run, records: Path) -> None:
    """It is still called a warning."""
    add_warning(records)
    said = run("check", "--strict")
    assert 1 == said.status
    assert "warning[E0115]: " in said.err


def test_an_error_ends_with_1(run: Run, records: Path) -> None:
    """Its place and cure are shown, and the line itself."""
    add_error(records)
    said = run("check")
    assert 1 == said.status
    assert [
        "error[E0111]: unknown field `tgs`",
        " --> records/wrong.yaml:9:1",
        "  |",
        "9 | tgs: [a]",
        "  | ^^^",
        "  = help: did you mean `tags`?",
        "",
        "1 error; 1 can be mended by `pagefault check --fix`",
        f"2 records: 2 unproven; no snippet had to run; isolation level {walls.available().value}",
    ] == said.lines


@pytest.mark.parametrize(
    "arguments",
    [
        ["chek"],
        ["check", "--format", "xml"],
        ["check", "--jobs", "0"],
        ["check", "--jobs", "many"],
        ["check", "absent.yaml"],
        ["check", "--nope"],
        ["build", "records"],
        ["check", "--records", "records/fine.yaml"],
        ["build", "--outputs", "pdf"],
        ["build", "--outputs", "html,"],
        ["build", "--pins"],
        ["check", "--isolation", "4"],
        ["check", "--timings"],
        ["build", "--max-size", "0"],
        ["build", "--max-size", "1 GB"],
        ["build", "--edit"],
        ["build", "--preview", "yes"],
    ],
)
def test_a_wrong_call_ends_with_2(run: Run, records: Path, arguments: list[str]) -> None:
    """It says what is wrong, and nothing is made."""
    assert records.is_dir()
    said = run(*arguments)
    assert (2, "") == (said.status, said.out)
    assert said.err
    assert not (records.parent / "site").exists()


@pytest.mark.parametrize("command", ["check", "build", "fetch"])
def test_without_records_a_command_ends_with_2(run: Run, command: str) -> None:
    """It says where it looked and how to name another place."""
    message = (
        "no folder of records at records: name one with --records, or set `records` in `[tool.pagefault]`"
    )
    assert Said(2, "", f"pagefault: {message}\n") == run(command)
    assert (
        f"no folder of records at elsewhere/x: {message.partition(': ')[2]}"
        in run(command, "--records", "elsewhere/x").err
    )


def test_a_fault_of_ours_ends_with_2(run: Run, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that is needed to report it."""
    assert records.is_dir()

    def fail(*_: object) -> Report:
        raise LookupError("deep inside")

    monkeypatch.setattr(build, "check", fail)
    said = run("check")
    assert (2, "") == (said.status, said.out)
    assert "Traceback" in said.err
    assert "LookupError: deep inside" in said.err
    assert "pagefault: this is a fault of pagefault: please report it with the lines above" == said.lines[-1]


def test_an_interruption_ends_with_130(run: Run, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a traceback."""
    assert records.is_dir()

    def interrupt(*_: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "check", interrupt)
    assert Said(130, "", "") == run("check")


# Findings.


def test_concise_findings_are_one_line_each(run: Run, records: Path) -> None:
    """`path:line:column: severity[code] message`, whatever is wrong."""
    add_warning(records)
    add_error(records)
    add(records, "many", errorClass='"5 wrong"', filePath="/etc/passwd", lineNumber="0", slug='"a b"')
    add(records, "twice", repo="acme/pool\nrepo: acme/pool")
    (records / "broken.yaml").write_text("repo: [\n")
    (records / "empty.yaml").write_text("")
    (records / "list.json").write_text("[1, 2]")
    (records / "bytes.yaml").write_bytes(b"\xff")
    (records / "long: name.yaml").write_text("x: 1")
    (records / "repo.yaml").write_text("repo: acme/pool\ntitel: Pool\n")
    (records.parent / "pyproject.toml").write_text("[tool.pagefault]\ntitel = 5\n")
    said = run("check", "--format", "concise")
    *findings, count, verdict = said.lines
    assert len(findings) > 15
    assert [] == [line for line in findings if not CONCISE.match(line) and "long: name" not in line]
    assert re.match(r"\d+ errors, \d warnings; \d can be mended by", count)
    assert verdict.startswith("10 records: ")
    assert f"{sum(': error[' in line for line in findings)} errors" in count
    assert 1 == said.status


def test_findings_stand_in_the_order_of_their_places(run: Run, records: Path) -> None:
    """Of files, then of lines."""
    add(records, "b", tgs="1", titel="2")
    add(records, "a", tgs="1")
    said = run("check", "--format", "concise", "-q")
    assert ["records/a.yaml:9", "records/b.yaml:9", "records/b.yaml:10"] == [
        line.partition(": ")[0].rpartition(":")[0] for line in said.lines
    ]


def test_files_are_named_from_the_working_folder(
    run: Run, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where they lie below it; else in full."""
    add_error(records)
    monkeypatch.chdir(records)
    assert "wrong.yaml:9:1: error[E0111]" in run("check", "--format", "concise").err
    (records.parent / "elsewhere").mkdir()
    monkeypatch.chdir(records.parent / "elsewhere")
    assert f"{records}/wrong.yaml:9:1: error[E0111]" in run("check", "--format", "concise").err


def test_a_configuration_from_above_holds(run: Run, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folders are relative to its own, not to the working one."""
    (records.parent / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(records.parent / "deep" / "er")
    assert 0 == run("build").status
    assert (records.parent / "site" / "index.html").is_file()
    assert (records.parent / ".cache" / "pagefault").is_dir()


def test_options_outweigh_the_configuration(run: Run, records: Path) -> None:
    """Folders that are given are relative to the working one."""
    (records.parent / "pyproject.toml").write_text('[tool.pagefault]\nrecords = "none"\nout = "none"\n')
    said = run(
        "build", "--records", "records", "--out", "public", "--cache", "facts", "--tracker", "https://a/"
    )
    assert 0 == said.status
    assert sorted(path.name for path in records.parent.iterdir()) == [
        "facts",
        "public",
        "pyproject.toml",
        "records",
    ]


def test_a_wrong_setting_is_a_finding(run: Run, records: Path) -> None:
    """And while it stands nothing is published: it may be about the very site."""
    (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}base_url = 'https://example.org'\n")
    said = run("build", "--format", "concise")
    assert 1 == said.status
    assert "pyproject.toml:3:1: error[E0702] unknown setting `base_url`" == said.lines[0]
    assert "nothing was published: " in said.lines[-1]
    assert not (records.parent / "site").exists()


@pytest.mark.parametrize("arguments", [["check"], ["build"]])
def test_quietly_errors_alone_are_shown(run: Run, records: Path, arguments: list[str]) -> None:
    """No warnings, no counts, no verdict; nothing where there is no error."""
    add_warning(records)
    assert Said(0, "", "") == run(*arguments, "--quiet")
    add_error(records)
    said = run(*arguments, "-q", "--format", "concise")
    assert 1 == said.status
    assert ["records/wrong.yaml:9:1: error[E0111] unknown field `tgs`"] == said.lines


def test_verbosely_stages_are_shown(run: Run, records: Path) -> None:
    """With their seconds."""
    assert records.is_dir()
    said = run("build", "-v")
    stages = [line.split()[0] for line in said.lines if re.fullmatch(r"\w+ +\d+\.\d{3} s", line)]
    assert ["read", "run", "judge", "render", "publish"] == stages


@pytest.mark.parametrize("name", ["seconds.json", "not/yet/there/seconds.json"])
def test_seconds_go_to_a_file(run: Run, records: Path, name: str) -> None:
    """As JSON, and nowhere else; its folder is made."""
    assert 0 == run("check", "--timings", name).status
    text = (records.parent / name).read_text()
    assert re.fullmatch(r'\{\n(  "\w+": [\d.e-]+,?\n)+\}\n', text)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("records", "Is a directory"),
        ("pyproject.toml/seconds.json", "File exists"),
        ("pyproject.toml/a/seconds.json", "Not a directory"),
    ],
)
def test_seconds_that_cannot_be_written_end_with_2(run: Run, records: Path, name: str, why: str) -> None:
    """What was found is told before."""
    add_error(records)
    said = run("check", "--timings", name)
    assert (2, "") == (said.status, said.out)
    assert "error[E0111]: unknown field `tgs`" == said.lines[0]
    assert f"pagefault: --timings: cannot write {name}: {why}" == said.lines[-1]


def test_less_isolation_than_was_asked_for_ends_with_2(
    run: Run, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an option or by the configuration; nothing is run."""
    monkeypatch.setattr(walls, "available", lambda: walls.Level.LIMITS)
    why = "isolation 2 was asked for, and here only level 1 works: nothing was run"
    assert Said(2, "", f"pagefault: {why}\n") == run("check", "--isolation", "2")
    assert 0 == run("check", "--isolation", "1").status
    (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}isolation = 2\n")
    assert Said(2, "", f"pagefault: {why}\n") == run("check")
    assert 0 == run("check", "--isolation", "1").status


def test_why_something_runs_again_is_told(run: Run, records: Path) -> None:
    """To people, and if they ask."""
    file = records / "decoder.yaml"
    file.write_text(DECODED)
    first = run("check", "--why", "--format", "json")
    assert "run again: records/decoder.yaml: it was not run before" == first.lines[0]
    assert "run again" not in run("check", "--why").err
    file.write_text(DECODED.replace('json.loads("")', 'json.loads("[")'))
    assert Said(0, "", "") == run("check", "--why", "-q", "--no-cache")
    assert "run again: records/decoder.yaml: changed: snippets" == run("check", "--why").lines[0]
    file.write_text(DECODED.replace('json.loads("")', 'json.loads("[1,")'))
    assert "run again" not in run("check").err


def test_the_floor_is_the_configurations(run: Run, records: Path) -> None:
    """For the folder that it configures: another one's records were not counted when it was set."""
    (records / "decoder.yaml").write_text(DECODED)
    (records.parent / "pyproject.toml").write_text(f"# ours\n\n{CONFIGURED}floor = 2\n")
    said = run("build", "--format", "concise")
    assert 1 == said.status
    assert "pyproject.toml:3:1: error[E0703] 1 records are proven, and the floor is 2" == said.lines[0]
    assert "nothing was published: " in said.lines[-1]
    assert 0 == run("check", "records/decoder.yaml").status
    records.rename(records.parent / "others")
    assert 0 == run("check", "--records", "others").status
    (records.parent / "others").rename(records)
    for floor in (0, 1):
        (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}floor = {floor}\n")
        assert 0 == run("check").status


# A build.


def test_a_build_says_what_it_wrote(run: Run, records: Path) -> None:
    """And the second time that there was nothing to do."""
    assert records.is_dir()
    first, second = run("build"), run("build")
    assert (0, 0, "") == (first.status, second.status, first.out + second.out)
    assert re.fullmatch(
        r"site: \d+ of \d+ files rendered, \d+ written, 0 removed, 0 unchanged", first.lines[-1]
    )
    assert "site: nothing changed; no page rendered, no file written" == second.lines[-1]


def test_a_build_with_an_error_says_that_nothing_was_published(run: Run, records: Path) -> None:
    """The site is as it was, here none."""
    add_error(records)
    said = run("build")
    assert 1 == said.status
    assert "nothing was published: site is as it was" == said.lines[-1].replace(f"{records.parent}/", "")
    assert not (records.parent / "site").exists()


def test_a_folder_that_cannot_be_written_ends_with_2(run: Run, records: Path) -> None:
    """Something of another's is in the way."""
    (records.parent / "site").mkdir()
    (records.parent / "site" / "index.html").write_text("mine")
    said = run("build")
    assert (2, "") == (said.status, said.out)
    assert said.lines[-1].startswith("pagefault: nothing was published: ")
    assert said.lines[-1].endswith("index.html was not written by a build: move it, or choose another --out")
    assert ["index.html"] == [
        path.name for path in (records.parent / "site").iterdir() if path.name != stage.STATE
    ]


def page(records: Path, path: str = "acme/pool/the-size/index.html") -> str:
    """Return a page of the site."""
    return (records.parent / "site" / path).read_text()


def test_a_preview_says_so_and_keeps_engines_away(run: Run, records: Path) -> None:
    """On every page; without being asked for it is none."""
    assert 0 == run("build", "--preview").status
    for path in ("index.html", "acme/pool/the-size/index.html", "404.html"):
        assert '<meta name="robots" content="noindex">' in page(records, path)
        assert "This is a preview of changes under review." in page(records, path)
    assert 0 == run("build").status
    for path in ("index.html", "acme/pool/the-size/index.html"):
        assert "noindex" not in page(records, path)
        assert "preview" not in page(records, path)


@pytest.mark.parametrize("address", ["https://example.org/edit/main/", "https://example.org/edit/main"])
def test_a_record_can_be_edited_where_that_is_said(run: Run, records: Path, address: str) -> None:
    """By an option, else by the configuration; below that address, by the record's path from the project."""
    (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}edit = 'https://example.org/kept/'\n")
    assert 0 == run("build").status
    assert '<a href="https://example.org/kept/records/fine.yaml">Edit this record</a>' in page(records)
    assert 0 == run("build", "--edit", address).status
    assert '<a href="https://example.org/edit/main/records/fine.yaml">Edit this record</a>' in page(records)
    (records.parent / "pyproject.toml").write_text(CONFIGURED)
    assert 0 == run("build").status
    assert "Edit this record" not in page(records)


@pytest.mark.parametrize("address", ["example.org", "javascript:alert(1)//", "https://a/?x=", "https://a/#x"])
def test_files_cannot_be_edited_at_any_address(run: Run, records: Path, address: str) -> None:
    """It stands in links on every page, with a path behind it."""
    assert records.is_dir()
    message = "pagefault: --edit takes an address that begins with https://\n"
    assert Said(2, "", message) == run("build", "--edit", address)


def test_a_site_may_have_so_many_mebibytes(run: Run, records: Path) -> None:
    """By an option, else by the configuration."""
    (records.parent / "logo.svg").write_bytes(b" " * 2**20)
    (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}logo = 'logo.svg'\nmax-size = 1\n")
    said = run("build", "--format", "concise")
    assert 1 == said.status
    assert re.fullmatch(
        r"pyproject\.toml:1:1: error\[E0704\] the site takes 1\.\d MiB, and may take 1\.0 MiB", said.lines[0]
    )
    assert "nothing was published: " in said.lines[-1]
    said = run("build", "--format", "concise", "--max-size", "2")
    assert (0, ["site:"]) == (said.status, [said.lines[-1].split()[0]])
    assert "E0704" not in said.err


def test_a_logo_that_is_not_there_is_a_finding(run: Run, records: Path) -> None:
    """From the folder of the configuration; nothing is published without it."""
    (records.parent / "pyproject.toml").write_text(f"{CONFIGURED}logo = 'docs/logo.svg'\n")
    for command in ("check", "build"):
        said = run(command, "--format", "concise")
        assert 1 == said.status
        assert "pyproject.toml:1:1: error[E0702] `logo`: there is no file at docs/logo.svg" == said.lines[0]
    (records.parent / "docs").mkdir()
    (records.parent / "docs" / "logo.svg").write_text("<svg/>")
    assert 0 == run("build").status


FAILURES = [
    ("error.html", "one\n{{ nope.x }}\n", "templates/error.html:2: 'nope' is undefined"),
    (
        "error.html",
        "one\n\n{% if %}\n",
        "templates/error.html:3: Expected an expression, got 'end of statement block'",
    ),
    (
        "error.html",
        "{% extends 'absent.html' %}",
        "templates/error.html:1: there is no template `absent.html`",
    ),
    ("error.html", "one\n{{ 1 / 0 }}", "templates/error.html:2: ZeroDivisionError: division by zero"),
    (
        "error.html",
        "one\n{{ 5 | markdown }}",
        "templates/error.html:2: TypeError: object of type 'int' has no len()",
    ),
    ("error.html", "{{ 5 | nofilter }}", "templates/error.html:1: No filter named 'nofilter'."),
    ("error.html", "{% include 'mine.html' %}", "templates/mine.html:2: 'nope' is undefined"),
    (
        "home.html",
        "{% extends 'base.html' %}\n{% block content %}{{ nope }}{% endblock %}",
        "templates/home.html:2: 'nope' is undefined",
    ),
    ("error.md", "one\n{{ nope }}", "templates/error.md:2: 'nope' is undefined"),
]


@pytest.mark.parametrize(("name", "text", "place"), FAILURES)
def test_a_template_that_fails_is_named_with_its_line(
    run: Run, records: Path, name: str, text: str, place: str
) -> None:
    """It is its author's to mend, so there is no traceback; nothing is published."""
    templates = records.parent / "templates"
    templates.mkdir()
    (templates / "mine.html").write_text("one\n{{ nope }}")
    (templates / name).write_text(text)
    assert Said(2, "", f"pagefault: {place}\n") == run("build", "--templates", "templates", "--jobs", "1")
    assert not (records.parent / "site").exists()


def test_a_template_that_fails_in_another_process_is_named_too(run: Run, records: Path) -> None:
    """Where many pages are rendered at once."""
    for number in range(30):
        add(records, f"number-{number}")
    templates = records.parent / "templates"
    templates.mkdir()
    (templates / "error.html").write_text("one\n\n{{ 1 / 0 }}")
    said = run("build", "--templates", "templates", "--jobs", "2")
    assert Said(2, "", "pagefault: templates/error.html:3: ZeroDivisionError: division by zero\n") == said
    assert not (records.parent / "site").exists()


def test_limited_outputs_are_built(run: Run, records: Path) -> None:
    """As the option says, or else the configuration."""
    (records.parent / "pyproject.toml").write_text(f'{CONFIGURED}outputs = ["json"]\n')
    run("build")
    files = [
        path
        for path in (records.parent / "site").rglob("*")
        if path.is_file() and stage.STATE not in path.parts
    ]
    assert {".json"} == {path.suffix for path in files}
    run("build", "--outputs", "html,json")
    assert (records.parent / "site" / "index.html").is_file()
    assert not (records.parent / "site" / "robots.txt").exists()


def test_a_base_url_ends_in_a_slash(run: Run, records: Path) -> None:
    """Whether it was written or not."""
    assert records.is_dir()
    sites = []
    for number, url in enumerate(("https://example.org/errors", "https://example.org/errors/")):
        run("build", "--base-url", url, "--out", f"site-{number}")
        page = records.parent / f"site-{number}" / "404.html"
        sites.append(page.read_bytes())
    assert sites[0] == sites[1]
    assert b"/errors/index.html" in sites[0]


# Paths.


def test_with_paths_only_those_are_reported(run: Run, records: Path) -> None:
    """Files or folders, however they are written."""
    add_error(records)
    add(records, "other", titel="2")
    for path in ("records/other.yaml", "./records/../records/other.yaml", str(records / "other.yaml")):
        said = run("check", path, "--format", "concise")
        assert (1, 3) == (said.status, len(said.lines)), said.err
        assert "records/other.yaml:9:1: error[E0111] unknown field `titel`" == said.lines[0]
    assert 0 == run("check", "records/fine.yaml").status
    assert "3 records: " in run("check", "records").err


def test_paths_of_the_surroundings_work_from_anywhere(
    run: Run, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that leads up is one of the records as well."""
    add_error(records)
    (records.parent / "tests").mkdir()
    monkeypatch.chdir(records.parent / "tests")
    said = run("check", "../records/wrong.yaml")
    assert 1 == said.status
    assert "unknown field `tgs`" in said.err


@pytest.mark.parametrize("path", ["empty", "records/guides", "records/repo.yaml", "records/.hidden.yaml"])
def test_a_path_without_records_ends_with_2(run: Run, records: Path, path: str) -> None:
    """A clean check of nothing would be believed."""
    for folder in ("empty", "records/guides"):
        (records.parent / folder).mkdir()
    (records / "guides" / "paging.md").write_text("# Paging\n")
    (records / "repo.yaml").write_text("repo: acme/pool\ntitle: Pool\n")
    (records / ".hidden.yaml").write_text(RECORD.format(slug="hidden"))
    for arguments in ([path], ["records/fine.yaml", path]):
        said = run("check", *arguments)
        assert (2, "") == (said.status, said.out)
        assert said.err.startswith(f"pagefault: no record at {path}: records are .yaml, .yml and .json files")
        assert 1 == len(said.lines)


# Pins.


def _cloned(folder: Path) -> str:
    """Commits the file that records name to a new repository; its sha."""
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "pool.py").write_text(
        "\n" * 5 + 'if True:\n    raise KeyError(f"pinned is refused with {value} here")\n'
    )
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false")
    done = None
    for arguments in (
        ["init", "--quiet", "--object-format=sha1"],
        ["add", "--all"],
        [*identity, "commit", "--quiet", "--message=All there is"],
        ["rev-parse", "HEAD"],
    ):
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done is not None
    return done.stdout.strip()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses that the network was asked for, which refuses."""
    addresses: list[str] = []

    def refuse(address: str, **_: object) -> None:
        addresses.append(address)
        raise URLError("no network")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    return addresses


def test_with_pins_records_are_held_against_their_source(run: Run, records: Path, asked: list[str]) -> None:
    """Where a clone lies is relative to the working folder."""
    sha = _cloned(records.parent / "elsewhere" / "pool")
    add(
        records,
        "fine",
        analyzedSha=f'"{sha}"',
        slug="pinned",
        errorMessage='"pinned is refused with {x} here"',
    )
    arguments = ("check", "--pins", "--clone", "acme/pool=elsewhere/pool", "--format", "concise")
    assert 0 == run(*arguments).status
    add(records, "fine", analyzedSha=f'"{sha}"', slug="pinned", lineNumber="6")
    said = run(*arguments)
    assert 0 == said.status
    found = r"records/fine\.yaml:\d+:13: warning\[E0502\] no `raise` starts on line 6 of the pinned source"
    assert re.fullmatch(found, said.lines[0])
    assert "1 warning" == said.lines[1]
    assert [] == asked
    # Who does not ask is told nothing.
    assert "E0502" not in run("check").err


def test_without_a_clone_the_network_is_asked(run: Run, records: Path, asked: list[str]) -> None:
    """And only then; that it does not answer is a warning."""
    assert records.is_dir()
    run("check")
    assert [] == asked
    said = run("check", "--pins")
    assert 0 == said.status
    assert "warning[E0503]: " in said.err
    assert "= note: GitHub does not give it (no network)" in said.err
    assert 1 == len(asked)


@pytest.mark.parametrize(
    ("clone", "why"),
    [
        ("elsewhere", "takes OWNER/NAME=PATH, not `elsewhere`"),
        ("pool=records", "takes OWNER/NAME=PATH, not `pool=records`"),
        ("a/b/c=records", "takes OWNER/NAME=PATH, not `a/b/c=records`"),
        ("/pool=records", "takes OWNER/NAME=PATH, not `/pool=records`"),
        ("acme/=records", "takes OWNER/NAME=PATH, not `acme/=records`"),
        ("acme/pool=", "takes OWNER/NAME=PATH, not `acme/pool=`"),
        ("acme/pool=absent", "absent is no folder"),
        ("acme/pool=records/fine.yaml", "records/fine.yaml is no folder"),
    ],
)
def test_a_clone_that_is_none_ends_with_2(run: Run, records: Path, clone: str, why: str) -> None:
    """Before anything is read."""
    assert records.is_dir()
    said = run("check", "--pins", "--clone", clone)
    assert (2, "") == (said.status, said.out)
    assert said.err.startswith("pagefault: --clone")
    assert said.err.endswith(f"{why}\n")


def test_a_clone_without_pins_ends_with_2(run: Run, records: Path) -> None:
    """It would not be looked at."""
    said = run("check", "--clone", f"acme/pool={records}")
    why = "--clone says where pinned source lies: add --pins to have it read"
    assert Said(2, "", f"pagefault: {why}\n") == said


# Colours.


def test_colours_are_for_terminals(run: Run, records: Path) -> None:
    """Elsewhere they are left out."""
    add_error(records)
    assert "\x1b" not in run("check").err


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"NO_COLOR": "1"}, False),
    ],
)
def test_colours_can_be_forced_and_refused(
    run: Run, records: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *, is_coloured: bool
) -> None:
    """An empty variable says nothing; who refuses them has the last word."""
    add_error(records)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_coloured is ("\x1b[1;31merror[E0111]\x1b[0m" in run("check").err)
    assert is_coloured is ("\x1b" in run("check").err)


@pytest.mark.parametrize(("variables", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_is_coloured(records: Path, variables: dict[str, str], *, is_coloured: bool) -> None:
    """Unless it is refused; a short command shows no progress."""
    add_error(records)
    leader, follower = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm", **variables}
    command = [sys.executable, "-m", "generator", "check"]
    done = subprocess.run(
        command, cwd=records.parent, env=environment, stdout=subprocess.PIPE, stderr=follower, check=False
    )
    os.close(follower)
    shown = os.read(leader, 2**16)
    os.close(leader)
    assert (1, b"") == (done.returncode, done.stdout)
    assert is_coloured is (b"\x1b[1;31merror[E0111]\x1b[0m" in shown)


# Wheels.


def test_where_no_wheel_is_wanted_none_is_fetched(run: Run, records: Path) -> None:
    """Nothing is said."""
    assert records.is_dir()
    assert Said(0, "", "") == run("fetch")


def test_a_wheel_that_cannot_be_had_ends_with_1(
    run: Run, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are fetched all the same."""
    assert records.is_dir()
    wanted = [wheels.Wheel(f"{name}==1", "3.11", "any", f"{name}.whl", "0" * 64) for name in ("a", "b")]
    asked: list[str] = []

    def fetch(wheel: wheels.Wheel, _: Path) -> Path:
        asked.append(wheel.requirement)
        raise WheelUnavailable(f"no {wheel.requirement}")

    def want(_: Settings) -> tuple[wheels.Wheel, ...]:
        return tuple(wanted)

    monkeypatch.setattr(reading, "wanted_wheels", want)
    monkeypatch.setattr(wheels, "fetch", fetch)
    said = run("fetch")
    assert (1, ["a==1", "b==1"]) == (said.status, asked)
    assert "no b==1: pages will not quote it" == said.lines[-1]
    failures = "no a==1: pages will not quote it\nno b==1: pages will not quote it\n"
    assert Said(1, "", failures) == run("fetch", "--quiet")


# The program.


def _python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_help_and_version_go_to_standard_output(run: Run) -> None:
    """They are what was asked for."""
    said = run("--help")
    assert (0, "") == (said.status, said.err)
    assert "Exit status: 0 clean, 1 findings, 2 usage or internal error." in said.out
    assert Said(0, f"pagefault, version {__version__}\n", "") == run("--version")
    assert "-h" in run("check", "-h").out


def test_help_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    """Neither torch nor templates nor the code under test: it is there at once."""
    done = _python("-X", "importtime", "-m", "generator", "check", "--help", folder=tmp_path)
    assert 0 == done.returncode
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert {"click", "generator.cli"} <= imported
    heavy = {"torch", "numpy", "jinja2", "pygments", "markdown_it", "yaml", "generator.build", SUBJECT.module}
    assert set() == heavy & imported


def test_a_check_runs_no_code_under_test_in_its_own_process(tmp_path: Path) -> None:
    """Nor does it import any: what records run is run elsewhere."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "size.yaml").write_text(PROVEN)
    code = "import atexit, sys\nfrom generator.cli import main\n"
    code += "atexit.register(lambda: print(*sys.modules))\nmain(['check', '--no-cache', '-v'])"
    done = _python("-c", code, folder=tmp_path)
    assert 0 == done.returncode, done.stderr
    assert "1 snippet run" in done.stderr
    assert "1 read" in done.stderr
    imported = set(done.stdout.split())
    assert "generator.build" in imported
    assert set() == {"torch", "numpy", SUBJECT.module, "generator.sandbox"} & imported


def test_two_checks_at_once_share_a_cache(records: Path) -> None:
    """Neither fails, both say the same, and what they leave is whole: the next has nothing to run."""
    for number in range(12):
        text = DECODED.replace("python/cpython", f"python/cpython-{number}")
        text = text.replace('json.loads("")', f'json.loads("{" " * number}")')
        (records / f"decoder-{number}.yaml").write_text(text)
    command = [sys.executable, "-m", "generator", "check", "--format", "json"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    checks = [
        subprocess.Popen(
            command,
            cwd=records.parent,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    first, second = [(*one.communicate(), one.returncode) for one in checks]
    assert (0, first[0]) == (first[2], second[0])
    assert 0 == second[2]
    for _, said, _ in (first, second):
        assert said.startswith("13 records: 12 proven, 1 unproven; "), said
    third = _python("-m", "generator", "check", "--format", "json", folder=records.parent)
    assert first[0] == third.stdout
    assert "; no snippet had to run; " in third.stderr


def test_the_module_and_the_script_are_one(records: Path) -> None:
    """`python -m generator` says and does what `pagefault` does."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert {"pagefault": "generator.cli:main"} == scripts
    add_error(records)
    for arguments in (["check", "--format", "concise"], ["--version"], ["--help"], ["nope"]):
        script = (
            f"import sys; sys.argv[:] = ['pagefault', *{arguments}]; from generator.cli import main; main()"
        )
        by_module = _python("-m", "generator", *arguments, folder=records.parent)
        by_script = _python("-c", script, folder=records.parent)
        assert (by_script.returncode, by_script.stdout, by_script.stderr) == (
            by_module.returncode,
            by_module.stdout,
            by_module.stderr,
        )


@pytest.mark.parametrize("command", ["check", "explain"])
def test_examples_stand_on_lines_of_their_own(command: str) -> None:
    """As one would type them."""
    done = subprocess.run(
        [sys.executable, "-m", "generator", command, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=ROOT,
    )

    assert "\\b" not in done.stdout
    assert f"\n    pagefault {command} " in done.stdout


def on_a_terminal(*arguments: str, **variables: str) -> bytes:
    """What `explain` shows on one, for our own records, whose pages are longer than its window."""
    leader, follower = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "COLUMNS": "90", "LINES": "30", **variables}
    started = subprocess.Popen(
        [sys.executable, "-m", "generator", "explain", "--records", "records", *arguments],
        cwd=ROOT,
        env=environment,
        stdin=follower,
        stdout=follower,
        stderr=subprocess.DEVNULL,
    )
    os.close(follower)
    shown = b""
    try:
        while piece := os.read(leader, 2**16):
            shown += piece
    except OSError:  # the end, as Linux says it
        pass
    os.close(leader)
    assert 0 == started.wait()
    return shown


@pytest.mark.parametrize(("variables", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_an_explanation_is_a_page_on_a_terminal(variables: dict[str, str], *, is_coloured: bool) -> None:
    """In color unless that is refused, through the reader's pager, with the reader's own values."""
    message = "LogicalHostPool allocation must be page-aligned, got need_size=5003, page_size=64"
    shown = on_a_terminal(message, PAGER="sed s/^/paged:/", **variables)

    assert is_coloured is (b"\x1b[1;36" in shown)
    assert b"paged:" in shown
    assert b"5056" in shown
    assert b"```" not in shown


# What helps.


def test_every_module_of_a_command_is_listed() -> None:
    """By the name of its file."""
    folder = ROOT / "generator" / "cli" / "commands"
    assert sorted(cli.COMMANDS) == sorted(file.stem for file in folder.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help_that_names_it(name: str, run: Run) -> None:
    """With what it does in a line, and how it is called."""
    said = run(name, "--help")
    assert (0, "") == (said.status, said.err)
    assert said.out.startswith(f"Usage: pagefault {name} ")


def test_commands_are_listed_by_what_they_are_for(run: Run) -> None:
    """Each once, with a line of its own that is not cut."""
    said = run("--help").out
    for name in cli.COMMANDS:
        (line,) = re.findall(rf"(?m)^  {name}  +(\S.*)$", said)
        assert "..." not in line
    assert 1 == said.count("Prove and publish:")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("chek",), "no command `chek`: did you mean `check`?"),
        (("xyz",), "no command `xyz`: commands are "),
        (("check", "recrods"), "there is no recrods: did you mean `records`?"),
        (("check", "records/fin.yaml"), "there is no records/fin.yaml: did you mean `records/fine.yaml`?"),
        (("check", "records/nothing-like-it"), "does not exist"),
        (("check", "--formt", "json"), "--format"),
    ],
)
@pytest.mark.usefixtures("records")
def test_what_was_mistyped_is_answered_by_what_was_meant(
    arguments: tuple[str, ...], meant: str, run: Run
) -> None:
    """And ends with 2."""
    said = run(*arguments)
    assert (2, True) == (said.status, meant in said.err), said.err


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_shells_are_given_what_completes(shell: str, run: Run) -> None:
    """As each of them reads it."""
    said = run("completion", shell)
    assert (0, "") == (said.status, said.err)
    assert "_PAGEFAULT_COMPLETE" in said.out


def test_what_completes_is_commands_and_options() -> None:
    """Asked as a shell asks."""
    for words, wanted in (("pagefault ch", "plain,check"), ("pagefault check --form", "plain,--format")):
        asked = {
            "_PAGEFAULT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        done = subprocess.run(
            [sys.executable, "-m", "generator"],
            env={**os.environ, **asked},
            capture_output=True,
            text=True,
            check=False,
        )
        assert [wanted] == done.stdout.split()


def test_in_ci_each_stage_is_a_line(run: Run, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With how much there is; without it, nothing is said on the way."""
    assert records
    quiet = run("check", "--no-cache").err
    monkeypatch.setenv("CI", "true")
    listed = run("check", "--no-cache").err
    assert f"read: 1\n{quiet}" == listed
    assert "" == run("check", "--no-cache", "--quiet").err
