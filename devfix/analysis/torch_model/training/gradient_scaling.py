"""``GradScaler``: scales a loss where it is, and steps optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, External, Obj, Ref, Scalar, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.training import optim

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

SCALER = "torch.amp.GradScaler"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.amp.GradScaler(...)``."""
    return interp.new(Obj("external", External(SCALER)))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``scaler.scale(loss)``, ``scaler.step(optimizer)``."""
    if name == "scale" and site.args:
        return _scaled(site.args[0].value)
    if name == "get_scale":
        return Scalar("float")
    if name == "step" and site.args and isinstance(site.args[0].value, Ref):
        optimizer = site.args[0].value
        return optim.method(interp, optimizer, interp.obj(optimizer), "step", CallSite(site.node))
    return NONE


def _scaled(loss: Value) -> Value:
    """A loss times a tensor of one float32, which widens what has no dimensions either."""
    if (
        not isinstance(loss, Tensor)
        or loss.dtype in ("float32", "float64", None)
        or loss.rank not in (0, None)
    ):
        return loss
    return replace(loss, dtype="float32" if loss.rank == 0 else None)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {SCALER: make}
