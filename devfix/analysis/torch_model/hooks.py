"""Forward hooks: functions that a module calls with what goes in and what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis import calls
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.values import NONE, UNKNOWN, External, Obj, Ref, TupleValue, Unknown, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_FACT = "forward hooks"
_HANDLE = External("torch.utils.hooks.RemovableHandle")
_MANY = 4


def register(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_forward_hook(function)``."""
    hook = site.value(0, "hook")
    if hook is not None:
        obj = interp.obj(ref)
        known = _hooks(obj)
        if hook not in known and len(known) < _MANY:
            interp.update(ref, obj.with_fact(_FACT, TupleValue((*known, hook))))
    return interp.new(Obj("external", _HANDLE))


def after_forward(interp: Interpreter, ref: Ref, site: CallSite, result: Value) -> Value:
    """What a call of the module returns once its hooks have seen (and maybe replaced) the result."""
    inputs = TupleValue(tuple(arg.value for arg in site.args))
    for hook in _hooks(interp.obj(ref)):
        args = (Arg(ref), Arg(inputs), Arg(result))
        returned = calls.call(interp, hook, CallSite(site.node, args))
        if isinstance(returned, Unknown):
            result = UNKNOWN
        elif returned != NONE:
            result = returned
    return result


def _hooks(obj: Obj) -> tuple[Value, ...]:
    found = obj.facts.get(_FACT)
    return found.items if isinstance(found, TupleValue) else ()
