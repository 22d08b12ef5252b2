"""Records to begin with: from a place, a traceback or a whole package, each accepted as it is written."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator import cli, document, drafts, schema
from generator.diagnostics import Source
from generator.drafts import Origin, Undraftable
from generator.model import Record

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
SOURCE = """\
class Pool:
    def __init__(self, size):
        self.size = size

    def take(self, count, unit="slots", *, owner, note=None):
        if count > self.size:
            raise ValueError(f"cannot take {count} {unit} of {self.size} from {{pool}}")
        elif count < 0:
            message = "count must not be negative, got %r for %s" % (count, owner)
            raise TypeError(message)
        else:
            raise self.error
"""


def drafted(line: int, text: str = SOURCE, **options: object) -> Record:
    """The record that is begun for a line, read back as any record is."""
    statement, function = drafts.at(text, line)
    told = {"file": "pool.py", "origin": Origin("acme/pool", SHA, "src/", "pool==1.0"), **options}
    draft = drafts.draft(text, statement, function, **told)  # type: ignore[arg-type]  # a test's shorthand
    node, found = document.parse(Source("draft.yaml", draft.text))
    assert () == found
    assert node is not None
    file, problems = schema.decode(node, "draft.yaml")
    assert () == problems
    assert file is not None
    assert (file.head.id, file.head.slug, file.record.message_pattern) == (
        draft.id,
        draft.slug,
        draft.pattern,
    )
    return file.record


# The draft.


def test_a_statement_says_what_a_record_needs() -> None:
    """Class, template, path in the repository, lines, and the excerpt with the right numbers."""
    record = drafted(7, date="2026-11-30")

    assert ("acme/pool", "ValueError", "src/pool.py", 7, SHA, "2026-11-30") == (
        record.repo,
        record.error_class,
        record.file_path,
        record.line_number,
        record.analyzed_sha,
        record.analyzed_at,
    )
    assert record.error_message == "cannot take {count} {unit} of {self.size} from {{pool}}"
    assert record.source_code == SOURCE.rstrip("\n")
    assert (1, 12) == (record.source_code_start, record.source_code_end)
    assert record.verification is not None
    assert (drafts.UNPROVEN, "pool==1.0") == (record.verification.unproven, record.verification.subject)


def test_where_a_message_is_built_is_said() -> None:
    """The statement's own line does not write it."""
    record = drafted(10)

    assert (record.error_class, record.error_message) == (
        "TypeError",
        "count must not be negative, got %r for %s",
    )
    assert record.verification is not None
    assert record.verification.built_at == "src/pool.py:9"


def test_comments_sketch_a_trigger() -> None:
    """What to import, what a call must give, when it raises, and what a real message had in the holes."""
    statement, function = drafts.at(SOURCE, 10)
    text = drafts.draft(
        SOURCE, statement, function, file="pool.py", origin=Origin("a/b", SHA), values={"1": '-"7"'}
    ).text

    assert "  #   from pool import Pool\n" in text
    assert "  # trigger: Pool(…).take(count, owner=owner)  # it raises where count < 0\n" in text
    assert '  # captures: {"1": "-\\"7\\"", "2": "…"}\n' in text


def test_any_line_of_a_statement_names_it() -> None:
    """A traceback may show another than the first."""
    text = 'def f():\n    raise ValueError(\n        "no room for it"\n    )\n'

    assert {2} == {drafts.at(text, line)[0].first_line for line in (2, 3, 4)}


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (SOURCE, 3, "no `raise` stands on line 3: the nearest are on 7, 10, 12"),
        ("x = 1\n", 1, "no `raise` stands on line 1, nor anywhere"),
        ("def", 1, "Python cannot read the file: line 1: invalid syntax"),
    ],
)
def test_a_line_without_a_statement_is_refused(text: str, line: int, why: str) -> None:
    """With what would help."""
    with pytest.raises(Undraftable) as refused:
        drafts.at(text, line)
    assert why == str(refused.value)


def test_a_statement_without_a_message_is_refused() -> None:
    """A record needs one, and nothing is made up."""
    with pytest.raises(Undraftable, match="line 12 gives no message that can be read: a variable"):
        drafted(12)


def test_an_excerpt_that_a_build_reads_is_not_held() -> None:
    """Where a `repo.yaml` names the release."""
    assert drafted(7, origin=Origin("acme/pool", SHA, is_at_hand=True)).source_code is None


def test_an_excerpt_holds_the_whole_statement() -> None:
    """However long it is."""
    text = "def f():\n    raise ValueError(\n     \n\n" + '        "no room"\n' * 38 + "    )\n" + "\n" * 30
    record = drafted(2, text)

    assert (1, 43) == (record.source_code_start, record.source_code_end)
    assert text.rstrip("\n") == record.source_code


WORDS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("{}%'\"\\ \t\n#:-"), max_size=40)


@settings(deadline=None)
@given(message=WORDS, before=WORDS, values=WORDS)
def test_whatever_source_says_is_read_back(message: str, before: str, values: str) -> None:
    """Any message, and any text around it, hold the record to its form."""
    text = f"{before!r}\ndef f(x):\n    raise ValueError({message!r} f'room for {{x}}')\n"
    try:
        record = drafted(3, text, values={"x": values})
    except Undraftable:
        return
    assert record.source_code in {text.rstrip("\n"), None}


@given(WORDS)
def test_a_scalar_is_read_back(text: str) -> None:
    """On one line, and as the text that it was."""
    written = drafts.scalar(text)
    assert "\n" not in written
    node, _ = document.parse(Source("x.yaml", f"key: {written}\n"))
    assert isinstance(node, document.Mapping)
    value = node.get("key")
    assert isinstance(value, document.Scalar)
    assert text == value.text or document.parse(Source("x.yaml", f"key: {json.dumps(text)}\n"))[1]


# The command.

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of git with a package, and an empty folder of records."""
    folder = tmp_path / "pool"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "pool.py").write_text(SOURCE)
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", "git@github.com:acme/pool.git"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "one"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)  # noqa: S607 - the user's
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs a command: its status, what it says, and what it says beside that."""

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def _traceback(code: str) -> str:
    run = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'src'); from pool import Pool\n{code}"]
    return subprocess.run(run, capture_output=True, text=True, check=False).stderr


def test_a_traceback_becomes_a_record_that_is_accepted(project: Path, call: Call) -> None:
    """Repository and commit are git's, the values the message's; `check` says that it is unproven."""
    pasted = _traceback("Pool(3).take(7, owner='me')")
    status, out, err = call("new", stdin=pasted)

    assert (0, "records/acme/pool/cannot-take-count-unit-of-self-size-from-pool.yaml\n") == (status, out), err
    text = (project / out.strip()).read_text()
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f'analyzedSha: "{head.strip()}"\n' in text
    assert '  # captures: {count: "7", unit: "slots", size: "3"}\n' in text
    assert "next: pagefault check records/acme/pool/" in err
    assert "repo: acme/pool\ntitle: pool\n" == (project / "records/acme/pool/repo.yaml").read_text()

    status, _, err = call("check", "--isolation", "1")
    assert (0, True) == (status, "1 record: 1 unproven" in err), err


def test_what_is_begun_is_laid_out(project: Path, call: Call) -> None:
    """`fmt` has nothing to do, and an editor finds the schema that the project keeps."""
    (project / "records/.schema").mkdir(parents=True)
    (project / "records/.schema/record.json").write_text("{}")
    _, out, _ = call("new", stdin=_traceback("Pool(3).take(7, owner='me')"))
    assert (0, "", "2 files: 0 would change\n") == call("fmt", "--check")
    assert (project / out.strip()).read_text().startswith("# yaml-language-server: $schema=../../.schema/")


def test_nothing_is_overwritten_and_no_error_is_told_twice(project: Path, call: Call) -> None:
    """A record's file stays; an error that a record explains is named."""
    place = "src/pool.py:7"
    (_, out, _) = call("new", place)
    file = project / out.strip()
    file.write_text(file.read_text().replace("Raised by", "Told by"))
    before = file.read_text()

    assert (1, "", f"{out.strip()} documents this error already\n") == call("new", place)
    # The same name, and another error.
    file.write_text(before.replace("ValueError", "TypeError"))
    status, _, err = call("new", place)
    assert (2, True) == (status, "is there already, and is left as it is" in err)
    assert "Told by" in file.read_text()


def test_what_cannot_be_known_is_asked_for(project: Path, call: Call) -> None:
    """Where nobody can answer, the option is named; changed lines are of no commit."""
    (project / "src" / "pool.py").write_text(f"# changed\n{SOURCE}")
    status, _, err = call("new", "src/pool.py:8")
    assert (
        2,
        "pagefault: say which commit this is of: --commit takes a full commit sha: 40 hex digits\n",
    ) == (
        status,
        err,
    )
    status, out, _ = call("new", "src/pool.py:8", "--commit", SHA, "--repo", "other/name")
    assert (0, True) == (status, out.startswith("records/other/name/"))


def test_git_runs_nothing_of_the_folder_that_is_asked_about(project: Path, call: Call) -> None:
    """Whoever wrote its settings: a traceback may name any folder."""
    script = project.parent / "script"
    script.write_text(f"#!/bin/sh\ntouch '{project.parent / 'ran'}'\n")
    script.chmod(0o755)
    command = ["git", "config", "core.fsmonitor", str(script)]
    subprocess.run(command, check=True)

    assert 0 == call("new", "src/pool.py:7", "--dry-run")[0]
    assert not (project.parent / "ran").exists()


def test_a_package_is_read_as_it_is_installed(project: Path, call: Call) -> None:
    """Its repository is what it says itself; a `repo.yaml` is begun that names the release."""
    file = Path(drafts.__file__).parent / "absent.py"
    status, out, err = call(
        "new", "--package", "click", "click/core.py:1050", "--commit", SHA, "--prefix", "src/"
    )
    lines = err.rpartition("nearest are on ")[2].split(", ")
    assert (2, "") == (status, out)
    (status, out, err) = call(
        "new", "--package", "click", f"click/core.py:{lines[0]}", "--commit", SHA, "--prefix", "src/"
    )
    if status == 2:
        assert "gives no message that can be read" in err
    else:
        assert out.startswith("records/pallets/click/")
        assert "  prefix: src/\n" in (project / "records/pallets/click/repo.yaml").read_text()
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "stdin", "why"),
    [
        (("new",), "nothing to see", "no traceback says where it was raised"),
        (("new",), "", "there is no error in what was pasted"),
        (("new", "pool.py"), "", "`pool.py` is no place: name a file and a line"),
        (("new", "absent.py:3"), "", "`absent.py` cannot be read: No such file or directory"),
        (("new", "src/pool.py:7", "--commit", "main"), "", "--commit takes a full commit sha"),
        (("new", "--package", "absent==1", "a.py:3"), "", "absent is not installed here"),
        (("new", "--package", "click==0.1", "click/core.py:3"), "", "is installed, not 0.1"),
        (
            ("new",),
            'Traceback (most recent call last):\n  File "/x/y.py", line 3, in f\nE: no',
            "is not here",
        ),
        (("harvest", "absent"), "", "absent is not installed here"),
        (("harvest", "records"), "", "absent"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_cannot_be_done_ends_with_2(
    arguments: tuple[str, ...], stdin: str, why: str, call: Call
) -> None:
    """And says why."""
    if arguments[1:] == ("records",):
        Path("records").mkdir()
        why = "`records` holds no Python file"
    status, _, err = call(*arguments, stdin=stdin)
    assert (2, True) == (status, why in err), err


# Whole bodies of source.


def test_a_harvest_lists_what_is_raised_and_counts_what_is_not_read(project: Path, call: Call) -> None:
    """Errors with their places, what is documented, and why others are not there."""
    (project / "src" / "more.py").write_text(
        "def f(count, unit, self):\n"
        '    raise ValueError(f"cannot take {count} {unit} of {self.size} from {{pool}}")\n'
    )
    (project / "src" / "broken.py").write_text("def\n")
    call("new", "src/pool.py:10")
    status, out, err = call("harvest", "src")

    assert 0 == status
    assert [
        "ValueError: cannot take {count} {unit} of {self.size} from {{pool}}",
        "    src/more.py:2  f",
        "    src/pool.py:7  Pool.take",
        "TypeError: count must not be negative, got %r for %s  (has a record)",
        "    src/pool.py:10  Pool.take, message written on line 9",
    ] == out.splitlines()
    assert [
        "3 files, 4 `raise` statements",
        "3 places raise 2 errors, 1 documented",
        "1 not read:",
        "       1  a variable or a function's answer is raised",
        "src/broken.py cannot be read: line 1: invalid syntax",
    ] == err.splitlines()

    _, out, _ = call("harvest", "src", "--json")
    data = json.loads(out)
    assert [False, True] == [one["isDocumented"] for one in data["errors"]]
    assert 2 == len(data["errors"][0]["sites"])
    assert {"a variable or a function's answer is raised": 1} == data["unread"]


def test_a_harvest_begins_records(project: Path, call: Call) -> None:
    """One for each error, with its further places; a second time there is nothing to do."""
    (project / "src" / "more.py").write_text(SOURCE.replace("Pool", "Other"))
    told = ("--repo", "acme/pool", "--commit", SHA)
    status, out, err = call("harvest", "src", "--records", "records", *told)

    assert (0, 2) == (status, len(out.splitlines())), err
    assert '  sites:\n    - "src/pool.py:7"\n' in (project / out.splitlines()[0]).read_text()
    status, _, said = call("check", "--isolation", "1", "--strict", "--tracker", "https://example.org/new")
    assert (0, True) == (status, "2 records: 2 unproven" in said), said

    status, out, err = call("harvest", "src", "--records", "records", *told)
    assert (0, "", True) == (status, out, "0 records begun, 2 were there already" in err)


def test_names_that_are_taken_get_a_number(project: Path, call: Call) -> None:
    """Two classes may raise one message."""
    (project / "src" / "more.py").write_text(SOURCE.replace("ValueError", "KeyError"))
    _, out, _ = call("harvest", "src", "--records", "records", "--commit", SHA)

    names = [Path(one).stem for one in out.splitlines()]
    assert "cannot-take-count-unit-of-self-size-from-pool-2" in names
    assert len(set(names)) == len(names)
