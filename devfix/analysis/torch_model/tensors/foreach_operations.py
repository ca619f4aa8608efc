"""``torch._foreach_add`` and its kin: an operation on each tensor of a list, and on what stands beside it in others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, Const, Scalar, Sequence, Tensor, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.tensors import operations

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PREFIX = "torch._foreach_"
_NAMES = (
    "abs add addcdiv addcmul ceil clamp_max clamp_min copy cos div erf exp expm1 floor frac lerp log log10 log1p log2 max "
    "maximum minimum mul neg norm pow reciprocal round rsqrt sigmoid sign sin sqrt sub tan tanh trunc zero"
).split()


def operate(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The results in a list, in place nothing. ``copy_`` crosses devices."""
    base = name.removeprefix(_PREFIX)
    if site.open or not site.args or base in ("copy_", "zero_"):
        return NONE if base.endswith("_") else UNKNOWN
    row = CallSite(
        site.node,
        tuple(map(_each(interp), site.args)),
        {k: _each(interp)(a) for k, a in site.keywords.items()},
    )
    if not isinstance(row.args[0].value, Tensor):
        return NONE if base.endswith("_") else UNKNOWN
    found = operations.apply(interp, base, row)
    return NONE if base.endswith("_") else Sequence(found if found is not None else UNKNOWN)


def _each(interp: Interpreter) -> Callable[[Arg], Arg]:
    """An argument as one of the operations has it: an element of a list, or the number that is there for all."""

    def one(arg: Arg) -> Arg:
        if isinstance(arg.value, (Tensor, Const, Scalar)):
            return arg
        return Arg(iteration.element(interp, arg.value, arg.node), arg.node)

    return one


#: What there is in one of the two forms alone.
_IN_PLACE, _APART = frozenset({"copy", "zero"}), frozenset({"max", "norm"})

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"{_PREFIX}{name}": operate for name in _NAMES if name not in _IN_PLACE},
    **{f"{_PREFIX}{name}_": operate for name in _NAMES if name not in _APART},
}
