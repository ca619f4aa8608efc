"""Storing: attributes and items that are set, and what they remember of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    Array,
    Class,
    Const,
    External,
    Function,
    Namespace,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import (
    containers,
    descriptors,
    given_namespaces,
    item_assignment,
    keeping,
    own_setters,
    rebinding,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import hidden_modules, module_tuples
from devfix.analysis.nn.modules import havoc, is_module
from devfix.analysis.record import notes
from devfix.analysis.torch_model.arrays import sparse_matrices, table_types, tables
from devfix.analysis.torch_model.devices import choices
from devfix.analysis.torch_model.loading import renewed_parts
from devfix.analysis.torch_model.modules import registering
from devfix.analysis.torch_model.python import mappings
from devfix.analysis.torch_model.tensors import (
    distributions,
    indexed_writes,
    leaves,
    replaced_data,
    truths_in_floats,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What it means for objects of a library that an attribute is set.
_SETTERS: dict[Value, Callable[[Interpreter, Ref, str, Value], None]] = {
    table_types.TABLE: tables.set_attribute,
    sparse_matrices.MATRIX: sparse_matrices.set_attribute,
}


def set_attribute(
    interp: Interpreter,
    receiver: Value,
    name: str,
    value: Value,
    target: ast.Attribute,
    statement: ast.stmt | ast.expr | None,
    owner: Value | None = None,
) -> None:
    """``receiver.name = value``; where it is one of several objects, whichever it is has the attribute then.

    ``owner`` is what the receiver is an attribute of, where that matters.
    """
    receiver = without_none(receiver)
    renewed_parts.note(interp, target, receiver, Const(name), value)
    if isinstance(receiver, Namespace):
        interp.assign(interp.module_frame(receiver.path), name, value)
    elif isinstance(receiver, Class):
        interp.assign(receiver.frame, name, value)
    elif isinstance(receiver, Function):
        interp.assign(receiver.frame, classes.attribute_of(receiver, name), value)
    elif isinstance(receiver, Tensor) and name == "data" and isinstance(value, Tensor):
        replaced_data.assign(interp, target, receiver, value, statement, owner)
    elif name == "data" and owner is not None and is_module(interp, owner):
        havoc(interp, owner)  # too little is known of what it is given: it may be anywhere from now on
    elif isinstance(receiver, Tensor) and name == "requires_grad":
        leaves.note(interp, replace(receiver, grad=value == TRUE))
        leaves.train(interp, receiver, value)
    elif isinstance(receiver, Tensor) and name == "grad" and isinstance(value, Tensor):
        leaves.give_gradient(interp, receiver, value, target)
    for member in members(receiver):
        if isinstance(member, Ref):
            _set_object_attribute(interp, member, name, value, target, statement)


def _set_object_attribute(
    interp: Interpreter,
    ref: Ref,
    name: str,
    value: Value,
    target: ast.Attribute,
    statement: ast.stmt | ast.expr | None,
) -> None:
    obj = interp.obj(ref)
    if _is_no_attribute(interp, ref, obj, name, value):
        return
    if isinstance(obj.cls, Class):
        found = classes.find(interp, obj.cls, name)
        if isinstance(found, Function) and found.kind == "property":
            own_setters.set_property(interp, obj.cls, ref, name, value, target)
            return
        if descriptors.write(interp, found, ref, value, target):
            return
        notes.note_attribute(interp, classes.linearise(obj.cls), name, value, statement)
    else:
        notes.note_option(interp, obj, target, value, statement)
        obj = distributions.with_parameter(obj, name, value) if distributions.is_one(obj) else obj
    obj = registering.with_statistics(interp, obj, name, value)
    value = keeping.stored(interp, ref, obj, name, value, target)
    setter = own_setters.of(interp, obj, value)
    if setter is not None:
        if own_setters.call(interp, setter, ref, name, value, target):
            return
        obj = interp.obj(ref)
    elif (held := own_setters.as_entries(interp, obj)) is not None:
        item_assignment.assign(interp, held, Const(name), value, target)
        return
    if (entries := given_namespaces.of(interp, obj)) is not None:
        given_namespaces.write(interp, entries, name, value)
        return
    if name in obj.buffers and not isinstance(value, Tensor) and value != NONE:
        obj = replace(obj, buffers=obj.buffers - {name})
    obj = replaced_data.with_parameter(interp, obj, value, target, statement)
    if isinstance(value, TupleValue) and keeping.is_being_built(interp, ref):
        obj = module_tuples.kept(interp, obj, name, value, target, statement)
    else:
        obj = module_tuples.dropped(obj, name)
    interp.update(ref, hidden_modules.shown(containers.beside_entries(obj), name).with_attr(name, value))


def _is_no_attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, value: Value) -> bool:
    """Whether what is set is something else than one attribute of the object, which is done then."""
    if name == given_namespaces.NAME:
        if obj.kind != "dict" and not is_module(
            interp, ref
        ):  # attributes and entries of a dict are one already
            interp.update(ref, given_namespaces.given(interp, obj, value))
        return True
    if obj.kind == "dict" and name == "data" and mappings.is_user_dict(interp, obj):
        mappings.set_data(interp, ref, value)
        return True
    if obj.kind == "external" and obj.cls in _SETTERS:
        _SETTERS[obj.cls](interp, ref, name, value)
        return True
    return False


_ENVIRONMENT = External("os.environ")


def set_item(interp: Interpreter, target: ast.Subscript, value: Value) -> None:
    """``receiver[key] = value``."""
    receiver = interp.eval(target.value)
    put_item(interp, target, receiver, interp.eval(target.slice), value)


def put_item(interp: Interpreter, target: ast.Subscript, receiver: Value, key: Value, value: Value) -> None:
    """Set an item; where the receiver is one of several objects, whichever it is has the item then."""
    receiver = without_none(receiver)
    renewed_parts.note(interp, target, receiver, key, value)
    if isinstance(receiver, Tensor):
        indexed_writes.assign(interp, target, receiver, key, value)
        if receiver.cast_of is not None:
            kept = truths_in_floats.stored(receiver, value)
            rebinding.rebind(interp, target.value, replace(receiver, cast_of=kept))
    elif isinstance(receiver, Array):
        indexed_writes.assign_to_array(interp, target, receiver, key, value)
    if receiver == _ENVIRONMENT:
        choices.set_environment(interp, key, value)
    for member in members(receiver):
        if isinstance(member, Ref):
            _set_item_of_object(interp, target, member, key, value)


def _set_item_of_object(
    interp: Interpreter, target: ast.Subscript, receiver: Ref, key: Value, value: Value
) -> None:
    obj = interp.obj(receiver)
    own = classes.find(interp, obj.cls, "__setitem__") if isinstance(obj.cls, Class) else None
    if obj.kind == "instance" and isinstance(own, Function):
        site = CallSite(target, (Arg(key, target.slice), Arg(value)))
        interp.call_function(own, [receiver], target, site)
    elif obj.cls in tables.CLASSES:
        tables.store(interp, receiver, key, value)
    else:
        data = mappings.wrapped(interp, obj)
        item_assignment.assign(interp, receiver if data is None else data, key, value, target)
