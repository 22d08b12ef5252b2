"""Bundled subjects beside the released code that they stand for: same calls, same outcomes.

Upstream's definitions are taken out of the hash-checked wheel and run in memory; no upstream
package is imported and none of its text is written anywhere. A run that finds no difference writes
`records/<owner>/<repo>/differential.json`, the warrant by which a bundled subject can be proven.
It holds nothing of the time or the machine, so that a second green run leaves it untouched.

A further subject is one more `Case` in `CASES`.
"""

import __future__

import ast
import functools
import hashlib
import json
import os
import random
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
import torch
import yaml

from generator import wheels
from generator.pool import LogicalHostPool

ROOT = Path(__file__).parents[1]
OPERATIONS = 12_000

Outcome = tuple[str, str]
"""`returned` or the class raised, and the value or the message."""


@dataclass(frozen=True, slots=True)
class Case:
    """One bundled subject and where its original stands.

    An operation is the text of an expression, evaluated once on either side, where `name` is that
    side's subject and `names()` are the other names. After each one, `watched` is evaluated too.
    """

    subject: str
    repository: str
    source: str
    bundled: object
    member: str
    name: str
    needs: tuple[tuple[str, str], ...]
    """(member, name) of the other definitions that the original uses, in the order to run them."""
    imports: Mapping[str, object]
    """What the original's text finds imported."""
    names: Callable[[], dict[str, object]]
    operations: Callable[[random.Random], Iterator[str]]
    watched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many operations had equal outcomes, and how many of them raised what."""

    operations: int
    raised: Mapping[str, int]


# The cases.

ODD_VALUES = (
    *("0", "-1", "-16", "-17", "15", "1000", "10**30", "-10**30", "True", "False", "None"),
    *("16.0", "17.0", "64.0", "0.5", "-16.0", "float('nan')", "float('inf')", "16j"),
    *("'64'", "''", "'%d'", "b'64'", "[]", "[16]", "(16,)", "{}", "range(16)", "torch.uint8"),
    *("Decimal(64)", "Fraction(64)", "Fraction(1, 3)"),
    *("torch.tensor(16)", "torch.tensor(17)", "torch.tensor([16])", "torch.tensor([17])"),
    *("torch.tensor([16, 16])", "torch.tensor([])", "torch.tensor(16.0)", "torch.tensor(True)"),
)
ODD_INDICES = (
    *(
        "None",
        "[]",
        "[1, 2]",
        "list(range(16))",
        "'x' * 16",
        "''",
        "{}",
        "range(16)",
        "16",
        "bytes(16)",
    ),
    *("torch.tensor(3)", "torch.arange(15)", "torch.arange(16).reshape(16, 1)"),
    *("torch.arange(32).reshape(16, 2)", "torch.arange(32).reshape(2, 16)", "torch.zeros(16, 0)"),
    *("torch.zeros(0, 3)", "torch.zeros(0)", "torch.zeros(0, dtype=torch.int64)"),
    *("torch.arange(16) + 0.75", "torch.tensor([True] * 16)", "torch.ones(16, requires_grad=True)"),
    *("torch.arange(16, dtype=torch.int32)", "torch.arange(900_000, 900_016)", "-torch.arange(16)"),
    *("torch.arange(32)[::2]", "torch.empty(16, device='meta')", "torch.arange(16).to_sparse()"),
    *("pool.free_slots", "pool.free_slots[:16]", "pool"),
)
POOL_READS = (
    *("pool.available_size()", "pool.size", "pool.logical_size", "pool.page_size", "pool.device"),
    *("pool.layout", "pool.dtype", "pool.layer_num", "pool.start_layer", "pool.end_layer"),
    *("pool.size_per_token", "pool.kv_buffer", "pool.allocator", "pool.can_use_write_back_jit"),
    *("pool.lock", "pool.absent", "pool.num_release_slots", "pool.get_ksize_per_token()"),
    *("pool.get_dummy_flat_data_page()", "pool.get_data_page(0)", "pool.get_data_page(0, False)"),
    *("pool.get_data_page(None, flat=True)", "pool.get_page_buffer_meta(None)", "pool.destroy()"),
    "pool.backup_from_device_all_layer(None, None, None, 'kernel')",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel')",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel', is_draft=True)",
    "pool.load_to_device_per_layer(None, None, None, 0, 'kernel', True)",
    *("pool.set_from_flat_data_page(0, None)", "entries(pool, lambda: pool.clear())"),
    *("entries(pool, lambda: pool.available_size())", "entries(pool, lambda: pool.free(take(0)))"),
    "entries(pool, lambda: pool.alloc(pool.page_size))",
)
WRONG_CALLS = (
    *("LogicalHostPool()", "LogicalHostPool(64)", "LogicalHostPool(64, 16, 'x', 1)"),
    *("LogicalHostPool(size=64, page_size=16, pages=4)", "pool.alloc()", "pool.alloc(16, 16)"),
    *("pool.alloc(size=16)", "pool.free()", "pool.free(take(0), 16)", "pool.free(index=take(0))"),
    *("pool.clear(1)", "pool.available_size(1)", "pool.get_data_page()", "pool.destroy(1)"),
    *(
        "pool.get_page_buffer_meta()",
        "pool.set_from_flat_data_page(0)",
        "pool.get_ksize_per_token(0)",
    ),
    *("pool.backup_from_device_all_layer()", "pool.load_to_device_per_layer(None)"),
)


class Entrance:
    """Stands in for a pool's lock and counts how often it is entered."""

    def __init__(self) -> None:
        self.entered = 0

    def __enter__(self) -> None:
        self.entered += 1

    def __exit__(self, *_: object) -> None:
        pass


def entries(pool: LogicalHostPool, call: Callable[[], object]) -> int:
    """Count how often the pool's lock is entered during the call."""
    lock, entrance = pool.lock, Entrance()
    pool.lock = entrance
    try:
        call()
    finally:
        pool.lock = lock
    return entrance.entered


def pool_names() -> dict[str, object]:
    """Return what operations on a pool may name: what was handed out so far, and constructors."""
    held: list[torch.Tensor] = []

    def keep(result: torch.Tensor | None) -> torch.Tensor | None:
        held.extend([] if result is None else [result])
        return result

    def take(number: int) -> torch.Tensor:
        return held.pop(number % len(held)) if held else torch.arange(0)

    def peek(number: int) -> torch.Tensor:
        return held[number % len(held)] if held else torch.arange(0)

    values = {"torch": torch, "Decimal": Decimal, "Fraction": Fraction, "entries": entries}
    return {**values, "keep": keep, "take": take, "peek": peek}


def pool_operations(chance: random.Random) -> Iterator[str]:
    """Yield every odd call once, each on a new pool, then calls at random without end."""

    def number() -> int:
        return chance.randrange(64)

    def constructed() -> str:
        page = chance.choice((1, 2, 4, 8, 16, 32))
        size = page * chance.choice((0, 1, 2, 4, 8, 16, 64))
        sound = f"(pool := LogicalHostPool({size}, {page}))"
        layout = f"(pool := LogicalHostPool({size}, page_size={page}, layout='page_first'))"
        odd_size = f"(pool := LogicalHostPool({chance.choice(ODD_VALUES)}, {page}))"
        odd_page = f"(pool := LogicalHostPool({size}, {chance.choice(ODD_VALUES)}))"
        odd_pair = "(pool := LogicalHostPool({}, {}))".format(*chance.choices(ODD_VALUES, k=2))
        return chance.choice((sound, sound, sound, layout, odd_size, odd_page, odd_pair))

    def allocated() -> str:
        pages = chance.choice((0, 1, 1, 1, 2, 2, 3, 5, 80, -1, -3))
        return f"keep(pool.alloc(pool.page_size * {pages}))"

    def allocated_odd() -> str:
        return f"keep(pool.alloc({chance.choice(ODD_VALUES)}))"

    def freed() -> str:
        return f"pool.free(take({number()}))"

    def freed_again() -> str:
        return f"pool.free(peek({number()}))"

    def freed_part() -> str:
        return f"pool.free(peek({number()})[:{number()}])"

    def freed_odd() -> str:
        return f"pool.free({chance.choice(ODD_INDICES)})"

    def altered() -> str:
        return f"peek({number()}).add_(1)"

    def read() -> str:
        return chance.choice(POOL_READS)

    def called_wrongly() -> str:
        return chance.choice(WRONG_CALLS)

    def cleared() -> str:
        return "pool.clear()"

    for value in ODD_VALUES:
        yield from (f"(pool := LogicalHostPool({value}, 16))", "pool.alloc(16)")
        yield from (f"(pool := LogicalHostPool(64, {value}))", "pool.alloc(16)")
        yield from ("(pool := LogicalHostPool(64, 16))", f"pool.alloc({value})", "pool.alloc(16)")
    for value in ODD_INDICES:
        yield from ("(pool := LogicalHostPool(64, 16))", "keep(pool.alloc(64))")
        yield from (f"pool.free({value})", f"pool.free({value})", "pool.alloc(32)")
    for call in (*POOL_READS, *WRONG_CALLS):
        yield from ("(pool := LogicalHostPool(64, 16))", call)
    kinds = {allocated: 30, freed: 24, allocated_odd: 10, freed_odd: 10, read: 8, constructed: 6}
    kinds |= {freed_again: 5, called_wrongly: 4, freed_part: 3, altered: 2, cleared: 2}
    while True:
        (kind,) = chance.choices(tuple(kinds), tuple(kinds.values()))
        yield kind()


CASES = (
    Case(
        subject="sglang.LogicalHostPool",
        repository="sgl-project/sglang",
        source="generator/pool.py",
        bundled=LogicalHostPool,
        member="sglang/srt/mem_cache/memory_pool_host.py",
        name="LogicalHostPool",
        needs=(("sglang/srt/mem_cache/pool_host/base.py", "synchronized"),),
        imports={"torch": torch, "threading": threading, "wraps": functools.wraps},
        names=pool_names,
        operations=pool_operations,
        watched=("pool.available_size()", "pool.free_slots"),
    ),
)
POOL = CASES[0]


# The comparison.


def outcome(operation: str, names: dict[str, object]) -> Outcome:
    """Evaluate the operation and say what it did.

    Its warnings do not count: torch gives some only once in a process, to whoever comes first.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            value: object = eval(operation, names)  # noqa: S307 - the texts stand in this file
    except Exception as error:  # noqa: BLE001 - any exception is an outcome to compare
        return f"raised {type(error).__qualname__}", str(error)
    if isinstance(value, torch.Tensor):
        kind = f"returned {value.dtype} on {value.device}, shape {tuple(value.shape)}"
        return kind, repr(value.tolist() if value.layout is torch.strided else value)
    plain = value is None or isinstance(value, bool | int | float | str | torch.dtype)
    return f"returned {type(value).__qualname__}", repr(value) if plain else ""


def compare(case: Case, original: object, bundled: object, operations: Iterable[str]) -> Agreement:
    """Run the operations on both sides; raises AssertionError at the first difference."""
    sides = tuple({**case.names(), case.name: subject} for subject in (original, bundled))
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


def original(case: Case, read: Callable[[str], str]) -> object:
    """Run the original's definition, and those it needs, alone; `read` gives a member's text."""
    names: dict[str, object] = {"__name__": case.member, **case.imports}
    for member, name in (*case.needs, (case.member, case.name)):
        exec(definition(read(member), member, name), names)
    return names[case.name]


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


def warrant(case: Case, wheel: wheels.Wheel, agreement: Agreement) -> dict[str, object]:
    """Say what was compared with what: the subject's entry in `differential.json`."""
    return {
        "operations": agreement.operations,
        "raised": agreement.raised,
        "source": case.source,
        "sourceSha256": hashlib.sha256((ROOT / case.source).read_bytes()).hexdigest(),
        "torch": torch.__version__.partition("+")[0],
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


# The tests.


@pytest.mark.upstream
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.subject)
def test_a_bundled_subject_does_what_the_released_code_does(case: Case) -> None:
    """Ten thousand calls, sound and odd, have equal results, exceptions, messages and states."""
    wheel = pinned_wheel(case.repository)
    read = functools.partial(wheels.read, fetched(wheel))
    agreement = compare(case, original(case, read), case.bundled, seeded(case))
    assert agreement.operations >= 10_000
    folder = ROOT / "records" / case.repository
    deposit(folder / "differential.json", case.subject, warrant(case, wheel, agreement))


def unchanged(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Free as the pool does."""
    return LogicalHostPool.free(pool, *given, **named)


def joining_in_reverse(pool: LogicalHostPool) -> None:
    """Join what was freed last first."""
    pool.release_slots.reverse()
    LogicalHostPool._join_released(pool)


def joining_at_once(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Join at every free instead of when an allocation needs it."""
    count = LogicalHostPool.free(pool, *given, **named)
    pool._join_released()
    return count


def joining_too_soon(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Join also where the free list is just long enough."""
    if given and type(given[0]) is int and given[0] == len(pool.free_slots):
        pool._join_released()
    return LogicalHostPool.alloc(pool, *given, **named)


def copying(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Keep a copy of the freed tensor."""
    copies = (value.clone() if isinstance(value, torch.Tensor) else value for value in given)
    return LogicalHostPool.free(pool, *copies, **named)


def counting_elements(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Return the number of slots taken back instead of the length."""
    return LogicalHostPool.free(pool, *given, **named) and given[0].numel()


def refusing_negatives(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Have nothing to give for a negative size."""
    taken = LogicalHostPool.alloc(pool, *given, **named)
    return None if given[0] < 0 else taken


def asking_capacity_first(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Say that there is no room before looking at the alignment."""
    if given and type(given[0]) is int and given[0] > pool.available_size():
        return None
    return LogicalHostPool.alloc(pool, *given, **named)


def rewording(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """End the message with a full stop."""
    try:
        return LogicalHostPool.free(pool, *given, **named)
    except ValueError as error:
        raise ValueError(f"{error}.") from None


def raising_another_class(pool: LogicalHostPool, *given: Any, **named: Any) -> object:
    """Raise the same message as a TypeError."""
    try:
        return LogicalHostPool.free(pool, *given, **named)
    except AttributeError as error:
        raise TypeError(*error.args) from None


def clearing_unlocked(pool: LogicalHostPool, *given: Any, **named: Any) -> None:
    """Clear without the lock."""
    lock, pool.lock = getattr(pool, "lock", None), nullcontext()
    try:
        LogicalHostPool.clear(pool, *given, **named)
    finally:
        pool.lock = lock or pool.lock


CHANGES = (
    ("_join_released", joining_in_reverse, "pool.alloc("),
    ("free", joining_at_once, "pool.free("),
    ("alloc", joining_too_soon, "pool.alloc("),
    ("free", copying, "pool.alloc("),
    ("free", counting_elements, "pool.free("),
    ("alloc", refusing_negatives, "pool.alloc(-16)"),
    ("alloc", asking_capacity_first, "pool.alloc(1000)"),
    ("free", rewording, "pool.free("),
    ("free", raising_another_class, "pool.free("),
    ("clear", clearing_unlocked, "entries(pool, lambda: pool.clear())"),
)


def pool_with(method: str, change: Callable[..., object]) -> type:
    """Make a pool of the same name whose method is another one of the same name."""
    methods = {method: functools.wraps(getattr(LogicalHostPool, method))(change)}
    return type("LogicalHostPool", (LogicalHostPool,), methods)


@pytest.mark.parametrize(("method", "change", "operation"), CHANGES)
def test_the_comparison_finds_a_changed_pool(
    method: str, change: Callable[..., object], operation: str
) -> None:
    """A pool that departs from the original in one point is found out, and by the right call."""
    with pytest.raises(AssertionError) as caught:
        compare(POOL, LogicalHostPool, pool_with(method, change), seeded(POOL))
    assert operation in str(caught.value).partition("` differs")[0]


def test_the_comparison_passes_a_pool_that_does_the_same() -> None:
    """What finds the changed pools is their change, not the way in which they are made."""
    agreement = compare(POOL, LogicalHostPool, pool_with("free", unchanged), seeded(POOL))
    assert agreement.operations == OPERATIONS


def test_a_difference_is_shown_with_its_number_its_call_and_both_outcomes() -> None:
    """Whoever reads the failure can repeat the call."""
    calls = ("(pool := LogicalHostPool(64, 16))", "pool.free(torch.zeros(16, 2))")
    with pytest.raises(AssertionError) as caught:
        compare(POOL, LogicalHostPool, pool_with("free", counting_elements), calls)
    expected = [
        "operation 2, `pool.free(torch.zeros(16, 2))`, `pool.free(torch.zeros(16, 2))` differs:",
        "upstream returned int: 16",
        "bundled returned int: 32",
    ]
    assert expected == str(caught.value).splitlines()[:3]


def test_a_definition_is_cut_out_with_its_decorators_and_its_line() -> None:
    """Only the named definition runs: neither the module's imports nor what stands around it."""
    text = "import absent\n\n\n@marked\ndef two(x: Unknown) -> int:\n    return x\n\n\nabsent()\n"
    marked: list[FunctionType] = []
    exec(definition(text, "some/module.py", "two"), {"marked": marked.append})
    (code,) = (function.__code__ for function in marked)
    expected = ("some/module.py", 4)
    assert expected == (code.co_filename, code.co_firstlineno)


def test_a_missing_wheel_skips_the_comparison_unless_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without network the tests pass and say what they left out; where it must run, they fail."""

    def unavailable(*_: object) -> Path:
        raise wheels.WheelUnavailable("no network")

    monkeypatch.setattr(wheels, "fetch", unavailable)
    monkeypatch.delenv("PAGEFAULT_REQUIRE_UPSTREAM", raising=False)
    with pytest.raises(pytest.skip.Exception, match="not compared with upstream: no network"):
        fetched(pinned_wheel(POOL.repository))
    monkeypatch.setenv("PAGEFAULT_REQUIRE_UPSTREAM", "1")
    with pytest.raises(wheels.WheelUnavailable, match="no network"):
        fetched(pinned_wheel(POOL.repository))


def test_an_entry_is_added_beside_others_and_written_once(tmp_path: Path) -> None:
    """A second green run leaves the file as it is; other subjects and other keys are kept."""
    path = tmp_path / "differential.json"
    path.write_text('{"note": "kept", "subjects": {"other": {"b": 1, "a": 2}}}', "utf-8")
    deposit(path, "mine", {"operations": 1})
    expected = {"note": "kept", "subjects": {"mine": {"operations": 1}, "other": {"b": 1, "a": 2}}}
    assert json.dumps(expected, indent=2, sort_keys=True) + "\n" == path.read_text("utf-8")
    path.chmod(0o444)
    before = path.stat()
    deposit(path, "mine", {"operations": 1})
    assert (before.st_mtime_ns, before.st_ino) == (path.stat().st_mtime_ns, path.stat().st_ino)
