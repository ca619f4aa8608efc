"""Layers whose CUDA kernel is chosen by devices, dtypes and shapes, and with it the words of the refusal."""

from __future__ import annotations

from typing import Any, Optional

import torch

from .claims import CPU
from .generated_checks import same_device
from .iterator_rules import apart
from .operands import Call, refuse

_LEGACY_NAMES = {
    torch.float32: "FloatTensor",
    torch.float64: "DoubleTensor",
    torch.float16: "HalfTensor",
    torch.uint8: "ByteTensor",
    torch.int8: "CharTensor",
    torch.int16: "ShortTensor",
    torch.int32: "IntTensor",
    torch.int64: "LongTensor",
}
#: What cuDNN's batch norm takes at most (native/Normalization.cpp).
_MOST_ROWS_TRAINING, _MOST_ROWS = 880801, 65535
_SLOW_CONVOLUTIONS = {
    "Slow2d": "_slow_conv2d_forward",
    "SlowDilated2d": "slow_conv_dilated2d",
    "SlowDilated3d": "slow_conv_dilated3d",
    "SlowTranspose3d": "slow_conv_transpose3d",
}


def short_name(dtype: torch.dtype) -> str:
    """The name of a dtype in messages, such as ``Float``."""
    if dtype in _LEGACY_NAMES:
        return _LEGACY_NAMES[dtype][: -len("Tensor")]
    return {torch.bfloat16: "BFloat16", torch.bool: "Bool"}.get(dtype, str(dtype)[6:].title())


def type_name(tensor: torch.Tensor, device: Optional[torch.device]) -> str:
    """The old name of a tensor's type, such as ``torch.cuda.FloatTensor``."""
    host = device is None or device.type == "cpu"
    if tensor.dtype in _LEGACY_NAMES:
        return ("torch." if host else f"torch.{device.type if device else ''}.") + _LEGACY_NAMES[tensor.dtype]
    return ("CPU" if host else str(device.type if device else "").upper()) + short_name(tensor.dtype) + "Type"


def not_implemented(name: str, backend: str = "CUDA", namespace: str = "aten") -> Exception:
    """What the dispatcher says of an operator without a kernel for the accelerator."""
    return refuse(
        f"Could not run '{namespace}::{name}' with arguments from the '{backend}' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process "
        "(if using custom build).",
        error=NotImplementedError,
    )


def convolution(call: Call) -> Optional[torch.device]:
    """native/Convolution.cpp: the input's device chooses the kernel, and what it refuses.

    cuDNN compares types first; of the kernels for the CPU, oneDNN's does so too, and the others have
    CUDA twins whose generated check is what speaks.
    """
    given, weight, bias = call.get("input"), call.get("weight"), call.get("bias")
    where = call.device_of(given)
    if where is not None and where.type != "cpu" and not _is_output_padding_big(call):
        if is_depthwise(given, weight, call.get("groups"), transposed=call.get("transposed")):
            method = "conv_depthwise3d" if given.dim() == 5 else "_conv_depthwise2d"
            named = [("self", where), ("weight", call.device_of(weight))]
            named += [("bias", call.device_of(bias))] if bias is not None else []
            return same_device(named, f"wrapper_CUDA__{method}")
        _same_type(call, given, weight, bias, "")
        transposed = "_transpose" if call.get("transposed") else ""
        named = [("self", where), ("weight", call.device_of(weight))]
        same_device(named, f"wrapper_CUDA__cudnn_convolution{transposed}")
        if bias is not None and call.device_of(bias) not in (None, where):
            # It is added to what cuDNN computed.
            raise apart(where, call.device_of(bias))
        return where
    others = {call.device_of(tensor) for tensor in (weight, bias) if tensor is not None} - {None}
    if others <= {where}:
        return where
    backend = _backend_on_host(call) if where == CPU else f"SlowTranspose{given.dim() - 2}d"
    if backend.startswith(("Mkldnn", "???")):
        # torch has no name for oneDNN's transposed convolution.
        _same_type(call, given, weight, bias, " or input should be a MKLDNN tensor and {} is a dense tensor")
    if backend == "Slow3d":
        raise not_implemented("slow_conv3d_forward")
    named = [("self", where), ("weight", call.device_of(weight))]
    named += [("bias", call.device_of(bias))] if bias is not None else []
    if backend == "SlowTranspose2d":
        return same_device(named, "wrapper_CUDA_slow_conv_transpose2d")
    return same_device(named, "wrapper_CUDA__" + _SLOW_CONVOLUTIONS.get(backend, "_slow_conv2d_forward"))


def is_depthwise(given: torch.Tensor, weight: torch.Tensor, groups: int, *, transposed: bool) -> bool:
    """Whether each channel is convolved on its own, which CUDA has kernels of its own for."""
    channels = given.dim() - weight.dim() + 1
    return not transposed and groups > 1 and given.size(channels) == groups and weight.size(0) % groups == 0


def _is_output_padding_big(call: Call) -> bool:
    """Whether a transposed convolution is none that cuDNN takes."""
    return bool(call.get("transposed")) and any(
        padding >= stride for padding, stride in zip(call.get("output_padding"), call.get("stride"))
    )


def _same_type(call: Call, given: torch.Tensor, weight: torch.Tensor, bias: Any, rest: str) -> None:
    own = type_name(given, call.device_of(given))
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is None or call.device_of(tensor) is None:
            continue
        other = type_name(tensor, call.device_of(tensor))
        if other != own:
            raise refuse(
                f"Input type ({own}) and {name} type ({other}) should be the same" + rest.format(name)
            )


def _backend_on_host(call: Call) -> str:
    names = (
        "input",
        "weight",
        "bias",
        "stride",
        "padding",
        "dilation",
        "transposed",
        "output_padding",
        "groups",
    )
    try:
        chosen = torch._C._select_conv_backend(*map(call.get, names))
    except (RuntimeError, AttributeError, TypeError):
        return ""
    return str(chosen.name)


def batch_norm(call: Call) -> Optional[torch.device]:
    """native/Normalization.cpp ``_batch_norm_impl_index``: cuDNN's kernel where it is able to."""
    method = "cudnn_batch_norm" if _fits_cudnn(call) else "native_batch_norm"
    names = ("input", "weight", "bias", "running_mean", "running_var")
    operands = [(name, call.operand(name)) for name in names]
    named = ((name, operand.device) for name, operand in operands if operand is not None)
    return same_device(named, f"wrapper_CUDA__{method}")


def _fits_cudnn(call: Call) -> bool:
    given = call.get("input")
    where = call.device_of(given)
    if where is None or where.type != "cuda" or given.dtype == torch.bfloat16 or given.dim() < 3:
        return False
    training = bool(call.get("training"))
    statistics = [call.get(name) is not None for name in ("running_mean", "running_var")]
    return (
        call.get("weight") is not None
        and call.get("bias") is not None
        and (all(statistics) or (training and not any(statistics)))
        and given.size(0) <= (_MOST_ROWS_TRAINING if training else _MOST_ROWS)
    )


def attention_on_host(call: Call) -> Optional[torch.device]:
    """The kernel that scaled_dot_product_attention takes on the CPU; CUDA has another for each dtype.

    transformers/cuda/sdp_utils.cpp: float32 goes to the memory-efficient one; what none takes is composed. A mask on the
    accelerator beside a query on the host is refused.
    """
    query, mask = call.need("query"), call.operand("attn_mask")
    if mask is None or mask.device in (None, query.device) or query.device is None:
        return query.device
    if query.device == CPU:
        raise not_implemented("_scaled_dot_product_flash_attention_for_cpu")
    assert mask.device is not None  # noqa: S101 - said above
    refuse_mask(query.device, mask.device, call.get("query"))
    return query.device


def refuse_mask(place: torch.device, other: torch.device, query: torch.Tensor) -> None:
    """What an attention whose mask is elsewhere raises: that depends on the kernel CUDA takes for the query."""
    kernel = None
    if query.dim() == 4 and query.dtype == torch.float32 and query.size(-1) % 4 == 0:
        kernel = "efficient"
    elif query.dim() == 4 and query.dtype in (torch.float16, torch.bfloat16) and query.size(-1) % 8 == 0:
        kernel = "cudnn"
    if kernel is None:
        raise apart(place, other)
    named = [("query", place), ("attn_bias", other)]
    same_device(named, f"wrapper_CUDA___scaled_dot_product_{kernel}_attention")
