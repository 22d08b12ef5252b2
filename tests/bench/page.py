"""Writes docs/benchmark.md and its curves: `python -m tests.bench.page RUN.json … --docs docs`."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tests.bench import curves, figures
from tests.bench.figures import COLUMNS, NAMES, Figures

HEAD = """# How fast it builds

Measured by `make bench`, which anybody can run: `make bench N="1000 100000" ARGS="--runs 1 --json run.json"`.
This page is what `python -m tests.bench.page run.json --docs docs` writes, of one run or of several.

Records are made of real `raise` statements of the standard library and seven packages: message, class,
path, line and excerpt are theirs, prose and examples are put together around their names, and no two
records are equal. The same Python and the same packages give the same bytes; the digests below are of all
records.

Hugo has a Markdown file for each record, and the plain script is Python with Jinja, markdown-it and
Pygments in one process. They write what `pagefault build --outputs html,json` does: a page for each record
that shows all of its parts, colored as it is built, the record as JSON, a page for each tag, and lists.
That all parts are there is looked up in a sample of pages of each. The peers write a sitemap too, which
`pagefault` writes with all outputs alone; it takes Hugo less than what its runs differ by.

Each round every builder takes its turn. Cold is without output and cache; then nothing is changed; then 1,
10 and 100 records are edited, one after the other, and built again. Hugo and the script build everything
again whatever was edited, which is measured once. Medians of the rounds, and in brackets the least and the
most; memory is the most of all rounds, of the whole process tree, and counts pages that processes share once,
those shared with programs outside in part.
"""


def write(told: Figures, folder: Path) -> None:
    """Writes the page and the curves that it shows."""
    folder.mkdir(exist_ok=True)
    (folder / "benchmark.md").write_text("\n".join(_page(told)), encoding="utf-8")
    for name, title, unit, what, scale in CURVES:
        lines = dict(_lines(told, what, scale))
        (folder / f"benchmark-{name}.svg").write_text(curves.draw(title, unit, lines), encoding="utf-8")


CURVES = (
    ("time", "Seconds of a cold build", "s", "wall", 1.0),
    ("memory", "Memory of a cold build", "MB", "memory", 1e-6),
)


def _lines(told: Figures, what: str, scale: float) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    for builder in ("pagefault", "hugo", "script"):
        found = [
            (float(number), middle * scale)
            for number in told["sizes"]
            if (middle := figures.median(told, int(number), builder, "cold", what)) is not None
        ]
        if found:
            yield NAMES[builder], found


def _page(told: Figures) -> Iterator[str]:
    yield HEAD
    machine, versions = told["machine"], told["versions"]
    yield (
        f"The machine: {machine['cores']} cores ({machine['processor']}), {machine['memory']} of memory. "
        f"{', '.join(f'{name} {version}' for name, version in versions.items())}.\n"
    )
    for name, title, *_ in CURVES:
        yield f"![{title}; the tables below hold the figures](benchmark-{name}.svg)\n"
    yield "## Targets\n"
    yield from _table(("target", "measured", "wanted", ""), _targets(told))
    for number, size in told["sizes"].items():
        yield f"## {int(number):,} records\n"
        rounds = len(figures.runs(told, int(number), "pagefault", "cold", "wall"))
        yield (
            f"{size['bytes'] / 1e6:.1f} MB, digest `{size['digest']}`; {rounds} round{'s' * (rounds > 1)}. "
            f"Meanwhile other programs had {figures.shared(told, int(number)):.0%} of the processors.\n"
        )
        yield from _table(COLUMNS, figures.rows(told, int(number)))
        for name, step, found in figures.ratios(told, int(number)):
            yield f"- {name}, {step}: {found:.1f} times as long as pagefault"
        yield ""


def _targets(told: Figures) -> Iterator[tuple[str, ...]]:
    for one in figures.targets(told):
        wanted = f"{'at most' if one.is_most else 'at least'} {one.limit:g}"
        yield one.name, f"{one.number:.2f}", wanted, "met" if one.is_met else "**missed**"


def _table(names: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def main() -> None:
    """Writes the page from what one or more runs wrote."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("runs", type=Path, nargs="+", help="what runs wrote with --json, of one machine")
    parser.add_argument("--docs", type=Path, required=True, help="folder for the page and its curves")
    options = parser.parse_args()
    told = [json.loads(path.read_text(encoding="utf-8")) for path in options.runs]
    write(figures.merged(told), options.docs)


if __name__ == "__main__":
    main()
