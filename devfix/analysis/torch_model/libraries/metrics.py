"""Metrics of torchmetrics: modules whose state must be where what they are updated with is."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Tensor, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Metrics whose state is a tensor from the start. Others gather what they are given in lists.
_WITH_STATE = re.compile(
    r"(Binary|Multiclass|Multilabel)?(Accuracy|F1Score|FBetaScore|Precision|Recall|Specificity|StatScores|"
    r"HammingDistance|ConfusionMatrix|CohenKappa|JaccardIndex|MatthewsCorrCoef)|"
    r"Mean(Absolute|Squared|AbsolutePercentage|SquaredLog)Error|R2Score|ExplainedVariance"
)
_COLLECTION = "MetricCollection"
#: Metrics that sort the targets by the predictions once they compute, and how they are given both.
_RANKING, _GATHERING = re.compile(r"Retrieval\w+"), ("update", "forward")


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``MulticlassAccuracy(num_classes=3)`` has a state on the CPU; a collection that of its members."""
    last = name.rpartition(".")[2]
    trail = (interp.site("module", site.node),)
    obj = Obj("module", External(name), trail=trail)
    if last == _COLLECTION:
        return interp.new(replace(obj, place=_of_members(interp, site)))
    if not _WITH_STATE.fullmatch(last) or "multidim_average" in site.keywords:
        return interp.new(obj)
    state = Tensor(rank=AT_LEAST_1, parameter=True, grad=False, leaf=True, trail=trail)
    return interp.new(replace(obj, place=state))


def _of_members(interp: Interpreter, site: CallSite) -> Tensor | None:
    """The state of the first member that has one, as it is kept by the collection."""
    trail = (interp.site("module", site.node),)
    for arg in site.args:
        held = interp.obj_of(arg.value)
        within = held.attrs.values() if held is not None and held.kind == "dict" else None
        for member in within or iteration.exact_items(interp, arg.value) or (arg.value,):
            obj = interp.obj_of(member)
            if obj is not None and is_metric(obj) and obj.place is not None:
                return replace(obj.place, trail=trail)
    return None


def method(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value | None:
    """A method of a metric; None for ``update`` of one with a state, which its operands must meet."""
    if name == "update" and obj.place is not None:
        return None
    if name in _GATHERING and _RANKING.fullmatch(_last(obj)):
        _meet_in_order(interp, obj, site)
    return _computed(interp, obj, site) if name == "compute" and obj.place is not None else UNKNOWN


def _computed(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """What a metric comes to is where its state is; a collection gives that of each member by its name."""
    assert obj.place is not None
    result = Tensor(obj.place.device, grad=False, trail=(interp.site("result", site.node),))
    return interp.new(Obj("dict", element=result)) if _last(obj) == _COLLECTION else result


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
