"""The browser's walk: the same answers as Python's, and as JavaScript's own regex."""

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from generator.pattern import Hole, Pattern, merge

SCRIPT = Path(__file__).parent.parent / "templates" / "static" / "pattern.js"
HARNESS = """
const fs = require("fs");
globalThis.pagefault = { earlier: true };
require("vm").runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const cases = JSON.parse(fs.readFileSync(0, "utf8"));
const answers = cases.map(({ segments, text, message }) => {
  const match = new RegExp("^(?:" + text + ")$", "su").exec(message);
  return {
    walk: pagefault.captures(segments, message),
    regex: match && match.slice(1),
  };
});
process.stdout.write(JSON.stringify({ answers, names: Object.keys(pagefault) }));
"""
TEXTS = (
    *("a", "b", "ab", "aba", " ", "=", "got ", "\n", "\r\n", "\u2028", "é", "😀", "😀a", "\0"),
    *(*r"\^$.|?*+()[]{}", *"-#/&~'\"<", r"\d+", "(.+?)", "[a-z]", "{2}"),
)
# Half a character too: what a cut log line ends with. It counts as one in all three.
VALUES = (*TEXTS, "1", "tensor([17])", "/srv/a.py", "👩\u200d🚀", "e\u0301", "\ud83d", "😀😀")


def case(seed: int) -> tuple[Pattern, str]:
    """Return a pattern and a message that was made from it, perhaps with a change."""
    chance = random.Random(seed)  # noqa: S311 - cases, not secrets
    parts: list[str | Hole] = []
    for _ in range(chance.randint(1, 5)):
        parts += chance.choices(TEXTS, k=chance.randint(0, 2))
        parts.append(Hole(chance.choice((0, 1, 1))))
    parts += chance.choices(TEXTS, k=chance.randint(0, 2))
    found = Pattern(merge(parts))
    pieces = [
        part if isinstance(part, str) else "".join(chance.choices(VALUES, k=chance.randint(0, 3)))
        for part in found.segments
    ]
    if chance.random() < 0.3:
        pieces[chance.randrange(len(pieces))] = chance.choice(VALUES)
    return found, "".join(pieces)


CASES = tuple(case(seed) for seed in range(4_000))


@pytest.fixture(scope="module")
def node() -> dict[str, Any]:
    """Return what node answers to all cases in one run."""
    program = shutil.which("node")
    if program is None:
        reason = "node is not on the path: the browser's walk is not compared"
        if os.environ.get("PAGEFAULT_REQUIRE_NODE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    cases = [
        {"segments": found.as_json(), "text": found.text, "message": message} for found, message in CASES
    ]
    done = subprocess.run(
        [program, "-e", HARNESS, str(SCRIPT)],
        input=json.dumps(cases),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (0, "") == (done.returncode, done.stderr)
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_the_cases_say_yes_and_no() -> None:
    """A comparison of nothing but refusals, or of nothing but matches, would prove little."""
    verdicts = [found.captures(message) is not None for found, message in CASES]
    assert 1_000 < sum(verdicts) < 3_700


def test_browser_regex_and_python_agree(node: dict[str, Any]) -> None:
    """The walks of both languages and their regexes (`su`, DOTALL) give one answer."""
    assert len(CASES) == len(node["answers"])
    for (found, message), answer in zip(CASES, node["answers"], strict=True):
        match = re.fullmatch(found.text, message, re.DOTALL)
        expected = list(match.groups()) if match else None
        walked = found.captures(message)
        assert (expected, found.text, message) == (walked and list(walked), found.text, message)
        assert (expected, found.text, message) == (answer["walk"], found.text, message)
        assert (expected, found.text, message) == (answer["regex"], found.text, message)


def test_the_script_adds_to_what_is_there(node: dict[str, Any]) -> None:
    """Scripts share one global name; this one leaves the others' functions in place."""
    assert ["earlier", "captures"] == node["names"]


@pytest.mark.parametrize("construct", ["RegExp", "innerHTML", "import ", "export ", "eval("])
def test_the_script_runs_no_text_from_records(construct: str) -> None:
    """A classic script that builds neither regexes nor markup from data."""
    assert construct not in SCRIPT.read_text(encoding="utf-8")
