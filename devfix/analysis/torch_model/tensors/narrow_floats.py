"""Narrow floats: operations that no device has for floats of 16 bits, or no accelerator.

PyTorch's own database of operators has it so. Matrices are inverted and decomposed in wider floats alone (asked of an H200:
"linalg.inv: Low precision dtypes not supported. Got Half", also under autocast), and so are quantiles. Fourier transforms
take float16 on an accelerator, and bfloat16 nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, Tensor, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_HALVES = frozenset({"float16", "bfloat16"})
_LINEAR = frozenset(
    "inv inv_ex pinv det slogdet cholesky cholesky_ex eig eigvals eigh eigvalsh svd svdvals qr lu lu_factor "
    "lu_factor_ex ldl_factor ldl_factor_ex solve solve_ex solve_triangular lstsq cond matrix_rank tensorinv tensorsolve "
    "householder_product".split()
)
_FOURIER = frozenset(
    "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn ihfft ihfft2 ihfftn irfft irfft2 irfftn hfft hfft2 hfftn".split()
)
#: What is of ``torch`` itself, and takes wide floats alone; and what takes float16 as well.
_OF_WIDE = frozenset(
    "inverse pinverse logdet cholesky_inverse cholesky_solve triangular_solve geqrf svd_lowrank pca_lowrank quantile "
    "nanquantile histc polar cdist pdist angle igamma igammac".split()
)
_SPECIAL = frozenset(
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 erfcx log_ndtr ndtri zeta modified_bessel_i0 modified_bessel_i1 "
    "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0".split()
)
_WITHOUT_BFLOAT = frozenset(("stft", "complex", "view_as_complex"))
#: The operations that refuse dtypes: their full names, and these dtypes.
REFUSED = {
    **{name: (f"torch.linalg.{name}", _HALVES) for name in _LINEAR},
    **{name: (f"torch.{name}", _HALVES) for name in _OF_WIDE},
    **{name: (f"torch.special.{name}", _HALVES) for name in _SPECIAL},
    **{name: (f"torch.fft.{name}", _HALVES - {"float16"}) for name in _FOURIER},
    **{name: (f"torch.{name}", _HALVES - {"float16"}) for name in _WITHOUT_BFLOAT},
}
#: What the CPU computes of them all the same.
_ON_HOST = frozenset(("histc", "angle", "igamma", "igammac"))
#: What autocast widens for accelerators, too.
_WIDENED = frozenset(("cdist", "pdist"))
#: What computes in the dtype of the wider of two operands.
_PROMOTING = frozenset(("igamma", "igammac", "zeta", "stft"))
#: What the first operand is called, and the second of two.
_FIRST = ("input", "A", "self", "real", "abs", "x1")
_SECOND = {
    "solve": "B", "solve_ex": "B", "tensorsolve": "other", "lstsq": "b", "complex": "imag",
    "polar": "angle", "cdist": "x2", "cholesky_solve": "input2", "triangular_solve": "A", "householder_product": "tau", "igamma": "other",
    "igammac": "other", "zeta": "other", "stft": "window",
}  # fmt: skip

#: Where that stands which is not the second argument.
_PLACES = {"stft": 4}


def check(interp: Interpreter, name: str, site: CallSite) -> None:
    """``torch.fft.rfft(layer(x))`` under autocast, the tensor being the first operand."""
    if name not in REFUSED or site.open or (name == "cdist" and not _is_by_element(site)):
        return
    operation, refused = REFUSED[name]
    second = site.get(_PLACES.get(name, 1), _SECOND[name]) if name in _SECOND else None
    found = [site.get(0, *_FIRST), second]
    given = [(arg, without_none(arg.value)) for arg in found if arg is not None]
    parts = [Part(value, "input", arg.node) for arg, value in given if isinstance(value, Tensor)]
    odd = [part for part in parts if part.tensor.dtype in refused and _stays(interp, name, part.tensor)]
    if odd and (len(odd) == len(parts) or name not in _PROMOTING):
        requirements.record(interp, site.node, operation, "narrow-float", odd, wanted="float32")


def _is_by_element(site: CallSite) -> bool:
    """Whether ``torch.cdist`` has a kernel for what it is asked: Euclidean distances of many rows are made of products."""
    norm = site.value(2, "p")
    return isinstance(norm, Const) and norm.value != 2


def _stays(interp: Interpreter, name: str, tensor: Tensor) -> bool:
    """Whether a tensor is handed on as it is, and refused where it is; on the CPU autocast widens most of what it hands to these."""
    if tensor.device.is_accelerator:
        return interp.autocast is None or name not in _WIDENED
    return interp.autocast is None and name not in _ON_HOST
