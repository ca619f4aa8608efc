"""Metrics of torchmetrics: modules whose state must be where what they are updated with is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    TRUE,
    UNKNOWN,
    External,
    Obj,
    Ref,
    Tensor,
    Value,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.libraries import metric_members, metric_states
from devfix.analysis.torch_model.modules import weights
from devfix.analysis.torch_model.python import copies
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The fact of a metric that it keeps numbers, which take such of the CPU, too.
_ADDS = "adds numbers"
#: Metrics that bring targets to the predictions, and those that come to more than one tensor.
_FORGIVING = re.compile(
    r"(Binary|Multiclass)?HingeLoss|Perplexity|(binary_|multiclass_)?hinge_loss|perplexity"
)
_OF_SEVERAL = re.compile(r"KernelInceptionDistance|InceptionScore|\w*(roc|curve|_at_\w*|stat_rates|fairness)")
_FUNCTIONS = "torchmetrics.functional."
#: Metrics that sort the targets by the predictions once they compute, and how they are given both.
_RANKING, _GATHERING = re.compile(r"Retrieval\w+"), ("update", "forward")


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``MulticlassAccuracy(num_classes=3)`` has a state on the CPU; a collection that of its members."""
    last = name.rpartition(".")[2]
    trail = (interp.site("module", site.node),)
    obj = Obj("module", External(name), trail=trail)
    if metric_members.holds_others(last):
        return interp.new(_holding(interp, obj, dict(_held(interp, last, site))))
    what = metric_states.kept(last, site)
    if what == metric_states.NOTHING:
        return interp.new(obj)
    if what == metric_states.NUMBER:
        obj = obj.with_fact(_ADDS, TRUE)
    state = Tensor(rank=AT_LEAST_1, grad=False, leaf=True, trail=trail)
    return interp.new(replace(obj, place=state))


def _holding(interp: Interpreter, obj: Obj, held: dict[str, Ref]) -> Obj:
    """A metric that holds others, which move by themselves as well as with it."""
    obj = replace(obj, attrs={**obj.attrs, **held})
    found = _deciding(interp, obj)
    if found is None or found.place is None:
        return obj
    return replace(obj, place=replace(found.place, trail=obj.trail), facts=found.facts)


def _deciding(interp: Interpreter, obj: Obj) -> Obj | None:
    """The metric that says where those that are held are: the first that keeps a table, else one that keeps numbers.

    None for one that holds no others: what a program keeps in its attributes besides has a place of its own.
    """
    if not metric_members.holds_others(_last(obj)):
        return None
    held = [interp.obj(value) for value in obj.attrs.values() if isinstance(value, Ref)]
    found = [
        member if (within := _deciding(interp, member)) is None else within
        for member in held
        if is_metric(member) and member.place is not None
    ]
    return min(found, key=lambda member: _ADDS in member.facts, default=None)


def _state(interp: Interpreter, obj: Obj) -> Tensor | None:
    """Where what a metric keeps is now, which of one that holds others is where these are."""
    found = _deciding(interp, obj)
    if found is None or found.place is None or obj.place is None:
        return obj.place
    return replace(found.place, trail=obj.place.trail)


def _held(interp: Interpreter, name: str, site: CallSite) -> Iterator[tuple[str, Ref]]:
    """The metrics that one is made of, by their names in it."""
    if not metric_members.is_collection(name):
        base = site.get(0, "base_metric", "metric")
        if base is not None and isinstance(base.value, Ref):
            yield metric_members.HELD, base.value
        return
    for arg in site.args:
        held = interp.obj_of(arg.value)
        if held is not None and held.kind == "dict":
            yield from ((key, member) for key, member in held.attrs.items() if isinstance(member, Ref))
            continue
        for member in iteration.exact_items(interp, arg.value) or (arg.value,):
            if isinstance(member, Ref):
                yield _last(interp.obj(member)), member


def method(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value | None:
    """A method of a metric; None for ``update`` of one with a state, which its operands must meet."""
    if name == "clone":
        attrs = {key: copies.clone(interp, value, {}) for key, value in obj.attrs.items()}
        return interp.new(replace(obj, attrs=attrs, trail=(interp.site("module", site.node),)))
    if name == "update" and obj.place is not None:
        return None
    if name in _GATHERING:
        metric_members.update(interp, obj, site)
    if name in _GATHERING and _RANKING.fullmatch(_last(obj)):
        _meet_in_order(interp, obj, site)
    return _computed(interp, obj, site) if name == "compute" else UNKNOWN


def _computed(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """What a metric comes to is where its state is; some give several by their names."""
    place, values = _state(interp, obj), metric_members.computed(interp, obj, site)
    if _OF_SEVERAL.fullmatch(_last(obj)):
        return UNKNOWN
    if place is not None:
        values.append(Tensor(place.device, grad=False, trail=(interp.site("result", site.node),)))
    result = join_all(values) if values else UNKNOWN
    several = bool(values) and metric_members.comes_to_several(interp, obj)
    return interp.new(Obj("dict", element=result)) if several else result


def call(
    interp: Interpreter, ref: Ref, place: Tensor, parts: list[Part], site: CallSite, callee: ast.expr | None
) -> Value:
    """``metric(preds, target)`` and ``metric.update(preds, target)``: what it is given meets its state."""
    obj = interp.obj(ref)
    metric_members.update(interp, obj, site)
    place = _state(interp, obj) or place
    meeting = _operands(obj, place, parts)
    if meeting:
        name = getattr(obj.cls, "name", "")
        weight, detail = weights.operand(interp, ref, place, meeting, callee)
        requirements.meet(interp, site.node, name, [*meeting, weight], scalars=False, detail=detail)
    return _computed(interp, obj, site)


def _operands(obj: Obj, place: Tensor, parts: list[Part]) -> list[Part]:
    """The operands of a metric that have to be where its state is."""
    if _FORGIVING.fullmatch(_last(obj)):
        parts = parts[:1]
    on_host = all(part.tensor.device == CPU for part in parts)
    return [] if _ADDS in obj.facts and place.device.is_accelerator and on_host else parts


def function(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``torchmetrics.functional.accuracy(preds, target)``: both in one place; None for what is no such function."""
    last = name.rpartition(".")[2]
    if not name.startswith(_FUNCTIONS) or last[:1].isupper():
        return None
    args = [site.get(0, "preds", "x", "input"), site.get(1, "target", "y")]
    parts = [
        Part(arg.value, f"argument {number + 1}", arg.node)
        for number, arg in enumerate(args)
        if arg is not None and isinstance(arg.value, Tensor)
    ]
    if len(parts) != len(args) or _FORGIVING.fullmatch(last):
        return UNKNOWN
    device = requirements.meet(interp, site.node, name, parts, scalars=False)
    return (
        UNKNOWN if _OF_SEVERAL.fullmatch(last) else Tensor(device, trail=(interp.site("result", site.node),))
    )


def forward(interp: Interpreter, ref: Ref, site: CallSite) -> Value | None:
    """``metric(preds, target)`` of the project's own metric, or of what holds such alone; None for any other module."""
    obj = interp.obj(ref)
    if metric_members.is_own(interp, obj):
        return metric_members.forward(interp, ref, site)
    if obj.place is not None or not any(metric_members.own(interp, obj)):
        return None
    metric_members.update(interp, obj, site)
    return _computed(interp, obj, site)


def _meet_in_order(interp: Interpreter, obj: Obj, site: CallSite) -> None:
    """Targets are put in the order of the predictions, by indices that are where these are."""
    given = [(role, site.get(number, role)) for number, role in enumerate(("preds", "target"))]
    parts = [Part(arg.value, role, arg.node) for role, arg in given if arg and isinstance(arg.value, Tensor)]
    if len(parts) == len(given):
        requirements.meet(interp, site.node, getattr(obj.cls, "name", ""), parts, scalars=False)


def _last(obj: Obj) -> str:
    return getattr(obj.cls, "name", "").rpartition(".")[2]


def is_metric(obj: Obj) -> bool:
    """Whether an object is a metric of torchmetrics, or several."""
    return obj.kind == "module" and isinstance(obj.cls, External) and obj.cls.name.startswith("torchmetrics")


def receiver(site: CallSite) -> ast.expr | None:
    """The metric in ``metric.update(...)``."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) else func
