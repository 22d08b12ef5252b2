"""What becomes of messages in other releases, with fabricated ones and with SGLang's."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from generator import drift, editions, reading, schema
from generator.cli import pagefault
from generator.drift import Survey
from generator.model import Drift, Edition, Repository
from generator.releases import ReleaseUnavailable, Wheels
from generator.settings import Settings
from generator.statements import Copy
from tests.editions import LATER, OTHER, PIN, PINNED, POOL, corpus

ROOT = Path(__file__).parents[1]
# Lines of the three `raise` statements of SGLang's LogicalHostPool, read in its releases by hand: those of
# the constructor, of `alloc` and of `free`.
HOST_POOL = {
    "0.5.16": (648, 677, 690),
    "0.5.18": (70, 121, 138),
    "0.5.19": (61, 112, 129),
    "0.5.20": (65, 116, 133),
    "0.5.21": (70, 121, 138),
    "0.5.22": (74, 125, 142),
    "0.5.23": (100, 151, 168),
}
SLUGS = (
    "logicalhostpool-size-must-be-page-aligned-got-size",
    "logicalhostpool-allocation-must-be-page-aligned-g",
    "logicalhostpool-free-must-be-page-aligned",
)


def copy(version: str, files: Mapping[str, str]) -> Copy:
    """A release of these files."""
    texts = {f"src/{name}": text for name, text in files.items()}
    return Copy(Edition(version), tuple(sorted(texts)), texts.get)


def followed(folder: Path, *others: Mapping[str, str], pinned: Mapping[str, str] = PINNED) -> Survey:
    """What becomes of the fabricated records in releases 2.0, 3.0 and so on."""
    records, cache = corpus(folder, {"1.0": pinned})
    settings = Settings(records=records, out=folder / "site", cache=cache)
    repository = reading.read_repositories(settings).repositories["acme/widgets"]
    base = copy("1.0", pinned)
    copies = [base, *(copy(f"{number}.0", files) for number, files in enumerate(others, 2))]
    held = [file.record for file in reading.read_records(settings).files]
    return drift.survey(repository, held, copies, base, commit=PIN)


def fate(found: Survey, folder: Path, slug: str, version: str = "2.0") -> tuple[str, str | None, int | None]:
    """State, path and line of a record's message in a release."""
    record = schema.load(folder / f"records/acme/widgets/{slug}.yaml", "it")[0]
    assert record is not None
    trace = found.drift.records[record.head.id][version]
    return trace.state, trace.path, trace.line


def test_every_fate_of_a_message_is_told(tmp_path: Path) -> None:
    """The same line, another line, another file, another text, and none; by the release's own lines."""
    found = followed(tmp_path, PINNED, LATER)

    assert ("same", "src/acme/pool.py", 7) == fate(found, tmp_path, "aligned")
    assert ("moved", "src/acme/pool.py", 9) == fate(found, tmp_path, "aligned", "3.0")
    assert ("elsewhere", "src/acme/state.py", 3) == fate(found, tmp_path, "loaded", "3.0")
    assert ("changed", "src/acme/pool.py", 14) == fate(found, tmp_path, "freed", "3.0")
    assert ("gone", None, None) == fate(found, tmp_path, "negative", "3.0")
    # Of another text for the same, no half is left.
    assert ("gone", None, None) == fate(found, tmp_path, "number", "3.0")


def test_changed_text_is_what_is_written_now(tmp_path: Path) -> None:
    """So that a page can show the words that came and went."""
    found = followed(tmp_path, LATER)
    (text,) = {
        trace.text for traces in found.drift.records.values() for trace in traces.values() if trace.text
    }

    assert "slot {index} was freed before and cannot be freed again" == text
    assert (
        ("same", "slot {index} was freed"),
        ("gone", "before,"),
        ("come", "before"),
        ("same", "and"),
        ("gone", "is free"),
        ("come", "cannot be freed again"),
    ) == editions.changes("slot {index} was freed before, and is free", text)


def test_several_places_are_paired_in_order_and_counted(tmp_path: Path) -> None:
    """Of two that raise the same in one function, the first is the first."""
    found = followed(tmp_path, LATER)
    (places,) = {traces["2.0"].places for traces in found.drift.records.values() if traces["2.0"].places != 1}

    assert ("moved", "src/acme/pool.py", 21) == fate(found, tmp_path, "kind")
    assert 2 == places


def test_a_message_that_is_built_is_followed_where_it_is_built(tmp_path: Path) -> None:
    """The text in the class's constructor, not the `raise` that names the class."""
    found = followed(tmp_path, PINNED, LATER)

    assert ("same", "src/acme/other.py", 7) == fate(found, tmp_path, "called")
    assert ("moved", "src/acme/other.py", 3) == fate(found, tmp_path, "called", "3.0")


def test_new_and_vanished_messages_are_counted_and_named(tmp_path: Path) -> None:
    """Each different message once, in the files that `repo.yaml` names."""
    found = followed(tmp_path, PINNED, LATER)
    pinned, same, later = found.drift.releases

    assert (0, 0) == (same.new, same.gone) == (pinned.new, pinned.gone)
    assert (3, 3, 6) == (later.new, later.gone, later.messages)
    assert {"nobody has met this one before", "never"} < {one.site.template for one in found.fresh}
    assert {"3.0"} == {one.version for one in found.fresh}


def test_a_line_number_alone_is_never_believed(tmp_path: Path) -> None:
    """Another message on the very line and in the very function is another one."""
    other = POOL.replace("must be page-aligned, got size={size}", "has the wrong colour, it is {size}")

    found = followed(tmp_path, {**PINNED, "acme/pool.py": other})

    assert ("gone", None, None) == fate(found, tmp_path, "aligned")


def test_of_two_rewritten_messages_neither_is_guessed(tmp_path: Path) -> None:
    """Two that are like the one that went: which it became is not certain."""
    line = '            raise KeyError(f"slot {index} was freed before, and is free")\n'
    two = line.replace("and is free", "it is free") + line.replace("and is free", "so is free")

    found = followed(tmp_path, {**PINNED, "acme/pool.py": POOL.replace(line, two)})

    assert ("gone", None, None) == fate(found, tmp_path, "freed")


def test_what_stood_in_another_file_already_is_not_taken_for_it(tmp_path: Path) -> None:
    """The same message of another file is no place that this one moved to."""
    twin = {"acme/twin.py": POOL.replace("class Pool", "class Twin")}

    found = followed(tmp_path, {"acme/other.py": OTHER, **twin}, pinned={**PINNED, **twin})

    assert ("gone", None, None) == fate(found, tmp_path, "aligned")


def test_a_file_for_another_python_is_not_read_and_so_not_gone(tmp_path: Path) -> None:
    """Where a file cannot be parsed, nothing is said of what it raises."""
    found = followed(tmp_path, {**PINNED, "acme/pool.py": "print 'hello'\n" + POOL})

    assert ("unread", "src/acme/pool.py", None) == fate(found, tmp_path, "aligned")


@pytest.mark.parametrize(
    ("slug", "old", "new", "why"),
    [
        ("aligned", "documentation: ", "verification: {native: true}\ndocumentation: ", "compiled code"),
        ("aligned", PIN, "f" * 40, "another commit than acme==1.0"),
        ("aligned", "src/acme/pool.py", "src/gone.py", "does not hold src/gone.py"),
        ("aligned", "page-aligned", "otherwise", "raises no such message in src/acme/pool.py"),
        (
            "called",
            "other.py:7",
            "other.py:11",
            "no words of the message are written at src/acme/other.py:11",
        ),
    ],
)
def test_what_cannot_be_followed_is_said_with_the_reason(
    slug: str, old: str, new: str, why: str, tmp_path: Path
) -> None:
    """Instead of a guess."""
    records, cache = corpus(tmp_path, {"1.0": PINNED})
    path = records / f"acme/widgets/{slug}.yaml"
    path.write_text(path.read_text().replace(old, new))
    settings = Settings(records=records, out=tmp_path / "site", cache=cache)
    repository = reading.read_repositories(settings).repositories["acme/widgets"]
    held = [file.record for file in reading.read_records(settings).files]
    base = copy("1.0", PINNED)

    found = drift.survey(repository, held, [base], base, commit=PIN).drift

    assert [why] == [why for one in found.unfollowed.values() if why in one]
    assert len(found.records) == len(held) - 1


# The command.


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Status, output and errors of the command, without a network."""
    done = CliRunner().invoke(
        pagefault,
        ["drift", *arguments, "--offline", "--records", f"{folder}/records", "--cache", f"{folder}/cache"],
    )
    return done.exit_code, done.stdout, done.stderr


def test_command_writes_a_table_and_a_second_run_the_same(tmp_path: Path) -> None:
    """From the wheels in the cache; the file is as it was, and its date is."""
    corpus(tmp_path, {"0.9": LATER, "1.0": PINNED})
    file = tmp_path / "records/acme/widgets/drift.json"

    status, out, _ = run(tmp_path, "acme/widgets")
    first, written = file.read_text(), file.stat()
    again, _, errors = run(tmp_path)

    assert (0, 0) == (status, again)
    assert "src/acme/pool.py:9" in out
    assert (first, written.st_mtime_ns) == (file.read_text(), file.stat().st_mtime_ns)
    assert "is written" not in errors
    found, problems = schema.load_drift(file, "drift.json")
    assert () == problems
    assert found is not None
    assert drift.written(found) == first


def test_status_tells_of_newer_releases_alone(tmp_path: Path) -> None:
    """What an older release did not say yet is no finding; what a newer one says no more is."""
    corpus(tmp_path, {"0.9": LATER, "1.0": PINNED, "2.0": PINNED, "3.0": LATER})

    assert 0 == run(tmp_path, "acme/widgets", "--releases", "0.9..2.0")[0]
    assert 1 == run(tmp_path, "acme/widgets", "--releases", "3.0")[0]


def test_one_record_is_shown_and_all_are_kept(tmp_path: Path) -> None:
    """A path chooses what is shown; the table is the repository's."""
    records, _ = corpus(tmp_path, {"1.0": PINNED, "2.0": LATER})

    _, out, _ = run(tmp_path, str(records / "acme/widgets/aligned.yaml"), "--new")
    found, _ = schema.load_drift(records / "acme/widgets/drift.json", "it")

    assert "page-aligned" in out
    assert "freed before" not in out.partition("messages that")[0]
    assert "RuntimeError: nobody has met this one before" in out
    assert found is not None
    assert 7 == len(found.records)


def test_json_is_the_table_and_the_new_messages(tmp_path: Path) -> None:
    """For programs, the same as for readers."""
    corpus(tmp_path, {"1.0": PINNED, "2.0": LATER})

    (answer,) = json.loads(run(tmp_path, "acme/widgets", "--json", "--dry-run")[1])["repositories"]

    assert ["1.0", "2.0"] == [one["version"] for one in answer["drift"]["releases"]]
    assert "nobody has met this one before" in {one["site"]["template"] for one in answer["new"]}
    assert not (tmp_path / "records/acme/widgets/drift.json").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "no repository has a `drift.json` yet"),
        (("acme/other",), "no record and no repository at `acme/other`"),
        (("acme/widgets", "--releases", "7.0"), "the cache does not hold acme==7.0"),
        (("acme/widgets", "--releases", "1.0..7.0"), "there is no release `7.0`"),
        (("acme/widgets", "--clone", "here"), "--clone takes OWNER/NAME=PATH, not `here`"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], why: str, tmp_path: Path) -> None:
    """With status 2, and without a traceback."""
    corpus(tmp_path, {"1.0": PINNED})

    status, _, errors = run(tmp_path, *arguments)

    assert 2 == status
    assert errors.splitlines()[-1].startswith(f"pagefault: {why}")


# SGLang's host pool.


def lines(found: Drift) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """The lines of the three statements in each release that was looked at by hand."""
    folder = ROOT / "records/sgl-project/sglang"
    files = [schema.load(folder / f"{slug}.yaml", slug)[0] for slug in SLUGS]
    for version in HOST_POOL:
        traces = [found.records[file.head.id][version] for file in files if file]
        yield version, tuple(trace.line for trace in traces if trace.state in {"same", "moved"})


def test_tracked_table_has_the_host_pools_lines() -> None:
    """What was read by hand in seven releases is what the records' own `drift.json` says."""
    found, problems = schema.load_drift(ROOT / "records/sgl-project/sglang/drift.json", "drift.json")

    assert () == problems
    assert found is not None
    assert list(HOST_POOL.items()) == list(lines(found))


def test_tracked_tables_are_of_the_records_pins() -> None:
    """Five repositories have one, and each speaks of the pin that its `repo.yaml` names."""
    settings = Settings(records=ROOT / "records", out=Path("site"), cache=Path("cache"))
    beside = reading.read_repositories(settings)

    assert {"pallets/click", "pallets/jinja", "psf/requests", "sgl-project/sglang", "yaml/pyyaml"} == set(
        beside.drifts
    )
    assert 5 == len(list((ROOT / "records").rglob("drift.json")))


@pytest.mark.upstream
def test_released_wheels_give_the_host_pools_lines(tmp_path: Path) -> None:
    """The seven wheels, fetched and checked by the hashes in the table, say the same again."""
    settings = Settings(
        records=ROOT / "records",
        out=tmp_path,
        cache=Path(os.environ.get("PAGEFAULT_CACHE") or ROOT / ".cache/pagefault"),
    )
    beside = reading.read_repositories(settings)
    # Without its `sites`, no more files are read than hold the three.
    repository: Repository = structs.replace(beside.repositories["sgl-project/sglang"], sites=())
    releases = Wheels(
        repository, settings.cache, beside.drifts[repository.repo], is_offline=False, say=lambda _: None
    )
    held = [file.record for file in reading.read_records(settings).files if file.head.slug in SLUGS]
    try:
        copies = (releases.copy(version) for version in HOST_POOL)
        found = drift.survey(repository, held, copies, releases.copy(releases.pinned), commit=releases.commit)
    except ReleaseUnavailable as missing:
        if os.environ.get("PAGEFAULT_REQUIRE_UPSTREAM") == "1":
            raise
        pytest.skip(f"not compared with upstream: {missing}")

    assert list(HOST_POOL.items()) == list(lines(found.drift))
