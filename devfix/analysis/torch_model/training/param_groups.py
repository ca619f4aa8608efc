"""Parameter groups: what an optimizer keeps beside the parameters of each group, under names of the program's own.

One group stands for all of them. Numbers change from step to step, and are no more than that; tensors, and what holds
some, stay what they were when they were given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import UNKNOWN, Obj, Ref, Scalar, Tensor, TupleValue, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PARAMS = "params"


def make(interp: Interpreter, site: CallSite, params: Ref) -> Ref:
    """The list of groups of an optimizer that is given parameters or groups, and the defaults of a group."""
    given = site.value(0, _PARAMS)
    items = iteration.exact_items(interp, given) if given is not None else None
    held = [_kept(interp, each) for each in (*(items or ()), site.value(1, "defaults")) if each is not None]
    extra = {name: join_all([each[name] for each in held if name in each]) for each in held for name in each}
    group = interp.new(Obj("dict", attrs={**extra, _PARAMS: params}, element=Scalar("float")))
    return interp.new(Obj("list", element=group))


def _kept(interp: Interpreter, group: Value) -> dict[str, Value]:
    """What a group, or the defaults of one, holds of its own that is a tensor or may hold some."""
    obj = interp.obj_of(group)
    if obj is None or obj.kind != "dict":
        return {}
    kinds = (Tensor, TupleValue, Ref)
    return {name: held for name, held in obj.attrs.items() if name != _PARAMS and isinstance(held, kinds)}


def place(interp: Interpreter, groups: Value | None, device: Device) -> None:
    """The parameters of all groups are where their module is by now, whatever else the groups hold."""
    listed = interp.obj_of(groups)
    for group in (*(listed.items or ()), listed.element) if listed is not None else ():
        held = interp.obj_of(group)
        params = held.attrs.get(_PARAMS) if held is not None else None
        obj = interp.obj_of(params)
        if obj is None or not isinstance(params, Ref):
            continue
        items = tuple(_placed(each, device) for each in obj.items) if obj.items is not None else None
        element = _placed(obj.element, device) if obj.element is not None else None
        interp.update(params, replace(obj, items=items, element=element))


def given(interp: Interpreter, groups: Value | None, parameter: Tensor) -> None:
    """The groups have parameters of which no more is known than this one tells, where nobody said which."""
    listed = interp.obj_of(groups)
    group = interp.obj_of(listed.element) if listed is not None and listed.element is not None else None
    params = group.attrs.get(_PARAMS) if group is not None else None
    obj = interp.obj_of(params)
    if obj is not None and isinstance(params, Ref) and obj.element == UNKNOWN:
        interp.update(params, replace(obj, element=parameter))


def _placed(value: Value, device: Device) -> Value:
    return replace(value, device=device) if isinstance(value, Tensor) else value
