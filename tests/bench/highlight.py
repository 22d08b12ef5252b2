"""Measures coloring code: `python -m tests.bench.highlight`, with a number of excerpts if not 1,000.

Excerpts of 37 lines around each `raise` of the standard library and of what is installed beside it, of a
fixed seed, in the order of their files. Each way takes its turn at every ten of them; medians of five rounds,
in milliseconds an excerpt, and of the ratios to Pygments. Cold is the first time in a process, once the rules
are made ready; warm is the second.
"""

import random
import re
import statistics
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from pygments import highlight as pygments_highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

from generator import highlight, prose, quotes, tokens

ROUNDS = 5
TURN = 10  # excerpts


def excerpts(count: int) -> list[tuple[str, str]]:
    """So many excerpts, each with what opens the string that it begins in."""
    files = [
        path
        for name in ("stdlib", "purelib")
        for path in sorted(Path(sysconfig.get_path(name)).rglob("*.py"))
    ]
    found = list(_excerpts(files))
    chosen = sorted(random.Random(1).sample(range(len(found)), min(count, len(found))))  # noqa: S311 - no secret
    return [found[number] for number in chosen]


def _excerpts(files: list[Path]) -> Iterator[tuple[str, str]]:
    for file in dict.fromkeys(files):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = text.split("\n")
        if "/test" in file.as_posix() or max(map(len, lines)) > prose.LONGEST_RUN:
            continue
        for number, line in enumerate(lines):
            if re.match(r"\s+raise \w+\([\"']", line):
                first = max(0, number - 18)
                yield "\n".join(lines[first : number + 19]), quotes.opening(text, first + 1)


def measure(parts: list[tuple[str, str]]) -> dict[str, list[float]]:
    """The seconds of each way in each round."""
    formatter = HtmlFormatter[str](linenos="inline")
    # From the first text on.
    highlight.FEW = 0
    ways: dict[str, Callable[[str, str], object]] = {
        "Pygments, its own HTML": lambda text, _: pygments_highlight(text, PythonLexer(), formatter),
        "Pygments": lambda text, _: tokens.stock(PythonLexer, text),
        "cold": lambda text, _: highlight.lines(text, "python"),
        "warm": lambda text, _: highlight.lines(text, "python"),
        "page's excerpt, warm": lambda text, before: prose.code(text, "python", 1, 1, before),
        "page's excerpt, warm, guessed": lambda text, _: prose.code(text, "python", 1, 1),
    }
    spent: dict[str, list[float]] = {name: [0.0] * ROUNDS for name in ways}
    for number in range(ROUNDS):
        fast = highlight.faster(PythonLexer)
        if fast is not None:
            fast.forget()
        for begin in range(0, len(parts), TURN):
            for name, way in ways.items():
                start = process_time()
                for text, before in parts[begin : begin + TURN]:
                    way(text, before)
                spent[name][number] += process_time() - start
    return spent


def main() -> None:
    """Measure, and print a table."""
    parts = excerpts(int(sys.argv[1]) if sys.argv[1:] else 1000)
    start = process_time()
    for text, _ in parts:
        highlight.lines(text, "python")
    print(f"{len(parts)} excerpts, {sum(text.count(chr(10)) + 1 for text, _ in parts)} lines")  # noqa: T201 - what it is for
    print(f"{'first time, rules made ready':32}{1e3 * (process_time() - start) / len(parts):8.3f} ms")  # noqa: T201 - what it is for
    spent = measure(parts)
    for name, seconds in spent.items():
        ratio = statistics.median(one / other for one, other in zip(spent["Pygments"], seconds, strict=True))
        print(f"{name:32}{1e3 * statistics.median(seconds) / len(parts):8.3f} ms{ratio:8.1f} times as fast")  # noqa: T201 - what it is for


if __name__ == "__main__":
    main()
