"""Records and messages for measurements: what installed packages raise, with values put into it.

Everything is drawn with fixed seeds: the same packages give the same records, messages and logs.
"""

import ast
import hashlib
import random
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from generator import raises
from generator.pattern import LONGEST
from generator.shards import Entry
from generator.template import Slot, Template, TemplateError, template

LEAST = 8  # fixed characters of a pattern, as records must have
LONGEST_STATEMENT = 60  # lines
SKIPPED = {"tests", "test", "testing", "site-packages", "__pycache__", "idlelib", "lib2to3"}


@dataclass(frozen=True, slots=True)
class Known:
    """A record: its entry in the index, and the template of its message."""

    entry: Entry
    template: Template


@dataclass(frozen=True, slots=True)
class Case:
    """What a reader pastes, the message in it, and the record that it is about."""

    paste: str
    message: str
    has_frames: bool
    known: Known


def harvest(packages: Path) -> list[Known]:
    """What the standard library and the packages in a folder raise, in random order."""
    roots = [("python/cpython", Path(sysconfig.get_paths()["stdlib"]))]
    roots += [(f"{one.name}/{one.name}", one) for one in sorted(packages.iterdir()) if one.suffix == ""]
    found: dict[tuple[str, str, str], Known] = {}
    for repo, root in roots:
        if not root.is_dir():
            continue
        for path in sorted(root.rglob("*.py")):
            if SKIPPED.isdisjoint(path.relative_to(root).parts):
                for known in _raised(repo, path, path.relative_to(root.parent).as_posix()):
                    pattern = known.template.pattern()
                    # A reference has one record of what one class of one program says.
                    found.setdefault((repo, known.entry.error_class, pattern.text), known)
    ordered = sorted(found.values(), key=lambda one: one.entry.id)
    random.Random(1).shuffle(ordered)  # noqa: S311 - measurements, not secrets
    return ordered


def _raised(repo: str, path: Path, name: str) -> Iterator[Known]:
    try:
        text = path.read_text(encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            functions = dict(_functions(ast.parse(text)))
    except (SyntaxError, UnicodeDecodeError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for at in raises.find(lines, 1):
        found = raises.read(lines[: at + LONGEST_STATEMENT], 1, at)
        if isinstance(found, str) or found.error_class is None or found.message is None:
            continue
        try:
            written = template(found.message)
        except TemplateError:
            continue
        pattern = written.pattern()
        if pattern.fixed < LEAST or pattern.words < 1 or len(pattern.text) > LONGEST:
            continue
        key = hashlib.sha256(f"{repo}:{name}:{at}".encode()).hexdigest()[:16]
        entry = Entry(
            id=key,
            repo=repo,
            slug=key,
            error_class=found.error_class,
            segments=tuple(pattern.as_json()),
            holes=written.labels,
            file=name,
            line=at,
            function=functions.get(at),
            standing="proven",
        )
        yield Known(entry, written)


def _functions(tree: ast.AST, name: str | None = None) -> Iterator[tuple[int, str]]:
    """The function of each line that raises."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise) and name:
            yield node.lineno, name
        inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else name
        yield from _functions(node, inner)


def varied(known: Sequence[Known], times: int) -> list[Known]:
    """That many times as many records: the words of each further copy are others."""
    made = list(known)
    for number in range(1, times):
        for one in known:
            key = hashlib.sha256(f"{number}:{one.entry.id}".encode()).hexdigest()[:16]
            parts = tuple(
                part if isinstance(part, Slot) else _other(part, number) for part in one.template.parts
            )
            written = Template(parts)
            segments = tuple(written.pattern().as_json())
            entry = msgspec.structs.replace(one.entry, id=key, slug=key, segments=segments)
            made.append(Known(entry, written))
    return made


def _other(text: str, number: int) -> str:
    """A text with about half of its longer words changed, which ones depends on the number."""
    words = text.split(" ")
    return " ".join(
        word[:-2] + "aeiou"[number % 5] + "bcdfg"[number % 7 % 5] + word[-2:]
        if len(word) > 4 and (len(word) + place + number) % 2 and word.isalpha()
        else word
        for place, word in enumerate(words)
    )


NAMES = ("user_id", "n_components", "created_at", "weights", "batch_size", "fit_intercept", "title", "Order")
VALUES = {
    "number": ("0", "-1", "3", "17", "4096", "1048577", "2.5", "1e-06", "nan", "9223372036854775808"),
    "shape": ("(3, 4)", "(0,)", "(128, 3, 224, 224)", "()", "torch.Size([2, 8])", "[10, 20]"),
    "path": (
        "/srv/app/data/train.csv",
        "C:\\Users\\ada\\x.txt",
        "./conf.d/site.toml",
        "/opt/a b.json",
        "x.py",
    ),
    "type": (
        "<class 'int'>",
        "<class 'NoneType'>",
        "DataFrame",
        "list",
        "numpy.ndarray",
        "<class 'app.Order'>",
    ),
    "dtype": ("float32", "int64", "object", "datetime64[ns]", "<U21"),
    "name": NAMES,
    "list": ("['a', 'b', 'c']", "{'x', 'y'}", "[]", "('left', 'right', 'inner')", "dict_keys(['a', 'b'])"),
    "said": (
        "[Errno 2] No such file or directory: 'x'",
        "invalid literal for int() with base 10: 'abc'",
        "Expecting value: line 1 column 1 (char 0)",
        "connection refused",
    ),
    "text": (
        "hello world",
        "2024-02-30",
        "utf-8",
        "https://example.org/a?b=c#d",
        "gr\u00fc\u00dfe",
        "{'a': 1}",
        "==",
    ),
    "lines": ("[[1. 2.]\n [3. 4.]]", "Index(['a', 'b'],\n      dtype='object')"),
}
_HINTS = (
    ("number", ("size", "len", "num", "count", "dim", "axis", "line", "index", "max", "min", "nb", "width")),
    ("shape", ("shape",)),
    ("path", ("path", "file", "dir")),
    ("dtype", ("dtype",)),
    ("type", ("type", "cls", "class")),
    ("list", ("valid", "allowed", "options", "choices", "keys", "names")),
    ("said", ("exc", "err", "reason")),
    ("name", ("name", "key", "attr", "param", "arg", "field", "col", "label", "method")),
)


def value(slot: Slot, chance: random.Random) -> str:
    """What a program might print in a hole; one in a hundred has two lines."""
    if slot.spec[-1:] in {"d", "i", "x", "f", "g", "e"} and slot.spec:
        return chance.choice(VALUES["number"][:6])
    if chance.random() < 0.01:
        return chance.choice(VALUES["lines"])
    name = slot.name.lower()
    kind = next((kind for kind, hints in _HINTS if any(hint in name for hint in hints)), None)
    if kind is None or chance.random() < 0.2:
        kind = chance.choice([one for one in VALUES if one != "lines"])
    text = chance.choice(VALUES[kind])
    if kind == "number" and chance.random() < 0.5:
        text = str(chance.randrange(100_000))
    if kind == "name" and chance.random() < 0.3:
        text = f"{text}_{chance.randrange(100)}"
    return repr(text) if slot.conversion == "r" and kind in {"path", "name", "text"} else text


def filled(known: Known, chance: random.Random) -> str:
    """A message of a record."""
    return known.template.fill(
        [value(part, chance) for part in known.template.parts if isinstance(part, Slot)]
    )


def traceback(known: Known, others: Sequence[Known], chance: random.Random) -> str:
    """The lines above an error: frames of a program, of another package, and of where it is raised."""
    above = chance.choice(others).entry
    frames = [("/srv/app/main.py", chance.randrange(1, 400), "main")]
    frames += [
        (f"/usr/lib/python3/site-packages/{one.file}", one.line, one.function or "<module>")
        for one in (above, known.entry)
    ]
    lines = [f'  File "{file}", line {line}, in {name}\n    call(arg)\n' for file, line, name in frames]
    return "Traceback (most recent call last):\n" + "".join(lines)


def cases(known: Sequence[Known], count: int) -> list[Case]:
    """Messages of records, every other with a traceback above it and its class before it."""
    chance = random.Random(2)  # noqa: S311 - measurements, not secrets
    made = []
    for number in range(count):
        one = chance.choice(known)
        message = filled(one, chance)
        has_frames = number % 2 == 0
        head = f"{traceback(one, known, chance)}{one.entry.error_class}: " if has_frames else ""
        made.append(Case(f"{head}{message}", message, has_frames, one))
    return made
