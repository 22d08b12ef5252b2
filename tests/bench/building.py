"""Measures building sites of many records, beside Hugo and a plain script: `make bench`.

Each round every builder takes its turn, so what else the machine does meets them alike. All build the same
records and pages that show the same of them, which is looked up in a sample. A table on standard output,
everything as JSON with --json FILE, and with --docs FOLDER the page of figures and its curves.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from itertools import count, islice
from pathlib import Path
from typing import Any

from tests.bench import edits, figures, page
from tests.bench.peers.content import Hugo
from tests.bench.peers.parts import PAGEFAULT, PEER, Layout, missing
from tests.bench.process import Run, run, state, written
from tests.bench.records import FORMS

ROOT = Path(__file__).parents[2]
EDITED = (1, 10, 100)  # records between two builds
SAMPLE = 100  # records whose pages are looked at
FIRST = 10  # records that each builder builds once before anything is measured
SETTINGS = """[tool.pagefault]
title = "Error reference"
base-url = "https://errors.example.org/"
tracker = "https://errors.example.org/report"
max-size = 1000000
"""


@dataclass(frozen=True, slots=True)
class Builder:
    """What builds a site in a folder of its own, and how it is called there."""

    name: str
    folder: Path
    command: tuple[str, ...]
    layout: Layout = PEER

    @property
    def out(self) -> Path:
        """Where the site is."""
        return self.folder / "out"

    @property
    def cache(self) -> Path:
        """What is kept between two builds."""
        return self.folder / "cache"


@dataclass(frozen=True, slots=True)
class Bench:
    """So many records, who builds them, and what is known of Hugo's folder, where it takes part."""

    number: int
    folder: Path
    records: Path
    builders: tuple[Builder, ...]
    whole: Builder
    hugo: Hugo | None

    @property
    def ours(self) -> Builder:
        """What is measured beside the others."""
        return self.builders[0]

    def edit(self, many: int, mark: str) -> None:
        """Changes records, for all builders."""
        for record in edits.edit(self.records, many, mark):
            if self.hugo is not None:
                self.hugo.write(record)

    def clear(self, builder: Builder, trash: Iterator[int]) -> None:
        """Takes away what was built. ext4 is slow to make files for minutes after many were deleted."""
        if builder.folder.exists():
            builder.folder.rename(self.folder / f"old-{next(trash)}")
        builder.folder.mkdir()

    def measure(self, builder: Builder) -> Run:
        """One build. Raises process.Failed."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HUGO_CACHEDIR": str(self.folder / "hugo-cache"),
        }
        out, cache = state(builder.out), state(builder.cache)
        taken = run(builder.command, self.folder, environment)
        files, size = written(out, state(builder.out))
        return replace(taken, files=files, written=size, stored=written(cache, state(builder.cache))[1])

    def lacking(self, builder: Builder) -> dict[str, int]:
        """On how many of a sample of pages which parts are missing."""
        found: dict[str, int] = {}
        step = max(1, self.number // SAMPLE)
        for record in islice(edits.read(self.records), 0, SAMPLE * step, step):
            for name in missing(builder.out, record, builder.layout):
                found[name] = found.get(name, 0) + 1
        return found


def prepare(number: int, work: Path, hugo: Path | None, *, has_peers: bool) -> Bench:
    """Everything that builders find in their folders."""
    folder, records = work / f"n{number}", work / "records" / str(number)
    folder.mkdir()
    (folder / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    python = sys.executable

    def ours(name: str, *options: str) -> Builder:
        into = folder / name
        places = ("--records", str(records), "--out", str(into / "out"), "--cache", str(into / "cache"))
        command = (python, "-m", "generator", "build", *places, *options, "-q")
        return Builder(name, into, command, PAGEFAULT)

    def peer(name: str, *command: str) -> Builder:
        return Builder(name, folder / name, (*command, str(folder / name / "out")))

    builders, source = [ours("pagefault", "--outputs", "html,json")], None
    if has_peers and hugo is not None:
        source = Hugo(folder / "hugo-source", edits.read(records))
        source.prepare(edits.read(records))
        builders.append(peer("hugo", str(hugo), "--quiet", "--source", str(folder / "hugo-source"), "-d"))
    if has_peers:
        builders.append(peer("script", python, "-m", "tests.bench.peers.script", str(records)))
    return Bench(number, folder, records, tuple(builders), ours("pagefault-whole"), source)


def rounds(bench: Bench, many: int) -> Iterator[tuple[Builder, str, Run]]:
    """Every measurement, as it is made. The peers build all again whatever was edited: that is done once."""
    trash = count()
    for number in range(1, many + 1):
        for builder in bench.builders:
            bench.clear(builder, trash)
            yield builder, "cold", bench.measure(builder)
        yield bench.ours, "unchanged", bench.measure(bench.ours)
        for edited in EDITED:
            bench.edit(edited, f"{number}, among {edited}")
            for builder in bench.builders if (number, edited) == (1, 1) else (bench.ours,):
                yield builder, f"{edited} edited", bench.measure(builder)
        bench.clear(bench.whole, trash)
        yield bench.whole, "cold", bench.measure(bench.whole)


def warm_up(bench: Bench) -> None:
    """Has each builder build once, so that none is measured while its own files are first read."""
    for builder in bench.builders:
        bench.clear(builder, count())
        bench.measure(builder)


def measured(bench: Bench, many: int) -> dict[str, Any]:
    """Every run of each builder's steps, and which parts each leaves out on how many pages."""
    steps: dict[str, dict[str, list[dict[str, float]]]] = {}
    lacking: dict[str, dict[str, int]] = {}
    for builder, step, taken in rounds(bench, many):
        sys.stderr.write(f"{bench.number:>8,} {builder.name:16} {step:12} {taken.wall:9.2f} s\n")
        steps.setdefault(builder.name, {}).setdefault(step, []).append(asdict(taken))
        if builder.name not in lacking:
            lacking[builder.name] = bench.lacking(builder)
    return {"steps": steps, "missing": lacking}


def main() -> int:
    """Runs it all; the exit status is 1 if a target was missed, or a builder shows less than the others."""
    options = _options()
    # Whatever folder was named, no more than this in it is removed.
    work: Path = options.work / "building"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    told: dict[str, Any] = {"machine": machine(), "versions": versions(options.hugo), "sizes": {}}
    is_alike = True
    for number, made in _records(options, work):
        has_peers = not options.no_peers and number <= options.most
        bench = prepare(number, work, options.hugo, has_peers=has_peers)
        if number not in options.n:
            warm_up(bench)
            continue
        told["sizes"][str(number)] = {**made, **measured(bench, options.runs)}
        is_alike &= not figures.differences(told, number)
        sys.stdout.write(figures.report(told, number))
        sys.stdout.flush()
        if options.json:
            options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(figures.verdict(told))
    if options.docs:
        page.write(told, options.docs)
    if not options.keep:
        shutil.rmtree(work)
    return 0 if is_alike and all(one.is_met for one in figures.targets(told)) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--packages", type=Path, required=True, help="folder of packages that raise errors")
    parser.add_argument("--hugo", type=Path, help="Hugo's program; without it Hugo is left out")
    parser.add_argument("--n", type=int, nargs="+", default=[100, 1000, 10_000], help="numbers of records")
    parser.add_argument("--runs", type=int, default=3, help="rounds of all builders for each number")
    parser.add_argument("--no-peers", action="store_true", help="neither Hugo nor the script")
    parser.add_argument("--most", type=int, default=10_000, help="records up to which these take part")
    parser.add_argument("--form", choices=FORMS, help="of the records; a file each below 100,000 if absent")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache/bench", help="folder for all of it")
    parser.add_argument("--keep", action="store_true", help="leave that folder as it is")
    parser.add_argument("--json", type=Path, help="file for all figures")
    parser.add_argument("--docs", type=Path, help="folder for the page of figures and its curves")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.hugo = options.hugo.resolve() if options.hugo else None
    return options


def _records(options: argparse.Namespace, work: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The numbers of records, least first, and what was said of them; made in a process of its own."""
    numbers = sorted({FIRST, *options.n})
    form = ("--form", options.form) if options.form else ()
    places = ("--packages", str(options.packages), "--out", str(work / "records"))
    command = (sys.executable, "-m", "tests.bench.records", *places, *form, "--n", *map(str, numbers))
    sys.stderr.write("looking for what installed packages raise\n")
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    yield from zip(numbers, map(json.loads, said.splitlines()), strict=True)


def machine() -> dict[str, str]:
    """What kind of machine this is."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {"processor": model, "cores": str(os.cpu_count()), "memory": f"{memory:.0f} GiB"}


def versions(hugo: Path | None) -> dict[str, str]:
    """Of all that builds."""
    names: Sequence[str] = ("jinja2", "markdown-it-py", "pygments")
    found = {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}
    if hugo is not None:
        said = subprocess.run((str(hugo), "version"), check=True, stdout=subprocess.PIPE, text=True).stdout
        found["hugo"] = said.split()[1].partition("-")[0].removeprefix("v")
    return found


if __name__ == "__main__":
    sys.exit(main())
