"""Copies of values: ``copy.deepcopy`` and ``copy.copy``, and what makes such copies itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Ref, TupleValue, Union, Value, members
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.given_namespaces import ENTRIES
from devfix.analysis.nn.modules import is_module
from devfix.analysis.record.trails import extend
from devfix.analysis.torch_model.modules.lent_parameters import WHOLE

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def deepcopy(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``copy.deepcopy``: the object and everything it holds, once more."""
    value = site.value(0, "x")
    return copied(interp, value, site) if value is not None else UNKNOWN


def copied(interp: Interpreter, value: Value, site: CallSite) -> Value:
    """A value and everything it holds, once more."""
    copy = clone(interp, value, {})
    for each in members(copy):
        if isinstance(each, Ref) and is_module(interp, each):
            # From here on the copy has a life of its own: moving the original leaves it where it is.
            obj = interp.obj(each)
            interp.update(each, replace(obj, trail=extend(obj.trail, interp.site("module", site.node))))
    return copy


def clone(interp: Interpreter, value: Value, done: dict[int, Ref]) -> Value:
    """A deep copy of a value; shared parts stay shared."""
    if isinstance(value, TupleValue):
        return TupleValue(tuple(clone(interp, item, done) for item in value.items))
    if isinstance(value, Union):
        usual = value.usual and clone(interp, value.usual, done)
        return Union(tuple(clone(interp, member, done) for member in value.members), usual)
    if not isinstance(value, Ref):
        return value
    if value.address in done:
        return done[value.address]
    obj = interp.obj(value)
    copy = done[value.address] = interp.new(obj)
    attrs = {key: clone(interp, item, done) for key, item in obj.attrs.items()}
    items = tuple(clone(interp, item, done) for item in obj.items) if obj.items is not None else None
    element = clone(interp, obj.element, done) if obj.element is not None else None
    facts = {key: clone(interp, fact, done) if key == WHOLE else fact for key, fact in obj.facts.items()}
    interp.update(copy, replace(obj, attrs=attrs, items=items, element=element, facts=facts))
    return copy


def shallow(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``copy.copy``."""
    value = site.value(0, "x")
    if not isinstance(value, Ref):
        return value or UNKNOWN
    obj = interp.obj(value)
    entries = obj.attrs.get(ENTRIES)
    if isinstance(entries, Ref):
        obj = obj.with_attr(ENTRIES, interp.new(interp.obj(entries)))
    return interp.new(obj)
