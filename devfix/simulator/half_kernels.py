"""Kernels for floats of 16 bits: which of them CUDA has not, and what it asks of the operands of others.

Learnt from an H200, from torch's own database of operators, and for transforms from native/cuda/CuFFTPlanCache.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional

import torch

from .layer_rules import short_name
from .refusals import Refusal

#: What transforms have a kernel for on CUDA alone.
TRANSFORMED = (torch.float16, torch.complex32)
_NONE = frozenset(
    """
    igamma igammac angle _cdist_forward _pdist_forward bincount _ctc_loss histc polar linalg_solve_triangular
    triangular_solve linalg_ldl_factor_ex linalg_ldl_solve _linalg_svd _linalg_eigh linalg_eig _linalg_eigvals linalg_lu
    linalg_lu_factor_ex linalg_lu_solve lu_unpack _linalg_det _linalg_solve_ex linalg_cholesky_ex cholesky
    cholesky_inverse cholesky_solve linalg_householder_product linalg_qr geqrf ormqr special_erfcx
    special_log_ndtr special_ndtri special_zeta
    """.split()
)
_SPECIAL_NONE = re.compile(
    r"special_(?:airy|bessel|chebyshev|hermite|laguerre|legendre|modified|scaled|shifted|spherical)_"
)


def is_missing(operator: str) -> bool:
    """Whether an operator has no kernel for them on CUDA either."""
    name = operator.rpartition("::")[2]
    return name in _NONE or _SPECIAL_NONE.match(name) is not None


_WIDE = (torch.float32, torch.float64, torch.complex64, torch.complex128)
_Rule = Callable[[Any, Sequence[Any], torch.device], Optional[Refusal]]


def or_sparse(otherwise: _Rule, position: int = 0) -> _Rule:
    """A product of matrices, of which the first may be sparse: one with anything in it has a kernel for wide floats alone.

    native/sparse/cuda/SparseCUDATensorMath.cu; where it is compressed by rows, or both are sparse, it is a library's, which has them.
    """

    def rule(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
        matrix = args[position]
        if matrix.layout != torch.sparse_coo:
            return otherwise(func, args, device)
        if matrix.dtype in _WIDE or not matrix._nnz() or args[position + 1].layout == torch.sparse_coo:
            return None
        text = f"\"addmm_sparse_cuda\" not implemented for '{short_name(matrix.dtype)}'"
        return Refusal(text, "dtype", NotImplementedError, (matrix,))

    return rule


def unscaled(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """Gradients that a ``GradScaler`` takes its scale out of; bfloat16 needs none (native/cuda/AmpKernels.cu)."""
    odd = [tensor for tensor in args[0] if tensor.dtype == torch.bfloat16]
    if not odd:
        return None
    text = "\"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'"
    return Refusal(text, "dtype", NotImplementedError, tuple(odd))


def odd_lengths(tensor: torch.Tensor, lengths: Iterable[int]) -> Optional[Refusal]:
    """What CUDA says of a transform of halves along these lengths, which have to be powers of two."""
    told = list(lengths)
    if all(length & (length - 1) == 0 for length in told):
        return None
    text = (
        "cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a"
        f" signal size of{told}"
    )
    return Refusal(text, "dtype", blamed=(tensor,))


def transformed(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """The same of an operator that transforms along dimensions that it is told."""
    tensor, dims = args[0], args[1]
    if tensor.dtype not in TRANSFORMED:
        return None
    lengths = [tensor.shape[dim] for dim in dims]
    return odd_lengths(tensor, lengths if func._schema.name != "aten::_fft_c2r" else [*lengths[:-1], args[3]])


def counted(func: Any, args: Sequence[Any], device: torch.device) -> Optional[Refusal]:
    """What ``histc`` says of them (native/cuda/SummaryOps.cu)."""
    if args[0].dtype == torch.float16:
        return Refusal("HalfTensor is not supported", "dtype", blamed=(args[0],))
    if args[0].dtype == torch.bfloat16:
        return Refusal("\"histc\" not implemented for 'BFloat16'", "dtype", NotImplementedError, (args[0],))
    return None
