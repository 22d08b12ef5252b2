"""Records moved to another pin: what is changed in their texts, and what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from generator import repin, schema
from generator.cli import pagefault
from tests.editions import LATER, MESSAGES, NEXT, PIN, PINNED, POOL, corpus

HOME = "records/acme/widgets"
# As the pinned release, with lines before everything and around the `raise` of an excerpt.
MOVED = {name: f'"""Two lines\nmore."""\n{text}' for name, text in PINNED.items()}
EXCERPT = """\
sourceCode: |2-
{lines}
sourceCodeStart: 6
sourceCodeEnd: 8
githubUrl: 'https://github.com/acme/widgets/blob/{pin}/src/acme/pool.py#L6-L8'
analyzedAt: 2026-01-02
verification:
  unproven: nobody runs it   # and that stays
  reachable: {{via: a call, site: "src/acme/other.py:2"}}
"""


def run(folder: Path, *arguments: str, commit: str = NEXT) -> tuple[int, str, str]:
    """Status, output and errors of moving the records to release 2.0."""
    command = ["drift", "acme/widgets", "--repin", "2.0", "--commit", commit, "--offline", *arguments]
    folders = ["--records", f"{folder}/records", "--cache", f"{folder}/cache"]
    done = CliRunner().invoke(pagefault, [*command, *folders])
    return done.exit_code, done.stdout, done.stderr


def texts(folder: Path) -> dict[str, str]:
    """All files of the repository, by their names."""
    return {path.name: path.read_text() for path in sorted((folder / HOME).iterdir())}


def test_records_are_moved_and_only_what_moved_is_changed(tmp_path: Path) -> None:
    """Lines, places and the pin; comments, quotes and blanks stay as they were."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    before = texts(tmp_path)

    status, _, errors = run(tmp_path)

    after = texts(tmp_path)
    assert 0 == status
    assert "acme/widgets: 7 records moved to 2.0, 0 left" in errors
    for name, (_, _, _, line) in MESSAGES.items():
        # Each release has two lines more before everything.
        expected = (
            before[f"{name}.yaml"]
            .replace(PIN, NEXT)
            .replace(f"lineNumber: {line} ", f"lineNumber: {line + 2} ")
        )
        expected = expected.replace("pool.py:21", "pool.py:23").replace("other.py:7", "other.py:9")
        assert expected == after[f"{name}.yaml"]
    assert "# The pin.\n" in after["repo.yaml"]
    assert f'  commit: "{NEXT}"\n' in after["repo.yaml"]
    assert "requirement: acme==2.0\n" in after["repo.yaml"]
    assert "file: acme-2.0-py3-none-any.whl\n" in after["repo.yaml"]


def test_an_excerpt_is_quoted_anew_around_its_line(tmp_path: Path) -> None:
    """With its numbers, the link that names them, the date that is given, and the call that leads there."""
    moved = POOL.replace("        if size % 16:\n", "        rest = size % 16\n        if rest:\n")
    corpus(tmp_path, {"1.0": PINNED, "2.0": {**MOVED, "acme/pool.py": moved}})
    path = tmp_path / HOME / "aligned.yaml"
    lines = "\n".join(f"  {line}" for line in POOL.splitlines()[5:8])
    path.write_text(path.read_text() + EXCERPT.format(lines=lines, pin=PIN))

    status, _, _ = run(tmp_path, "--date", "2026-03-04")

    found, problems = schema.load(path, "it")
    assert 0 == status
    assert () == problems
    assert found is not None
    record = found.record
    assert (8, 7, 9) == (record.line_number, record.source_code_start, record.source_code_end)
    assert "\n".join(moved.splitlines()[6:9]) == record.source_code
    assert f"https://github.com/acme/widgets/blob/{NEXT}/src/acme/pool.py#L7-L9" == record.github_url
    assert "2026-03-04" == record.analyzed_at
    assert record.verification is not None
    assert record.verification.reachable is not None
    assert "src/acme/other.py:4" == record.verification.reachable.site
    assert "nobody runs it   # and that stays" in path.read_text()


def test_what_changed_or_went_is_left_and_said(tmp_path: Path) -> None:
    """With status 1; the others are moved, among them one to another file."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": LATER})
    before = texts(tmp_path)

    status, _, errors = run(tmp_path)

    after = texts(tmp_path)
    assert 1 == status
    left = {name for name in before if before[name] == after[name]}
    assert {"negative.yaml", "freed.yaml", "number.yaml"} == left
    assert "negative.yaml is left as it is: 2.0 does not raise it" in errors
    assert "freed.yaml is left as it is: 2.0 words it in another way: it is now `slot" in errors
    assert "filePath: src/acme/state.py\nlineNumber: 3 " in after["loaded.yaml"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("kind == 2", "kind == 2:\n        pass\n    if kind == 3", None),
        (
            '    if kind == 2:\n        raise TypeError(f"kind {kind} is none of those that are known")\n',
            "",
            "another number of places",
        ),
    ],
)
def test_one_of_several_places_is_moved_if_all_are_there(
    old: str, new: str, why: str | None, tmp_path: Path
) -> None:
    """Else which of them is left is not certain."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": {**PINNED, "acme/pool.py": POOL.replace(old, new)}})

    status, _, errors = run(tmp_path)

    assert (1 if why else 0) == status
    assert (why or "0 left") in errors


def test_renamed_holes_are_refused(tmp_path: Path) -> None:
    """What is printed is the same, and what the record says of the source would not be."""
    other = POOL.replace("got size={size}", "got size={self.size}")
    corpus(tmp_path, {"1.0": PINNED, "2.0": {**PINNED, "acme/pool.py": other}})

    status, _, errors = run(tmp_path)

    assert 1 == status
    assert "aligned.yaml is left as it is: 2.0 names what stands in its holes in another way" in errors


def test_a_dry_run_shows_changes_and_makes_none(tmp_path: Path) -> None:
    """As a diff, of `repo.yaml` too."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    before = texts(tmp_path)

    status, out, _ = run(tmp_path, "--dry-run")

    assert 0 == status
    assert before == texts(tmp_path)
    assert "\n-lineNumber: 5   # where it is raised\n" in out
    assert "\n+lineNumber: 7   # where it is raised\n" in out
    assert "-  requirement: acme==1.0\n+  requirement: acme==2.0\n" in out


def test_json_and_other_line_ends_keep_their_form(tmp_path: Path) -> None:
    """A record of JSON stays JSON, and the line ends of another system stay theirs."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    home = tmp_path / HOME
    (home / "number.yaml").unlink()
    record = {"repo": "acme/widgets", "slug": "number", "errorMessage": "no slot has this number"}
    record |= {"errorClass": "IndexError", "filePath": "src/acme/pool.py", "analyzedSha": PIN}
    text = json.dumps({**record, "lineNumber": 14, "documentation": "It."}, indent=3)
    (home / "number.json").write_text(text)
    windows = (home / "negative.yaml").read_text().replace("\n", "\r\n")
    (home / "negative.yaml").write_bytes(windows.encode())

    assert 0 == run(tmp_path)[0]
    assert text.replace(PIN, NEXT).replace("14", "16") == (home / "number.json").read_text()
    assert (
        windows.replace(PIN, NEXT).replace(": 5 ", ": 7 ").encode() == (home / "negative.yaml").read_bytes()
    )


def test_records_in_a_file_of_many_are_left(tmp_path: Path) -> None:
    """Such a file is another program's."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    record = {"repo": "acme/widgets", "slug": "many", "errorMessage": "no slot has this number, none"}
    record |= {"errorClass": "IndexError", "filePath": "src/acme/pool.py", "analyzedSha": PIN}
    (tmp_path / HOME / "all.jsonl").write_text(
        json.dumps({**record, "lineNumber": 14, "documentation": "It."})
    )

    status, _, errors = run(tmp_path)

    assert 1 == status
    assert "all.jsonl:1 is left as it is: it stands in a file of many records" in errors


@pytest.mark.parametrize(
    ("commit", "why"),
    [
        ("abc", "--commit takes 40 hex digits, not `abc`"),
        (PIN, "acme/widgets is pinned to that commit already"),
    ],
)
def test_a_pin_that_is_none_is_refused(commit: str, why: str, tmp_path: Path) -> None:
    """Before anything is read or written."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    before = texts(tmp_path)

    status, _, errors = run(tmp_path, commit=commit)

    assert (2, before) == (status, texts(tmp_path))
    assert why in errors


def test_all_texts_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that refuses the second file leaves the first as it was."""
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("old a")
    second.write_text("old b")
    replace = Path.replace

    def refusing(self: Path, target: Path) -> Path:
        if target == second:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(OSError, match="No space"):
        repin.write({first: "new a", second: "new b"})

    assert {"a.yaml": "old a", "b.yaml": "old b"} == {
        path.name: path.read_text() for path in tmp_path.iterdir()
    }


def test_one_repository_is_moved_at_a_time(tmp_path: Path) -> None:
    """Without a name these would be all that have a table."""
    records, cache = corpus(tmp_path, {"1.0": PINNED, "2.0": MOVED})
    for name in ("one", "other"):
        (records / name).mkdir()
        table = {"repo": f"acme/{name}", "pinned": "1", "commit": PIN, "releases": [{"version": "1"}]}
        (records / name / "drift.json").write_text(json.dumps(table | {"records": {}, "unfollowed": {}}))

    command = ["drift", "--repin", "2.0", "--records", str(records), "--cache", str(cache)]
    done = CliRunner().invoke(pagefault, command)

    assert (2, "pagefault: --repin is for one repository: name it\n") == (done.exit_code, done.stderr)
