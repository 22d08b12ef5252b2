"""Checks: for every code, records that break it and records that do not, and what is said of them.

Each file in `checks/` is about one code. Under a `## title` stand the files of a case, each in a fence
that names its language and path, and last a `text` fence with all that is said of them; nothing in it
means no finding. All cases are judged in one run, as one corpus whose bundled subject was just compared
with upstream, but for those that say otherwise:

- a case with a `differential.json` of its own is a corpus by itself;
- so is one with a fence `text absent`, which lists distributions that are not installed;
- those with a fence `pinned PATH` are one corpus, held against its pinned source. The fence holds a file of
  the first record's repository, of which there is a clone with one commit; in records of that case, forty
  zeros stand for its sha. Nothing else of the pinned source is at hand.

A fence `released PATH` holds a file of the wheel, `pool==1.5`, from which the lines of the first record's
repository are read. `pytest --rewrite` writes the last fences anew.
"""

import hashlib
import inspect
import json
import re
import subprocess
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from urllib.error import URLError

import pytest

from generator import build, checks, diagnostics, document, kinship, nodes, schema, subjects
from generator.checks import Check
from generator.diagnostics import Diagnostic, Source
from generator.model import Case, Observation, Observed, Outcome, RecordFile
from generator.probe import Limits
from generator.registry import discover
from generator.settings import Settings

FOLDER = Path(__file__).parent / "checks"
CHECKS = discover(checks, Check)
SUBJECT = subjects.bundled()["sglang.LogicalHostPool"]
LIMITS = Limits(seconds=2, jobs=4)

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

# Codes of what is wrong with a file's text, and with its fields.
READ = {code for module in (document, nodes) for code in re.findall(r'"(E\d{4})"', inspect.getsource(module))}
DECODED = set(re.findall(r'"(E\d{4})"', inspect.getsource(schema))) - READ

_FENCE = re.compile(r"```(?P<language>\w+)(?: (?P<name>\S+))?")
_REPO = re.compile(r'^[ {]*"?repo"?: *"?([^",\s]+)', re.MULTILINE)
_ITS_SHA = "0" * 40


@dataclass(frozen=True, slots=True)
class Section:
    """One case: its files by path, and what is expected to be said of them.

    `pinned` are files of its repository, by path, `released` those of its wheel. `place` is the 0-based line
    of the Markdown file at which the expected text begins, and the one after its end.
    """

    markdown: Path
    title: str
    files: Mapping[str, str]
    pinned: Mapping[str, str]
    released: Mapping[str, str]
    absent: tuple[str, ...]
    expected: str
    place: tuple[int, int]

    @property
    def name(self) -> str:
        """The folder of its files, unlike any other section's."""
        words = re.findall(r"[a-z0-9]+", self.title.lower())
        return f"{self.markdown.stem.lower()}/{'-'.join(words)}"

    @property
    def is_alone(self) -> bool:
        """Whether it is a corpus by itself."""
        return bool(self.absent) or "differential.json" in self.files

    @property
    def repo(self) -> str:
        """The repository of its first record."""
        return next(found[1] for text in self.files.values() if (found := _REPO.search(text)))

    def shown(self, findings: Sequence[Diagnostic]) -> str:
        """The findings as users see them, with paths that begin at the section's folder."""
        text = diagnostics.render(findings, lines=lambda path: self.files[path].split("\n"))
        return text.replace(f"{self.name}/", "").rstrip("\n")


@lru_cache
def _lines(markdown: Path) -> tuple[str, ...]:
    return tuple(markdown.read_text(encoding="utf-8").split("\n"))


def read(markdown: Path) -> tuple[Section, ...]:
    """The sections of a file, in order. Raises ValueError for a section without a `text` fence."""
    lines = _lines(markdown)
    starts = [number for number, line in enumerate(lines) if line.startswith("## ")]
    return tuple(
        _section(markdown, start, end) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    )


def _section(markdown: Path, start: int, end: int) -> Section:
    lines = _lines(markdown)
    title = lines[start].removeprefix("## ")
    files: dict[str, str] = {}
    pinned: dict[str, str] = {}
    released: dict[str, str] = {}
    absent: tuple[str, ...] = ()
    number = start + 1
    while number < end:
        fence = _FENCE.fullmatch(lines[number])
        if fence is None:
            number += 1
            continue
        last = lines.index("```", number + 1)
        text = "\n".join(lines[number + 1 : last])
        match fence["language"], fence["name"]:
            case "text", "absent":
                absent = tuple(text.split())
            case "text", None:
                return Section(markdown, title, files, pinned, released, absent, text, (number + 1, last))
            case "pinned", path:
                pinned[path] = f"{text}\n"
            case "released", path:
                released[path] = f"{text}\n"
            case _, path:
                files[path] = f"{text}\n"
        number = last + 1
    raise ValueError(f"{markdown.name}: `{title}` does not say what is expected")


SECTIONS = tuple(section for markdown in sorted(FOLDER.glob("*.md")) for section in read(markdown))


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[Diagnostic]]:
    """What is said of each section's files, by the section's name.

    One run judges all that can stand in one corpus: importing torch takes seconds. The others mostly find
    their snippets' observations in the cache.
    """
    root = tmp_path_factory.mktemp("checks")
    together = [one for one in SECTIONS if not one.is_alone]
    found: dict[str, Sequence[Diagnostic]] = {}
    for is_pinned in (False, True):
        group = [one for one in together if bool(one.pinned) is is_pinned]
        found |= _judge(group, root / f"together-{is_pinned}", cache=root / "cache")
    for section in SECTIONS:
        if section.is_alone:
            found |= _judge([section], root / "alone" / section.name, cache=root / "cache")
    return found


def _judge(sections: Sequence[Section], records: Path, *, cache: Path) -> dict[str, tuple[Diagnostic, ...]]:
    clones = cache.parent / "clones"
    for section in sections:
        sha = _cloned(section.pinned, clones / section.repo) if section.pinned else _ITS_SHA
        for path, text in section.files.items():
            file = records / section.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace(_ITS_SHA, sha), encoding="utf-8")
        if section.released:
            (records / section.name / "repo.yaml").write_text(_release(section, cache / "wheels"))
    if not any("differential.json" in section.files for section in sections):
        (records / "differential.json").write_text(json.dumps(COMPARED))
    settings = Settings(
        records=records,
        out=records.parent / "site",
        cache=cache,
        limits=LIMITS,
        # From the folder that holds the clones, so that messages name no temporary one.
        clones={section.repo: Path(section.repo) for section in sections if section.pinned} or None,
        name=lambda path: path.relative_to(records).as_posix(),
    )
    absent = {name for section in sections for name in section.absent}
    with pytest.MonkeyPatch.context() as patch:
        # Messages name the subjects there are: a new one is to change no case.
        patch.setattr(subjects, "bundled", lambda: {SUBJECT.name: SUBJECT})
        installed = subjects.versions
        patch.setattr(
            subjects,
            "versions",
            lambda one: {name: "" if name in absent else version for name, version in installed(one).items()},
        )
        patch.setattr("urllib.request.urlopen", _refuse)
        clones.mkdir(exist_ok=True)
        patch.chdir(clones)
        report = build.check(settings)
    return {
        section.name: tuple(
            replace(one, path=one.path.removeprefix(f"{section.name}/"))
            for one in report.diagnostics
            if one.path.startswith(f"{section.name}/")
        )
        for section in sections
    }


def _release(section: Section, folder: Path) -> str:
    """Makes a wheel of the section's files, and returns the `repo.yaml` that names it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{section.name.replace('/', '_').replace('-', '_')}-1.5-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in section.released.items():
            archive.writestr(path, text)
    wheel = {
        "requirement": "pool==1.5",
        "python": "3.11",
        "platform": "any",
        "file": name,
        "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
        "commit": "0132848349585cfe6aae51c4941cbae872505f8a",
        "prefix": "src/",
    }
    # JSON is YAML too.
    return json.dumps({"repo": section.repo, "title": "Pool", "wheel": wheel})


def _cloned(files: Mapping[str, str], folder: Path) -> str:
    """Makes a repository of one commit, and returns its sha."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=Case", "-c", "user.email=case@example.org")
        command = ["git", "-C", str(folder), *identity, "-c", "commit.gpgSign=false", *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()

    git("init", "--quiet", "--object-format=sha1")
    git("add", "--all")
    git("commit", "--quiet", "--message=All there is")
    return git("rev-parse", "HEAD")


def _refuse(address: str, **_: object) -> object:
    raise URLError(f"no network for {address.partition(':')[0]}")


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: one.name)
def test_what_is_said_of_records_is_what_their_case_shows(
    section: Section, findings: Mapping[str, Sequence[Diagnostic]], *, is_rewriting: bool
) -> None:
    """All that is said of a case's files, rendered, is the text that stands below them."""
    shown = section.shown(findings[section.name])
    if is_rewriting:
        _rewrite(section, shown)
    else:
        assert section.expected == shown


def _rewrite(section: Section, shown: str) -> None:
    """Puts a text into the section's last fence, where that stands after what was rewritten before."""
    (now,) = (one for one in read(section.markdown) if one.title == section.title)
    if now.expected != shown:
        lines = list(_lines(section.markdown))
        lines[slice(*now.place)] = shown.split("\n") if shown else []
        section.markdown.write_text("\n".join(lines), encoding="utf-8")
        _lines.cache_clear()


def test_no_repository_stands_in_two_sections() -> None:
    """Records of one repository are compared with each other, so each section keeps to its own."""
    sections: dict[str, set[str]] = defaultdict(set)
    for section in SECTIONS:
        for text in section.files.values():
            for repo in _REPO.findall(text):
                sections[repo].add(section.name)
    assert {} == {repo: names for repo, names in sections.items() if len(names) > 1}


def test_no_two_sections_have_one_name() -> None:
    """The files of a section lie in a folder that is named for it."""
    names = [section.name for section in SECTIONS]
    assert sorted(set(names)) == sorted(names)


def test_no_two_checks_have_one_code() -> None:
    """A code names one check, and what is reported where a file is read names none."""
    codes = [check.code for check in CHECKS]
    assert sorted(set(codes)) == sorted(codes)
    assert set() == READ & set(codes)


@pytest.mark.parametrize("code", sorted({check.code for check in CHECKS} | DECODED))
def test_a_code_has_a_case_that_breaks_it_and_one_that_does_not(code: str) -> None:
    """In a code's file some case is reported under the code, and of some case nothing is said."""
    expected = [section.expected for section in read(FOLDER / f"{code}.md")]
    assert any(f"[{code}]: " in text for text in expected)
    assert "" in expected


@pytest.mark.parametrize("markdown", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_file_of_cases_is_about_codes_that_exist(markdown: Path) -> None:
    """The file is named for codes, and its heading says what is true where a check is silent."""
    codes = re.findall(r"E\d{4}", markdown.stem)
    assert "-".join(codes) + ".md" == markdown.name
    assert set(codes) <= {check.code for check in CHECKS} | READ | DECODED
    heading = _lines(markdown)[0]
    assert heading.startswith(f"# {' to '.join(codes)}: ")
    for check in CHECKS:
        if check.code in codes:
            assert f"# {check.code}: {check.name}" == heading


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_a_check_says_its_code_where_its_file_begins(check: Check) -> None:
    """Who meets a code finds its module by searching for it."""
    assert (inspect.getdoc(inspect.getmodule(check.run)) or "").startswith(f"{check.code}: ")


def test_an_engine_that_disagrees_is_reported() -> None:
    """E0205, whose case cannot happen unless pagefault is wrong: groups or a match that the walk denies."""
    (check,) = (one for one in CHECKS if one.code == "E0205")
    file = _decoded(_record())
    case = Case(
        file=file,
        matches={
            "the pool was closed at noon": ("noon",),
            "the pool was closed at night": ("n",),
            "the pool was closed at 9": None,
            "the pool was never opened": None,
        },
    )
    found = list(check.run(case, kinship.corpus([case])))
    assert ["the regular expression and the walk over segments disagree"] * 2 == [
        one.message for one in found
    ]
    assert [
        ("raised `the pool was closed at night`", "expression: ('n',)", "walk: ('night',)"),
        ("raised `the pool was closed at 9`", "expression: None", "walk: ('9',)"),
    ] == [one.notes for one in found]


def test_the_cure_for_what_cannot_be_run_fits_what_it_is() -> None:
    """E0409 does not tell to install a Python as if it were a package."""
    (check,) = (one for one in CHECKS if one.code == "E0409")
    missing = Outcome(kind="unavailable", text="this is Python 3.11, the record is about 2.7")
    case = Case(
        file=_decoded(_record(verification={"subject": "python==2.7", "trigger": "int('x')"})),
        subject=subjects.resolve("python==2.7"),
        observed=Observed((Observation("trigger", {"trigger": missing}),), {}, ()),
    )
    (found,) = check.run(case, kinship.corpus([case]))
    assert "`python==2.7` cannot be run here: this is Python 3.11, the record is about 2.7" == found.message
    assert "run pagefault with Python 2.7" == found.help


def test_a_record_that_claims_no_proof_is_only_warned_of(tmp_path: Path) -> None:
    """What is wrong with pattern, excerpt or link stops a build only where a record claims proof.

    What is wrong with a file, its fields, its id or its address stops every build.
    """
    lies = {
        "errorMessage": "{name} shut",
        "messagePattern": "(.+?) closed",
        "errorClass": "OSError",
        "sourceCode": 'raise RuntimeError(f"the pool was closed at {when}")',
        "sourceCodeStart": 88,
        "sourceCodeEnd": 88,
        "githubUrl": "https://github.com/acme/pool",
    }
    records = [
        _record(id="0" * 16),
        _record(id="0" * 16, slug="copy"),
        _record(id="1" * 16, slug="the-pool-was-closed-at-when"),
        _record(id="2" * 16, slug="lies", **lies),
        _record(id="8" * 16, slug="range", **lies | {"sourceCodeEnd": 89}),
        _record(id="3" * 16, slug="dot", messagePattern="the pool was closed."),
        _record(id="4" * 16, slug="typed", messagePattern=r"the pool was closed at (\d+)"),
        _record(id="5" * 16, slug="field", color="red"),
        _record(id="6" * 16, slug="former", aliases=["lies"]),
        _record(id="7" * 16, slug="removed", status="removed"),
    ]
    form = dict.fromkeys(("E0111", "E0121", "E0122", "E0123", "E0124"), "error")
    content = dict.fromkeys(("E0201", "E0203", "E0208", "E0301", "E0302", "E0303", "E0501"), "error")
    claim = {"verification": {"unproven": "needs a server"}}
    assert form | dict.fromkeys(content, "warning") | {"E0202": "warning"} == _severities(
        tmp_path / "none", records
    )
    assert form | content | {"E0202": "warning"} == _severities(
        tmp_path / "claimed", [record | claim for record in records]
    )


def _record(**fields: object) -> dict[str, object]:
    return {
        "repo": "acme/pool",
        "errorMessage": "the pool was closed at {when}",
        "errorClass": "RuntimeError",
        "filePath": "pool/host.py",
        "lineNumber": 88,
        "documentation": "A pool takes no requests after `close`.",
        "analyzedSha": "0132848349585cfe6aae51c4941cbae872505f8a",
        **fields,
    }


def _decoded(record: Mapping[str, object]) -> RecordFile:
    node, _ = document.parse(Source("record.json", json.dumps(record)))
    assert node is not None
    file, found = schema.decode(node, "record.json")
    assert found == ()
    assert file is not None
    return file


def _severities(folder: Path, records: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """How bad each code is, in a corpus of records that run nothing."""
    folder.mkdir()
    for number, record in enumerate(records):
        (folder / f"{number}.json").write_text(json.dumps(record))
    settings = Settings(
        records=folder, out=folder / "site", cache=folder / "cache", tracker="https://acme.io"
    )
    return {one.code: one.severity for one in build.check(settings).diagnostics}
