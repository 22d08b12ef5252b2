"""The harness of differential tests: released definitions beside ours, same calls, same outcomes.

Upstream's definitions are cut out of the hash-checked wheel as text and run in memory; no upstream
package is imported and none of its text is written anywhere. What a run without a difference found
is put into `records/<owner>/<repo>/differential.json`, the warrant by which a bundled subject can be
proven. It holds nothing of the time or the machine, so that a second green run leaves it untouched.
"""

import __future__

import array
import ast
import hashlib
import json
import os
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import metadata
from itertools import islice
from pathlib import Path
from types import CodeType, ModuleType

import pytest
import torch
import yaml

from generator import wheels

ROOT = Path(__file__).parents[1]
OPERATIONS = 12_000

Outcome = tuple[str, str]
"""`returned` or the class raised, and the value or the message."""
Side = Mapping[str, object]
"""The definitions compared, by name: upstream's or ours."""
PLAIN = (bool, int, float, complex, str, bytes, range, slice, array.array, torch.dtype)


@dataclass(frozen=True, slots=True)
class Case:
    """One bundled subject and where its original stands.

    An operation is the text of an expression, evaluated once on either side, where the names of
    `bundled` are that side's definitions and `names()` are the other names. After each operation,
    `watched` is evaluated too.
    """

    subject: str
    repository: str
    source: str
    bundled: Side
    """Our definitions; the original's are those of the same names."""
    member: str
    """Where the wheel holds the original."""
    definitions: tuple[tuple[str, str], ...]
    """(member, name) of each definition to cut out and run, in that order."""
    imports: Mapping[str, object]
    """What the original's text finds imported."""
    names: Callable[[], Mapping[str, object]]
    operations: Callable[[random.Random], Iterator[str]]
    watched: tuple[str, ...]
    requires: tuple[str, ...] = ()
    """Distributions whose versions the warrant states."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many operations had equal outcomes, and how many of them raised what."""

    operations: int
    raised: Mapping[str, int]


# The comparison.


def outcome(operation: str, names: dict[str, object]) -> Outcome:
    """Evaluate the operation and say what it did.

    Its warnings do not count: torch gives some only once in a process, to whoever comes first.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            value: object = eval(operation, names)  # noqa: S307 - the texts stand in the tests
    except Exception as error:  # noqa: BLE001 - any exception is an outcome to compare
        return f"raised {type(error).__qualname__}", str(error)
    if isinstance(value, torch.Tensor):
        kind = f"returned {value.dtype} on {value.device}, shape {tuple(value.shape)}"
        return kind, repr(value.tolist() if value.layout is torch.strided else value)
    return f"returned {type(value).__qualname__}", repr(value) if is_plain(value) else ""


def is_plain(value: object) -> bool:
    """Whether the value's repr says all of it, and nothing of where it is in memory."""
    if isinstance(value, tuple | list | set):
        return all(is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(is_plain(item) for pair in value.items() for item in pair)
    return value is None or isinstance(value, PLAIN)


def compare(case: Case, original: Side, bundled: Side, operations: Iterable[str]) -> Agreement:
    """Run the operations on both sides; raises AssertionError at the first difference."""
    sides = tuple({**case.names(), **side} for side in (original, bundled))
    raised: Counter[str] = Counter()
    number = 0
    for number, operation in enumerate(operations, 1):
        for text in (operation, *case.watched):
            theirs, ours = (outcome(text, side) for side in sides)
            if theirs != ours:
                raise AssertionError(
                    f"operation {number}, `{operation}`, `{text}` differs:\n"
                    f"upstream {theirs[0]}: {theirs[1]}\nbundled {ours[0]}: {ours[1]}"
                )
            if text is operation and theirs[0].startswith("raised "):
                raised[theirs[0].removeprefix("raised ")] += 1
    return Agreement(number, dict(sorted(raised.items())))


def seeded(case: Case) -> Iterator[str]:
    """Yield the case's operations, the same ones on every machine."""
    chance = random.Random(case.subject)  # noqa: S311 - chosen, not secret
    return islice(case.operations(chance), OPERATIONS)


# Upstream's side.


def pinned_wheel(repository: str) -> wheels.Wheel:
    """Read which wheel the repository's records are pinned to."""
    text = (ROOT / "records" / repository / "repo.yaml").read_text("utf-8")
    pin = yaml.safe_load(text)["wheel"]
    return wheels.Wheel(**{field.name: pin[field.name] for field in fields(wheels.Wheel)})


def fetched(wheel: wheels.Wheel) -> Path:
    """Return where the wheel is; without it the test is skipped, or fails where it is required."""
    cache = Path(os.environ.get("PAGEFAULT_CACHE") or ROOT / ".cache" / "pagefault")
    try:
        return wheels.fetch(wheel, cache)
    except wheels.WheelUnavailable as missing:
        if os.environ.get("PAGEFAULT_REQUIRE_UPSTREAM") == "1":
            raise
        pytest.skip(f"not compared with upstream: {missing}")


def original(case: Case, read: Callable[[str], str]) -> Side:
    """Run the case's definitions alone, in one module; `read` gives a member's text."""
    module = ModuleType(case.member)
    names = vars(module)
    names.update(case.imports)
    sys.modules[case.member] = module  # where `dataclass` looks up what annotations name
    try:
        for member, name in case.definitions:
            exec(definition(read(member), member, name), names)
    finally:
        del sys.modules[case.member]
    return {name: names[name] for name in case.bundled}


def definition(text: str, member: str, name: str) -> CodeType:
    """Cut one class or function out of a module; its lines keep their numbers.

    Annotations are not evaluated: they name what only the module imports.
    """
    (node,) = (
        node
        for node in ast.parse(text, member).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
    )
    flags = __future__.annotations.compiler_flag
    code: CodeType = compile(ast.Module([node], []), member, "exec", flags=flags, dont_inherit=True)
    return code


# The warrant.


def warrant(case: Case, wheel: wheels.Wheel, agreement: Agreement) -> dict[str, object]:
    """Say what was compared with what: the subject's entry in `differential.json`."""
    return {
        "operations": agreement.operations,
        "raised": agreement.raised,
        "source": case.source,
        "sourceSha256": hashlib.sha256((ROOT / case.source).read_bytes()).hexdigest(),
        **{name: metadata.version(name).partition("+")[0] for name in case.requires},
        "upstream": {
            "file": case.member,
            "requirement": wheel.requirement,
            "wheel": wheel.file,
            "wheelSha256": wheel.sha256,
        },
    }


def deposit(path: Path, subject: str, entry: Mapping[str, object]) -> None:
    """Put the entry among the file's subjects; a file that already says so is not touched."""
    before = path.read_text("utf-8") if path.exists() else "{}"
    document = json.loads(before)
    document["subjects"] = {**document.get("subjects", {}), subject: entry}
    after = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if after != before:
        path.write_text(after, "utf-8")
