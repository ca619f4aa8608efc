"""torchdiffeq: solvers that call a function, or a module, with a moment and with the state that they have come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import rank_of_stack
from devfix.analysis.domain.values import UNKNOWN, Tensor, TupleValue, Value, without_none
from devfix.analysis.language import unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.tensors import operations

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def solve(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``odeint(func, y0, t)``: ``func(t, y)`` says how ``y`` changes; what comes out has a state for each moment.

    The moments follow the state to where that is.
    """
    function, start, moments = site.get(0, "func"), site.get(1, "y0"), site.get(2, "t")
    if site.open or function is None or start is None or moments is None:
        return unknown_code.call(interp, site)
    state = without_none(start.value)
    first = state.items[0] if isinstance(state, TupleValue) and state.items else state
    moment = without_none(moments.value)
    if isinstance(moment, Tensor) and isinstance(first, Tensor):
        moment = replace(moment, device=first.device, rank=0)
    given = (Arg(moment, moments.node), Arg(state, start.node))
    interp.call(function.value, CallSite(site.node, given))
    if isinstance(state, TupleValue):
        return TupleValue(tuple(_course(interp, each, site) for each in state.items))
    return _course(interp, state, site)


def _course(interp: Interpreter, start: Value, site: CallSite) -> Value:
    """All states that a tensor goes through, along one more dimension."""
    if not isinstance(start, Tensor):
        return UNKNOWN
    return operations.derived(interp, [start], site, start.dtype, rank_of_stack(start.rank))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(
    ("torchdiffeq.odeint", "torchdiffeq.odeint_adjoint"), solve
)
