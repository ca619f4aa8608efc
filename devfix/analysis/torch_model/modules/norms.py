"""Layers that normalise: what they have of their own, and which floats an accelerator lets meet it.

With a weight of another width CUDA refuses their input ("expected scalar type Double but found Float", or "Expected
tensor for argument #1 'input' to have the same type as tensor for argument #2 'weight'"); the CPU refuses float64
and takes halves. A root mean square is multiplied by a weight of any width, and running statistics without a weight may
have any on CUDA.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import FLOATS, INTEGERS
from devfix.analysis.domain.values import Const, Tensor, usual_value
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite


@frozen
class Option:
    """An argument of a constructor that is True or False: its place, its name, and what it is when left out."""

    position: int
    name: str
    default: bool

    def told(self, site: CallSite) -> bool | None:
        """What a call says of it; None where nobody knows."""
        value = site.value(self.position, self.name)
        if value is None:
            return None if site.open else self.default
        usual = usual_value(value) or value
        return bool(usual.value) if isinstance(usual, Const) else None


@frozen
class Norm:
    """A layer that normalises.

    ``scaled`` tells whether it has a weight, ``tracked`` whether it has running statistics. With ``halves`` it takes
    float16 and bfloat16 beside a weight of float32 on CUDA, too; with ``any_width`` it takes every float.
    """

    function: str
    scaled: Option
    tracked: Option | None = None
    halves: bool = False
    any_width: bool = False


def _of_channels(function: str, position: int, *, default: bool) -> Norm:
    """A layer whose two options follow one another, with one default."""
    options = (Option(position, "affine", default), Option(position + 1, "track_running_stats", default))
    return Norm(function, *options, halves=True)


_LAYER = Norm("layer_norm", Option(2, "elementwise_affine", default=True))
NORMS: dict[str, Norm] = {
    **dict.fromkeys(
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm".split(),
        _of_channels("batch_norm", 3, default=True),
    ),
    **dict.fromkeys(
        "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d".split(), _of_channels("batch_norm", 2, default=True)
    ),
    **dict.fromkeys(
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d".split(),
        _of_channels("instance_norm", 3, default=False),
    ),
    **dict.fromkeys(
        "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d".split(),
        _of_channels("instance_norm", 2, default=True),
    ),
    "LayerNorm": _LAYER,
    "RMSNorm": replace(_LAYER, function="rms_norm", any_width=True),
    "GroupNorm": Norm("group_norm", Option(3, "affine", default=True)),
}
#: The functions behind them.
FUNCTIONS: dict[str, Norm] = {norm.function: norm for norm in NORMS.values()}
_HALVES = ("float16", "bfloat16")
_WHOLE = (*INTEGERS, "bool")


def own(name: str, site: CallSite, typical: Tensor) -> Tensor | None:
    """What a layer has of its own, where ``typical`` is a parameter of any layer made there; None where it has nothing.

    Where nobody knows whether it is scaled, no dtype is known either: it asks for none.
    """
    norm = NORMS.get(name)
    if norm is None:
        return typical
    scaled = norm.scaled.told(site)
    if scaled is None:
        return replace(typical, dtype=None)
    if scaled:
        return typical
    tracked = norm.tracked.told(site) if norm.tracked is not None else False
    return replace(typical, parameter=False, grad=False) if tracked is not False else None


def met(
    interp: Interpreter, node: ast.AST, name: str, norm: Norm, data: Part, weight: Part | None
) -> str | None:
    """The dtype of what is normalised: that of the input, which has that of the weight as far as an accelerator asks."""
    given = data.tensor.dtype
    if weight is None and given in _WHOLE:
        requirements.record(interp, node, name, "float-dtype", [data], wanted="float32")
        return "float32"
    if weight is None or _fits(norm, given, weight.tensor):
        return given if given in FLOATS or weight is None else weight.tensor.dtype
    requirements.same_dtype(interp, node, name, [data, weight])
    return weight.tensor.dtype


def _fits(norm: Norm, given: str | None, weight: Tensor) -> bool:
    if norm.any_width or given == weight.dtype or None in (given, weight.dtype):
        return True
    takes_halves = norm.halves or not weight.device.is_accelerator
    return takes_halves and given in _HALVES and weight.dtype == "float32"
