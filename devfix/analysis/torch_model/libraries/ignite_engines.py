"""Ignite: an engine calls the project's own step with each batch, where its loader has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language import callbacks, iteration
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CLASS = "ignite.engine.Engine"
_STEP = "_process_function"


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Engine(step)``."""
    step = site.value(0, "process_function")
    return interp.new(Obj("external", External(CLASS), attrs={} if step is None else {_STEP: step}))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``engine.run(loader)`` calls the step with the engine and a batch; handlers are called with what nobody knows."""
    loader = site.get(0, "data")
    if name == "run" and loader is not None and _STEP in obj.attrs:
        batch = iteration.element(interp, loader.value, loader.node or site.node)
        interp.call(obj.attrs[_STEP], CallSite(site.node, (Arg(ref), Arg(batch))))
        return UNKNOWN
    callbacks.run(interp, site)
    return UNKNOWN
