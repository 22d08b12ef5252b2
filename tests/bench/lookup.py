"""Measures looking messages up among thousands of real records: `make bench-lookup`.

One run, fixed seeds, medians; a table on standard output, and everything as JSON with --json FILE.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench import measures
from tests.bench.corpus import cases, harvest, varied

RECORD = {
    "errorClass": "ValueError",
    "errorMessage": "name must be provided",
    "repo": "acme/widgets",
    "severity": "error",
    "standing": "proven",
    "documentation": "The name was left out.",
    "solutions": ["Give a name."],
    "filePath": "a.py",
    "lineNumber": 1,
    "githubUrl": "https://github.com/acme/widgets",
}
# What must hold: the measure, its number, and the limit (below it where True).
TARGETS = (
    (("10k", "first or alike with traceback"), 99.0, False),
    (("10k", "first or alike bare"), 98.0, False),
    (("10k", "kB gzipped", "p95"), 30.0, True),
    (("10k", "ms in Python", "p95"), 100.0, True),
    (("10k in node", "ms in node", "p95"), 100.0, True),
    (("10k as a process", "explain ms"), 250.0, True),
    (("100k", "kB gzipped", "p95"), 60.0, True),
    (("100k as a process", "explain ms"), 400.0, True),
    (("scan", "0.1%", "MB/s"), 20.0, False),
)


def main() -> int:
    """Runs it all; the exit status is 1 if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--packages", type=Path, required=True, help="folder of packages that raise errors")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--look-ups", type=int, default=3_000)
    parser.add_argument(
        "--large", action="store_true", help="also ten times as many records, their words varied"
    )
    parser.add_argument("--no-peers", action="store_true", help="neither Pagefind nor minisearch")
    parser.add_argument("--log", type=int, default=50, help="megabytes of the log that is scanned")
    parser.add_argument(
        "--missed", type=int, default=0, help="show so many look-ups whose record was not first"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, numbers in _measured(options, Path(folder)):
            found[name] = numbers
            _show(name, numbers)
    missed = [row for row in _targets(found) if not row[-1]]
    sys.stdout.write(
        "\n" + "".join(f"missed: {name} is {number}, wanted {limit}\n" for name, number, limit, _ in missed)
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 1 if missed else 0


def _measured(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Any]]:
    whole = harvest(options.packages)
    known = whole[: options.records]
    asked = cases(known, options.look_ups)
    numbers, wrong = measures.look_ups(asked, known)
    yield "10k", {"raise statements": len(whole), **numbers}
    for case in wrong[: options.missed]:
        sys.stdout.write(f"not first: {case.known.entry.segments}\n  {case.paste!r}\n")
    yield "10k in node", measures.browser(asked, known)
    yield "10k as a process", measures.process(asked[0], known, folder / "10k", RECORD)
    yield "scan", measures.scans(known, options.log * 1_000_000)
    yield "hostile pastes", measures.hostile(known)
    if options.large:
        many = varied(known, 10)
        some = cases(many, options.look_ups)
        yield "100k", measures.look_ups(some, many)[0]
        yield "100k as a process", measures.process(some[0], many, folder / "100k", RECORD)
    if not options.no_peers:
        yield "minisearch", measures.minisearch(asked, known)
        yield "Pagefind", measures.pagefind(asked, known, folder / "pages", cold=100)


def _targets(found: Mapping[str, Any]) -> Iterator[tuple[str, float, float, bool]]:
    for path, limit, is_below in TARGETS:
        number: Any = found
        for name in path:
            number = number.get(name) if number else None
        if number is not None:
            yield ", ".join(path), number, limit, number <= limit if is_below else number >= limit


def _show(name: str, numbers: Mapping[str, Any]) -> None:
    sys.stdout.write(f"\n{name}\n")
    for key, value in numbers.items():
        text = (
            "  ".join(f"{one} {number}" for one, number in value.items())
            if isinstance(value, dict)
            else value
        )
        sys.stdout.write(f"  {key:32} {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
