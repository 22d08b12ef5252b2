"""`pagefault explain --scan`: how often a log says the messages of records."""

import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator import libraries, logs, scanning, sightings, tally
from generator.libraries import Built, LibraryUnavailable, Planned
from generator.scanning import Scan, scan
from generator.shards import Entry
from tests.test_search import index, known

ROOT = Path(__file__).parents[1]
SIZE = known("pool size must be positive, got (.+?)", id="size")
NAME = known("name must be provided", id="name")
LINES = known("the plan has gaps:\n  first (.+?)\n  last (.+?)\nmend them", id="lines")
SAID = "pool size must be positive, got -3"
FRAMES = 'Traceback (most recent call last):\n  File "/x/src/pool.py", line 53, in make\n'
SOURCE = '    raise ValueError(f"pool size must be positive, got {size}")\n'


def counted(log: str | bytes, *entries: Entry) -> dict[str, tuple[int, int]]:
    """How often each record is said, and on which line first."""
    data = log.encode() if isinstance(log, str) else log
    return {one.entry.id: (one.count, one.first_line) for one in scan([data], entries or (SIZE,)).counts}


# What counts.


@pytest.mark.parametrize(
    "line",
    [
        SAID,
        f"ValueError: {SAID}",
        f"builtins.ValueError: {SAID}",
        f"2024-05-01 12:00:00,123 ERROR app.pool: {SAID}",
        f"2024-05-01 12:00:00,123 ERROR app.pool {SAID}",
        f"2024-05-01 12:00:00,123 - app.pool - ERROR - {SAID}",
        f"2024-05-01T12:00:00.000Z stderr F ValueError: {SAID}",
        f"12:00:00 {SAID}",
        f"ERROR:root:{SAID}",
        f"ERROR    app.pool:pool.py:53 {SAID}",
        f"[2024-05-01 12:00:00] [error] [client ::1] {SAID}",
        f"May  1 12:00:00 host app[123]: ValueError: {SAID}",
        f"E0501 12:00:00.1 123 pool.py:53] {SAID}",
        f"web_1  | ValueError: {SAID}",
        f"E       ValueError: {SAID}",
        f"  | ValueError: {SAID}",
        f"##[error]{SAID}",
        f"::error file=a.py,line=3::{SAID}",
        f"task failed: ValueError('{SAID}')",
        f"\x1b[31mValueError\x1b[0m: {SAID}\x1b[0m",
        f'{{"level":"error","message":"{SAID}","id":7}}',
        f'{{"log":"ValueError: {SAID}\\n","stream":"stderr"}}',
        f'{{"exc":"Traceback (most recent call last):\\n  File \\"a\\"\\nValueError: {SAID}","id":7}}',
        f'level=error msg="{SAID}" id=7',
        f"{SAID}  ",
        f"{SAID}\r",
        f"50 %\r{SAID}",
    ],
)
def test_a_message_counts_behind_what_logs_print(line: str) -> None:
    """Stamps, levels, loggers, marks, the class; or in a string."""
    assert {"size": (1, 2)} == counted(f"first\n{line}\nlast\n")


@pytest.mark.parametrize(
    "line",
    [
        "supool size must be positive, got -3",
        "they say that pool size must be positive, got -3",
        "pool size must be positive, got ",
        "pool size must be positive",
        "pool size must be Positive, got -3",
        f"KeyError: {SAID}",
        f"KeyError('{SAID}')",
        "    raise ValueError('pool size must be positive, got -3')",
        '>       raise ValueError(f"pool size must be positive, got {size}")',
        f"FAILED tests/test_pool.py::test_size - ValueError: {SAID}",
    ],
)
def test_what_is_no_message_does_not_count(line: str) -> None:
    """Other words, another class, source that is quoted, and summaries that say it again."""
    assert {} == counted(f"first\n{line}\nlast\n")


def test_the_whole_pattern_must_fit() -> None:
    """What follows the fixed text belongs to the message."""
    assert {"name": (1, 3)} == counted(
        "name must be provided by you\nwhat name must be provided\nname must be provided\n", NAME
    )


@pytest.mark.parametrize("before", ["", "ValueError: ", "E   ValueError: ", "web | ValueError: "])
def test_messages_of_several_lines_count(before: str) -> None:
    """With what stands before each of their lines."""
    mark = before.removesuffix("ValueError: ")
    text = f"{before}the plan has gaps:\n{mark}  first a\n{mark}  last b\n{mark}mend them\n"

    assert {"lines": (2, 2)} == counted(f"x\n{text}y\n{text}", LINES)
    assert {"lines": (2, 2)} == counted(f"x\n{text}y\n{text}".replace("\n", "\r\n"), LINES)
    assert {} == counted(f"x\n{text.replace('mend them', 'done')}", LINES)


def test_values_of_several_lines_count() -> None:
    """Where the class says that a message begins, or lines are indented or within brackets."""
    entry = known("shape (.+?) is not the plan's", id="shape")

    assert {"shape": (1, 1)} == counted("ValueError: shape [1\n2] is\n3 is not the plan's\n", entry)
    assert {"shape": (1, 1)} == counted("shape array([1,\n2]) is not the plan's\n", entry)
    assert {} == counted("shape 1\nERROR app: 2 is not the plan's\n", entry)
    assert {} == counted("shape 1\nthat is not the plan's\n", entry)


def test_a_traceback_says_its_message_once() -> None:
    """Neither its source nor the logger's line above it count again; the next traceback does."""
    error = f"{FRAMES}{SOURCE}ValueError: {SAID}\n"

    assert {"size": (1, 4)} == counted(error)
    assert {"size": (1, 1)} == counted(f"ERROR app: it failed: {SAID}\n{error}")
    assert {"size": (2, 4)} == counted(error * 2)
    assert {"size": (2, 1)} == counted(f"ERROR app: it failed: {SAID}\n{error}{error}")
    assert {"size": (2, 1)} == counted(f"ERROR app: {SAID}\nINFO app: go on\n{error}")


def test_a_report_of_pytest_says_it_once() -> None:
    """Its source, the error, and the summary."""
    report = (
        f'    def make(size):\n>       raise ValueError(f"{SAID}")\nE       ValueError: {SAID}\n\n'
        f"src/pool.py:53: ValueError\nFAILED tests/test_pool.py::test_size - ValueError: {SAID}\n"
    )

    assert {"size": (1, 3)} == counted(report)


def test_short_patterns_that_begin_with_a_value_need_their_class() -> None:
    """Any sentence is like them."""
    weak = known("(.+?) is not (.+?)", id="weak")

    assert {} == counted("INFO app: this is not so\nKeyError: a is not b\n", weak)
    assert {"weak": (1, 1)} == counted("ValueError: this is not so\n", weak)


def test_records_with_one_pattern_all_count() -> None:
    """A log does not tell them apart; other classes it does."""
    twin = known("name must be provided", id="twin", repo="acme/gadgets")
    other = known("name must be provided", id="other", error_class="acme.KeyError")

    assert {"name": (1, 1), "twin": (1, 1)} == counted(
        "ValueError: name must be provided\n", NAME, twin, other
    )
    assert {"other": (1, 1)} == counted("KeyError: name must be provided\n", NAME, other)


def test_patterns_without_a_word_are_found_by_their_class() -> None:
    """They have nothing else to be found by."""
    assert {"loose": (1, 2)} == counted("a: b\nValueError: a: b\n", known("(.+?): (.+?)", id="loose"))


def test_the_most_frequent_comes_first() -> None:
    """Then what came first; with the first message as it was."""
    found = scan(
        [b"name must be provided\npool size must be positive, got 1\n" * 2, SAID.encode()], [SIZE, NAME]
    )

    assert ["size", "name"] == [one.entry.id for one in found.counts]
    assert [3, 2] == [one.count for one in found.counts]
    assert "pool size must be positive, got 1" == found.counts[0].first_message
    assert (5, len(SAID) + 2 * 56) == (found.lines, found.bytes)


# What a log may be like.


def log_of(lines: int, *, seed: int) -> tuple[bytes, int]:
    """A log of that many lines of words out of patterns, and how often it says `SIZE`."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    words = [*SAID.split(" ")[:-1], "name", "provided", "the", "plan", "has", "gaps", "ValueError"]
    made, count = [], 0
    for _ in range(lines):
        if chance.random() < 0.1:
            made.append(f"ERROR app: {SAID}")
            count += 1
        else:
            made.append(f"INFO app: x {' '.join(chance.choices(words, k=9))}")
    return "\n".join(made).encode(), count


@pytest.mark.parametrize("size", [1, 7, 1_000, 1 << 15, 1 << 20])
def test_it_does_not_matter_how_the_bytes_come(size: int) -> None:
    """Also one by one."""
    data, count = log_of(3_000 if size == 1 else 20_000, seed=1)

    found = scan((data[at : at + size] for at in range(0, len(data), size)), [SIZE, NAME, LINES])

    assert scan([data], [SIZE, NAME, LINES]) == found
    assert [("size", count)] == [(one.entry.id, one.count) for one in found.counts]
    assert (data.count(b"\n") + 1, len(data)) == (found.lines, found.bytes)


def test_messages_over_the_ends_of_stretches_count() -> None:
    """Wherever the line lies that a stretch begins with."""
    text = "ValueError: the plan has gaps:\n  first a\n  last b\nmend them\n"
    for filler in range(logs.BLOCK - 80, logs.BLOCK + 20, 3):
        log = "x" * filler + "\n" + text + "y" * logs.BLOCK + "\n"
        assert {"lines": (1, 2)} == counted(log, LINES), filler
    many = "\n".join(f"{n:05} filler\n{text}" for n in range(3_000))
    assert {"lines": (3_000, 2)} == counted(many, LINES)


@pytest.mark.parametrize(
    "middle", [b"x", b"\xff\xfe", b"a b ", b'"', b"\\", b"(", "\u00e9".encode(), b"\0", b"\r"]
)
def test_long_lines_and_any_bytes_are_read(middle: bytes) -> None:
    """What a line of 5 MB begins with is read, and what stands around it."""
    long = middle * (5_000_000 // len(middle))
    log = b"\n".join(
        [b"\xff\xfe", SAID.encode(), long, b"ValueError: " + SAID.encode(), b"\xc3", SAID.encode()]
    )

    assert {"size": (3, 2)} == counted(log)
    assert {"size": (1, 1)} == counted(b"ValueError: pool size must be positive, got " + long)


def test_a_long_value_has_two_ends() -> None:
    """A message is whole although the middle of its line was left out."""
    entry = known("value (.+?) is no number", id="long")

    assert {"long": (1, 1)} == counted(f"ValueError: value {'9' * 5_000_000} is no number\n", entry)
    assert {} == counted(f"ValueError: value {'9' * 5_000_000} is a number\n", entry)


@pytest.mark.parametrize(
    "text",
    [
        "pool size must be positive, got",
        "pool size must be positive, got " * 2_000,
        "E   " * 9_000,
        "ValueError: ",
    ],
)
def test_hostile_repetition_is_read_in_few_steps(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places that are read grow with the log, not with its square."""
    read = 0
    real = sightings.line_around

    def count(*arguments: Any) -> tuple[int, int]:
        nonlocal read
        read += 1
        return real(*arguments)

    monkeypatch.setattr(sightings, "line_around", count)
    log = (text.encode() + b"\n") * (400_000 // len(text))
    scan([log], [SIZE, NAME, LINES, known("(.+?): got (.+?)", id="weak")])

    assert read < len(log) / 4


def made(size: int) -> Iterator[bytes]:
    """A log of that size, without keeping it."""
    line = b"2024-05-01 12:00:00,123 INFO app.web: the answer is " + b"abcd" * 100 + b"\n"
    block = line * 1_000 + log_of(10, seed=3)[0] + b"\n"
    done = 0
    while done < size:
        yield block
        done += len(block)


@pytest.mark.parametrize(
    "log", [made(50_000_000), (b"z" * 65_536 for _ in range(763))], ids=["lines", "a line"]
)
def test_memory_is_bounded(log: Iterable[bytes]) -> None:
    """50 MB go through two."""
    tracemalloc.start()
    found = scan(log, [SIZE, NAME, LINES])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 50_000_000 <= found.bytes
    assert peak < 2_000_000


def test_lines_without_the_words_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10,000 patterns none is held against a log that has no message, although it has their words."""
    entries = [
        known(f"the word{n % 100} plan must not go{n} on, got (.+?)", id=f"{n}") for n in range(10_000)
    ]
    monkeypatch.setattr(scanning, "sighting", None)
    log = "".join(f"INFO app: the plan word{n} must go on, got no go{n} at all\n" for n in range(5_000))

    assert Scan((), 5_000, len(log)) == scan([log.encode()], entries)


def test_progress_is_told() -> None:
    """In bytes, up to all of them."""
    told: list[int] = []
    data, _ = log_of(5_000, seed=2)

    scan([data], [SIZE], told.append)

    assert sorted(told) == told
    assert len(data) == told[-1]


# Libraries, and the command.


def library(*entries: Entry) -> Planned:
    """An index of these."""
    return Planned({f"lookup/{name}.json": data for name, data in index(entries).items()}, "https://x.org/")


def test_all_records_of_a_library_are_looked_for() -> None:
    """Each once, and no places that no record explains."""
    site = known("widget (.+?) has no frame", id="site", slug=None, kind="site")
    many = [known(f"word{n} is not what was asked for, got (.+?)", id=f"{n:04}") for n in range(500)]

    assert tuple(many) == libraries.entries(library(*reversed(many), site))
    with pytest.raises(LibraryUnavailable, match="is damaged"):
        libraries.entries(Planned({"lookup/meta.json": b"{}"}))


def test_a_tally_has_a_line_for_each_record() -> None:
    """With its template in one line, and its page."""
    found = scan([b"ValueError: pool size must be positive, got 1\n"], [SIZE])
    urls = tally.urls(found, library(SIZE))

    assert ("https://x.org/acme/widgets/size/",) == urls
    head, row = tally.table(found, urls).splitlines()
    assert ["count", "line", "class", "message", "repository", "page"] == head.split()
    assert (
        "    1     1  ValueError  pool size must be positive, got {hole1}  acme/widgets  https://x.org/acme/widgets/size/"
        == row
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site's index."""
    folder = tmp_path_factory.mktemp("scanned")
    for name, data in index([SIZE, NAME]).items():
        (folder / "lookup").mkdir(exist_ok=True)
        (folder / "lookup" / f"{name}.json").write_bytes(data)
    return folder


def command(*arguments: str, site: Path, log: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """The command's end."""
    return subprocess.run(
        [sys.executable, "-m", "generator", "explain", "--out", str(site), *arguments],
        input=log,
        capture_output=True,
        check=False,
        cwd=site,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


def test_the_command_counts(site: Path) -> None:
    """From a file and from a pipe alike, with nothing beside the result; status 1 without a record."""
    (site / "app.log").write_bytes(b"x\nValueError: " + SAID.encode() + b"\n")
    file = command("--scan", "app.log", site=site)
    pipe = command("--scan", "-", site=site, log=(site / "app.log").read_bytes())
    told = command("--scan", "app.log", "--json", site=site)
    none = command("--scan", "-", site=site, log=b"\xff\n")

    assert (0, b"") == (file.returncode, file.stderr)
    assert file.stdout == pipe.stdout
    assert 2 == file.stdout.count(b"\n")
    assert {
        "records": [
            {
                "id": "size",
                "repo": "acme/widgets",
                "slug": "size",
                "errorClass": "ValueError",
                "count": 1,
                "firstLine": 2,
                "firstMessage": SAID,
                "url": f"{site.resolve().as_uri()}/acme/widgets/size/index.html",
            }
        ],
        "lines": 2,
        "bytes": 49,
    } == json.loads(told.stdout)
    assert (1, b"no record's message is in this log: 1 line, 2 bytes\n") == (none.returncode, none.stdout)


def test_the_command_says_what_it_cannot_read(site: Path) -> None:
    """A file that is missing, and arguments that do not go together."""
    lost = command("--scan", "nothing.log", site=site)
    both = command("--scan", "app.log", "a message", site=site)

    assert (2, b"pagefault: nothing.log: No such file or directory\n") == (lost.returncode, lost.stderr)
    assert (2, b"") == (both.returncode, both.stdout)
    assert Built(site, "").read("lookup/meta.json") == (site / "lookup" / "meta.json").read_bytes()
    assert msgspec.json.decode(command("--scan", "-", "--json", site=site).stdout)["records"] == []
