"""`pagefault fmt`: which files it lays out, what it says, and with which exit status it ends."""

import json
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from generator import json_schema
from generator.cli import pagefault

ROOT = Path(__file__).parent.parent

NEAT = """\
repo: acme/pool
errorMessage: no room for {size} pages
errorClass: PoolError
filePath: pool/pages.py
lineNumber: 7
documentation: There is no room.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""
UNTIDY = NEAT + 'errorCode: "null"\ntags:\n- pool   \n'
TIDY = NEAT.replace("analyzedSha", "tags:\n  - pool\nanalyzedSha")


def fmt(*arguments: str, text: str | bytes | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(pagefault, ["fmt", *arguments], input=text)


@pytest.fixture(autouse=True)
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of records of a project, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "neat.yaml").write_text(NEAT)
    return folder


def test_our_records_are_laid_out() -> None:
    """Each of them, and what stands in each `repo.yaml`."""
    said = fmt("--check", str(ROOT / "records"))
    assert (0, "") == (said.exit_code, said.stdout)
    assert said.stderr.endswith(" files: 0 would change\n")


def test_what_is_untidy_is_written_anew(records: Path) -> None:
    """In place, with its mode; a second run has nothing to do."""
    file = records / "acme.yaml"
    file.write_text(UNTIDY)
    file.chmod(0o600)
    said = fmt()
    assert (0, "records/acme.yaml\n", "2 files: 1 formatted\n") == (said.exit_code, said.stdout, said.stderr)
    assert TIDY == file.read_text()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    again = fmt()
    assert (0, "", "2 files: 0 formatted\n") == (again.exit_code, again.stdout, again.stderr)


def test_checking_writes_nothing(records: Path) -> None:
    """It lists what would change, and ends with 1."""
    file = records / "acme.yaml"
    file.write_text(UNTIDY)
    said = fmt("--check", "records")
    assert (1, "records/acme.yaml\n") == (said.exit_code, said.stdout)
    assert UNTIDY == file.read_text()


def test_a_difference_is_shown_and_not_written(records: Path) -> None:
    """As a unified diff."""
    file = records / "acme.yaml"
    file.write_text(UNTIDY)
    said = fmt("--diff", str(file))
    assert 1 == said.exit_code
    assert said.stdout.startswith("--- a/records/acme.yaml\n+++ b/records/acme.yaml\n@@")
    assert "\n-- pool   \n" in said.stdout
    assert UNTIDY == file.read_text()


def test_what_cannot_be_read_is_reported_and_left(records: Path) -> None:
    """The others are laid out all the same."""
    (records / "acme.yaml").write_text(UNTIDY)
    broken = f"{UNTIDY}tgs: [a]\n"
    (records / "broken.yaml").write_text(broken)
    said = fmt("--format", "concise")
    assert (1, "records/acme.yaml\n") == (said.exit_code, said.stdout)
    found = [line for line in said.stderr.splitlines() if ": error[" in line]
    assert ["records/broken.yaml:11:1: error[E0111] unknown field `tgs`"] == found
    assert said.stderr.endswith("3 files: 1 formatted, 1 left alone\n")
    assert broken == (records / "broken.yaml").read_text()


def test_a_form_that_is_not_understood_is_left(records: Path) -> None:
    """Nothing is written that would be read in another way."""
    text = f"{NEAT}? tags\n: [a]\n"
    (records / "odd.yaml").write_text(text)
    said = fmt()
    assert 1 == said.exit_code
    assert "records/odd.yaml: left as it is" in said.stderr
    assert text == (records / "odd.yaml").read_text()


@pytest.mark.parametrize("name", [".hidden.yaml", "differential.json", ".schema/record.json"])
def test_what_is_no_record_is_passed_over(records: Path, name: str) -> None:
    """Named or found in a folder."""
    file = records / name
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"b":1}')
    assert 0 == fmt().exit_code
    assert 0 == fmt(str(file)).exit_code
    assert '{"b":1}' == file.read_text()


def test_standard_input_goes_to_standard_output() -> None:
    """Alone, and as it was where it cannot be read."""
    said = fmt("-", text=UNTIDY)
    assert (0, TIDY, "") == (said.exit_code, said.stdout, said.stderr)
    broken = fmt("-", text="repo: [\n")
    assert (1, "repo: [\n") == (broken.exit_code, broken.stdout)
    assert "error[E0101]" in broken.stderr
    assert 1 == fmt("-", "--check", text=UNTIDY).exit_code
    assert "+  - pool\n" in fmt("-", "--diff", text=UNTIDY).stdout


def test_standard_input_may_be_a_file_of_some_name(records: Path) -> None:
    """By which it is JSON, a `repo.yaml`, or has a schema; without one, by its first character."""
    repository = fmt("-", "--name", "records/acme/repo.yaml", text="title: Pool\nrepo: acme/pool\n")
    assert "repo: acme/pool\ntitle: Pool\n" == repository.stdout
    record = json.dumps(dict(row.split(": ", 1) for row in NEAT.splitlines()) | {"lineNumber": 7})
    assert fmt("-", text=record).stdout.startswith('{\n  "repo": "acme/pool",\n')
    keep_schema(records)
    said = fmt("-", "--name", "records/acme/pool/x.yaml", text=NEAT)
    assert f"# yaml-language-server: $schema=../../.schema/record.json\n{NEAT}" == said.stdout


def keep_schema(records: Path) -> None:
    """Write the schemas to where editors find them."""
    folder = records / json_schema.FOLDER
    folder.mkdir()
    for name, kind in json_schema.KINDS.items():
        (folder / f"{name}.json").write_text(json_schema.text(kind))


def test_editors_are_told_the_schema(records: Path) -> None:
    """Once, by the way from the file; not in JSON, which has no comments."""
    keep_schema(records)
    (records / "acme").mkdir()
    (records / "acme" / "far.yaml").write_text(f"# yaml-language-server: $schema=gone.json\n{NEAT}")
    (records / "acme" / "repo.yaml").write_text("repo: acme/pool\ntitle: Pool\n")
    assert 0 == fmt().exit_code
    line = "# yaml-language-server: $schema="
    assert f"{line}.schema/record.json\n{NEAT}" == (records / "neat.yaml").read_text()
    assert f"{line}../.schema/record.json\n{NEAT}" == (records / "acme" / "far.yaml").read_text()
    assert (records / "acme" / "repo.yaml").read_text().startswith(f"{line}../.schema/repo.json\n")


def test_editors_are_told_the_schema_of_the_site(records: Path, tmp_path: Path) -> None:
    """Where there is no copy, and the site has an address."""
    (tmp_path / "pyproject.toml").write_text('[tool.pagefault]\nbase-url = "https://example.org/errors/"\n')
    assert 0 == fmt().exit_code
    line = "# yaml-language-server: $schema=https://example.org/errors/schema/record.schema.json\n"
    assert line + NEAT == (records / "neat.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("gone.yaml",), "no file or folder at gone.yaml"),
        (("pyproject.toml",), "what is formatted are .yaml, .yml, .json files"),
        (("-", "records"), "takes no other path beside it"),
        (("--name", "a.yaml"), "give - for a path"),
    ],
)
def test_what_makes_no_sense_ends_with_2(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    """And says why."""
    (tmp_path / "pyproject.toml").write_text("")
    said = fmt(*arguments)
    assert 2 == said.exit_code
    assert why in said.stderr
