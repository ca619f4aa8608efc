"""Autocast: in which precision an operation computes under ``torch.autocast``.

An operation that is not known to keep the dtype of a half, or to be computed in low precision, gives a float of
unknown dtype. What a GPU makes of each is recorded (tests/recorded: "autocast", "number").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The dtypes that autocast casts; float64 stays what it is (facts: "autocast cuda: float64 input").
CAST = frozenset({"float16", "bfloat16", "float32"})
_V = TypeVar("_V", bound=Value)
HALVES = ("float16", "bfloat16")

#: Operations that take operands of one dtype, and that autocast does not compute in low precision.
_NOT_LOWERED = frozenset(
    "bilinear grid_sample grid_sampler grid_sampler_2d grid_sampler_3d dot vdot inner tensordot cdist lstsq solve "
    "solve_ex solve_triangular tensorsolve triangular_solve cholesky_solve "
    "cross quantile nanquantile heaviside lu_solve ldl_solve householder_product ormqr".split()
)
#: Operations that promote their operands, or join a list of them, and that autocast computes in low precision.
_LOWERED = frozenset(("addr", "multi_dot"))
#: Operations, and layers without weights, that would have the dtype of their operands, and are computed in float32.
_WIDENED = frozenset(
    "pow float_power square cumsum cumprod logcumsumexp renorm interpolate upsample upsample_nearest "
    "upsample_bilinear lp_pool1d lp_pool2d lp_pool3d dist cosine_similarity pairwise_distance layer_norm group_norm "
    "rms_norm trace matrix_power matrix_exp inverse pinverse cholesky "
    "Softmax Softmax2d Softmin LogSoftmax Softplus Upsample UpsamplingNearest2d UpsamplingBilinear2d "
    "LPPool1d LPPool2d LPPool3d".split()
)
#: Operations that give a float, and leave a half what it is.
_KEEPING = frozenset("sqrt tanh sigmoid gelu silu leaky_relu mean std var amax amin max min median".split())


#: Autocast that whoever launches the program may turn on: floats that it would cast may meet.
PERHAPS = "perhaps"
#: Autocast of the CPU, which computes in bfloat16 there and leaves what is on an accelerator as it is.
ON_HOST = "bfloat16 on the CPU"
#: The fact of a module whose ``forward`` a framework runs in some precision, "?", or perhaps does.
WRAPPED = "autocast"


@contextmanager
def within(interp: Interpreter, precision: str | None) -> Iterator[None]:
    """What is done under autocast in this precision, "?" for one that nobody knows, or in that which is chosen already."""
    before = interp.autocast
    interp.autocast = precision or before
    try:
        yield
    finally:
        interp.autocast = before


def lowered(
    interp: Interpreter, dtype: str | None, operation: str = "", operands: Iterable[Tensor] = ()
) -> str | None:
    """The dtype of what autocast computes in low precision, given what it would be without.

    One of ``operands`` that it casts tells that as well: what it would not cast does not fit beside that.
    """
    if interp.autocast is None or dtype not in (*CAST, None):
        return dtype
    if operation in _NOT_LOWERED:
        return None
    operands = tuple(operands)
    if interp.autocast == ON_HOST and any(operand.device.is_accelerator for operand in operands):
        return dtype
    known = {dtype, *(operand.dtype for operand in operands)} - {None}
    if interp.autocast == PERHAPS:
        return dtype if len(known) == 1 else None
    chosen = "bfloat16" if interp.autocast == ON_HOST else interp.autocast
    return None if chosen == "?" or not known or not known <= CAST else chosen


def floated(interp: Interpreter, dtype: str | None, operation: str = "") -> str | None:
    """The dtype of what autocast may compute in float32, given what it would be without."""
    if interp.autocast is None or dtype not in HALVES or operation in _KEEPING:
        return dtype
    return None


def widened(interp: Interpreter, operation: str, result: _V) -> _V:
    """The result of an operation, or of a layer without weights, that autocast computes in float32, or in low precision."""
    if interp.autocast is not None and operation in _LOWERED and isinstance(result, Tensor):
        return replace(result, dtype=lowered(interp, result.dtype), typed=())
    if (
        interp.autocast is not None
        and operation in _WIDENED
        and isinstance(result, Tensor)
        and result.dtype in HALVES
    ):
        return replace(result, dtype=None, typed=())
    return result
