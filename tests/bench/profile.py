"""Says where the time of a cold build goes, by looking at the stack: `python -m tests.bench.profile RECORDS`.

The stack is looked at every two milliseconds of processor time, in one process, so nothing that is measured
is slowed down by it. Each part is the share of the looks in which one of its functions was under way.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from generator import build
from generator.settings import Settings

# What is measured, by file and function; a part within another stands below it.
PARTS = (
    ("reading and checking a record by itself", "plain.py", "look"),
    ("  decoding it", "schema.py", "decode_text"),
    ("relating it to others", "kinship.py", "relate_repositories"),
    ("rendering and staging", "encoding.py", "render"),
    ("  reading it again", "plain.py", "whole"),
    ("  what its page shows, as data", "error.py", "context"),
    ("  templates", "environment.py", "render"),
    ("    coloring code", "highlight.py", "lines"),
    ("    Markdown", "prose.py", "markdown"),
    ("    Markdown within a line", "prose.py", "markdown_inline"),
    ("  hashing, and writing into the stage", "stage.py", "stage"),
    ("noting files and units", "publish.py", "add"),
    ("moving the stage into place", "publish.py", "finish"),
)
EVERY = 0.002  # seconds


def main() -> int:
    """Builds the records once, with what peers write, and prints milliseconds a record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("--outputs", default="html,json")
    options = parser.parse_args()
    looks, seen = 0, Counter[tuple[str, str]]()

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal looks
        looks += 1
        found = set()
        while frame is not None:
            found.add((Path(frame.f_code.co_filename).name, frame.f_code.co_name))
            frame = frame.f_back
        seen.update(found)

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            records=options.records,
            out=Path(folder) / "site",
            cache=Path(folder) / "cache",
            outputs=tuple(options.outputs.split(",")),
            max_size=2**40,
        )
        signal.signal(signal.SIGPROF, look)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
        start = time.process_time()
        report = build.build(settings)
        total = time.process_time() - start
        signal.setitimer(signal.ITIMER_PROF, 0)
    each = total / report.records * 1000
    sys.stdout.write(f"{report.records:,} records, {each:.2f} ms of processor time each\n")
    for name, file, function in PARTS:
        share = seen[file, function] / looks
        sys.stdout.write(f"{name:44} {share * each:5.2f} ms {share:4.0%}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
