"""Operations of floats alone: whole numbers and truths are refused, on every device or on accelerators alone.

PyTorch's own database of operators says which dtypes each operator takes on which device; the tables here are held to it.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import INTEGERS, Device, floating
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import NONE, Const, Tensor, Value
from devfix.analysis.torch_model.modules import norms
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.arguments import asked_dtype
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.tensors.specs import FLOATING

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

_WHOLE = frozenset((*INTEGERS, "bool"))
#: What takes no whole numbers as its first operand. Of an average of integers nobody says which float comes out.
OF_FLOATS = frozenset(
    "mean std var nanmean norm std_mean var_mean vector_norm matrix_norm quantile nanquantile softmax log_softmax softmin "
    "normalize gelu silu mish elu celu selu leaky_relu rrelu softplus logsigmoid hardsigmoid hardswish hardshrink "
    "softshrink glu frac frexp logcumsumexp renorm multinomial bernoulli poisson rand_like randn_like gumbel_softmax "
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
    "adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d pdist affine_grid "
    "inverse pinverse inv inv_ex pinv det logdet slogdet cholesky cholesky_ex cholesky_inverse eig eigvals eigh eigvalsh "
    "svd svdvals qr geqrf lu_factor lu_factor_ex ldl_factor ldl_factor_ex matrix_exp matrix_rank tensorinv "
    "svd_lowrank pca_lowrank".split()
)
#: What accelerators have of floats alone.
OF_FLOATS_THERE = frozenset(
    (
        *(f"{kind}_pool{dimensions}d" for kind in ("max", "avg") for dimensions in (1, 2, 3)),
        *("local_response_norm", "matrix_power"),
    )
)
#: Averages, which the CPU has for int64 alone.
_OF_LONG = frozenset(("avg_pool1d", "avg_pool2d", "avg_pool3d", "local_response_norm"))
#: What computes of several operands, and takes them unless all are whole numbers.
TOGETHER = frozenset(
    "hypot logaddexp logaddexp2 nextafter lerp addcdiv dist cosine_similarity cdist complex polar igamma igammac vecdot "
    "cholesky_solve lu_solve solve solve_ex lstsq solve_triangular triangular_solve tensorsolve prelu grid_sample "
    "scaled_dot_product_attention".split()
)
#: Products of matrices and vectors, and convolutions, which the CPU alone has for integers.
TOGETHER_THERE = frozenset(
    "matmul mm bmm mv dot vdot addmm addbmm baddbmm addmv inner tensordot multi_dot chain_matmul einsum linear bilinear "
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d".split()
)
#: What copies columns, of floats and of truths; the method ``unfold`` makes a view of anything.
_COPYING_COLUMNS = frozenset(("unfold", "fold"))
#: Pictures of another size: bytes are taken where nothing is mixed, and by the CPU where it mixes four or sixteen points.
_RESIZING = frozenset(("interpolate", "upsample"))
_COPYING_BYTES = frozenset(("nearest", "nearest-exact"))
_MIXING_BYTES_ON_HOST = frozenset(("bilinear", "bicubic"))
#: The layers that resize, and the function that they call.
_RESIZERS = {"UpsamplingNearest2d": "nearest", "UpsamplingBilinear2d": "bilinear"}
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
#: Operands that are no numbers to compute with.
_NO_NUMBERS = frozenset(("index", "indices", "mask", "attn_mask", "pivots", "running_mean", "running_var"))


def check(interp: Interpreter, name: str, tensor: Tensor, site: CallSite) -> bool:
    """``matches.mean()`` of integers: "mean(): could not infer output dtype". Whether they are refused."""
    if tensor.dtype not in _WHOLE or site.open:
        return False
    refused = _refusing(name, tensor.dtype, site)
    if refused is None or (refused == "there" and not tensor.device.is_accelerator):
        return False
    told = (asked_dtype(site), site.value(1, "p") if name == "bernoulli" else None)
    if any(each not in (None, NONE) for each in told):
        return False
    arg = site.get(0, "input")
    part = Part(tensor, "input", arg.node if arg is not None else None)
    _record(interp, site.node, f"torch.{name}", [part], there=refused == "there")
    return True


def _refusing(name: str, dtype: str, site: CallSite) -> str | None:
    """Where an operation refuses numbers of a dtype: ``everywhere``, ``there`` on accelerators, or None for nowhere."""
    if name in _RESIZING:
        told = site.value(3, "mode")
        mode = told.value if isinstance(told, Const) else None
        return _resizing("nearest" if told is None else mode, dtype)
    if name in OF_FLOATS or name in norms.FUNCTIONS:
        return "everywhere"
    if name not in OF_FLOATS_THERE:
        return None
    return "everywhere" if dtype == "bool" or (name in _OF_LONG and dtype != "int64") else "there"


def _resizing(mode: object, dtype: str) -> str | None:
    if dtype != "uint8":
        return "everywhere"
    if mode is None or mode in _COPYING_BYTES:
        return None
    return "there" if mode in _MIXING_BYTES_ON_HOST else "everywhere"


def check_columns(interp: Interpreter, name: str, site: CallSite) -> None:
    """``F.unfold(picture, 2)`` of whole numbers: "im2col" is not implemented for them."""
    arg = site.get(0, "input")
    value = arg.value if arg is not None else None
    if name in _COPYING_COLUMNS and isinstance(value, Tensor) and value.dtype in INTEGERS:
        part = Part(value, "input", arg.node if arg is not None else None)
        _record(interp, site.node, f"torch.nn.functional.{name}", [part], there=False)


def check_layer(interp: Interpreter, name: str, tensor: Tensor, site: CallSite) -> None:
    """``nn.SiLU()(counts)``: a layer without weights, which calls a function on what it is given."""
    if name == "Upsample" or name in _RESIZERS:
        refused = _resizing(_RESIZERS.get(name), tensor.dtype or "") if tensor.dtype in _WHOLE else None
        if refused == "everywhere" or (refused == "there" and tensor.device.is_accelerator):
            arg = site.get(0, "input")
            part = Part(tensor, "input", arg.node if arg is not None else None)
            _record(interp, site.node, f"torch.nn.{name}", [part], there=refused == "there")
        return
    check_columns(interp, of_layer(name), site)
    check(interp, of_layer(name), tensor, site)


#: Layers whose names are no words with humps, or whose function has another name.
_FUNCTIONS = {
    "SiLU": "silu", "LeakyReLU": "leaky_relu", "RReLU": "rrelu", "LogSigmoid": "logsigmoid", "Softmax2d": "softmax",
}  # fmt: skip


def dtype_of_layer(name: str, dtype: str | None) -> str | None:
    """The dtype of what a layer without weights makes of numbers of a dtype."""
    return floating(dtype) if of_layer(name) in FLOATING or name.startswith("LPPool") else dtype


@cache
def of_layer(name: str) -> str:
    """The function that a layer without weights calls: ``MaxPool2d`` is ``max_pool2d``."""
    norm = norms.NORMS.get(name)
    return norm.function if norm is not None else _FUNCTIONS.get(name) or _HUMP.sub("_", name).lower()


def check_together(
    interp: Interpreter,
    node: ast.AST,
    operation: str,
    parts: list[Part],
    device: Device,
    *,
    unclear: bool = False,
) -> None:
    """``counts @ counts.T`` of integers, which no accelerator multiplies: "addmm_cuda" not implemented for 'Int'."""
    name = operation.rpartition(".")[2]
    if unclear or not (name in TOGETHER or name in TOGETHER_THERE):
        return
    numbers = [part for part in parts if part.role not in _NO_NUMBERS]
    kinds = {part.tensor.dtype for part in numbers}
    if len(numbers) < 2 or len(kinds) != 1 or not kinds <= _WHOLE:
        return
    everywhere = name in TOGETHER or kinds == {"bool"}
    if everywhere or device.is_accelerator:
        _record(interp, node, operation, numbers, there=not everywhere)


_SUBTRACTIONS = frozenset({"torch.sub", "torch.subtract", "torch.rsub"})
#: What truths are subtracted from, or that from them, where floats of 32 bits are meant.
_BESIDE_TRUTHS = ("int", "float", "float32", "float64")


def check_difference(
    interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], values: tuple[Value, ...]
) -> None:
    """``1 - done``: "Subtraction, the `-` operator, with a bool tensor is not supported", beside numbers and floats.

    What is taken from truths by truths, or from integers, may be meant in several ways.
    """
    truths = [part for part in parts if part.tensor.dtype == "bool"]
    if operation not in _SUBTRACTIONS or len(truths) != 1:
        return
    others = [value for value in values if not (isinstance(value, Tensor) and value.dtype == "bool")]
    beside = [value.dtype if isinstance(value, Tensor) else exact_type(value) for value in others]
    if beside[0] in _BESIDE_TRUTHS:
        requirements.record(interp, node, operation, "float-dtype", truths, wanted="float32", numbers="1")


def _record(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], *, there: bool) -> None:
    detail = {"there": "1"} if there else {}
    requirements.record(interp, node, operation, "float-dtype", parts, wanted="float32", **detail)
