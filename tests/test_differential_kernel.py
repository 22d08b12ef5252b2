"""The bundled argument checks of `flash_attn_with_kvcache` beside the released function.

The released function runs up to its first kernel call, for which a stand-in ends it; getting there
counts as the None that ours returns. The wheel is large, so this comparison is asked for by
`make test-upstream`, and `.ci/run` asks for it too.
"""

import functools
import inspect
import os
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from generator import wheels
from generator.bundled.flash_attn import flash_attn_with_kvcache
from tests import differential
from tests.differential import Case, Side

NAME = "flash_attn_with_kvcache"
MEMBER = "sgl_kernel/flash_attn.py"
WHEEL = wheels.Wheel(
    requirement="sglang-kernel==0.4.6.post1",
    python="3.11",
    platform="manylinux2014_x86_64",
    file="sglang_kernel-0.4.6.post1-cp310-abi3-manylinux2014_x86_64.whl",
    sha256="5fee1007113c988bf6d448eca4706f7959631d449a429eb790a70bf89ab0ef04",
)
PARAMETERS = inspect.signature(flash_attn_with_kvcache).parameters


# The operations.

TENSORS = (
    *("zeros(2, 1, 4, 8)", "zeros(2, 16, 1, 8)", "zeros(2, 16, 1, 8).mT", "zeros(3, 4)", "zeros(3)"),
    *("zeros()", "zeros(0)", "zeros(2, 16, 1, 0)", "zeros(0, 4).mT", "zeros(3, 4)[:, ::2]"),
    *("zeros(2, 1, 4, 1).expand(2, 1, 4, 8)", "zeros(3, 1).mT", "zeros(3, 4, requires_grad=True)"),
    *("zeros(3, 4, dtype=torch.float16)", "zeros(3, 4, dtype=torch.bfloat16)"),
    *("zeros(3, 4, dtype=torch.int32)", "zeros(3, 4, dtype=torch.bool)"),
    *("zeros(3, 4, dtype=torch.complex64).conj()", "zeros(4, 3).to(torch.float8_e4m3fn).mT"),
    *("zeros(3, 4, device='meta')", "zeros(3, 4, device='meta').mT", "zeros(3, 4).to_sparse()"),
    *("torch.nn.Parameter(zeros(3, 4))", "zeros(2, 3, 4, 8).to(memory_format=torch.channels_last)"),
)
ODD_VALUES = (
    *("None", "True", "0", "7", "-1", "10**30", "1.5", "1j", "'x'", "''", "b'x'", "[]", "[0]", "()"),
    *("(0,)", "{}", "set()", "range(3)", "...", "torch.float32", "zeros(3, 4).numpy()"),
    *("Odd('whole', stride=1, shape=(3, 4), dtype=torch.float32, device='cpu')",),
    *("Odd('whole', stride=1, shape=[3, 4], dtype=None, device=None)", "Odd('empty')"),
    *("Odd('typed', stride=1, shape=(3, 4), dtype='x', device='cpu')", "Odd('strided', stride=2)"),
    *("Odd('placed', stride=1, shape=(3, 4), dtype=torch.int8, device='x')", "Odd('row', stride=1)"),
    *("Odd('shaped', shape=(3, 4))", "Odd('flat', stride=1, shape=4)", "Odd('bare', stride=1, shape=())"),
    *("Odd('wide', stride=1, shape=(3, 'x'), dtype=torch.int8)", "Odd('dense', stride=1, shape=(3, 4))"),
    *("Odd('copied', stride=2, contiguous=None)", "Odd('unplaced', shape=(2,), stride=1, dtype=None)"),
)
SPECIAL: Mapping[str, tuple[str, ...]] = {
    "only_qv": (
        *("True", "False", "1", "0", "None", "'x'", "[]"),
        *("torch.tensor(True)", "torch.tensor([1, 0])", "torch.tensor([0])"),
    ),
    "softmax_scale": ("None", "1.0", "0", "'x'", "float('nan')", "torch.tensor(1.0)"),
    "cache_seqlens": (
        *("None", "0", "7", "-1", "True", "2**31 - 1", "2**31", "2**40", "-2**31", "10**30", "1.5"),
        *("Count(7)", "Count(2**40)", "'x'", "[]", "zeros(2, dtype=torch.int32)", "zeros(2, 3)[:, 0]"),
    ),
    "attention_chunk": (
        *("None", "0", "16", "-1", "True", "'16'", "'x'", "b'16'", "1.5", "float('inf')", "[]"),
        *("float('nan')", "torch.tensor(3)", "torch.tensor([1, 2])", "1j", "10**30", "Odd('empty')"),
    ),
    "window_size": (
        *("(-1, -1)", "[1, 2]", "(1,)", "()", "None", "5", "'ab'", "'a'", "{0: 1, 1: 2}", "{0: 1}"),
        *("{}", "set()", "zeros(2)", "zeros(1)", "zeros()", "range(2)", "(None, 'x', [])"),
    ),
}
QUERY, CACHE, ROWS = "zeros(2, 1, 4, 8)", "zeros(2, 16, 1, 8)", "zeros(3, 4)"
BASES: tuple[Mapping[str, str], ...] = (
    {"q": QUERY, "k_cache": CACHE, "v_cache": CACHE},
    {"q": "None", "k_cache": "None", "v_cache": CACHE, "qv": QUERY, "only_qv": "True"},
    {"q": QUERY, "k_cache": "None", "v_cache": CACHE, "qv": ROWS, "only_qv": "True"},
    {"q": "None", "k_cache": "None", "v_cache": ROWS, "k": ROWS, "qv": ROWS, "only_qv": "True"},
    {"q": "None", "k_cache": ROWS, "v_cache": ROWS, "qv": ROWS, "only_qv": "1", "softmax_scale": "1"},
)
"""Arguments that pass; the first two are tried with every value of every parameter."""
WRONG_CALLS = (
    *("signature({})", "{}()", "{}(None)", "{}(None, None)", "{}(zeros(3), zeros(3))"),
    *("{}(None, None, None, q=None)", "{}(None, None, None, cache_seqlen=3)", "{}(v_cache=None)"),
    *("{}(*[None] * 36)", "{}(*[None] * 37)", "{}(*[zeros(3)] * 3, *[None] * 17, False, (1, 2))"),
)


class Odd:
    """Has the attributes given and no other; what is missing says whose it would have been."""

    def __init__(self, label: str, **attributes: object) -> None:
        self._label = label
        self.__dict__ |= {
            name: (lambda *_, value=value: value) if name in {"stride", "contiguous"} else value
            for name, value in attributes.items()
        }

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"{self._label} has no {name}")


class Count(int):
    """An int that is not quite one."""


def signature(function: Callable[..., object]) -> list[tuple[str, str, object]]:
    """Say each parameter's name, kind and default."""
    none = inspect.Parameter.empty
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.kind.name, "" if one.default is none else (one.default,)) for one in parameters]


def names() -> Mapping[str, object]:
    """Return what the arguments may name."""
    return {"torch": torch, "zeros": torch.zeros, "Odd": Odd, "Count": Count, "signature": signature}


def values(parameter: str) -> tuple[str, ...]:
    """Return all that is tried for a parameter."""
    return (*SPECIAL.get(parameter, ()), *ODD_VALUES, *TENSORS)


def operations(chance: random.Random) -> Iterator[str]:
    """Yield every pattern of what is given, every value for every parameter, then mixtures without end."""

    def call(given: Mapping[str, str]) -> str:
        return f"{NAME}({', '.join(f'{name}={value}' for name, value in given.items())})"

    yield from (wrong.format(NAME) for wrong in WRONG_CALLS)
    choices = {
        **dict.fromkeys(("q", "k_cache", "v_cache", "k", "v", "qv"), ("None", CACHE)),
        "only_qv": ("False", "True"),
        "softmax_scale": ("None", "1.0"),
        "cache_seqlens": ("None", "7"),
    }
    for pattern in product(*choices.values()):
        yield call(dict(zip(choices, pattern, strict=True)))
    for base, parameter in product(BASES[:2], PARAMETERS):
        yield from (call({**base, parameter: value}) for value in values(parameter))
    while True:
        given = dict(chance.choice(BASES))
        for parameter in chance.choices(tuple(PARAMETERS), k=chance.choice((1, 2, 2, 3, 4, 6))):
            given[parameter] = chance.choice(values(parameter))
        yield call(given)


# The two sides.


class KernelReached(Exception):  # noqa: N818 - no error: the end of what is compared
    """Raised in place of the released function's first kernel call."""


def kernel(*_: object) -> None:
    """Stand in for `torch.ops.sgl_kernel.fwd.default`."""
    raise KernelReached


CASE = Case(
    subject=f"sgl_kernel.{NAME}",
    repository="sgl-project/sglang",
    source="generator/bundled/flash_attn.py",
    bundled={NAME: flash_attn_with_kvcache},
    member=MEMBER,
    definitions=((MEMBER, "maybe_contiguous"), (MEMBER, NAME)),
    imports={
        # All that the released text uses of torch, so that nothing of it goes unseen.
        "torch": SimpleNamespace(
            empty=torch.empty,
            full=torch.full,
            int32=torch.int32,
            ops=SimpleNamespace(sgl_kernel=SimpleNamespace(fwd=SimpleNamespace(default=kernel))),
        ),
        # Gives the function back as it is, unless the environment asks for a log of kernel calls.
        "maybe_wrap_debug_kernel": lambda function: function,
    },
    names=names,
    operations=operations,
    watched=(),
    requires=("torch",),
)


def checking(side: Side) -> Side:
    """The side's function as ours is: None where the kernel is reached, and never anything else."""
    function = side[NAME]
    assert callable(function)

    @functools.wraps(function)
    def call(*given: object, **named: object) -> None:
        try:
            function(*given, **named)
        except KernelReached:
            return
        raise AssertionError("the released function came back without its kernel")

    return {NAME: call}


def large(wheel: wheels.Wheel) -> Path:
    """Return where the large wheel is; the test is skipped unless it was asked for."""
    if os.environ.get("PAGEFAULT_UPSTREAM_LARGE") != "1":
        pytest.skip(f"{wheel.requirement} has 377 MB: `make test-upstream` compares with it")
    return differential.fetched(wheel)


# The tests.


@pytest.mark.upstream
def test_the_bundled_checks_do_what_the_released_ones_do() -> None:
    """Ten thousand argument lists, sound and odd, are refused alike or reach the kernel alike."""
    read = functools.partial(wheels.read, large(WHEEL))
    released = checking(differential.original(CASE, read))
    agreement = differential.compare(CASE, released, CASE.bundled, differential.seeded(CASE))
    assert agreement.operations >= 10_000
    assert agreement.operations - sum(agreement.raised.values()) >= 2_000, "too few reach the kernel"
    folder = differential.ROOT / "records" / CASE.repository
    differential.deposit(
        folder / "differential.json", CASE.subject, differential.warrant(CASE, WHEEL, agreement)
    )


def edited(*changes: tuple[str, str]) -> Side:
    """Our function after replacing texts of its source."""
    text = (differential.ROOT / CASE.source).read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    names: dict[str, object] = {"__name__": "edited"}
    exec(compile(text, CASE.source, "exec"), names)
    return {NAME: names[NAME]}


CHANGES = (
    ("    if v_cache is None:\n", "    if v_cache is None and q is not None:\n"),
    ('provided")\n    _require_dense_rows("v_cache", v_cache)', 'provided")'),
    ("        k_cache = _stand_in_keys", "        return\n        k_cache = _stand_in_keys"),
    ('    _require_dense_rows("k_cache", k_cache)\n', ""),
    (
        '            raise ValueError("q can only',
        '            return\n            raise ValueError("q can only',
    ),
    ("q must be provided unless qv is provided with", "q must be provided unless qv is given with"),
    ("k_cache.shape[-1]), dtype=qv.dtype", "8), dtype=qv.dtype"),
    ("dtype=qv.dtype, device=qv.device", "device=qv.device, dtype=qv.dtype"),
    ("(0 if qv is None else qv.shape[-1])", "0"),
    ("        elif qv is None:\n", "        elif qv is None and k is None:\n"),
    ("            _scale(qv.shape[-1])", "            qv.shape"),
    ("isinstance(cache_seqlens, int)", "type(cache_seqlens) is int"),
    ("(q.shape[0],), cache_seqlens", "(1,), cache_seqlens"),
    ("cache_seqlens, dtype=torch.int32", "cache_seqlens, dtype=torch.int64"),
    ("(q, k, v, *indices", "(q, v, k, *indices"),
    ("(cu_seqlens_q, cu_seqlens_k_new,", "(cu_seqlens_k_new, cu_seqlens_q,"),
    (" rotary_sin, rotary_seqlens)", " rotary_seqlens, rotary_sin)"),
    ("cache_batch_idx, cache_leftpad)\n", "cache_batch_idx)\n"),
    ("        int(attention_chunk)\n", "        float(attention_chunk)\n"),
    ("_left, _right = window_size[0], window_size[1]", "_left, _right = window_size"),
    ("raise AssertionError(f", "raise ValueError(f"),
    ("model = k if q is None else q", "model = q"),
    (
        "width, dtype, device = model.shape[-1], model.dtype",
        "dtype, width, device = model.dtype, model.shape[-1]",
    ),
    ("tensor.contiguous() if", "tensor if"),
    ("only_qv: object = False", "only_qv: object = True"),
)


@pytest.mark.parametrize("change", CHANGES, ids=[old.strip() for old, _ in CHANGES])
def test_the_comparison_finds_changed_checks(change: tuple[str, str]) -> None:
    """A function that departs from ours in one check, message, order or default is found out."""
    with pytest.raises(AssertionError, match="differs:"):
        differential.compare(CASE, CASE.bundled, edited(change), differential.seeded(CASE))


def test_the_comparison_passes_checks_that_do_the_same() -> None:
    """What finds the changed checks is their change, not the way in which they are made."""
    agreement = differential.compare(CASE, CASE.bundled, edited(), differential.seeded(CASE))
    assert differential.OPERATIONS == agreement.operations


def test_a_released_function_that_needs_no_kernel_is_no_agreement() -> None:
    """Coming back early is another outcome than reaching the kernel."""
    (call,) = checking({NAME: lambda: None}).values()
    assert callable(call)
    with pytest.raises(AssertionError, match="came back without its kernel"):
        call()
    (call,) = checking({NAME: kernel}).values()
    assert callable(call)
    assert call() is None


def test_the_large_wheel_is_used_only_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain test run says which command compares; once asked for, a missing wheel is as any other."""

    def unavailable(*_: object) -> Path:
        raise wheels.WheelUnavailable("no network")

    monkeypatch.setattr(wheels, "fetch", unavailable)
    monkeypatch.setenv("PAGEFAULT_REQUIRE_UPSTREAM", "1")
    monkeypatch.delenv("PAGEFAULT_UPSTREAM_LARGE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="make test-upstream"):
        large(WHEEL)
    monkeypatch.setenv("PAGEFAULT_UPSTREAM_LARGE", "1")
    with pytest.raises(wheels.WheelUnavailable, match="no network"):
        large(WHEEL)
    monkeypatch.delenv("PAGEFAULT_REQUIRE_UPSTREAM")
    with pytest.raises(pytest.skip.Exception, match="not compared with upstream: no network"):
        large(WHEEL)
