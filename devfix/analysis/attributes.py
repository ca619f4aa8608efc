"""Attribute and item access, read and written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis import (
    cached_properties,
    calls,
    classes,
    containers,
    fitting,
    hidden_modules,
    named_tuples,
    notes,
    reads,
)
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.lattice import same_as
from devfix.analysis.modules import havoc, is_module
from devfix.analysis.torch_model import (
    batch_mates,
    choices,
    device_settings,
    indexing,
    leaves,
    mappings,
    names,
    renewed_parts,
    replaced_data,
    sparse_matrices,
    table_types,
    tables,
    tensor_attributes,
    truths_in_floats,
    value_classes,
)
from devfix.analysis.trails import OF_OBJECT, extend
from devfix.analysis.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    ExternalMethod,
    Function,
    Namespace,
    Obj,
    Partial,
    Ref,
    Scalar,
    SuperValue,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    is_option,
    members,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What it means for objects of a library that an attribute is set.
_SETTERS: dict[Value, Callable[[Interpreter, Ref, str, Value], None]] = {
    table_types.TABLE: tables.set_attribute,
    sparse_matrices.MATRIX: sparse_matrices.set_attribute,
}
#: Methods that build an object: what they store is part of it from the start.
CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})


def get_attribute(interp: Interpreter, value: Value, name: str, node: ast.expr) -> Value:
    """The value of ``value.name``; ``node`` is the expression that asks."""
    if isinstance(value, Union):
        value = without_none(value)
    if isinstance(value, Ref):
        return _object_attribute(interp, value, name, node)
    if isinstance(value, Union):
        possible = fitting.with_attribute(interp, value.members, name)
        return interp.either(
            possible, lambda member: get_attribute(interp, member, name, node), usual=value.usual
        )
    if isinstance(value, External):
        if names.is_missing(value.name, name):
            interp.state.dead = True  # an AttributeError
        return names.external_attribute(value.name, name)
    if isinstance(value, Namespace):
        return _namespace_attribute(interp, value, name)
    if isinstance(value, (Tensor, Array, DeviceValue)):
        found = tensor_attributes.get(interp, value, name, node)
        return found if found is not None else _plain_attribute(interp, value, name, node)
    if isinstance(value, Class):
        return _class_attribute(interp, value, value, name, node)
    if isinstance(value, SuperValue):
        return _super_attribute(interp, value, name, node)
    if isinstance(value, Unknown):
        return _unknown_attribute(interp, value, name, node)
    if isinstance(value, TupleValue):
        return named_tuples.attribute(value, name) or _plain_attribute(interp, value, name, node)
    return _plain_attribute(interp, value, name, node)


def _plain_attribute(interp: Interpreter, value: Value, name: str, node: ast.expr) -> Value:
    if name == "__class__":
        return value_classes.class_of(interp, value)
    if name == "value" and isinstance(value, (Const, Partial)):
        return value  # members of enumerations stand for their values
    if name == "__name__" and isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
        return Const(value.node.name)
    if name in tensor_attributes.OF_DTYPES and isinstance(value, DTypeValue):
        return (
            Scalar("bool") if value.name is None else Const(value.name in tensor_attributes.OF_DTYPES[name])
        )
    return ExternalMethod(value, name, node)


def _unknown_attribute(interp: Interpreter, value: Unknown, name: str, node: ast.expr) -> Value:
    """Attributes of an unknown value are unknown too, but ``x.device`` can be spoken of."""
    if name == "dtype":
        return DTypeValue(None)
    if not value.token:
        return UNKNOWN
    if batch_mates.is_one(value):
        return batch_mates.attribute(interp, value, name, node)
    if name == "device" and not is_option(value):
        # What a module is called with are tensors; what else has a ``device`` may be options.
        followed = (
            value.token.rpartition(":")[0].endswith(".forward") and "." not in value.token.rpartition(":")[2]
        )
        return DeviceValue(same_as(f"{value.token}.device"), followed=followed)
    return Unknown(f"{value.token}.{name}") if value.token.count(".") < 4 else UNKNOWN


def _namespace_attribute(interp: Interpreter, value: Namespace, name: str) -> Value:
    frame = interp.module_frame(value.path)
    found = reads.variable_of(interp, frame, name)
    if found is not None:
        return found
    if name == "__dict__":
        return interp.new(Obj("dict", attrs=dict(reads.all_of(interp, frame))))
    path = reads.resolve(interp, value.path, name, 1) or reads.folder(interp, value.path, name)
    return interp.load_module(path) if path is not None else UNKNOWN


def _object_attribute(interp: Interpreter, ref: Ref, name: str, node: ast.expr) -> Value:
    obj = interp.obj(ref)
    if obj.kind in ("dict", "list"):
        own = classes.find(interp, obj.cls, name) if isinstance(obj.cls, Class) else None
        if own is not None:
            return bind_method(interp, own, ref, node)
    if obj.kind == "list" and name == "data" and isinstance(obj.cls, Class) and name not in obj.attrs:
        return ref  # what a ``UserList`` wraps holds the same items
    if obj.kind == "dict":
        if name == "data" and mappings.is_user_dict(interp, obj):
            return ref  # what it wraps holds the same entries
        entry = _entry(interp, ref, obj, name, node) if isinstance(obj.cls, Class) else None
        return entry if entry is not None else _plain_attribute(interp, ref, name, node)
    found = obj.attrs.get(name)
    if found is not None and obj.kind != "optimizer":
        return UNKNOWN if name == "module" and _has_moved(interp, obj) else found
    if name == "__class__" and (isinstance(obj.cls, Class) or obj.kind == "list"):
        return value_classes.class_of(interp, ref)
    if name == "__dict__":
        from devfix.analysis.torch_model import reflection  # it gets attributes by name

        return reflection.namespace(interp, ref)
    if name == "_modules" and is_module(interp, ref):
        from devfix.analysis.torch_model import module_walks  # modules are objects with attributes

        return module_walks.by_name(interp, ref)
    if obj.kind == "instance" and isinstance(obj.cls, Class):
        return _class_attribute(interp, obj.cls, ref, name, node)
    return tensor_attributes.of_object(interp, ref, obj, name, node)


def _has_moved(interp: Interpreter, obj: Obj) -> bool:
    from devfix.analysis.torch_model import wrapper_attributes  # it looks up attributes of classes

    return wrapper_attributes.may_have_moved(interp, obj)


def _entry(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """What a dict of the project's own gives as an attribute: the entry of that name, or what its ``__getattr__`` gives."""
    if hasattr(dict, name):
        return None
    if name in obj.attrs:
        return obj.attrs[name]
    getter = classes.find(interp, obj.cls, "__getattr__") if isinstance(obj.cls, Class) else None
    found = _computed(interp, getter, ref, name, node) if isinstance(getter, Function) else UNKNOWN
    setting = device_settings.entry(Const(name)) if found == UNKNOWN else None
    return (setting or found) if getter is not None else None


def _class_attribute(interp: Interpreter, cls: Class, receiver: Value, name: str, node: ast.expr) -> Value:
    """An attribute looked up on a class and bound to ``receiver`` (the class itself or an object)."""
    found = classes.find(interp, cls, name)
    if found is not None:
        return bind_method(interp, found, receiver, node)
    if name == named_tuples.FIELDS and (fields := named_tuples.fields_of(interp, cls)):
        return named_tuples.texts(fields)
    if isinstance(receiver, Ref):
        getter = classes.find(interp, cls, "__getattr__")
        own = not is_module(interp, receiver) or not tensor_attributes.is_of_modules(interp, receiver, name)
        if isinstance(getter, Function) and own:
            return _computed(interp, getter, receiver, name, node)
        return tensor_attributes.of_object(interp, receiver, interp.obj(receiver), name, node)
    if name in ("__name__", "__qualname__"):
        return Const(cls.node.name) if name == "__name__" else UNKNOWN
    metaclass = classes.find(interp, cls, classes.METACLASS)
    inherited = classes.find(interp, metaclass, name) if isinstance(metaclass, Class) else None
    if inherited is not None and not isinstance(inherited, Function):
        return inherited
    return ExternalMethod(receiver, name, node)


def _computed(interp: Interpreter, getter: Function, receiver: Ref, name: str, node: ast.expr) -> Value:
    """What ``__getattr__`` gives; nothing is known of a name for which it raises."""
    site = CallSite(node, (Arg(Const(name)),))
    found = interp.attempt(lambda: calls.call_function(interp, getter, [receiver], node, site))
    return UNKNOWN if found is None else found


def bind_method(interp: Interpreter, found: Value, receiver: Value, node: ast.expr) -> Value:
    """What an attribute found on a class becomes when it is read through ``receiver``."""
    if not isinstance(found, Function):
        return found
    if found.kind == "property":
        if not isinstance(receiver, Ref):
            return found
        return calls.call_function(interp, found, [receiver], node)
    if found.kind == cached_properties.KIND:
        return cached_properties.read(interp, found, receiver, node) if isinstance(receiver, Ref) else found
    if found.kind == "staticmethod":
        return found
    if found.kind == "classmethod":
        obj = interp.obj_of(receiver)
        return BoundMethod(found, obj.cls if obj is not None else receiver)
    return BoundMethod(found, receiver) if isinstance(receiver, Ref) else found


def _super_attribute(interp: Interpreter, value: SuperValue, name: str, node: ast.expr) -> Value:
    obj = interp.obj_of(value.receiver)
    start = obj.cls if obj is not None and isinstance(obj.cls, Class) else value.owner
    found = classes.find_after(interp, start, value.owner, name)
    if found is not None:
        return bind_method(interp, found, value.receiver, node)
    return ExternalMethod(value, name, node)


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
    elif isinstance(receiver, Tensor) and name == "data" and isinstance(value, Tensor):
        replaced_data.assign(interp, target, receiver, value, statement)
    elif name == "data" and owner is not None and is_module(interp, owner):
        havoc(interp, owner)  # too little is known of what it is given: it may be anywhere from now on
    elif isinstance(receiver, Tensor) and name == "requires_grad":
        leaves.note(interp, replace(receiver, grad=value == TRUE))
    elif isinstance(receiver, Tensor) and name == "grad" and isinstance(value, Tensor):
        leaves.give(interp, "torch.Tensor.grad", receiver, value, target)
    for member in members(receiver):
        if isinstance(member, Ref):
            _set_object_attribute(interp, member, name, value, target, statement)


def _rebind(interp: Interpreter, holder: ast.expr, value: Value) -> None:
    from devfix.analysis import binding  # binding.py sets attributes

    binding.rebind(interp, holder, value)


def _set_object_attribute(
    interp: Interpreter,
    ref: Ref,
    name: str,
    value: Value,
    target: ast.Attribute,
    statement: ast.stmt | ast.expr | None,
) -> None:
    obj = interp.obj(ref)
    if obj.kind == "dict" and name == "__dict__":
        return  # attributes and entries are one already
    if obj.kind == "dict" and name == "data" and mappings.is_user_dict(interp, obj):
        mappings.set_data(interp, ref, value)
        return
    if obj.kind == "external" and obj.cls in _SETTERS:
        _SETTERS[obj.cls](interp, ref, name, value)
        return
    if isinstance(obj.cls, Class):
        found = classes.find(interp, obj.cls, name)
        if isinstance(found, Function) and found.kind == "property":
            _set_property(interp, obj.cls, ref, name, value, target)
            return
        notes.note_attribute(interp, classes.linearise(obj.cls), name, value, statement)
    else:
        notes.note_option(interp, obj, target, value, statement)
    value = stored(interp, ref, obj, name, value, target)
    if name in obj.buffers and not isinstance(value, Tensor) and value != NONE:
        obj = replace(obj, buffers=obj.buffers - {name})
    obj = replaced_data.with_parameter(interp, obj, value, target, statement)
    interp.update(ref, hidden_modules.shown(obj, name).with_attr(name, value))


def _set_property(
    interp: Interpreter, cls: Class, ref: Ref, name: str, value: Value, target: ast.expr
) -> None:
    """``obj.name = value`` where the class says what is to be done with it."""
    setter = classes.find(interp, cls, classes.setter_of(name))
    if isinstance(setter, Function):
        calls.call_function(interp, setter, [ref], target, CallSite(target, (Arg(value),)))


def stored(interp: Interpreter, ref: Ref, obj: Obj, name: str, value: Value, target: ast.expr) -> Value:
    """``value`` as it is kept in an attribute: its trail tells that it was stored there."""
    if isinstance(value, Tensor):
        if is_module(interp, ref):
            value = leaves.check_parameter(interp, value, target)
        else:
            value = leaves.held_beside(interp, value)
        plain = not value.parameter and name not in obj.buffers
        kind = "module-attribute" if plain and _under_construction(interp, ref) else "attribute"
        return value.at(interp.site(kind, target))
    if isinstance(value, Array):
        return replace(value, trail=extend(value.trail, interp.site("attribute", target)))
    for member in members(value):  # None or a list, say
        held = interp.obj_of(member)
        if (
            held is not None
            and isinstance(member, Ref)
            and held.kind in ("list", "dict", "module", "instance")
        ):
            kind = "module-attribute" if _under_construction(interp, ref) else "attribute"
            life = extend(held.trail, interp.site(kind, target), OF_OBJECT)
            interp.update(member, replace(held, trail=life))
    return value


def _under_construction(interp: Interpreter, ref: Ref) -> bool:
    """Whether an object is a module whose constructor (or what it calls) is running."""
    return is_module(interp, ref) and any(
        isinstance(frame.receiver, Ref)
        and frame.receiver.address == ref.address
        and frame.scope.rpartition(".")[2] in CONSTRUCTORS
        for frame in interp.stack
    )


_ENVIRONMENT = External("os.environ")


def set_item(interp: Interpreter, target: ast.Subscript, value: Value) -> None:
    """``receiver[key] = value``; where it is one of several objects, whichever it is has the item then."""
    receiver = without_none(interp.eval(target.value))
    key = interp.eval(target.slice)
    renewed_parts.note(interp, target, receiver, key, value)
    if isinstance(receiver, Tensor):
        indexing.assign(interp, target, receiver, key, value)
        if receiver.cast_of is not None:
            kept = truths_in_floats.stored(receiver, value)
            _rebind(interp, target.value, replace(receiver, cast_of=kept))
    elif isinstance(receiver, Array):
        indexing.assign_to_array(interp, target, receiver, key, value)
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
        calls.call_function(interp, own, [receiver], target, site)
    elif obj.cls in tables.CLASSES:
        tables.store(interp, receiver, key, value)
    else:
        data = mappings.wrapped(interp, obj)
        containers.set_item(interp, receiver if data is None else data, key, value, target)
