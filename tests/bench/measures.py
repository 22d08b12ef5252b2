"""What is measured of looking messages up, each as numbers for a table and for JSON."""

import gzip
import html
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator import scanning, search, shards
from tests.bench.corpus import Case, Known
from tests.bench.logs import log

Numbers = dict[str, float]
HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def index(known: Sequence[Known]) -> dict[str, bytes]:
    """The files of the records' index, by name."""
    meta, filed = shards.shard([one.entry for one in known])
    files = {name: msgspec.json.encode(shard) for name, shard in filed.items()}
    return {"meta": msgspec.json.encode(meta), **files}


def spread(values: Sequence[float]) -> Numbers:
    """The median, what one in twenty exceeds, and the largest."""
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(len(ordered) * 0.95)], 2),
        "max": round(ordered[-1], 2),
    }


def median(run: Callable[[], object], times: int) -> float:
    """Milliseconds of a run."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - start))
    return round(statistics.median(taken), 1)


def ranks(cases: Sequence[Case], found: Sequence[Sequence[str]], known: Sequence[Known]) -> dict[str, float]:
    """Shares of cases whose record is first, and is among the first ten, in percent.

    `alike` also takes a record that says the same and that nothing in the paste tells from the right one:
    its pattern is the same, and its class where the paste names one.
    """
    entries = {one.entry.id: one.entry for one in known}

    def is_alike(case: Case, key: str) -> bool:
        right, other = case.known.entry, entries[key]
        return right.segments == other.segments and (
            not case.has_frames or right.error_class == other.error_class
        )

    def share(kept: Callable[[Case], bool], holds: Callable[[Case, Sequence[str]], bool]) -> float:
        rows = [holds(case, ids) for case, ids in zip(cases, found, strict=True) if kept(case)]
        return round(100 * sum(rows) / max(len(rows), 1), 2)

    def first(case: Case, ids: Sequence[str]) -> bool:
        return ids[:1] == [case.known.entry.id]

    def alike(case: Case, ids: Sequence[str]) -> bool:
        return bool(ids) and is_alike(case, ids[0])

    def among(case: Case, ids: Sequence[str]) -> bool:
        return case.known.entry.id in ids or any(is_alike(case, key) for key in ids)

    return {
        "recall": share(lambda _: True, among),
        "first with traceback": share(lambda case: case.has_frames, first),
        "first bare": share(lambda case: not case.has_frames, first),
        "first or alike with traceback": share(lambda case: case.has_frames, alike),
        "first or alike bare": share(lambda case: not case.has_frames, alike),
    }


def look_ups(cases: Sequence[Case], known: Sequence[Known]) -> tuple[dict[str, Any], list[Case]]:
    """Quality, bytes and time of each case in Python; and the cases whose record was not first."""
    files = index(known)
    sizes = {name: len(gzip.compress(data, 6, mtime=0)) for name, data in files.items()}
    found, taken, weights, requests = [], [], [], []
    for case in cases:
        asked: list[str] = []

        def load(name: str, asked: list[str] = asked) -> bytes:
            asked.append(name)
            return files[name]

        start = time.perf_counter()
        answer = search.search(case.paste, load)
        taken.append(1000 * (time.perf_counter() - start))
        found.append([match.id for match in answer.matches])
        weights.append(sum(sizes[name] for name in asked) / 1000)
        requests.append(len(asked))
    missed = [case for case, ids in zip(cases, found, strict=True) if ids[:1] != [case.known.entry.id]]
    return {
        "records": len(known),
        "look-ups": len(cases),
        "shards": len(files) - 1,
        "meta kB": round(sizes["meta"] / 1000, 1),
        **ranks(cases, found, known),
        "kB gzipped": spread(weights),
        "requests": spread(requests),
        "ms in Python": spread(taken),
    }, missed


def browser(cases: Sequence[Case], known: Sequence[Known]) -> dict[str, Any]:
    """The same by the browser's scripts in node."""
    files = {name: data.decode() for name, data in index(known).items()}
    pastes = [case.paste for case in cases]
    rows = _node("look_up.js", str(ROOT / "templates" / "static"), pastes=pastes, index=files)
    return {
        **ranks(cases, [row["ids"] for row in rows], known),
        "ms in node": spread([row["ms"] for row in rows]),
    }


def process(case: Case, known: Sequence[Known], folder: Path, record: Mapping[str, object]) -> Numbers:
    """Milliseconds of `pagefault explain` as a process, and of a Python that does nothing."""
    files = index(known)
    for name, data in files.items():
        _write(folder / "lookup" / f"{name}.json", data)
    first = search.search(case.paste, files.__getitem__).matches[0].id
    _write(folder / "api" / "errors" / f"{first}.json", json.dumps({"record": record}).encode())
    command = [sys.executable, "-m", "generator", "explain", "--out", str(folder), case.paste]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}

    def explain() -> None:
        done = subprocess.run(command, capture_output=True, check=False, cwd=folder, env=environment)
        assert done.returncode in {0, 1}, done.stderr

    def nothing() -> None:
        subprocess.run([sys.executable, "-c", ""], check=True)

    explain()
    return {"explain ms": median(explain, 15), "python ms": median(nothing, 15)}


def scans(known: Sequence[Known], size: int) -> dict[str, Any]:
    """MB/s of `--scan`, by the share of a log's entries that are errors."""
    made = {}
    entries = [one.entry for one in known]
    for rate in (0.0, 0.001, 0.01, 0.05):
        data, errors = log(known, size, rate)
        ways = []
        for _ in range(3):
            start = time.process_time()
            found = scanning.scan([data], entries)
            ways.append(len(data) / 1e6 / (time.process_time() - start))
        said = sum({(one.entry.segments, one.first_line): one.count for one in found.counts}.values())
        made[f"{rate:.1%}"] = {"MB/s": round(statistics.median(ways), 1), "errors": errors, "found": said}
    return made


def hostile(known: Sequence[Known]) -> dict[str, Any]:
    """Milliseconds for pastes of 1 and 10 MB that are made to be slow; the slowest of each size."""
    words = " ".join(part for one in known[:500] for part in one.entry.segments if isinstance(part, str))
    units = {
        "colons": "a: ",
        "heads": "ValueError: x\n",
        "frames": 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n',
        "brackets": "([{",
        "quotes": "\"a 'b ",
        "escapes": "\x1b[0m\\n\\u0041",
        "words": f"{words}\n",
        "one line": "x",
        "marks": "E   | ",
    }
    files = index(known)
    made: dict[str, Any] = {}
    for size in (1_000_000, 10_000_000):
        pastes = [(unit * (size // len(unit) + 1))[:size] for unit in units.values()]
        python = []
        for paste in pastes:
            start = time.perf_counter()
            search.search(paste, files.__getitem__)
            python.append(1000 * (time.perf_counter() - start))
        texts = {name: data.decode() for name, data in files.items()}
        rows = _node("look_up.js", str(ROOT / "templates" / "static"), pastes=pastes, index=texts)
        node = [row["ms"] for row in rows]
        made[f"{size // 1_000_000} MB"] = {
            "ms in Python": dict(zip(units, map(round, python), strict=True)),
            "ms in node": dict(zip(units, map(round, node), strict=True)),
        }
    return made


def minisearch(cases: Sequence[Case], known: Sequence[Known]) -> dict[str, Any]:
    """The same queries for minisearch, which sends its whole index first."""
    documents = [
        {
            "id": one.entry.id,
            "title": _title(one),
            "errorClass": one.entry.error_class,
            "file": one.entry.file,
        }
        for one in known
    ]
    answer = _node("minisearch.mjs", queries=[_query(case) for case in cases], documents=documents)
    return {**_peer(cases, answer["found"], known), "kB gzipped": {"max": round(answer["bytes"] / 1000, 1)}}


def pagefind(cases: Sequence[Case], known: Sequence[Known], folder: Path, cold: int) -> dict[str, Any]:
    """The same queries for Pagefind, over a page of each record; bytes of as many readers' first queries."""
    shutil.rmtree(folder, ignore_errors=True)
    for one in known:
        title = html.escape(f"{one.entry.error_class}: {_title(one)}")
        page = (
            f'<html lang="en"><title>{title}</title><main><h1>{title}</h1><p>{one.entry.file}</main></html>'
        )
        _write(folder / f"{one.entry.id}.html", f"<!doctype html>{page}".encode())
    start = time.perf_counter()
    subprocess.run(
        [str(HERE / "node_modules" / ".bin" / "pagefind"), "--site", str(folder)],
        check=True,
        capture_output=True,
    )
    indexing = time.perf_counter() - start
    answer = _node("pagefind.mjs", str(folder), str(cold), queries=[_query(case) for case in cases])
    return {
        **_peer(cases, answer["found"], known),
        "kB gzipped": spread([one["bytes"] / 1000 for one in answer["cold"]]),
        "requests": spread([one["requests"] for one in answer["cold"]]),
        "s for the index": round(indexing, 1),
    }


def _peer(
    cases: Sequence[Case], found: Sequence[Mapping[str, Any]], known: Sequence[Known]
) -> dict[str, Any]:
    return {
        **ranks(cases, [row["ids"] for row in found], known),
        "ms in node": spread([row["ms"] for row in found]),
    }


def _title(known: Known) -> str:
    names = iter(known.entry.holes)
    return "".join(part if isinstance(part, str) else f"{{{next(names)}}}" for part in known.entry.segments)


def _query(case: Case) -> str:
    """What a reader would ask a search engine: the message, behind its class if that is known."""
    return f"{case.known.entry.error_class}: {case.message}" if case.has_frames else case.message


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _node(script: str, *arguments: str, **given: object) -> Any:
    """What a script answers to JSON."""
    done = subprocess.run(
        ["node", str(HERE / script), *arguments],  # noqa: S607 - the one that is on the path
        input=json.dumps(given),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
