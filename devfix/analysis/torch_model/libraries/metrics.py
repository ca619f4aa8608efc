"""Metrics of torchmetrics: modules whose state must be where what they are updated with is."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import External, Obj, Tensor, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Metrics whose state is a tensor from the start. Others gather what they are given in lists.
_WITH_STATE = re.compile(
    r"(Binary|Multiclass|Multilabel)?(Accuracy|F1Score|FBetaScore|Precision|Recall|Specificity|StatScores|"
    r"HammingDistance|ConfusionMatrix|CohenKappa|JaccardIndex|MatthewsCorrCoef)|"
    r"Mean(Absolute|Squared|AbsolutePercentage|SquaredLog)Error|R2Score|ExplainedVariance"
)
_COLLECTION = "MetricCollection"


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


def is_metric(obj: Obj) -> bool:
    """Whether an object is a metric of torchmetrics, or several."""
    return obj.kind == "module" and isinstance(obj.cls, External) and obj.cls.name.startswith("torchmetrics")


def receiver(site: CallSite) -> ast.expr | None:
    """The metric in ``metric.update(...)``."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) else func
