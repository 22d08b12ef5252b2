"""`generator.bundled.host_group`: what a group refuses, in which order, and what it passes on."""

from types import SimpleNamespace

import pytest
import torch

from generator.bundled.host_group import HostPoolGroup, PoolEntry, PoolName
from generator.pool import LogicalHostPool

NO_ENTRY = "HostPoolGroup requires at least one pool entry."
SAME_NAMES = "HostPoolGroup pool names must be unique."
TWO_ANCHORS = "HostPoolGroup requires at most one anchor pool."
ANCHOR_REPLACED = "Cannot replace the anchor of an existing HostPoolGroup."


def entry(name: object, pool: object = None, *, is_anchor: object = False) -> PoolEntry:
    """Make an entry whose pool, if none is given, has four pages of sixteen slots."""
    host_pool = LogicalHostPool(64, 16, layout=f"layout of {name}") if pool is None else pool
    return PoolEntry(name, host_pool, None, lambda layer: layer, is_anchor)  # type: ignore[arg-type] # odd types


@pytest.fixture
def group() -> HostPoolGroup:
    """Return a side pool, and the anchor after it."""
    return HostPoolGroup([entry(PoolName.SWA), entry(PoolName.KV, is_anchor=True)])


def evaluate(call: str, group: HostPoolGroup) -> object:
    """Evaluate a call as a record would write it; the group's user is not held to its types."""
    kinds = {kind.__name__: kind for kind in (HostPoolGroup, LogicalHostPool, PoolEntry, PoolName)}
    names = {**kinds, "SimpleNamespace": SimpleNamespace, "entry": entry, "group": group, "torch": torch}
    return eval(call, names)  # noqa: S307 - the calls stand in this file


# What raises.

RAISED = (
    ("HostPoolGroup([])", ValueError, NO_ENTRY),
    ("HostPoolGroup(())", ValueError, NO_ENTRY),
    ("HostPoolGroup({})", ValueError, NO_ENTRY),
    ("HostPoolGroup(None)", ValueError, NO_ENTRY),
    ("HostPoolGroup(iter([]))", TypeError, "object of type 'list_iterator' has no len()"),
    ("HostPoolGroup([None])", AttributeError, "'NoneType' object has no attribute 'name'"),
    ("HostPoolGroup(entry('kv'))", TypeError, "'PoolEntry' object is not iterable"),
    ("HostPoolGroup([entry('kv'), entry('kv')])", ValueError, SAME_NAMES),
    ("HostPoolGroup([entry('kv'), entry(PoolName.KV)])", ValueError, SAME_NAMES),
    ("HostPoolGroup([entry(1), entry(True)])", ValueError, SAME_NAMES),
    ("HostPoolGroup([entry(None), entry(None)])", ValueError, SAME_NAMES),
    ("HostPoolGroup([entry('a', is_anchor=True), entry('a', is_anchor=True)])", ValueError, SAME_NAMES),
    ("HostPoolGroup([entry([])])", TypeError, None),
    ("HostPoolGroup([entry('a', is_anchor=True), entry('b', is_anchor=True)])", ValueError, TWO_ANCHORS),
    (
        "HostPoolGroup([entry('a', is_anchor=1), entry('b'), entry('c', is_anchor='x')])",
        ValueError,
        TWO_ANCHORS,
    ),
    ("HostPoolGroup([entry('a', 0)])", AttributeError, "'int' object has no attribute 'layout'"),
    (
        "HostPoolGroup([entry('a', SimpleNamespace(layout=0)), entry('b')])",
        AttributeError,
        "'types.SimpleNamespace' object has no attribute 'page_size'",
    ),
    (
        "HostPoolGroup([entry('a'), entry('b', 0)])",
        AttributeError,
        "'int' object has no attribute 'can_use_write_back_jit'",
    ),
    ("group.add_entry(entry('swa'))", ValueError, "Host pool swa is already registered."),
    ("group.add_entry(entry(PoolName.KV))", ValueError, "Host pool kv is already registered."),
    ("group.add_entry(entry('kv', is_anchor=True))", ValueError, "Host pool kv is already registered."),
    ("group.add_entry(entry('mamba', is_anchor=True))", ValueError, ANCHOR_REPLACED),
    ("group.add_entry(entry('mamba', is_anchor=1))", ValueError, ANCHOR_REPLACED),
    ("group.add_entry('mamba')", AttributeError, "'str' object has no attribute 'name'"),
    ("group.get_entry('mamba')", KeyError, "'mamba'"),
    ("group.get_entry(PoolName.MAMBA)", KeyError, "<PoolName.MAMBA: 'mamba'>"),
    ("group.get_pool('mamba')", KeyError, "'mamba'"),
    (
        "group.get_pool()",
        TypeError,
        "HostPoolGroup.get_pool() missing 1 required positional argument: 'name'",
    ),
    ("group.alloc(16, pool='mamba')", KeyError, "'mamba'"),
    ("group.alloc(16, PoolName.SWA)", TypeError, None),
    ("group.free(torch.arange(16), pool='mamba')", KeyError, "'mamba'"),
    ("group.free(None)", TypeError, "object of type 'NoneType' has no len()"),
    ("group.available_size('mamba')", KeyError, "'mamba'"),
    ("group.size_per_token(1)", TypeError, "'int' object is not callable"),
    ("PoolName('KV')", ValueError, "'KV' is not a valid PoolName"),
)


@pytest.mark.parametrize(("call", "error", "message"), RAISED)
def test_a_wrong_call_raises_upstreams_message_and_changes_nothing(
    group: HostPoolGroup, call: str, error: type[Exception], message: str | None
) -> None:
    """The class and the text are upstream's, or the interpreter's own (None); the group is as before."""
    with pytest.raises(error) as caught:
        evaluate(call, group)
    assert error is type(caught.value)
    assert message in {None, str(caught.value)}
    assert ["swa", "kv"] == [one.name for one in group.entries] == list(group.entry_map)
    assert [64, 64] == [group.available_size(name) for name in (PoolName.KV, PoolName.SWA)]


def test_an_entry_whose_pool_fails_late_stays_registered(group: HostPoolGroup) -> None:
    """The pool is looked at after the entry was put in, so a second try is told that it is there."""
    broken = entry(PoolName.MAMBA, "no pool")
    with pytest.raises(AttributeError, match="no attribute 'can_use_write_back_jit'"):
        group.add_entry(broken)
    assert group.get_entry(PoolName.MAMBA) is broken
    with pytest.raises(ValueError, match=r"^Host pool mamba is already registered\.$"):
        group.add_entry(entry(PoolName.MAMBA))
    with pytest.raises(AttributeError, match="no attribute 'can_use_write_back_jit'"):
        group.add_entry(entry(PoolName.DRAFT))


# What is accepted.


@pytest.mark.parametrize(
    ("entries", "anchor"),
    [
        ("[entry('a'), entry('b')]", "a"),
        ("[entry('a'), entry('b', is_anchor=True)]", "b"),
        ("[entry('a'), entry('b', is_anchor=[0])]", "b"),
        ("(entry('a', is_anchor=0), entry('b', is_anchor=''))", "a"),
        ("[entry('b')]", "b"),
        ("{'x': entry('b', is_anchor=True)}.values()", "b"),
    ],
)
def test_the_anchor_is_the_flagged_entry_else_the_first(
    entries: str, anchor: str, group: HostPoolGroup
) -> None:
    """Whatever is true flags; what is asked without a name goes to the anchor."""
    made = evaluate(f"HostPoolGroup({entries})", group)
    assert isinstance(made, HostPoolGroup)
    assert anchor == made.anchor_entry.name
    assert made.anchor_entry is made.get_entry() is made.get_entry(None)
    assert f"layout of {anchor}" == made.layout
    assert (16, "cpu", 64, 64) == (made.page_size, made.device, made.size, made.logical_size)


@pytest.mark.parametrize(
    ("flags", "every", "some"),
    [
        ((True, True), True, True),
        ((True, False), False, True),
        ((0, 0), False, False),
        ((1, "x"), True, True),
    ],
)
def test_a_group_can_what_all_its_pools_can(flags: tuple[object, ...], every: bool, some: bool) -> None:  # noqa: FBT001
    """One capability needs every pool, the other needs one; both are looked up again at each addition."""
    pools = [LogicalHostPool(64, 16) for _ in flags]
    for pool, flag in zip(pools, flags, strict=True):
        pool.can_use_write_back_jit = flag  # type: ignore[assignment] # whatever is true counts
    group = HostPoolGroup([entry(str(number), pool) for number, pool in enumerate(pools)])
    assert (every, some) == (group.can_use_write_back_jit, group.supports_per_pool_backup_indices)
    group.add_entry(entry("last"))
    assert (every, True) == (group.can_use_write_back_jit, group.supports_per_pool_backup_indices)


def test_an_added_pool_is_found_by_its_name(group: HostPoolGroup) -> None:
    """Also where the name is given as plain text; the anchor stays what it was."""
    mamba = entry(PoolName.MAMBA)
    group.add_entry(mamba)
    assert mamba is group.get_entry(PoolName.MAMBA) is evaluate("group.get_entry('mamba')", group)
    assert mamba.host_pool is group.get_pool(PoolName.MAMBA)
    assert group.anchor_entry.name == PoolName.KV


def test_the_list_of_entries_is_the_groups_own() -> None:
    """What is appended to the caller's list later is not in the group."""
    entries = [entry("a")]
    group = HostPoolGroup(entries)
    entries.append(entry("b"))
    assert ["a"] == [one.name for one in group.entries]


def test_slots_come_from_the_named_pool_and_go_back_to_it(group: HostPoolGroup) -> None:
    """Nothing keeps slots of one pool out of another, as nothing does upstream."""
    taken = group.alloc(32, pool=PoolName.SWA)
    assert taken is not None
    assert (64, 32) == (group.available_size(), group.available_size(PoolName.SWA))
    assert group.free(taken) == 32
    assert (96, 32) == (group.available_size(), group.available_size(PoolName.SWA))


@pytest.mark.parametrize(
    ("size", "reclaim", "asked", "is_served"),
    [
        (16, True, [], True),
        (80, False, [], False),
        (80, True, [80], False),
        (64, True, [64], True),
    ],
)
def test_a_full_pool_is_asked_once_more_after_reclaiming(
    group: HostPoolGroup,
    size: int,
    reclaim: bool,  # noqa: FBT001
    asked: list[int],
    is_served: bool,  # noqa: FBT001
) -> None:
    """The callback gets the whole size; without one, or where it does not help, there is None."""
    held = group.alloc(16)
    assert held is not None
    calls: list[int] = []

    def give_back(need_size: int) -> None:
        calls.append(need_size)
        group.free(held)

    taken = group.alloc(size, reclaim=give_back if reclaim else None)
    assert is_served is (taken is not None)
    assert asked == calls


def test_clearing_reaches_every_pool(group: HostPoolGroup) -> None:
    """Destroying does too, which a pool without buffers does not show."""
    group.alloc(16)
    group.alloc(16, pool=PoolName.SWA)
    group.clear()
    group.destroy()
    assert [64, 64] == [group.available_size(name) for name in (PoolName.KV, PoolName.SWA)]


def test_the_size_of_a_token_is_the_anchors_as_it_is_now(group: HostPoolGroup) -> None:
    """Layout and sizes are kept from construction, this is not."""
    assert group.size_per_token == 0
    group.anchor_entry.host_pool.size_per_token = 3
    group.anchor_entry.host_pool.layout = "other"
    assert (3, "layout of kv") == (group.size_per_token, group.layout)


@pytest.mark.parametrize("name", PoolName)
def test_a_pools_name_is_its_text(name: PoolName) -> None:
    """It prints as, equals and is found by its lower-case name."""
    assert name.name.lower() == name.value == str(name) == f"{name}"
    assert {name.value: 1}[name] == 1
    assert f"<PoolName.{name.name}: '{name.value}'>" == repr(name)
