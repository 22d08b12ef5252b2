"""Bundled subjects beside the released code that they stand for: same calls, same outcomes.

A further subject is one more module in `tests/operations/` and one more of `CASES`;
`tests/differential.py` says how they are compared.
"""

import functools
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import torch

from generator import wheels
from generator.bundled.host_group import HostPoolGroup
from generator.bundled.radix_key import RadixKey
from generator.bundled.reasoning import SglSeparateReasoning
from generator.pool import LogicalHostPool
from tests import differential
from tests.differential import Case, Side
from tests.operations import host_group, pool, radix_key, reasoning

POOL, GROUP, KEY, REASONING = pool.CASE, host_group.CASE, radix_key.CASE, reasoning.CASE
CASES = (POOL, GROUP, KEY, REASONING)


@pytest.mark.upstream
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.subject)
def test_a_bundled_subject_does_what_the_released_code_does(case: Case) -> None:
    """Ten thousand calls, sound and odd, have equal results, exceptions, messages and states."""
    wheel = differential.pinned_wheel(case.repository)
    read = functools.partial(wheels.read, differential.fetched(wheel))
    agreement = differential.compare(
        case, differential.original(case, read), case.bundled, differential.seeded(case)
    )
    assert agreement.operations >= 10_000
    folder = differential.ROOT / "records" / case.repository
    differential.deposit(
        folder / "differential.json", case.subject, differential.warrant(case, wheel, agreement)
    )


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


def building_without_entries(group: HostPoolGroup, *given: Any, **named: Any) -> None:
    """Take an empty list for one that is missing."""
    if given and given[0] == []:
        raise TypeError("no entries")
    HostPoolGroup.__init__(group, *given, **named)


def looking_at_anchors_first(group: HostPoolGroup, *given: Any, **named: Any) -> None:
    """Count the anchors before the names."""
    if given and isinstance(given[0], list):
        flagged = [one for one in given[0] if getattr(one, "is_primary_index_anchor", None) is True]
        if len(flagged) > 1:
            raise ValueError("HostPoolGroup requires at most one anchor pool.")
    HostPoolGroup.__init__(group, *given, **named)


def looking_at_the_anchor_first(group: HostPoolGroup, *given: Any, **named: Any) -> None:
    """Refuse an anchor before a name that is taken."""
    if given and getattr(given[0], "is_primary_index_anchor", None) is True:
        raise ValueError("Cannot replace the anchor of an existing HostPoolGroup.")
    HostPoolGroup.add_entry(group, *given, **named)


def leaving_no_trace(group: HostPoolGroup, *given: Any, **named: Any) -> None:
    """Take an entry out again whose pool fails."""
    entries = len(group.entries)
    try:
        HostPoolGroup.add_entry(group, *given, **named)
    except AttributeError:
        del group.entries[entries:]
        raise


def asking_once(group: HostPoolGroup, *given: Any, **named: Any) -> object:
    """Do not ask again after reclaiming."""
    if "reclaim" in named:
        named["reclaim"] = None
    return HostPoolGroup.alloc(group, *given, **named)


def falling_back(group: HostPoolGroup, *given: Any, **named: Any) -> object:
    """Return the anchor's entry for a name that is unknown."""
    try:
        return HostPoolGroup.get_entry(group, *given, **named)
    except KeyError:
        return group.anchor_entry


def naming_the_index_as_given(key: RadixKey, idx: Any) -> RadixKey:
    """Say which index was asked for, and not where that is."""
    try:
        return RadixKey.__getitem__(key, idx)
    except IndexError:
        raise IndexError(f"RadixKey index out of range: {idx}") from None


def keeping_the_limit(key: RadixKey, idx: Any) -> RadixKey:
    """Give a slice the limit of its key."""
    taken = RadixKey.__getitem__(key, idx)
    taken.limit = key.limit
    return taken


def asking_for_the_salt_first(key: RadixKey, other: Any) -> None:
    """Compare the salts before the extra keys."""
    if key.cache_salt != other.cache_salt:
        salts = f"{key.cache_salt!r} != other.cache_salt={other.cache_salt!r}"
        raise ValueError(f"RadixKey operations require matching cache_salt, but got self.cache_salt={salts}")
    RadixKey._check_compatible(key, other)


def dividing_pairs_by_zero(key: RadixKey, *given: Any, **named: Any) -> object:
    """Divide by the page's size also where upstream does not."""
    matched = RadixKey.match(key, *given, **named)
    return matched // given[1] * given[1] if given[1:] == (0,) else matched


def hiding_tokens(key: RadixKey, *given: Any, **named: Any) -> object:
    """Honour the limit where a tree files the key."""
    return RadixKey.child_key(RadixKey(key.raw_token_ids(), key.extra_key), *given, **named)


def refusing_blanks(part: SglSeparateReasoning, *given: Any, **named: Any) -> object:
    """Take a blank name for a missing one."""
    if given and isinstance(given[0], str) and not given[0].strip():
        raise ValueError("name must be provided")
    return SglSeparateReasoning.process_name_for_reasoning(part, *given, **named)


def keeping_the_first(part: SglSeparateReasoning, expr: Any) -> None:
    """Make the name from that of the first named part."""
    if part.name is None:
        SglSeparateReasoning._process_expr(part, expr)


CHANGES = (
    (POOL, LogicalHostPool, "_join_released", joining_in_reverse, "pool.alloc("),
    (POOL, LogicalHostPool, "free", joining_at_once, "pool.free("),
    (POOL, LogicalHostPool, "alloc", joining_too_soon, "pool.alloc("),
    (POOL, LogicalHostPool, "free", copying, "pool.alloc("),
    (POOL, LogicalHostPool, "free", counting_elements, "pool.free("),
    (POOL, LogicalHostPool, "alloc", refusing_negatives, "pool.alloc(-16)"),
    (POOL, LogicalHostPool, "alloc", asking_capacity_first, "pool.alloc(1000)"),
    (POOL, LogicalHostPool, "free", rewording, "pool.free("),
    (POOL, LogicalHostPool, "free", raising_another_class, "pool.free("),
    (POOL, LogicalHostPool, "clear", clearing_unlocked, "entries(pool, lambda: pool.clear())"),
    (GROUP, HostPoolGroup, "__init__", building_without_entries, "HostPoolGroup([])"),
    (GROUP, HostPoolGroup, "__init__", looking_at_anchors_first, "HostPoolGroup([KV, KV])"),
    (GROUP, HostPoolGroup, "add_entry", looking_at_the_anchor_first, "group.add_entry(PoolEntry("),
    (GROUP, HostPoolGroup, "add_entry", leaving_no_trace, "group.add_entry(PoolEntry("),
    (GROUP, HostPoolGroup, "alloc", asking_once, "reclaim="),
    (GROUP, HostPoolGroup, "get_entry", falling_back, "(pool='mamba')"),
    (KEY, RadixKey, "__getitem__", naming_the_index_as_given, "key[-"),
    (KEY, RadixKey, "__getitem__", keeping_the_limit, "key["),
    (KEY, RadixKey, "_check_compatible", asking_for_the_salt_first, "match("),
    (KEY, RadixKey, "match", dividing_pairs_by_zero, "match(other, 0)"),
    (KEY, RadixKey, "child_key", hiding_tokens, "child_key("),
    (REASONING, SglSeparateReasoning, "process_name_for_reasoning", refusing_blanks, "' '"),
    (REASONING, SglSeparateReasoning, "_process_expr", keeping_the_first, "SglGen('a'), SglGen('b')"),
)


def changed(case: Case, kind: type, method: str, change: Callable[..., object]) -> Side:
    """Make a subject of the same name whose method is another one of the same name."""
    methods = {"__slots__": (), method: functools.wraps(getattr(kind, method))(change)}
    return {**case.bundled, kind.__name__: type(kind.__name__, (kind,), methods)}


@pytest.mark.parametrize(("case", "kind", "method", "change", "operation"), CHANGES)
def test_the_comparison_finds_a_changed_subject(
    case: Case, kind: type, method: str, change: Callable[..., object], operation: str
) -> None:
    """A subject that departs from the original in one point is found out, and by the right call."""
    departing = changed(case, kind, method, change)
    with pytest.raises(AssertionError) as caught:
        differential.compare(case, case.bundled, departing, differential.seeded(case))
    assert operation in str(caught.value).partition("` differs")[0]


def test_the_comparison_passes_a_pool_that_does_the_same() -> None:
    """What finds the changed pools is their change, not the way in which they are made."""
    same = changed(POOL, LogicalHostPool, "free", unchanged)
    agreement = differential.compare(POOL, POOL.bundled, same, differential.seeded(POOL))
    assert agreement.operations == differential.OPERATIONS


def test_a_difference_is_shown_with_its_number_its_call_and_both_outcomes() -> None:
    """Whoever reads the failure can repeat the call."""
    calls = ("(pool := LogicalHostPool(64, 16))", "pool.free(torch.zeros(16, 2))")
    counting = changed(POOL, LogicalHostPool, "free", counting_elements)
    with pytest.raises(AssertionError) as caught:
        differential.compare(POOL, POOL.bundled, counting, calls)
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
    exec(differential.definition(text, "some/module.py", "two"), {"marked": marked.append})
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
        differential.fetched(differential.pinned_wheel(POOL.repository))
    monkeypatch.setenv("PAGEFAULT_REQUIRE_UPSTREAM", "1")
    with pytest.raises(wheels.WheelUnavailable, match="no network"):
        differential.fetched(differential.pinned_wheel(POOL.repository))


def test_an_entry_is_added_beside_others_and_written_once(tmp_path: Path) -> None:
    """A second green run leaves the file as it is; other subjects and other keys are kept."""
    path = tmp_path / "differential.json"
    path.write_text('{"note": "kept", "subjects": {"other": {"b": 1, "a": 2}}}', "utf-8")
    differential.deposit(path, "mine", {"operations": 1})
    expected = {"note": "kept", "subjects": {"mine": {"operations": 1}, "other": {"b": 1, "a": 2}}}
    assert json.dumps(expected, indent=2, sort_keys=True) + "\n" == path.read_text("utf-8")
    path.chmod(0o444)
    before = path.stat()
    differential.deposit(path, "mine", {"operations": 1})
    assert (before.st_mtime_ns, before.st_ino) == (path.stat().st_mtime_ns, path.stat().st_ino)
