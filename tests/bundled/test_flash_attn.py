"""`generator.bundled.flash_attn`: each argument check, their order, and what passes them all."""

from itertools import combinations

import pytest
import torch

from generator.bundled.flash_attn import flash_attn_with_kvcache

BATCH, LENGTH, HEADS, WIDTH = 2, 16, 4, 8


class Odd:
    """Has a query's shape and nothing else of a tensor."""

    shape = (BATCH, 1, HEADS, WIDTH)


# What raises.

V_CACHE = "v_cache must be provided"
V_ROWS = "v_cache must have contiguous last dimension"
K_CACHE = "k_cache can only be None when only_qv=True"
K_ROWS = "k_cache must have contiguous last dimension"
Q = "q can only be None when only_qv=True"
Q_OR_QV = "q must be provided unless qv is provided with only_qv=True"
QV = "only_qv=True requires qv to be provided"
ZERO_WIDTH = r"0\.0 cannot be raised to a negative power|zero to a negative power"


def check(arguments: str) -> object:
    """Call the function with arguments written as in a record; its user is not held to its types."""
    names = {
        "check": flash_attn_with_kvcache,
        "torch": torch,
        "Odd": Odd,
        "q": torch.zeros(BATCH, 1, HEADS, WIDTH),
        "k": torch.zeros(BATCH, LENGTH, 1, WIDTH),
        "v": torch.zeros(BATCH, LENGTH, 1, WIDTH),
        "qv": torch.zeros(BATCH, 1, HEADS, WIDTH),
    }
    return eval(f"check({arguments})", names)  # noqa: S307 - the arguments stand in this file


RAISED = (
    ("q, k, None", ValueError, V_CACHE),
    ("None, None, None, qv=qv, only_qv=True", ValueError, V_CACHE),
    ("q, k, v[..., ::2]", AssertionError, V_ROWS),
    ("q, k, v.transpose(1, 3)", AssertionError, V_ROWS),
    ("q, None, v", ValueError, K_CACHE),
    ("q, None, v, qv=qv", ValueError, K_CACHE),
    ("q, None, v, only_qv=0", ValueError, K_CACHE),
    ("q, k[..., ::2], v", AssertionError, K_ROWS),
    ("None, k, v", ValueError, Q),
    ("None, k, v, qv=qv", ValueError, Q),
    ("None, k, v, only_qv=True", ValueError, Q_OR_QV),
    ("None, None, v, only_qv=True", ValueError, Q_OR_QV),
    ("None, k, v, only_qv=True, softmax_scale=1.0", ValueError, Q_OR_QV),
    ("q, k, v, only_qv=True", ValueError, QV),
    ("q, None, v, only_qv=True", ValueError, QV),
    ("q[..., :0], k, v", ZeroDivisionError, ZERO_WIDTH),
    ("q, k, v, qv=qv[..., :0], only_qv=True", ZeroDivisionError, ZERO_WIDTH),
    ("q, k, v, cache_seqlens=2**40", RuntimeError, "cannot be converted"),
    ("q.tolist(), k, v", AttributeError, "'list' object has no attribute 'shape'"),
    ("q, k.tolist(), v", AttributeError, "'list' object has no attribute 'stride'"),
    ("q, k, v.numpy()", AttributeError, "'numpy.ndarray' object has no attribute 'stride'"),
    ("q, k, v, page_table=[[0]]", AttributeError, "'list' object has no attribute 'stride'"),
    ("q, k, torch.tensor(1.0)", IndexError, "Dimension specified as -1"),
    ("q, k, v, attention_chunk='x'", ValueError, "invalid literal for int"),
    ("q, k, v, window_size=None", TypeError, "'NoneType' object is not subscriptable"),
    ("q, k, v, window_size=(1,)", IndexError, "tuple index out of range"),
    ("q, k", TypeError, "missing 1 required positional argument: 'v_cache'"),
)

PASSING = (
    "q, k, v",
    "q, k, v, qv=qv",
    "q, k, v, qv=qv, only_qv=True",
    "q, None, v, qv=qv, only_qv=True",
    "None, k, v, qv=qv, only_qv=True",
    "None, None, v, k=k, qv=qv, only_qv=True",
    "None, None, v, qv=qv, only_qv=1",
    "q, k, v, only_qv=True, softmax_scale=1.0",
    "q[..., :0], k, v, softmax_scale=1.0",
    "q.mT, k, v, k=k.mT, v=v.mT",
    "q, k, v, cache_seqlens=7",
    "q, k, v, cache_seqlens=torch.zeros(2, 3)[:, 0]",
    "q, k, v, cache_seqlens='x'",
    "q, k, v, attention_chunk='16', window_size='ab'",
    "q[0, 0, 0], k[0], v[0, 0, 0]",
    "q.double(), k.half(), v.int(), out='x', return_softmax_lse=True",
)

NO_STRIDE = "'{}' object has no attribute 'stride'"
ORDER = (
    ("v_cache", "None", V_CACHE),
    ("v_cache", "v[..., ::2]", V_ROWS),
    ("k_cache", "None", K_CACHE),
    ("k_cache", "k[..., ::2]", K_ROWS),
    ("q", "None", Q),
    ("q", "q[..., :0]", ZERO_WIDTH),
    ("cache_seqlens", "2**40", "cannot be converted"),
    ("q", "Odd()", NO_STRIDE.format("Odd")),
    ("k", "[]", NO_STRIDE.format("list")),
    ("v", "()", NO_STRIDE.format("tuple")),
    ("cu_seqlens_q", "{}", NO_STRIDE.format("dict")),
    ("cu_seqlens_k_new", "''", NO_STRIDE.format("str")),
    ("page_table", "0", NO_STRIDE.format("int")),
    ("cache_batch_idx", "0.0", NO_STRIDE.format("float")),
    ("cache_leftpad", "0j", NO_STRIDE.format("complex")),
    ("rotary_cos", "b''", NO_STRIDE.format("bytes")),
    ("rotary_sin", "set()", NO_STRIDE.format("set")),
    ("rotary_seqlens", "...", NO_STRIDE.format("ellipsis")),
    ("attention_chunk", "'x'", "invalid literal for int"),
    ("window_size", "()", "tuple index out of range"),
)
"""An argument that a check refuses, and the check's message; the earlier check stands first."""


@pytest.mark.parametrize(("arguments", "kind", "message"), RAISED)
def test_a_check_raises_its_class_and_message(arguments: str, kind: type[Exception], message: str) -> None:
    """What is missing, strided or of another type is refused as upstream refuses it."""
    with pytest.raises(kind, match=message) as caught:
        check(arguments)
    assert kind is caught.type


@pytest.mark.parametrize("message", [V_CACHE, V_ROWS, K_CACHE, K_ROWS, Q, Q_OR_QV, QV])
def test_a_message_is_written_whole(message: str) -> None:
    """The seven messages of upstream's own are raised without anything around them."""
    arguments, kind = next((one, kind) for one, kind, text in RAISED if text == message)
    with pytest.raises(kind) as caught:
        check(arguments)
    assert message == str(caught.value)


@pytest.mark.parametrize("arguments", PASSING)
def test_arguments_that_pass_give_none(arguments: str) -> None:
    """Nothing is computed, and nothing said of what the kernel would do with them."""
    assert check(arguments) is None


@pytest.mark.parametrize(("earlier", "later"), list(combinations(ORDER, 2)))
def test_the_earlier_check_speaks_first(earlier: tuple[str, str, str], later: tuple[str, str, str]) -> None:
    """Where two checks refuse, the one that upstream has first is the one heard."""
    given = {"q": "q", "k_cache": "k", "v_cache": "v"}
    given |= {name: value for name, value, _ in (later, earlier)}
    with pytest.raises(Exception, match=earlier[2]):
        check(", ".join(f"{name}={value}" for name, value in given.items()))
