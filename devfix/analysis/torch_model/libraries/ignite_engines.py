"""Ignite: an engine calls the project's own step with each batch, where its loader has it.

What handlers do before the step, such as moving a model or the batch, is done by then: with such handlers nothing is known of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language import callbacks, iteration
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CLASS = "ignite.engine.Engine"
_STEP = "_process_function"
#: What comes about when a step has been done, or has failed.
_LATER = frozenset(
    f"ignite.engine.Events.{each}"
    for each in "ITERATION_COMPLETED EPOCH_COMPLETED COMPLETED EXCEPTION_RAISED TERMINATE".split()
)


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
    if name in _HANDLING and not _are_later(_HANDLING[name](site)):
        attrs = {key: value for key, value in obj.attrs.items() if key != _STEP}
        interp.update(ref, replace(obj, attrs=attrs))
    callbacks.run(interp, site)
    return UNKNOWN


def _are_later(events: Iterable[Value | None]) -> bool:
    """Whether events are all such as come about after a step."""
    return all(isinstance(event, External) and event.name in _LATER for event in events)


def _filtered(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Events.EPOCH_COMPLETED(every=3)``: some of the times at which it comes about."""
    return External(name)


#: Which arguments of a method that is given handlers are events.
_HANDLING: dict[str, Callable[[CallSite], Iterable[Value | None]]] = {
    "on": lambda site: [arg.value for arg in site.args],
    "add_event_handler": lambda site: [site.value(0, "event_name")],
}
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    CLASS: construct,
    **dict.fromkeys(_LATER, _filtered),
}
