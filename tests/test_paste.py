"""What pastes say: vectors that Python and node both read, and mutations on which they must agree."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator import paste, terminal
from generator.paste import Spoken, spoken
from tests.browser_scripts import SCRIPTS, answers

VECTORS = json.loads((Path(__file__).parent / "vectors" / "pastes.json").read_text(encoding="utf-8"))
REAL = [
    path.read_bytes().decode("utf-8", "replace")
    for path in sorted((Path(__file__).parent / "lookups").glob("*.txt"))
]
SNIPPETS = (
    *(
        "\x1b[31m",
        "\x1b]8;;",
        "\r",
        "\r\n",
        "\n",
        "\0",
        "\ud83d",
        "😀",
        "é",
        "...",
        "…",
        '"',
        "'",
        "`",
        "\\n",
    ),
    *("E   ", "| ", "> ", "  + ", "Traceback (most recent call last):\\n", '{"log":"', "ValueError: ", ": "),
    *("FAILED a.py::b - ", "2024-01-01 10:00:00,1 ERROR x: ", '  File "a.py", line 3, in f', "\t", "\u2028"),
    *("a.b.<locals>.C: ", "[", "(", "a.py:12: X", "----> 3 ", "Cell In[3], line 2", "\\u00e9", "\\x1b[0m"),
    *("Namé.😀Error: ", "ERROR:a.b:", "```\n", "0123456789", "\ufeff", "\x85", "\u00a0"),
)


def as_json(one: Spoken) -> dict[str, Any]:
    """A reading in the form of the browser's."""
    return {
        "errorClass": one.error_class,
        "message": one.message,
        "frames": [
            {"file": frame.file, "line": frame.line, "function": frame.function} for frame in one.frames
        ],
        "isCut": one.is_cut,
        "isSure": one.is_sure,
        "head": one.head,
    }


def mutated(chance: random.Random) -> str:
    """A real paste, or a part of one, with something put in, taken out, or cut off."""
    text: str = chance.choice([*REAL, *(vector["paste"] for vector in VECTORS)])
    for _ in range(chance.randint(0, 5)):
        at = chance.randint(0, len(text))
        end = min(len(text), at + chance.choice((0, 0, 1, 5, 80)))
        text = text[:at] + "".join(chance.choices(SNIPPETS, k=chance.randint(0, 3))) + text[end:]
    return text[: chance.randint(0, len(text))] if chance.random() < 0.3 else text


def hostile() -> dict[str, str]:
    """Texts that would take long, or break things, if anything looked at all of them."""
    return {
        "ten megabytes of tracebacks": (
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nValueError: need 37\n'
        )
        * 110_000,
        "one line of five megabytes": "ValueError: " + "a: " * 1_700_000,
        "a hundred thousand lines": "ERROR job failed: no such thing\n" * 100_000,
        "lines of nothing": "\n" * 1_000_000,
        "control characters": "".join(map(chr, range(32))) * 30_000,
        "escapes": "\x1b[" * 400_000,
        "an escape that never ends": "\x1b[" + "0" * 900_000,
        "a title that never ends": "\x1b]0;" + "x\x1b" * 400_000,
        "quotes": '"' * 900_000,
        "escaped quotes": '"' + '\\"' * 450_000,
        "escaped tracebacks": "Traceback (most recent call last):\\n" * 25_000,
        "nested arrays": "[" * 900_000,
        "docker": '{"log":"' + "\\\\" * 400_000,
        "heads below indented lines": ("    x\n" * 299 + "  ValueError: x\n") * 500,
        "colons": (": " * 3_900 + "\n") * 100,
        "a name": "a" * 900_000 + ": b",
        "dots": "a." * 400_000 + ": b",
        "emoji": "😀" * 700_000,
        "emoji before an error": "😀" * 700_000 + "\nValueError: need size 37",
        "half emoji": "\ud83d" * 900_000,
        "spaces": " " * 900_000 + "x",
        "bars": ("| " * 3_000 + "\n") * 150,
    }


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_paste_says(vector: dict[str, Any]) -> None:
    """The first reading of the vector's paste is the expected one, and the others are among the rest."""
    found = [as_json(one) for one in spoken(vector["paste"])]

    best, *others = vector["spoken"] or [None]
    assert best == ({name: found[0][name] for name in best} if found and best else None)
    for other in others:
        assert other in [{name: one[name] for name in other} for one in found]


def test_the_browser_reads_the_same() -> None:
    """Every reading of every vector, of thousands of mutations of real pastes, and of hostile texts."""
    chance = random.Random(5)  # noqa: S311 - cases, not secrets
    pastes = [vector["paste"] for vector in VECTORS] + REAL + [mutated(chance) for _ in range(4_000)]

    for text, answer in zip(pastes, answers(pastes), strict=True):
        assert ([as_json(one) for one in spoken(text)], text) == (answer["spoken"], text)


@pytest.mark.parametrize("name", hostile())
def test_hostile_pastes_are_bounded(name: str) -> None:
    """So many readings of so many characters, and no more; the browser's are the same."""
    text = hostile()[name]

    found = spoken(text)

    assert len(found) <= (4 * paste.HEADS + 1) * (paste.READINGS + 1) + paste.BARE * 20
    assert all(len(one.message) <= paste.BLOCK * (terminal.LINE + 1) for one in found)
    assert [as_json(one) for one in found] == answers([text])[0]["spoken"]


@given(st.text(max_size=60), st.integers(0, 130))
def test_a_text_is_cut_where_javascript_cuts(text: str, units: int) -> None:
    """Counted in UTF-16 units, and never within a character."""
    text = terminal._whole(text)

    for cut, is_end in ((terminal.beginning(text, units), False), (terminal.ending(text, units), True)):
        assert text.endswith(cut) if is_end else text.startswith(cut)
        size = len(cut.encode("utf-16-le")) // 2
        assert size <= units
        assert cut == text or size >= units - 1


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from([*SNIPPETS, "Bad", "Error", "need size ", "37", " "]), max_size=30))
def test_any_paste_has_readings_of_its_own_text(pieces: list[str]) -> None:
    """Whatever is pasted: no reading is empty and nameless, twice there, or of an error that comes later."""
    found = spoken("".join(pieces))

    assert all(one.message or one.error_class for one in found)
    assert len(found) == len({(one.error_class, one.message) for one in found})
    assert sorted(one.head for one in found) == [one.head for one in found]


@pytest.mark.parametrize("construct", ["RegExp", "innerHTML", "import ", "export ", "eval("])
@pytest.mark.parametrize("script", ["paste.js", "search.js"])
def test_the_scripts_run_no_text_from_pastes(script: str, construct: str) -> None:
    """Classic scripts that build neither regexes nor markup from data."""
    assert construct not in (SCRIPTS / script).read_text(encoding="utf-8")
