"""Grad mode: where autograd records what is computed, and where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain.values import FALSE, TRUE, UNKNOWN, External, Obj, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.leaving import Leaving

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class of the context managers that :func:`disabled` and its like return.
NAME = "torch.autograd.grad_mode"


def disabled(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.no_grad()``, ``torch.inference_mode(mode=True)``."""
    mode = site.value(0, "mode") if name.endswith("inference_mode") else None
    return _manager(interp, FALSE if mode is None else _negated(interp, mode))


def enabled(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.enable_grad()``."""
    return _manager(interp, TRUE)


def chosen(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.set_grad_enabled(mode)``: takes effect at once, as a statement too."""
    mode = site.value(0, "mode")
    known = truth(interp, mode) if mode is not None else None
    facts = {"mode": _VALUES[known], "before": _VALUES[interp.grad]}
    interp.grad = known
    return interp.new(Obj("external", External(NAME), facts=facts))


def _negated(interp: Interpreter, mode: Value) -> Value:
    known = truth(interp, mode)
    return UNKNOWN if known is None else FALSE if known else TRUE


_VALUES = {True: TRUE, False: FALSE, None: UNKNOWN}


def _manager(interp: Interpreter, mode: Value) -> Value:
    return interp.new(Obj("external", External(NAME), facts={"mode": mode}))


def enter(interp: Interpreter, manager: Obj) -> Leaving:
    """Record (or not) from here on; the result puts back what was before."""
    before = _known(manager.facts["before"]) if "before" in manager.facts else interp.grad
    interp.grad = _known(manager.facts["mode"])

    def leave() -> None:
        interp.grad = before

    return Leaving(of_run=leave)


def _known(mode: Value) -> bool | None:
    return True if mode == TRUE else False if mode == FALSE else None


@contextmanager
def unrecorded(interp: Interpreter) -> Iterator[None]:
    """What runs within does so under ``torch.no_grad()``."""
    before, interp.grad = interp.grad, False
    yield
    interp.grad = before


def recorded(interp: Interpreter, grad: bool | None) -> bool | None:
    """Whether a result requires grad, given whether one of its operands does."""
    if interp.grad is False or grad is False:
        return False
    return grad if interp.grad else None


def is_leaf(grad: bool | None) -> bool | None:
    """Whether a computed tensor is a leaf: it is when nothing is recorded of how it came to be."""
    return None if grad is None else not grad


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("torch.no_grad", "torch.autograd.no_grad", "torch.inference_mode"), disabled),
    "torch.enable_grad": enabled,
    "torch.set_grad_enabled": chosen,
}
