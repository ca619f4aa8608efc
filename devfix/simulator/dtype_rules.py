"""Dtypes that CUDA refuses where the CPU does not, and what CUDA says where both refuse them.

Learnt from an H200: every operator of PyTorch's own database with every dtype, and with one operand cast
(tests/fidelity). :data:`REFUSED` is asked before a call on an accelerator, :func:`in_its_words` when one failed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, Optional

import torch

from . import half_kernels, number_range
from .layer_rules import is_depthwise, short_name, type_name
from .operands import RefusedError
from .refusals import Refusal

Tensor = torch.Tensor
#: The arguments of a call to why it is refused, if it is.
Rule = Callable[[Any, Sequence[Any], torch.device], Optional[Refusal]]

#: What torch raises when a dtype does not suit it.
ERRORS = (RuntimeError, TypeError, IndexError)
_WHOLE = frozenset(
    (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool),
)
_HALVES = (torch.float16, torch.bfloat16)


def _unknown_to(kernel: str, tensor: Tensor, kind: str = "dtype") -> Refusal:
    text = f"\"{kernel}\" not implemented for '{short_name(tensor.dtype)}'"
    return Refusal(text, kind, NotImplementedError, (tensor,))


def _no_whole_numbers(kernel: str, position: int = 0, *, alike: bool = False) -> Rule:
    """A kernel without integers; with ``alike``, dtypes that differ are refused in other words before."""

    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        tensor = args[position]
        if tensor.dtype not in _WHOLE or (alike and args[position + 1].dtype != tensor.dtype):
            return None
        return _unknown_to(kernel, tensor)

    return rule


def _without(dtypes: Collection[torch.dtype], kernel: str) -> Rule:
    """A kernel without some dtypes that the CPU's has."""

    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        return _unknown_to(kernel, args[0]) if args[0].dtype in dtypes else None

    return rule


def _missing(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """native/sparse/cuda/SparseCUDATensorMath.cu has it only to say so."""
    return Refusal("NYI: CUDA sspaddmm is not implemented", "dtype", blamed=(args[0],))


def _convolution(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """native/Convolution.cpp compares types on CUDA; the CPU lets a bias of another dtype pass."""
    given, weight, bias = args[0], args[1], args[2]
    if bias is not None and bias.dtype != given.dtype and weight.dtype == given.dtype:
        own, other = type_name(given, device), type_name(bias, device)
        return Refusal(
            f"Input type ({own}) and bias type ({other}) should be the same", "dtype", blamed=(bias,)
        )
    if given.dtype in _WHOLE and weight.dtype == given.dtype:
        name = short_name(given.dtype)
        return Refusal(f"getCudnnDataTypeFromScalarType() not supported for {name}", "dtype", blamed=(given,))
    return None


def _normalisation(parameters: slice) -> Rule:
    """The CPU takes halves with float32 parameters, CUDA does not (native/cuda/layer_norm_kernel.cu)."""

    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        own = args[0].dtype
        for tensor in args[parameters]:
            if tensor is not None and tensor.dtype != own and own in _HALVES:
                text = f"expected scalar type {short_name(own)} but found {short_name(tensor.dtype)}"
                return Refusal(text, "dtype", blamed=(args[0],))
        return None

    return rule


def _mse_backward(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """native/PointwiseOps.cpp runs over an iterator that wants one dtype; the CPU's promotes."""
    own, target = args[1], args[2]
    if own.dtype == target.dtype:
        return None
    text = f"Found dtype {short_name(target.dtype)} but expected {short_name(own.dtype)}"
    return Refusal(text, "dtype", blamed=(target,))


def _numbers(*positions: int) -> Rule:
    """Numbers that CUDA converts to the dtype of the tensor; the CPU computes with them as they are."""

    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        own = args[0]
        if not isinstance(own, Tensor) or not own.is_floating_point():
            return None
        try:
            for number in (args[position] for position in positions):
                if isinstance(number, (int, float)):
                    number_range.refuse_number(number, own.dtype, (own,))
        except RefusedError as refused:
            return refused.refusal
        return None

    return rule


#: Operators on an accelerator to the rule that may refuse their dtypes.
REFUSED: dict[str, Rule] = {
    "aten::mm": half_kernels.or_sparse(_no_whole_numbers("addmm_cuda", alike=True)),
    "aten::addmm": half_kernels.or_sparse(_no_whole_numbers("addmm_cuda", 1, alike=True), 1),
    "aten::_sparse_addmm": half_kernels.or_sparse(_no_whole_numbers("addmm_cuda", 1, alike=True), 1),
    "aten::addbmm": _no_whole_numbers("addmm_cuda", 1, alike=True),
    "aten::bmm": _no_whole_numbers("baddbmm_cuda"),
    "aten::baddbmm": _no_whole_numbers("baddbmm_cuda", 1),
    "aten::dot": _no_whole_numbers("dot", alike=True),
    "aten::vdot": _no_whole_numbers("dot", alike=True),
    "aten::mv": half_kernels.or_sparse(_no_whole_numbers("addmv_impl_cuda")),
    "aten::addmv": _no_whole_numbers("addmv_impl_cuda", 1),
    "aten::avg_pool2d": _no_whole_numbers("avg_pool2d_out_cuda_frame"),
    "aten::avg_pool3d": _no_whole_numbers("avg_pool3d_out_cuda"),
    "aten::max_pool2d_with_indices": _no_whole_numbers("max_pool2d_with_indices_out_cuda_frame"),
    "aten::max_pool3d_with_indices": _no_whole_numbers("max_pool3d_with_indices_out_frame"),
    "aten::_trilinear": _no_whole_numbers("baddbmm_cuda"),
    "aten::upsample_bilinear2d": _without(_WHOLE, "upsample_bilinear2d_out_frame"),
    "aten::_upsample_bilinear2d_aa": _without(_WHOLE, "upsample_bilinear2d_out_frame"),
    "aten::upsample_bicubic2d": _without(_WHOLE, "upsample_bicubic2d_out_frame"),
    "aten::_upsample_bicubic2d_aa": _without(_WHOLE, "upsample_bicubic2d_out_frame"),
    "aten::angle": _without(_HALVES, "angle_cuda"),
    "aten::igamma": _without(_HALVES, "igamma_cuda"),
    "aten::igammac": _without(_HALVES, "igammac_cuda"),
    "aten::histc": half_kernels.counted,
    "aten::_sparse_softmax": _without(_HALVES, "softmax"),
    "aten::_sparse_log_softmax": _without(_HALVES, "log_softmax"),
    "aten::hspmm": _without((*_WHOLE, *_HALVES), "addmm_sparse_cuda"),
    "aten::sspaddmm": _missing,
    "aten::_amp_foreach_non_finite_check_and_unscale_": half_kernels.unscaled,
    **dict.fromkeys(["aten::_fft_r2c", "aten::_fft_c2c", "aten::_fft_c2r"], half_kernels.transformed),
    "aten::convolution": _convolution,
    "aten::native_layer_norm": _normalisation(slice(2, 4)),
    "aten::native_group_norm": _normalisation(slice(1, 3)),
    "aten::mse_loss_backward": _mse_backward,
    **dict.fromkeys(["aten::fill", "aten::fill_", "aten::pow", "aten::pow_"], _numbers(1)),
    **dict.fromkeys(["aten::threshold", "aten::threshold_"], _numbers(1, 2)),
}


def _wrong_target(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """native/cuda/NLLLoss2d.cu and Loss.cu: classes are int64, or bytes where the input has no places."""
    own, target = args[0], args[1]
    if func._schema.name == "aten::nll_loss2d_forward":
        text = f"expected scalar type Long but found {short_name(target.dtype)}"
        return None if target.dtype == torch.int64 else Refusal(text, "target-dtype", blamed=(target,))
    if target.dtype in (torch.int64, torch.uint8):
        return None
    reduced = f"nll_loss_forward_reduce_cuda_kernel_{own.dim()}d_index"
    kernel = reduced if own.dim() == 1 or args[3] else "nll_loss_forward_no_reduce_cuda_kernel_index"
    return _unknown_to(kernel, target, "target-dtype")


def _wrong_index(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    if args[2].dtype in (torch.int32, torch.int64):
        return None
    return _unknown_to("index_select_out_cuda_impl", args[2], "index-dtype")


def _wrong_mask(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    if args[1].dtype == torch.bool:
        return None
    text = f"masked_fill only supports boolean masks, but got dtype {short_name(args[1].dtype)}"
    return Refusal(text, "dtype", blamed=(args[1],))


def _different_types(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    if is_depthwise(args[0], args[1], args[8], transposed=args[6]):
        return _different_parameters(slice(1, 2))(func, args, device)
    own, other = type_name(args[0], device), type_name(args[1], device)
    if own == other:
        return None
    return Refusal(f"Input type ({own}) and weight type ({other}) should be the same")


def _different_dtypes(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    if args[0].dtype == args[1].dtype:
        return None
    return Refusal(f"Found dtype {short_name(args[1].dtype)} but expected {short_name(args[0].dtype)}")


def _different_parameters(parameters: slice) -> Rule:
    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        own = args[0].dtype
        for tensor in args[parameters]:
            if tensor is not None and tensor.dtype != own:
                return Refusal(f"expected scalar type {short_name(own)} but found {short_name(tensor.dtype)}")
        return None

    return rule


def _different_statistics(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """CuDNN's batch norm compares types (native/cudnn/BatchNorm.cpp)."""
    own = args[0]
    if own.dim() < 3 or own.dtype in _HALVES:
        return _different_parameters(slice(1, 3))(func, args, device)
    names = ("input", "weight", "bias", "running_mean", "running_var")
    pairs = [(0, 1), (1, 2), (1, 3), (1, 4)]
    for first, second in pairs:
        if args[first] is not None and args[second] is not None and args[first].dtype != args[second].dtype:
            return Refusal(
                f"Expected tensor for argument #{first + 1} '{names[first]}' to have the same type as tensor for "
                f"argument #{second + 1} '{names[second]}'; but type {type_name(args[first], device)} does not equal "
                f"{type_name(args[second], device)} (while checking arguments for cudnn_batch_norm)"
            )
    return None


#: Operators that refuse a dtype on every device, and what CUDA says.
_SAID: dict[str, Rule] = {
    "aten::nll_loss_forward": _wrong_target,
    "aten::nll_loss2d_forward": _wrong_target,
    "aten::index_select": _wrong_index,
    "aten::masked_fill": _wrong_mask,
    "aten::masked_fill_": _wrong_mask,
    "aten::convolution": _different_types,
    "aten::linalg_cross": _different_dtypes,
    "aten::native_layer_norm": _different_parameters(slice(2, 4)),
    "aten::native_group_norm": _different_parameters(slice(1, 3)),
    "aten::native_batch_norm": _different_statistics,
}
#: Kernels for the CPU to those for CUDA, where the name does not only say so.
_KERNELS = {
    "addmm_impl_cpu_": "addmm_cuda",
    "log_softmax_lastdim_kernel_impl": "host_softmax",
    "softmax_lastdim_kernel_impl": "host_softmax",
    "GeluKernelImpl": "GeluCUDAKernelImpl",
    "cdist": "cdist_cuda",
    "lerp_kernel_scalar": "lerp_cuda",
    "upsample_nearest2d_channels_last": "upsample_nearest2d_out_frame",
    "pdist": "pdist_cuda",
    # Matrices are a library's: those of at most 32 rows, for "svd".
    "cholesky_cpu": "cholesky_cusolver",
    "cholesky_inverse_out_cpu": "cholesky_cuda_potri",
    "cholesky_solve_cpu": "cholesky_cuda_potrs",
    "ldl_factor_kernel_cpu": "ldl_factor_looped_cusolver",
    "ldl_solve_kernel_cpu": "ldl_solve_looped_cusolver",
    "linalg.lu_solve_cpu": "lu_solve_cublas",
    "linalg_eig_out_cpu": "linalg_eig_cuda",
    "linalg_svd_cpu": "svd_cuda_gesvdjBatched",
    "lu_cpu": "lu_factor_cusolver",
    "ormqr_cpu": "orgmr_cuda",
}


def in_its_words(func: Any, args: Sequence[Any], device: torch.device, error: Exception) -> Exception:
    """The error that the accelerator raises where the CPU raised ``error``."""
    rule = _SAID.get(func._schema.name)
    refusal = rule(func, args, device) if rule is not None and "type" in str(error) else None
    return refusal.exception() if refusal is not None else _translated(error, device)


def _translated(error: Exception, device: torch.device) -> Exception:
    if not error.args or not isinstance(error.args[0], str):
        return error
    text = re.sub(r"\btorch\.(\w+Tensor)\b", rf"torch.{device.type}.\1", error.args[0])
    text = text.replace("arguments for embedding_bag)", "arguments for embedding_bag_cuda)")
    text = text.replace("MKL FFT doesn't support tensors of type", "cuFFT doesn't support tensor of type")
    text = re.sub(r"\bCPU(\w+Type)\b", rf"{device.type.upper()}\1", text)
    text = re.sub(
        r'"([\w.]+)" not implemented', lambda found: f'"{_kernel(found.group(1))}" not implemented', text
    )
    error.args = (text, *error.args[1:])
    return error


def _kernel(name: str) -> str:
    return _KERNELS.get(name) or re.sub(r"cpu(?=_|$)", "cuda", name)


#: Operators with a kernel for whole numbers on CUDA alone (torch's own database of operators).
_WHOLE_ON_CUDA = frozenset({"aten::histc", "aten::max_unpool2d", "aten::max_unpool3d"})
#: Operators with a kernel for truths on CUDA alone, which counts them like bytes (asked of an H200).
_TRUTHS_ON_CUDA = frozenset({"aten::abs", "aten::median", "aten::nanmedian", "aten::trace"})
#: What has to have one dtype on the CPU alone: boxes, and the scores by which they are sorted (asked of an H200).
_SORTED_BOXES, _SORTED = "torchvision::nms", (torch.float16, torch.float32, torch.float64)
#: Where running statistics stand behind a weight, or a weight and a bias.
_STATISTICS = frozenset({"aten::native_batch_norm", "aten::native_batch_norm_backward"})
_HALF_UNKNOWN = re.compile(
    r"not implemented for '(Half|BFloat16)'|Unsupported dtype (Half|BFloat16)|support tensors of type: (?:Complex)?Half"
)


def widened(
    func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception
) -> Optional[tuple[Any]]:
    """The result of an operator that CUDA has for halves (or whole numbers) and the CPU has not, computed with floats.

    In a tuple of its own; None where that is not what was wrong.
    """
    if func._schema.name in _WHOLE_ON_CUDA and args[0].dtype in _WHOLE and "not implemented" in str(error):
        return (func(args[0].double(), *args[1:], **kwargs).to(args[0].dtype),)
    name, said = func._schema.name, str(error)
    if name in _TRUTHS_ON_CUDA and args[0].dtype == torch.bool and "for 'Bool'" in said:
        out = func(args[0].byte(), *args[1:], **kwargs)
        return (out.bool() if isinstance(out, Tensor) and out.dtype == torch.uint8 else out,)
    if name in _STATISTICS and args[2] is None:
        return _with_statistics(func, args, kwargs)
    if name == _SORTED_BOXES and args[0].dtype in _SORTED and args[1].is_floating_point():
        return (func(*(value.double() for value in args[:2]), *args[2:], **kwargs),)
    if half_kernels.is_missing(name) or not (
        _HALF_UNKNOWN.search(said) or number_range.fits_on_cuda(name, said)
    ):
        return None
    halves = [
        value for value in (*args, *kwargs.values()) if isinstance(value, Tensor) and value.dtype in _HALVES
    ]
    if not halves:
        return None
    wide = {id(value): value.float() for value in halves}
    given = [wide.get(id(value), value) for value in args]
    try:
        out = func(*given, **{key: wide.get(id(value), value) for key, value in kwargs.items()})
    except ERRORS:
        return None
    return (_narrowed(out, halves, wide),)


def _with_statistics(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Optional[tuple[Any]]:
    """A batch norm without a weight, whose running statistics may have any width on CUDA (asked of an H100)."""
    running = args[3:5]
    given = [*args[:3], *(None if each is None else each.to(args[0].dtype) for each in running), *args[5:]]
    try:
        out = func(*given, **kwargs)
    except ERRORS:
        return None
    if func._schema.name == "aten::native_batch_norm" and args[5]:
        for own, other in zip(running, given[3:5]):
            if own is not None:
                own.copy_(other)
    return (out,)


def _narrowed(out: Any, halves: list[Tensor], wide: dict[int, Tensor]) -> Any:
    """The results with the dtype that was asked for; what was written to is written back."""
    if isinstance(out, (list, tuple)):
        return type(out)(_narrowed(part, halves, wide) for part in out)
    for value in halves:
        if out is wide[id(value)]:
            return value.copy_(out)
    if isinstance(out, Tensor) and out.dtype == torch.float32:
        return out.to(halves[0].dtype)
    return out.to(torch.complex32) if isinstance(out, Tensor) and out.dtype == torch.complex64 else out
