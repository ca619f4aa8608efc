"""Operand rules: which tensors of an operation may be on another device than the rest.

The general rules come first: an operator whose CUDA kernel torch's build checks takes all tensors from one
device (:mod:`generated_checks`); every other one runs over a TensorIterator (:mod:`iterator_rules`). The
table names those that differ, and those that the dispatch mode sees whole where CUDA sees parts. What the
rules say was compared with an H200, operator by operator (tests/fidelity).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

import torch

from . import composite_rules, dtype_rules, foreach_rules, indexing_rules, layer_rules, torchvision_rules
from .generated_checks import checked, method_of, overload_of, sparse_key
from .iterator_rules import elementwise
from .kernel_table import HOST_ONLY
from .operands import Call, DeviceOf, LeftToTorchError, RefusedError, blamed_in
from .refusals import Refusal

#: Where the results are: one device for all, a device for each, or None for what fits every device.
Verdict = Union[torch.device, list[Optional[torch.device]], Refusal, None]
_Rule = Callable[[Call], Any]

#: Operators that take the other tensors from wherever they are.
_FREE = (
    "copy_ copy _to_copy is_same_size resize_as_ bernoulli_ is_set_to _has_same_storage_numel "
    "slice_scatter select_scatter diagonal_scatter as_strided_scatter slice_inverse _ctc_loss _use_cudnn_ctc_loss "
    "record_stream set_data _make_dual _has_compatible_shallow_copy_type linspace logspace randint_like "
    "_nested_tensor_from_mask_left_aligned _assert_tensor_metadata"
).split()

_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_FREE, indexing_rules.of_self),
    **dict.fromkeys(["index", "_unsafe_index"], indexing_rules.index),
    **dict.fromkeys(
        ["index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"], indexing_rules.index_put
    ),
    "_unsafe_masked_index": indexing_rules.unsafe_masked_index,
    "_unsafe_masked_index_put_accumulate": indexing_rules.unsafe_masked_index_put,
    **dict.fromkeys(["masked_fill", "masked_fill_"], indexing_rules.masked_fill),
    **dict.fromkeys(["index_fill", "index_fill_"], indexing_rules.index_fill),
    "masked_scatter": indexing_rules.masked_scatter,
    "put": indexing_rules.put,
    **dict.fromkeys(["fill", "fill_"], indexing_rules.fill),
    "where": indexing_rules.where,
    "set_": indexing_rules.set_source,
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], composite_rules.logical),
    **dict.fromkeys(["logical_and_", "logical_or_", "logical_xor_"], composite_rules.logical),
    **dict.fromkeys(["ldexp", "ldexp_"], composite_rules.ldexp),
    **dict.fromkeys(["dist", "allclose"], composite_rules.difference),
    "_euclidean_dist": composite_rules.euclidean,
    "soft_margin_loss": composite_rules.soft_margin_loss,
    "binary_cross_entropy_with_logits": composite_rules.cross_entropy_with_logits,
    "addr_": composite_rules.addr_in_place,
    **dict.fromkeys(["complex", "polar"], composite_rules.complex_of),
    "stack": composite_rules.stack,
    "block_diag": composite_rules.block_diag,
    "mv": composite_rules.mv,
    "linear": composite_rules.linear_of_nested,
    "embedding": composite_rules.embedding,
    "cholesky_solve": composite_rules.cholesky_solve,
    "linalg_lstsq": composite_rules.lstsq,
    "linalg_pinv": composite_rules.pinv,
    "_trilinear": composite_rules.trilinear,
    "searchsorted": composite_rules.searchsorted,
    "segment_reduce": composite_rules.segment_reduce,
    "_sparse_coo_tensor_with_dims_and_tensors": composite_rules.sparse_tensor,
    "_sparse_addmm": composite_rules.sparse_addmm,
    "_pack_padded_sequence": composite_rules.packed,
    **dict.fromkeys(["convolution", "_convolution"], layer_rules.convolution),
    "native_batch_norm": layer_rules.batch_norm,
    "_scaled_dot_product_flash_attention_for_cpu": layer_rules.attention_on_host,
}

#: Operators whose rule tells as well of ``out``; of others what is generated does.
_RULED_WITH_OUT = frozenset({"aten::where", "aten::stack"})


def judge(
    func: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tensors: Sequence[torch.Tensor],
    device_of: DeviceOf,
) -> Verdict:
    """The device of the results of an operation whose operands claim several, or why it is refused."""
    call = Call(func, args, kwargs, tensors, device_of)
    try:
        return foreach_rules.one_by_one(call, _ruled) if foreach_rules.is_foreach(func) else _ruled(call)
    except LeftToTorchError:
        return call.accelerator
    except RefusedError as refused:
        return _with_blamed(call, refused.refusal)


def _with_blamed(call: Call, refusal: Refusal) -> Refusal:
    return refusal if refusal.blamed else refusal._replace(blamed=blamed_in(call, refusal.kind))


def _ruled(call: Call) -> Any:
    rule = _rule_for(call.func)
    if rule is not None:
        return rule(call)
    method = method_of(call)
    return elementwise(call) if method is None else checked(call, method)


def _rule_for(func: Any) -> Optional[_Rule]:
    name = str(func._schema.name)
    if name in torchvision_rules.ASKING:
        return torchvision_rules.all_there
    if not name.startswith("aten::"):
        return None
    rule = _RULES.get(name[len("aten::") :])
    out = any(argument.is_out for argument in func._schema.arguments)
    return None if out and name not in _RULED_WITH_OUT else rule


def is_particular(func: Any) -> bool:
    """Whether an operator may refuse tensors that are all on one accelerator."""
    name = func._schema.name
    return name in _ALONE or name in dtype_rules.REFUSED or _is_missing(func)


def alone(
    func: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tensors: Sequence[torch.Tensor],
    device: torch.device,
) -> Verdict:
    """The same for operands that all claim one accelerator: few operations refuse that."""
    try:
        placed, dtypes, _kept = _alone[id(func)]
    except KeyError:
        name = func._schema.name
        placed = _ALONE.get(name) or (_unknown if _is_missing(func) else None)
        dtypes = dtype_rules.REFUSED.get(name)
        _alone[id(func)] = placed, dtypes, func
    if dtypes is not None and device.type == "cuda":
        refusal = dtypes(func, args, device)
        if refusal is not None:
            return refusal
    if placed is None:
        return device
    call = Call(func, args, kwargs, tensors, lambda _: device)
    try:
        return placed(call)  # type: ignore[no-any-return]
    except RefusedError as refused:
        return _with_blamed(call, refused.refusal)


#: The rules for operands on one accelerator, on places and on dtypes, where there are any.
#: By identity, since the hash of an operator is computed in Python; it is kept, so that the identity stays its own.
_alone: dict[int, tuple[Optional[_Rule], Optional[dtype_rules.Rule], Any]] = {}


def _lengths_on_host(call: Call) -> Verdict:
    """native/PackedSequence.cpp ``checkLongTensor``."""
    lengths = call.get("lengths")
    kind = str(lengths.dtype).replace("torch.", "").replace("int64", "Long").replace("int32", "Int")
    device = call.device_of(lengths)
    text = (
        f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {device} {kind} tensor"
    )
    raise RefusedError(Refusal(text, "host-only", blamed=(lengths,)))


def _unknown(call: Call) -> Verdict:
    raise layer_rules.not_implemented(
        overload_of(call.func), sparse_key(call) + call.accelerator.type.upper(), call.func.namespace
    )


def _is_missing(func: Any) -> bool:
    """Whether the accelerator has no kernel for an operator that only a program itself asks for."""
    name = overload_of(func)
    if func.namespace == "quantized":
        return name in _QUANTIZED_ON_HOST
    return func.namespace == "aten" and name in HOST_ONLY and "mkldnn" not in name and "_for_cpu" not in name


#: What a layer calls that was quantised as it runs.
_QUANTIZED_ON_HOST = frozenset({"linear_dynamic", "linear_relu_dynamic"})

_ALONE: dict[str, _Rule] = {"aten::_pack_padded_sequence": _lengths_on_host}
