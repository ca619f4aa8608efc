"""Results that no plain table tells: of another kind of number than the tensor, or several at once.

Each of these takes one tensor; the results are where it is. Dtypes and ranks follow PyTorch's operator database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, COMPLEX_OF, CPU, REAL_OF, floating
from devfix.analysis.domain.values import Tensor, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import maxima, operations, ranks, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class Result:
    """One result. ``dtype``: empty as the tensor's, ``float``, ``complex`` or ``real`` of it, or a dtype itself.

    ``rank``: so many more dimensions than the tensor has; ``fixed`` is the rank where it is always the same.
    """

    dtype: str = ""
    rank: int = 0
    fixed: int | None = None


_SAME, _FLOAT, _COMPLEX, _REAL = Result(), Result("float"), Result("complex"), Result("real")
_PIVOTS, _INFO = Result("int32", -1), Result("int32", -2)


def _table(names: str, *results: Result) -> dict[str, tuple[Result, ...]]:
    return dict.fromkeys(names.split(), results)


_TO_COMPLEX = "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn ihfft ihfft2 ihfftn"
_TO_REAL = "irfft irfft2 irfftn hfft hfft2 hfftn"
#: What is of ``torch.fft`` and ``torch.linalg`` alone: what ``torch`` and tensors had of these names gave no complex tensors.
NAMESPACED = frozenset(f"{_TO_COMPLEX} {_TO_REAL} eig".split())

RESULTS: dict[str, tuple[Result, ...]] = {
    # Fourier transforms
    **_table(_TO_COMPLEX, _COMPLEX),
    **_table(_TO_REAL, _REAL),
    **_table("fftshift ifftshift", _SAME),
    "view_as_complex": (Result("complex", -1),),
    "view_as_real": (Result("real", 1),),
    # linear algebra
    **_table("inv cholesky_inverse", _SAME),
    "tensorinv": (Result(fixed=AT_LEAST_1),),
    **_table("cond matrix_norm", Result("real", -2)),
    "logdet": (Result("", -2),),
    "eigvals": (Result("complex", -1),),
    **_table("eigvalsh svdvals", Result("real", -1)),
    "eig": (Result("complex", -1), _COMPLEX),
    "eigh": (Result("real", -1), _SAME),
    "svd": (_SAME, Result("real", -1), _SAME),
    "qr": (_SAME, _SAME),
    "slogdet": (Result("", -2), Result("real", -2)),
    "geqrf": (_SAME, Result("", -1)),
    **_table("cholesky_ex inv_ex", _SAME, _INFO),
    **_table("lu_factor ldl_factor", _SAME, _PIVOTS),
    **_table("lu_factor_ex ldl_factor_ex", _SAME, _PIVOTS, _INFO),
    **_table("svd_lowrank pca_lowrank", _SAME, Result("real", -1), _SAME),
    # statistics
    **_table("histc", Result(fixed=1)),
    "histogram": (Result(fixed=1), Result(fixed=1)),
    "aminmax": (_SAME, _SAME),
    **_table("std_mean var_mean", _REAL, _SAME),
    # special functions
    **_table(
        "entr erfcx i0e i1 i1e log_ndtr ndtr ndtri expit gammaln psi mvlgamma multigammaln airy_ai bessel_j0 "
        "bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
        "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0",
        _FLOAT,
    ),
    "frexp": (_SAME, Result("int32")),
    # positions, and new shapes
    **_table("argsort multinomial", Result("int64")),
    "argwhere": (Result("int64", fixed=2),),
    "nonzero_static": (Result("int64", fixed=2),),
    "combinations": (Result(fixed=2),),
    "diagflat": (Result(fixed=2),),
    "pdist": (Result("float", fixed=1),),
    "fill": (_SAME,),
    "constant_pad_nd": (_SAME,),
}
#: Results of these lose the dimensions that ``dim`` names, as a reduction does.
_REDUCING = frozenset("aminmax std_mean var_mean".split())
#: What only the CPU can do.
_ON_HOST = frozenset({"histogram"})
#: Every function that is known here.
NAMES = frozenset(RESULTS) | frozenset(maxima.FUNCTIONS)


def of(interp: Interpreter, name: str, first: Tensor, site: CallSite) -> Value:
    """What ``torch.name(first, ...)`` gives."""
    if name in maxima.FUNCTIONS:
        found = operations.derived(interp, [first], site, first.dtype, first.rank)
        return maxima.of_function(name, found, site)
    if name in _ON_HOST:
        first = _host(interp, name, first, site)
    made = [_one(interp, name, result, first, site) for result in RESULTS[name]]
    return made[0] if len(made) == 1 else TupleValue(tuple(made))


def _host(interp: Interpreter, name: str, first: Tensor, site: CallSite) -> Tensor:
    """The operand of what has no kernel for an accelerator, as the CPU has it."""
    arg = site.get(0, "input")
    if arg is None or not requirements.leaves_host(interp, first):
        return first
    requirements.record(interp, site.node, f"torch.{name}", "host-only", [Part(first, "input", arg.node)])
    return replace(first, device=CPU, split=None)


def _one(interp: Interpreter, name: str, result: Result, first: Tensor, site: CallSite) -> Tensor:
    if name in _REDUCING:
        rank = ranks.reduced(interp, name, first, site)
    elif result.fixed is not None:
        rank = result.fixed
    else:
        rank = ranks.more(result.rank)(interp, first, site)
    if result.dtype == "int64":
        return operations.places(interp, first, site, rank)
    return operations.derived(interp, [first], site, _dtype(result.dtype, first.dtype), rank)


def _dtype(kind: str, dtype: str | None) -> str | None:
    """The dtype of a result of this kind."""
    if kind not in ("", "float", "complex", "real"):
        return kind
    if kind == "":
        return dtype
    wide = floating(dtype)
    if kind == "complex":
        return wide if wide in REAL_OF else COMPLEX_OF.get(wide or "")
    return REAL_OF.get(wide or "", wide) if kind == "real" else wide
