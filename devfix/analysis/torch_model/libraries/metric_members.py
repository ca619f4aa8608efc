"""Metrics of the project's own, by themselves and within collections and wrappers of torchmetrics, which call them in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Class, Const, External, Function, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules import registering

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_BASES = frozenset({"torchmetrics.Metric", "torchmetrics.metric.Metric"})
_COLLECTION = "MetricCollection"
#: Metrics that hold another one and keep what it does.
_AS_HELD, _NAMING = frozenset({"MetricTracker", "Running"}), frozenset({"ClasswiseWrapper", "MinMaxMetric"})
#: The name of what one of these holds.
HELD = "base_metric"


def is_collection(name: str) -> bool:
    """Whether metrics of that class are made of several."""
    return name == _COLLECTION


def comes_to_several(interp: Interpreter, obj: Obj) -> bool:
    """Whether what a metric comes to are several values by their names; some come to what the one they hold comes to."""
    last = obj.cls.name.rpartition(".")[2] if isinstance(obj.cls, External) else ""
    if last not in _AS_HELD:
        return is_collection(last) or last in _NAMING
    held = interp.obj_of(obj.attrs.get(HELD))
    return held is not None and held is not obj and comes_to_several(interp, held)


def holds_others(name: str) -> bool:
    """Whether metrics of that class of torchmetrics hold others."""
    return name == _COLLECTION or name in _AS_HELD or name in _NAMING


def is_own(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a metric whose class is the project's own."""
    return isinstance(obj.cls, Class) and not _BASES.isdisjoint(modules.external_bases(interp, obj.cls))


def own(interp: Interpreter, obj: Obj) -> Iterator[Ref]:
    """The metrics of the project's own that one of torchmetrics holds, also by way of others."""
    seen, pending = set[Ref](), [obj]
    while pending:
        holder = pending.pop()
        if not isinstance(holder.cls, External) or not holds_others(holder.cls.name.rpartition(".")[2]):
            continue
        for value in holder.attrs.values():
            if not isinstance(value, Ref) or value in seen:
                continue
            seen.add(value)
            if is_own(interp, held := interp.obj(value)):
                yield value
            else:
                pending.append(held)


def update(interp: Interpreter, obj: Obj, site: CallSite) -> None:
    """Let each of these see what the whole is given: of arguments by name those that it asks for."""
    for ref in own(interp, obj):
        function = _method(interp, ref, "update")
        if function is not None:
            interp.call_function(function, [ref], site.node, _asked_for(function, site))


def computed(interp: Interpreter, obj: Obj, site: CallSite) -> list[Value]:
    """What each of these comes to."""
    return [compute(interp, ref, site) for ref in own(interp, obj)]


def compute(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """What a metric of the project's own comes to."""
    function = _method(interp, ref, "compute")
    return (
        UNKNOWN if function is None else interp.call_function(function, [ref], site.node, CallSite(site.node))
    )


def forward(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``metric(preds, target)`` of one: it updates, and computes."""
    function = _method(interp, ref, "update")
    if function is not None:
        interp.call_function(function, [ref], site.node, site)
    return compute(interp, ref, site)


def add_state(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``self.add_state("total", default=torch.zeros(3))`` of one: it moves with the metric."""
    name, default = site.get(0, "name"), site.get(1, "default")
    if name is None or default is None or not is_own(interp, interp.obj(ref)):
        return
    if isinstance(default.value, Tensor):
        registering.buffer(interp, ref, CallSite(site.node, (name, default)))
        registering.keep_type(interp, ref, name.value)
    elif isinstance(name.value, Const) and isinstance(name.value.value, str):
        interp.update(ref, interp.obj(ref).with_attr(name.value.value, default.value))


def _method(interp: Interpreter, ref: Ref, name: str) -> Function | None:
    cls = interp.obj(ref).cls
    found = classes.find(interp, cls, name) if isinstance(cls, Class) else None
    return found if isinstance(found, Function) else None


def _asked_for(function: Function, site: CallSite) -> CallSite:
    spec = function.node.args
    if spec.kwarg is not None:
        return site
    asked = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    return replace(site, keywords={name: arg for name, arg in site.keywords.items() if name in asked})
