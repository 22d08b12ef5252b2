"""Measures proving: every pattern on every message, and running a thousand triggers: `make bench-proof`.

One run, fixed seeds; a table on standard output, and everything as JSON with --json FILE.
"""

import argparse
import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from generator import probe, walls
from generator.lookup import Index
from generator.model import Groups
from generator.pattern import Pattern
from generator.probe import Limits
from generator.workers import WarmProcess
from tests.bench.corpus import filled, harvest

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
# What must hold: the measure, its number, and the limit.
TARGETS = (
    (("overlaps", "s"), 5.0),
    (("engine", "s"), 5.0),
    (("cold", "s"), 20.0),
    (("warm", "snippets"), 0),
)

# Errors that cost nothing to raise, each of which names its record: subject, class, template, file, code.
CHEAP = (
    (
        "python",
        "ValueError",
        "Unknown level: 'level-{n}'",
        "Lib/logging/__init__.py",
        "import logging\nlogging.Logger('root', 'level-{n}')",
    ),
    (
        "python",
        "ValueError",
        "'value-{n}' is not a valid RegexFlag",
        "Lib/enum.py",
        "import re\nre.RegexFlag('value-{n}')",
    ),
    (
        "jinja2",
        "jinja2.exceptions.TemplateAssertionError",
        "No filter named 'filter_{n}'.",
        "src/jinja2/compiler.py",
        "jinja2.Environment().from_string('{{{{ name|filter_{n} }}}}')",
    ),
    (
        "jinja2",
        "jinja2.exceptions.TemplateSyntaxError",
        "Encountered unknown tag 'tag_{n}'.",
        "src/jinja2/parser.py",
        "jinja2.Environment().parse('{{% tag_{n} %}}')",
    ),
)


def main() -> int:
    """Runs it all; the exit status is 1 if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--packages", type=Path, required=True, help="folder of packages that raise errors")
    parser.add_argument("--patterns", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=300, help="patterns of which all pairs are tried")
    parser.add_argument("--triggers", type=int, default=1_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {}
    for name, numbers in _measured(options):
        found[name] = numbers
        _show(name, numbers)
    missed = [row for row in _targets(found) if row[1] > row[2]]
    sys.stdout.write(
        "\n" + "".join(f"missed: {name} is {number}, wanted {limit}\n" for name, number, limit in missed)
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 1 if missed else 0


def _measured(options: argparse.Namespace) -> Iterator[tuple[str, Mapping[str, Any]]]:
    known = harvest(options.packages)[: options.patterns]
    chance = random.Random(3)  # noqa: S311 - measurements, not secrets
    patterns = [one.template.pattern() for one in known]
    messages = [filled(one, chance) for one in known]
    yield "overlaps", overlaps(patterns, messages)
    yield "all pairs of some", pairs(patterns[: options.pairs], messages[: options.pairs])
    yield "engine", engine(patterns, messages)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.triggers):
            write(Path(folder) / "records", number)
        for name in ("cold", "warm"):
            yield name, check(Path(folder))


def overlaps(patterns: Sequence[Pattern], messages: Sequence[str]) -> dict[str, Any]:
    """Seconds for all the pairs of a pattern and a message that it matches, as the checks find them."""
    (index, matches), numbers = timed(lambda: _matches(patterns, messages))
    tried = sum(len(list(index.candidates(message))) for message in messages)
    return {
        "patterns": len(patterns),
        "messages": len(messages),
        "matches": sum(map(len, matches)),
        "tried": tried,
        "own not matched": sum(number not in row for number, row in enumerate(matches)),
        **numbers,
    }


def _matches(patterns: Sequence[Pattern], messages: Sequence[str]) -> tuple[Index, list[list[int]]]:
    index = Index(patterns)
    return index, [index.matches(message) for message in messages]


def pairs(patterns: Sequence[Pattern], messages: Sequence[str]) -> dict[str, Any]:
    """Seconds for the same of a few, by every regular expression on every message; both must agree."""
    compiled = [re.compile(pattern.text, re.DOTALL) for pattern in patterns]
    rows, numbers = timed(
        lambda: [[n for n, one in enumerate(compiled) if one.fullmatch(text)] for text in messages]
    )
    (_, matches), indexed = timed(lambda: _matches(patterns, messages))
    assert rows == matches
    per_pair = numbers["s"] / max(1, len(patterns) * len(messages))
    return {
        "patterns": len(patterns),
        "messages": len(messages),
        **numbers,
        "s by index": indexed["s"],
        "s for 10,000": round(1e8 * per_pair, 1),
    }


def engine(patterns: Sequence[Pattern], messages: Sequence[str]) -> dict[str, Any]:
    """Seconds for each message by the regular expression of its pattern, in children behind walls."""
    batches = [(pattern.text, (message,)) for pattern, message in zip(patterns, messages, strict=True)]
    limits = Limits(jobs=os.cpu_count() or 1, level=walls.available())

    def work() -> tuple[dict[int, dict[str, Groups]], int]:
        with WarmProcess({}) as warm:
            counted = Counted(warm)
            return dict(probe.match(batches, counted, limits)), counted.requests

    (rows, children), numbers = timed(work)
    walked = {n: pattern.captures(messages[n]) for n, pattern in enumerate(patterns)}
    assert walked == {n: row[messages[n]] for n, row in rows.items()}
    return {"isolation": int(limits.level), "children": children, **numbers}


class Counted:
    """A warm process that counts what it is asked to run."""

    def __init__(self, warm: WarmProcess) -> None:
        self._warm = warm
        self.requests = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._warm, name)

    def run(self, requests: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """An answer for every request."""
        self.requests += len(requests)
        return self._warm.run(requests)


def write(folder: Path, number: int) -> None:
    """A record whose trigger costs nothing."""
    subject, kind, template, file, code = CHEAP[number % len(CHEAP)]
    is_python = subject == "python"
    version = ".".join(platform.python_version_tuple()[:2]) if is_python else metadata.version(subject)
    repo = "bench/cpython" if is_python else "bench/jinja"
    record = {
        "repo": repo,
        "slug": f"record-{number:05}",
        "errorMessage": template.format(n=f"{number:05}"),
        "errorType": "measured",
        "errorClass": kind,
        "severity": "error",
        "filePath": file,
        "lineNumber": 1,
        "documentation": "An error that costs nothing to raise.",
        "triggerScenarios": "A measurement.",
        "commonSituations": "Measuring.",
        "solutions": ["Measure something else."],
        "tags": ["measured"],
        "analyzedSha": "0" * 40,
        "analyzedAt": "2026-11-30",
        "verification": {
            "subject": f"{subject}=={version}",
            "trigger": code.format(n=f"{number:05}"),
            "builtAt": f"{file}:1",
        },
    }
    path = folder / repo / f"{record['slug']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1), encoding="utf-8")


def check(folder: Path) -> dict[str, Any]:
    """Seconds of `pagefault check`, and what it says of itself."""
    command = [sys.executable, "-m", "generator", "check", "--timings", str(folder / "timings")]
    command += ["--records", str(folder / "records"), "--cache", str(folder / "cache"), "--format", "concise"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done, numbers = timed(
        lambda: subprocess.run(
            command, capture_output=True, encoding="utf-8", check=False, cwd=folder, env=environment
        )
    )
    last = done.stderr.strip().rpartition("\n")[2]
    said = re.fullmatch(r"(\d+) records: (.*); (no|\d+) snippets? .*; isolation level (\d)", last)
    assert said, done.stderr[-2000:]
    return {
        "records": int(said[1]),
        "standings": said[2],
        "findings": done.stdout.count("error["),
        "snippets": 0 if said[3] == "no" else int(said[3]),
        "isolation": int(said[4]),
        **numbers,
        **{f"s {stage}": seconds for stage, seconds in json.loads((folder / "timings").read_text()).items()},
    }


def timed(work: Callable[[], T]) -> tuple[T, dict[str, float]]:
    """What the work gives; seconds by the clock, and of the processors, its ended children's too."""
    start, spent = time.perf_counter(), _processors()
    result = work()
    return result, {
        "s": round(time.perf_counter() - start, 2),
        "s of processors": round(_processors() - spent, 2),
    }


def _processors() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _targets(found: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    for (group, name), limit in TARGETS:
        yield f"{group}, {name}", found[group][name], limit


def _show(name: str, numbers: Mapping[str, Any]) -> None:
    sys.stdout.write(f"\n{name}\n")
    sys.stdout.writelines(f"  {key:32} {value}\n" for key, value in numbers.items())
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
