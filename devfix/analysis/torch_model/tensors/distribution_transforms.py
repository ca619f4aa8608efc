"""The transforms of ``torch.distributions``: functions of a tensor, which their own tensors meet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Tensor, TupleValue, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGE = "torch.distributions."
#: What finds a transform for a constraint, all of which have no tensors of their own.
_FINDING = frozenset({"biject_to", "transform_to"})
#: Transforms of each number by itself, so that no dimension is summed over.
_ELEMENTWISE = frozenset(
    "ExpTransform SigmoidTransform TanhTransform PowerTransform AffineTransform AbsTransform SoftplusTransform".split()
)
#: What a transform makes of its argument; the last is told its result as well.
_METHODS = ("__call__", "_call", "_inverse", "log_abs_det_jacobian")

#: The fact that a transform keeps: what it was given.
_GIVEN = "given"


def makes(name: str) -> bool:
    """Whether a class or a function of ``torch.distributions`` gives a transform."""
    last = name.rpartition(".")[2]
    return last.endswith("Transform") or last in _FINDING


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``AffineTransform(loc, scale)``, ``ComposeTransform(parts)``: the first of its tensors tells where it is."""
    parts: list[Part] = []
    values = [without_none(arg.value) for arg in site.all_args()]
    for number, (arg, value) in enumerate(zip(site.all_args(), values, strict=True)):
        if isinstance(value, Tensor):
            parts.append(Part(value, _role(number), arg.node))
        for each in iteration.exact_items(interp, value) or () if not isinstance(value, Tensor) else ():
            step = interp.obj_of(each)
            if step is not None and is_one(step) and step.place is not None:
                parts.append(Part(step.place, "parts", arg.node, held=True))
    place = None
    if parts:
        device = requirements.meet(interp, site.node, name, parts)
        place = next((part.tensor for part in parts if part.tensor.device == device), parts[0].tensor)
    trail = (interp.site("factory", site.node),)
    made = Obj("external", External(f"{_PACKAGE}{name.rpartition('.')[2]}"), place=place, trail=trail)
    return interp.new(made if site.open else made.with_fact(_GIVEN, TupleValue(tuple(values))))


def _role(number: int) -> str:
    return f"parameter {number + 1}"


def operands(interp: Interpreter, step: Obj, node: ast.expr | None) -> list[Part]:
    """What meets the tensors of a transform: each where it is written, if the transform is made at ``node``, else the whole."""
    given, place = step.facts.get(_GIVEN), step.place
    if place is None:
        return []
    if not isinstance(node, ast.Call) or step.trail != (interp.site("factory", node),):
        return [Part(place, "transforms", node, held=True)]
    values = given.items if isinstance(given, TupleValue) else ()
    args = [*node.args, *(keyword.value for keyword in node.keywords)]
    written = [
        Part(value, _role(number), arg)
        for number, (arg, value) in enumerate(zip(args, values, strict=False))
        if isinstance(value, Tensor)
    ]
    return written or [Part(place, "transforms", node, held=True)]


def is_one(obj: Obj) -> bool:
    """Whether an object is a transform."""
    return isinstance(obj.cls, External) and obj.cls.name.startswith(_PACKAGE) and makes(obj.cls.name)


def keeps_shape(step: Obj) -> bool:
    """Whether a transform that has no tensors gives what it takes as many dimensions as that had."""
    return is_one(step) and getattr(step.cls, "name", "").rpartition(".")[2] in _ELEMENTWISE


def attribute(ref: Ref, name: str, node: ast.expr) -> Value | None:
    """``transform.inv``, which has the same tensors."""
    return ref if name == "inv" else None


def method(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """``transform(x)``: what comes out is where ``x`` is and the tensors of the transform are."""
    arg = site.get(0, "x")
    value = without_none(arg.value) if arg is not None else None
    if name not in _METHODS or arg is None or not isinstance(value, Tensor):
        return UNKNOWN
    last = getattr(obj.cls, "name", "").rpartition(".")[2]
    parts = [Part(value, "x", arg.node)]
    if obj.place is not None:
        owner = getattr(getattr(site.node, "func", None), "value", None)
        parts.append(Part(obj.place, "parameters", owner, held=True))
    device = requirements.meet(interp, site.node, f"{_PACKAGE}{last}", parts)
    rank = value.rank if name != "log_abs_det_jacobian" or last in _ELEMENTWISE else None
    return operations.derived(interp, [part.tensor for part in parts], site, value.dtype, rank, device)
