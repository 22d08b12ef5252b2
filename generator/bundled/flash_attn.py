# ruff: noqa: ARG001, FBT002, PLR0917 - upstream's signature is kept whole; no check looks at most of it
"""The bundled subject `sgl_kernel.flash_attn_with_kvcache`: its argument checks, and no attention.

An independent implementation of what `flash_attn_with_kvcache` does with its arguments before its
first kernel call, in sgl-project/sglang, sgl-kernel/python/sgl_kernel/flash_attn.py. Its lines were
read in the release sglang-kernel 0.4.6.post1, not at the commit that the records pin. Names, message
texts and the order of the checks are upstream's; the code is not. What a check trips over (a tensor
without dimensions, a list, a head of size 0) is raised as it comes, so nothing here may be tidied up.
"""

import torch

PLACEHOLDER = 64
"""Size of a key head where neither a query nor a new key gives one."""


def flash_attn_with_kvcache(
    q: torch.Tensor | None,
    k_cache: torch.Tensor | None,
    v_cache: torch.Tensor | None,
    k: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
    qv: torch.Tensor | None = None,
    rotary_cos: torch.Tensor | None = None,
    rotary_sin: torch.Tensor | None = None,
    cache_seqlens: int | torch.Tensor | None = None,
    cache_batch_idx: torch.Tensor | None = None,
    cache_leftpad: torch.Tensor | None = None,
    page_table: torch.Tensor | None = None,
    cu_seqlens_q: torch.Tensor | None = None,
    cu_seqlens_k_new: torch.Tensor | None = None,
    max_seqlen_q: object = None,
    rotary_seqlens: torch.Tensor | None = None,
    q_descale: object = None,
    k_descale: object = None,
    v_descale: object = None,
    softmax_scale: float | None = None,
    causal: object = False,
    window_size: tuple[int, int] = (-1, -1),
    attention_chunk: int | None = None,
    softcap: object = 0.0,
    rotary_interleaved: object = True,
    scheduler_metadata: object = None,
    num_splits: object = 0,
    pack_gqa: object = None,
    only_qv: object = False,
    sm_margin: object = 0,
    return_softmax_lse: object = False,
    sinks: object = None,
    score_mod: object = None,
    aux_tensors: object = None,
    ver: object = 3,
    out: object = None,
) -> None:
    """None where the arguments pass: upstream calls its kernel then, which may refuse them still.

    `v_cache` is always needed. `q` and `k_cache` may be None with `only_qv`, and `q` then only with
    `qv`. Raises ValueError for what is missing, AssertionError for a cache whose last dimension is
    not contiguous (upstream asserts it, so not under `python -O`). Shapes are never compared.
    """
    if v_cache is None:
        raise ValueError("v_cache must be provided")
    _require_dense_rows("v_cache", v_cache)
    if k_cache is None:
        if not only_qv:
            raise ValueError("k_cache can only be None when only_qv=True")
        k_cache = _stand_in_keys(q, k, v_cache)
    _require_dense_rows("k_cache", k_cache)
    if q is None:
        if not only_qv:
            raise ValueError("q can only be None when only_qv=True")
        if qv is None:
            raise ValueError("q must be provided unless qv is provided with only_qv=True")
        q = torch.empty((*qv.shape[:-1], k_cache.shape[-1]), dtype=qv.dtype, device=qv.device)
    if softmax_scale is None:
        if not only_qv:
            _scale(q.shape[-1] + (0 if qv is None else qv.shape[-1]))
        elif qv is None:
            raise ValueError("only_qv=True requires qv to be provided")
        else:
            _scale(qv.shape[-1])
    if isinstance(cache_seqlens, int):
        torch.full((q.shape[0],), cache_seqlens, dtype=torch.int32, device=v_cache.device)
    indices = (cu_seqlens_q, cu_seqlens_k_new, page_table, cache_batch_idx, cache_leftpad)
    for tensor in (q, k, v, *indices, rotary_cos, rotary_sin, rotary_seqlens):
        _with_dense_rows(tensor)
    if attention_chunk is not None:
        int(attention_chunk)
    _left, _right = window_size[0], window_size[1]


def _require_dense_rows(name: str, cache: torch.Tensor) -> None:
    """Raise AssertionError unless the elements of the last dimension lie side by side."""
    if cache.stride(-1) != 1:
        raise AssertionError(f"{name} must have contiguous last dimension")


def _stand_in_keys(q: torch.Tensor | None, k: torch.Tensor | None, v_cache: torch.Tensor) -> torch.Tensor:
    """Keys that no kernel reads: as many as there are values, with heads as wide as a query's."""
    model = k if q is None else q
    if model is None:
        width, dtype, device = PLACEHOLDER, v_cache.dtype, v_cache.device
    else:
        width, dtype, device = model.shape[-1], model.dtype, model.device
    return torch.empty((*v_cache.shape[:-1], width), dtype=dtype, device=device)


def _scale(width: int) -> float:
    """The softmax scale for heads of that size. Raises ZeroDivisionError for 0."""
    scale: float = width**-0.5
    return scale


def _with_dense_rows(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """The tensor, or a copy of it, with the elements of its last dimension side by side."""
    return tensor.contiguous() if tensor is not None and tensor.stride(-1) != 1 else tensor
