"""`generator.comparison`, and with it all of `pagefault diff`: what is told of a branch, and what is not."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator import build, cli, comparison, history, snapshot, subjects, theme, twins
from generator.model import Verified
from tests.repositories import branch, commit, git

PYTHON = f"python=={sys.version_info.major}.{sys.version_info.minor}"
PROVEN = """\
repo: python/cpython
slug: {slug}
errorMessage: "{message}: line {{err.lineno}} column {{err.colno}} (char {{err.pos}})"
errorClass: json.decoder.JSONDecodeError
filePath: Lib/json/decoder.py
lineNumber: {line}
documentation: |-
  {documentation}
  Read the text that there is before you decode it.
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
verification:
  subject: {subject}
  setup: import json
  trigger: json.loads("{text}")
  more: ["json.loads('{more}')"]
"""
IMPORTED = """\
repo: acme/pool
slug: {slug}
errorMessage: "{slug} is refused with {{value}} here"
errorClass: KeyError
filePath: src/pool.py
lineNumber: 7
documentation: {documentation}
tags: [{tag}]
analyzedSha: 0132848349585cfe6aae51c4941cbae872505f8a
"""
GUIDE = "# Values\n\nAll of them.\n\n```python\n1 + 1\n#> 2\n```\n"
CONFIGURED = '[tool.pagefault]\ntracker = "https://example.org/new"\n'

DECODED, EXTRA, SIZE, OTHER = "python/decoded.yaml", "python/extra.yaml", "acme/size.yaml", "acme/other.yaml"


def proven(slug: str, message: str, line: int, text: str, more: str, **fields: str) -> str:
    """Return the text of a record that is proven."""
    known = {"documentation": f"About {slug}.", "subject": PYTHON}
    return PROVEN.format(slug=slug, message=message, line=line, text=text, more=more, **known | fields)


def imported(slug: str, **fields: str) -> str:
    """Return the text of a record that claims nothing."""
    return IMPORTED.format(slug=slug, **{"documentation": f"About {slug}.", "tag": "pools"} | fields)


Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project on a branch of its own, with two proven records, two that claim nothing, a guide."""
    folder = tmp_path / "project"
    files = {
        "pyproject.toml": CONFIGURED,
        f"records/{DECODED}": proven("expecting-value", "Expecting value", 355, "", "[1, x]"),
        f"records/{EXTRA}": proven("extra-data", "Extra data", 340, "1 2", "[] []"),
        "records/python/repo.yaml": "repo: python/cpython\ntitle: Python\n",
        f"records/{SIZE}": imported("the-size"),
        f"records/{OTHER}": imported("the-other", tag="others"),
        "records/guides/values.md": GUIDE,
        ".gitignore": "/.cache/\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    branch(folder)
    return folder


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `diff main` in the project: status, standard output, standard error."""
    monkeypatch.chdir(project)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, base: str = "main") -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["diff", base, *arguments])
        written = capsys.readouterr()
        return ended.value.code, written.out, written.err

    return run


@pytest.fixture
def told(run: Run) -> Callable[..., dict[str, Any]]:
    """Return a function that gives what is told as JSON, after the exit status was held against it."""

    def told(*arguments: str) -> dict[str, Any]:
        status, out, err = run("--format", "json", *arguments)
        assert "" == err
        content: dict[str, Any] = json.loads(out)
        assert int(content["hasFindings"]) == status
        return content

    return told


Told = Callable[..., dict[str, Any]]


def edit(project: Path, name: str, old: str, new: str) -> None:
    """Replace what stands once in a file below the records."""
    file = project / "records" / name
    assert 1 == file.read_text().count(old)
    file.write_text(file.read_text().replace(old, new))


def by_address(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is told of each record."""
    return {one["address"]: one for one in content["records"]}


def began(project: Path) -> None:
    """Have `main` be what there is now."""
    commit(project)
    git(project, "branch", "--force", "main")


# What is told of records.


def test_nothing_changed(run: Run) -> None:
    """Then that is what is said."""
    assert (0, "no record and no guide changed\nproven 2, read 0, unproven 2\n", "") == run()


def test_a_field_is_told_word_by_word(told: Told, project: Path) -> None:
    """And the page, whose Markdown shows it."""
    edit(project, DECODED, "Read the text", "Look at the text")
    content = told()
    (record,) = content["records"]
    assert ("changed", "python/cpython/expecting-value", "records/python/decoded.yaml") == (
        record["kind"],
        record["address"],
        record["file"],
    )
    (field,) = record["fields"]
    before = "About expecting-value.\nRead the text that there is before you decode it."
    assert ("documentation", before, before.replace("Read", "Look at")) == (
        field["name"],
        field["before"],
        field["after"],
    )
    assert [
        ["=", "About expecting-value.\n"],
        ["-", "Read"],
        ["+", "Look at"],
        ["=", " the text that there is before you decode it."],
    ] == field["words"]
    assert [
        ["-", "Read the text that there is before you decode it."],
        ["+", "Look at the text that there is before you decode it."],
    ] == [line for line in record["page"]["lines"] if line[0] != "="]
    assert "python/cpython/expecting-value/index.md" == record["page"]["path"]
    assert {"before": "proven", "after": "proven"} == record["standing"]
    assert ([], [], [], []) == tuple(content[name] for name in ("guides", "vanished", "findings", "around"))


def test_fields_that_come_and_go_are_told(told: Told, project: Path) -> None:
    """Those of `verification` by themselves."""
    edit(project, EXTRA, "  more: [\"json.loads('[] []')\"]\n", "  captures: {lineno: '1'}\n")
    (record,) = told()["records"]
    assert {
        "verification.more": ("- json.loads('[] []')", None),
        "verification.captures": (None, "lineno: 1"),
    } == {field["name"]: (field["before"], field["after"]) for field in record["fields"]}


def test_a_standing_is_told_before_and_after(told: Told, project: Path) -> None:
    """Both sides are run: what does not hold now did hold before."""
    edit(project, EXTRA, 'json.loads("1 2")', 'json.loads("1")')
    content = told()
    record = by_address(content)["python/cpython/extra-data"]
    assert {"before": "proven", "after": "unproven"} == record["standing"]
    assert record["reason"]["before"] is None
    assert record["reason"]["after"].startswith("it does not hold: ")
    assert ({"proven": 2, "unproven": 2}, {"proven": 1, "unproven": 3}) == tuple(
        content["standings"].values()
    )
    assert {"records/python/extra.yaml"} == {finding["path"] for finding in content["findings"]}


def test_a_new_record_is_told(told: Told, project: Path) -> None:
    """Also one that git does not track yet."""
    (project / "records/acme/new.yaml").write_text(imported("the-new"))
    record = by_address(told())["acme/pool/the-new"]
    assert ("new", None, {"before": None, "after": "unproven"}) == (
        record["kind"],
        record["before"],
        record["standing"],
    )
    assert "KeyError: the-new is refused with {value} here" == record["title"]


def test_a_removed_record_takes_its_addresses_with_it(told: Told, project: Path) -> None:
    """Which is an error: somebody may have them. Lists that would be empty go too, and nothing keeps them."""
    (project / "records" / OTHER).unlink()
    content = told()
    record = by_address(content)["acme/pool/the-other"]
    assert ("removed", {"before": "unproven", "after": None}) == (record["kind"], record["standing"])
    assert [
        ("acme/pool/the-other/index.html", "page", record["id"], True),
        (f"api/errors/{record['id']}.json", "data", record["id"], True),
        ("tags/others/index.html", "list", None, False),
    ] == [(one["path"], one["what"], one["record"], one["isError"]) for one in content["vanished"]]
    assert content["hasFindings"]


def test_a_record_that_says_it_was_removed_keeps_its_addresses(told: Told, project: Path) -> None:
    """Its page stays, and says so."""
    edit(project, OTHER, "tags:", "status: removed\nreason: It is raised no more.\nremovedIn: '2.0'\ntags:")
    content = told()
    assert ([], ["status", "removedIn", "reason"]) == (
        content["vanished"],
        [field["name"] for field in content["records"][0]["fields"]],
    )


@pytest.mark.parametrize("is_kept", [False, True])
def test_a_record_is_the_same_by_its_id(told: Told, project: Path, *, is_kept: bool) -> None:
    """Whatever it is called; its former address is kept by an alias alone."""
    edit(project, SIZE, "slug: the-size\n", "slug: any-size\n" + "aliases: [the-size]\n" * is_kept)
    content = told()
    record = by_address(content)["acme/pool/any-size"]
    assert ("renamed", "acme/pool/the-size") == (record["kind"], record["before"]["address"])
    lost = [one["path"] for one in content["vanished"]]
    assert ([] if is_kept else ["acme/pool/the-size/index.html"]) == lost


@pytest.mark.parametrize("is_kept", [False, True])
def test_a_record_is_the_same_by_its_address(told: Told, project: Path, *, is_kept: bool) -> None:
    """Though another class gives it another id; the data at the former one is kept by an alias alone."""
    known = told("--no-cache")["standings"]
    edit(project, SIZE, "KeyError", "LookupError")
    former = by_address(told())["acme/pool/the-size"]["before"]["id"]
    if is_kept:
        with (project / "records" / SIZE).open("a") as stream:
            stream.write(f"aliases: ['{former}']\n")
    content = told()
    record = by_address(content)["acme/pool/the-size"]
    assert ("renamed", "acme/pool/the-size", former) == (
        record["kind"],
        record["address"],
        record["before"]["id"],
    )
    lost = [one["path"] for one in content["vanished"] if one["isError"]]
    assert ([] if is_kept else [f"api/errors/{former}.json"]) == lost
    assert known == content["standings"]


def test_a_record_is_the_same_by_an_alias(told: Told, project: Path) -> None:
    """Where both its id and its address are others."""
    edit(project, SIZE, "KeyError", "LookupError")
    edit(project, SIZE, "slug: the-size\n", "slug: any-size\naliases: [the-size]\n")
    record = by_address(told())["acme/pool/any-size"]
    assert ("renamed", "acme/pool/the-size") == (record["kind"], record["before"]["address"])


def test_a_file_that_moved_is_told(told: Told, project: Path) -> None:
    """With no field changed, and every address kept."""
    (project / "records/acme/deep").mkdir()
    (project / "records" / SIZE).rename(project / "records/acme/deep/size.yaml")
    content = told()
    (record,) = content["records"]
    assert ("renamed", "records/acme/size.yaml", "records/acme/deep/size.yaml", []) == (
        record["kind"],
        record["before"]["file"],
        record["file"],
        record["fields"],
    )
    assert [] == content["vanished"]


def test_a_record_that_cannot_be_read_is_not_called_removed(told: Told, project: Path) -> None:
    """What would become of its addresses is not known."""
    edit(project, OTHER, "slug:", "slug: twice\nslug:")
    content = told()
    assert "unreadable" == by_address(content)["acme/pool/the-other"]["kind"]
    assert [] == content["vanished"]
    assert ["E0106"] == [finding["code"] for finding in content["findings"]]


def test_records_of_a_file_of_many_are_told_one_by_one(told: Told, project: Path) -> None:
    """Those whose lines are the same are not."""

    def line(slug: str, documentation: str) -> str:
        known = {
            "repo": "acme/lines",
            "slug": slug,
            "errorMessage": f"{slug} is refused with {{value}} here",
            "errorClass": "KeyError",
            "filePath": "src/pool.py",
            "lineNumber": 7,
            "documentation": documentation,
            "analyzedSha": "0" * 40,
        }
        return json.dumps(known) + "\n"

    file = project / "records" / "all.jsonl"
    file.write_text(line("first", "one") + line("second", "two") + line("third", "three"))
    began(project)
    file.write_text(line("second", "two") + line("third", "drei") + line("fourth", "four"))
    assert {
        "acme/lines/first": "removed",
        "acme/lines/second": "affected",
        "acme/lines/third": "changed",
        "acme/lines/fourth": "new",
    } == {address: one["kind"] for address, one in by_address(told()).items()}


# What changed though its file did not.


def test_patterns_that_match_a_new_message_are_told(told: Told, project: Path) -> None:
    """Of records that did not change too: they are ambiguous now."""
    (project / "records" / EXTRA).unlink()
    edit(project, DECODED, '"Expecting value: line', '"{what}: line')
    began(project)
    (project / "records" / EXTRA).write_text(proven("extra-data", "Extra data", 340, "1 2", "[] []"))
    content = told()
    record = by_address(content)["python/cpython/expecting-value"]
    assert "affected" == record["kind"]
    new = by_address(content)["python/cpython/extra-data"]
    assert [
        {
            "id": new["id"],
            "address": "python/cpython/extra-data",
            "message": "Extra data: line 1 column 3 (char 2)",
        }
    ] == record["ambiguities"]
    assert "E0207" in {finding["code"] for finding in content["findings"]}


def test_pages_that_read_otherwise_because_of_others_are_told(told: Told, project: Path) -> None:
    """A page names its related errors."""
    edit(project, SIZE, "slug: the-size\n", "slug: any-size\naliases: [the-size]\n")
    record = by_address(told())["acme/pool/the-other"]
    assert ("affected", []) == (record["kind"], record["fields"])
    assert any("../any-size/index.md" in text for step, text in record["page"]["lines"] if step == "+")


def test_pages_that_read_otherwise_because_of_settings_are_told(told: Told, project: Path) -> None:
    """The configuration of the commit is read for its side."""
    (project / "pyproject.toml").write_text(CONFIGURED.replace("example.org", "example.com"))
    content = told()
    assert ["settings of the site"] == content["around"]
    assert {"affected"} == {one["kind"] for one in content["records"]}
    assert 4 == len(content["records"])
    for record in content["records"]:
        steps = {step for step, text in record["page"]["lines"] if "https://example." in text}
        assert {"-", "+"} == steps


def test_pages_that_read_otherwise_because_of_templates_are_told(told: Told, project: Path) -> None:
    """Those of the commit render its side."""
    templates = project / "looks"
    templates.mkdir()
    own = (theme.default_templates() / "error.md").read_text()
    (templates / "error.md").write_text(own)
    began(project)
    (templates / "error.md").write_text(own.replace("## What it means", "## Its meaning"))
    content = told("--templates", "looks")
    assert ["templates of Markdown pages"] == content["around"]
    lines = [record["page"]["lines"] for record in content["records"]]
    assert 4 == len(lines)
    assert all(["-", "## What it means"] in one and ["+", "## Its meaning"] in one for one in lines)


def test_standings_that_changed_though_no_record_did_are_told(told: Told, project: Path) -> None:
    """A bundled subject that was compared with upstream counts as compared while the result is there."""
    subject = subjects.bundled()["sglang.LogicalHostPool"]
    compared = {
        "source": "pool.py",
        "sourceSha256": subjects.source_digest(subject),
        "operations": 12,
        "upstream": {},
    }
    (project / "records/acme/differential.json").write_text(
        json.dumps({"subjects": {subject.name: compared}})
    )
    (project / "records/acme/pool.yaml").write_text(
        imported("size", tag="pools")
        .replace(
            "size is refused with {value} here",
            "LogicalHostPool size must be page-aligned, got size={size}, page_size={page_size}",
        )
        .replace("KeyError", "ValueError")
        + f"verification:\n  subject: {subject.name}\n  trigger: LogicalHostPool(5, 16)\n"
    )
    began(project)
    (project / "records/acme/differential.json").unlink()
    record = by_address(told())["acme/pool/size"]
    assert ("affected", {"before": "proven", "after": "read"}) == (record["kind"], record["standing"])
    assert "was not compared with upstream" in record["reason"]["after"]


def test_what_changed_around_records_is_told(told: Told, project: Path) -> None:
    """Here what `repo.yaml` says of their source."""
    installed = (
        "repo: python/cpython\ntitle: Python\npackage: {requirement: 'nothing==1', commit: "
        + "0" * 40
        + "}\n"
    )
    (project / "records/python/repo.yaml").write_text(installed)
    content = told()
    assert ["what `repo.yaml` says"] == content["around"]


def test_guides_are_told(told: Told, project: Path) -> None:
    """New ones, changed ones, and those that are gone, whose pages nothing keeps."""
    (project / "records/guides/gone.md").write_text("# Gone\n\nIt will be.\n")
    began(project)
    (project / "records/guides/gone.md").unlink()
    (project / "records/guides/new.md").write_text("# New\n\nIt is.\n")
    edit(project, "guides/values.md", "All of", "Some of")
    content = told()
    assert [("removed", "gone"), ("new", "new"), ("changed", "values")] == [
        (one["kind"], one["tag"]) for one in content["guides"]
    ]
    assert [["-", "All of them."], ["+", "Some of them."]] == [
        line for line in content["guides"][2]["lines"] if line[0] != "="
    ]
    assert [("guides/gone/index.html", False)] == [
        (one["path"], one["isError"]) for one in content["vanished"]
    ]
    assert not content["hasFindings"]


# How it is found out.


def test_the_commit_is_that_where_the_branch_began(told: Told, project: Path) -> None:
    """What happened on the other branch since is not told."""
    at = git(project, "rev-parse", "HEAD")
    git(project, "switch", "--quiet", "main")
    edit(project, SIZE, "About the-size.", "Of sizes.")
    commit(project)
    git(project, "switch", "--quiet", "topic")
    content = told()
    assert (at, "main", []) == (content["commit"], content["revision"], content["records"])


def test_what_did_not_change_is_not_compared(
    told: Told, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither field by field nor page by page, and its file is not read from git."""
    compared: list[str] = []
    made: list[str] = []
    written: list[str] = []
    fields, twin, write = comparison._fields, twins.Side.twin, snapshot.Place.write

    def counting(before: Verified, after: Verified) -> Any:
        compared.append(after.head.slug)
        return fields(before, after)

    def making(side: twins.Side, one: Verified, related: Any) -> Any:
        made.append(one.head.slug)
        return twin(side, one, related)

    def writing(place: snapshot.Place, files: Any, longest: Any) -> None:
        written.extend(files)
        write(place, files, longest)

    monkeypatch.setattr(comparison, "_fields", counting)
    monkeypatch.setattr(twins.Side, "twin", making)
    monkeypatch.setattr(snapshot.Place, "write", writing)
    edit(project, SIZE, "About the-size.", "Of sizes.")
    told()
    assert ["the-size"] == compared
    # Of the other repository, whose records share no message, and of the one that is related to it: none.
    assert {"the-size"} == {slug for slug in made if slug.startswith("the-")}
    assert [
        "pyproject.toml",
        "records/acme/size.yaml",
        "records/guides/values.md",
        "records/python/repo.yaml",
    ] == sorted(written)


def test_nothing_is_run_that_ran_before(told: Told, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts are kept for both sides."""
    ran: list[int] = []
    examine = build.examine

    def examining(*arguments: Any) -> Any:
        found = examine(*arguments)
        ran.append(found[0].scripts_run)
        return found

    monkeypatch.setattr(build, "examine", examining)
    edit(project, EXTRA, '"1 2"', '"1  2"')
    told()
    # Two triggers of each record and the guide; then the one trigger that was another.
    assert [5, 2] == ran
    told()
    assert [5, 2, 0, 0] == ran


def test_the_working_tree_is_left_as_it_is(told: Told, project: Path) -> None:
    """With its index and what is not committed."""
    edit(project, SIZE, "About the-size.", "Of sizes.")
    (project / "records/acme/new.yaml").write_text(imported("the-new"))
    git(project, "add", "records/acme/new.yaml")
    before = {
        path: path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }
    told()
    after = {
        path: path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }
    assert before == after


def test_links_of_the_commit_are_not_followed(told: Told, project: Path) -> None:
    """Nor written: they could lead anywhere."""
    (project / "secret.yaml").write_text(imported("the-secret"))
    (project / "records/acme/link.yaml").symlink_to("../../secret.yaml")
    (project / "records/acme/folder").symlink_to(project)
    began(project)
    (project / "records/acme/link.yaml").unlink()
    (project / "records/acme/folder").unlink()
    assert [] == told()["records"]


def test_large_files_of_the_commit_are_not_written(
    told: Told, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of that size would not be read either; all of them together have an end."""
    file = project / "records/acme/large.yaml"
    file.write_text(imported("the-large") + "#" * 2_000_000)
    began(project)
    file.write_text(imported("the-large"))
    assert ["new"] == [one["kind"] for one in told()["records"] if one["address"].endswith("large")]
    monkeypatch.setattr(snapshot, "MOST", 100)
    repository = history.history(project)
    place = snapshot.Place(repository, repository.base("main"), project / "elsewhere")
    with pytest.raises(history.HistoryUnavailable, match="more than 0 MiB"):
        place.write_below(project / "records")


def test_records_may_lie_in_the_uppermost_folder(told: Told, project: Path) -> None:
    """Of the repository: then it has no other name."""
    edit(project, SIZE, "About the-size.", "Of sizes.")
    git(project, "mv", "records/acme", "acme")
    git(project, "mv", "records/python", "python")
    began(project)
    (project / SIZE).write_text((project / SIZE).read_text().replace("Of sizes.", "All sizes."))
    records = told("--records", ".")["records"]
    assert [("changed", "acme/pool/the-size")] == [(one["kind"], one["address"]) for one in records]


def test_a_branch_may_have_the_first_records(told: Told, project: Path) -> None:
    """Then all of them are new."""
    git(project, "rm", "--quiet", "-r", "--cached", "records", "pyproject.toml")
    git(project, "commit", "--quiet", "-m", "none")
    git(project, "branch", "--force", "main")
    content = told()
    assert {"new"} == {one["kind"] for one in content["records"]}
    assert 4 == len(content["records"])


def test_what_git_ignores_is_no_change(told: Told, project: Path) -> None:
    """It is the same on both sides."""
    (project / ".gitignore").write_text("/.cache/\nignored.yaml\n")
    began(project)
    (project / "records/acme/ignored.yaml").write_text(imported("the-ignored"))
    assert [] == told()["records"]


# The command.


def test_a_wrong_setting_is_an_error_of_the_branch(told: Told, project: Path) -> None:
    """It is told with the others."""
    (project / "pyproject.toml").write_text(CONFIGURED + "titel = 1\n")
    assert ["E0702"] == [finding["code"] for finding in told()["findings"]]


@pytest.mark.parametrize("arguments", [(), ("--strict",)])
def test_warnings_count_where_they_are_asked_for(
    told: Told, project: Path, arguments: tuple[str, ...]
) -> None:
    """As everywhere."""
    edit(project, SIZE, "tags:", 'errorCode: "null"\ntags:')
    assert (["E0115"] if arguments else []) == [finding["code"] for finding in told(*arguments)["findings"]]


@pytest.mark.parametrize(
    ("base", "arguments", "why"),
    [
        ("nothing", (), "pagefault: git knows no `nothing` here: fetch it first"),
        ("main", ("--limit", "9000"), "Error: --limit is for --format markdown"),
        ("main", ("--records", "nowhere"), "pagefault: no folder of records at nowhere"),
        ("main", ("--format", "full"), "Error: Invalid value for '--format'"),
    ],
)
def test_a_wrong_call_ends_with_2(run: Run, base: str, arguments: tuple[str, ...], why: str) -> None:
    """With what to do."""
    status, out, err = run(*arguments, base=base)
    assert (2, "") == (status, out)
    assert why in err


def test_where_there_is_no_repository_there_is_no_difference(run: Run, project: Path) -> None:
    """Nothing is compared."""
    (project / ".git").rename(project / "git")
    assert (2, "", "pagefault: this is no working tree of git\n") == run()


def test_people_are_told_in_paragraphs(run: Run, project: Path) -> None:
    """Colors where they are wanted, marks where not."""
    edit(project, SIZE, "slug: the-size\n", "slug: any-size\n")
    edit(project, DECODED, "Read the text", "Look at the text")
    status, out, _ = run()
    assert 1 == status
    assert out.startswith(
        "1 address would vanish\n"
        "  acme/pool/the-size/index.html\n"
        "  = help: put former slugs and ids into `aliases` of a record,\n"
    )
    assert (
        "changed python/cpython/expecting-value\n"
        "  json.decoder.JSONDecodeError: "
        "Expecting value: line {err.lineno} column {err.colno} (char {err.pos})\n"
        "  records/python/decoded.yaml\n"
        "  documentation\n"
        "    About expecting-value.\n"
        "    [-Read-]{+Look at+} the text that there is before you decode it.\n"
        "  its page reads otherwise in 2 lines\n"
    ) in out
    assert "  its address was acme/pool/the-size\n" in out
    assert out.endswith("records: 1 renamed, 1 changed, 1 affected\nproven 2, read 0, unproven 2\n")


def test_colors_are_for_terminals(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or where they are asked for."""
    edit(project, DECODED, "Read the text", "Look at the text")
    assert "\x1b" not in run()[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31mRead\x1b[0m\x1b[32mLook at\x1b[0m the text" in run()[1]
    assert re.search(r"\[-|\{\+", run()[1]) is None
    for form in ("json", "markdown"):
        assert "\x1b" not in run("--format", form)[1]
