"""Attribute access: what an object, a class, a module of Python or a value of any kind has under a name."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, same_as
from devfix.analysis.domain.values import (
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
    without_none,
)
from devfix.analysis.language import (
    cached_properties,
    containers,
    descriptors,
    fitting,
    given_namespaces,
    named_tuples,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import is_module, module_device
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model import names
from devfix.analysis.torch_model.devices import device_settings, scattering
from devfix.analysis.torch_model.loading import batch_mates
from devfix.analysis.torch_model.modules import module_walks
from devfix.analysis.torch_model.python import (
    mappings,
    reflection,
    signatures,
    single_dispatch,
    value_classes,
)
from devfix.analysis.torch_model.tensors import tensor_attributes

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def get_attribute(interp: Interpreter, value: Value, name: str, node: ast.expr) -> Value:
    """The value of ``value.name``; ``node`` is the expression that asks."""
    if isinstance(value, Union):
        value = without_none(value)
    if isinstance(value, Ref):
        return _object_attribute(interp, value, name, node)
    if isinstance(value, Union):
        possible = fitting.with_attribute(interp, value.members, name)
        if name == "device" and _are_apart(interp, possible):
            return DeviceValue(UNKNOWN_DEVICE)
        return interp.either(
            possible, lambda member: get_attribute(interp, member, name, node), usual=value.usual
        )
    if isinstance(value, External):
        if names.is_missing(value.name, name):
            interp.state.dead = True  # an AttributeError
        return names.external_attribute(value.name, name)
    if isinstance(value, Namespace):
        return _namespace_attribute(interp, value, name, node)
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


def _are_apart(interp: Interpreter, possible: Iterable[Value]) -> bool:
    """Whether some of several modules are on the CPU, and others not: no choice of the program tells where each run has it."""
    devices = {module_device(interp, each) for each in possible}
    return CPU in devices and len(devices) > 1


def _plain_attribute(interp: Interpreter, value: Value, name: str, node: ast.expr) -> Value:
    if name == "__class__":
        return value_classes.class_of(interp, value)
    if isinstance(value, Function):
        given = interp.state.get(value.frame, classes.attribute_of(value, name))
        if given is not None:
            return given
    if name == "__func__" and isinstance(value, (Function, BoundMethod)):
        return value.function if isinstance(value, BoundMethod) else value
    if name == "__self__" and isinstance(value, BoundMethod):
        return value.receiver
    if name == "value" and isinstance(value, (Const, Partial)):
        return value  # members of enumerations stand for their values
    if name == "__name__" and isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
        return Const(value.node.name)
    if name == "__code__" and isinstance(value, Function):
        return signatures.code(interp, value)
    if name in ("__str__", "__repr__") and isinstance(value, DTypeValue):
        return Partial(External("builtins.str"), (value,), ())
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
        return _device_asked_for(interp, node) if name == "device" else UNKNOWN
    if batch_mates.is_one(value):
        return batch_mates.attribute(interp, value, name, node)
    if name == "device" and not is_option(value):
        # What a module is called with are tensors; what else has a ``device`` may be options.
        followed = (
            value.token.rpartition(":")[0].endswith(".forward") and "." not in value.token.rpartition(":")[2]
        )
        return DeviceValue(same_as(f"{value.token}.device"), followed=followed)
    return Unknown(f"{value.token}.{name}") if value.token.count(".") < 4 else UNKNOWN


def _device_asked_for(interp: Interpreter, node: ast.expr) -> Value:
    """The device of something of which nobody knows anything: that of a script's is not known either."""
    if interp.is_script:
        return UNKNOWN
    frame = interp.frame
    return DeviceValue(same_as(f"{frame.path}:{frame.scope}:{node.lineno}-{node.col_offset}.device"))


def _namespace_attribute(interp: Interpreter, value: Namespace, name: str, node: ast.expr) -> Value:
    frame = interp.module_frame(value.path)
    found = reads.variable_of(interp, frame, name)
    if found is not None:
        return found
    if name == "__dict__":
        return interp.new(Obj("dict", attrs=dict(reads.all_of(interp, frame))))
    path = reads.resolve(interp, value.path, name, 1) or reads.folder(interp, value.path, name)
    if path is not None:
        return interp.load_module(path)
    found = of_module(interp, value.path, name, node)
    return found if found is not None else UNKNOWN


def of_module(interp: Interpreter, path: str, name: str, node: ast.expr) -> Value | None:
    """What the ``__getattr__`` of a file gives for a name that the file does not have, if there is such a function."""
    getter = reads.variable_of(interp, interp.module_frame(path), "__getattr__")
    return _computed(interp, getter, [], name, node) if isinstance(getter, Function) else None


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
    if found is None and given_namespaces.NAME in obj.attrs:
        found = given_namespaces.read(interp, obj, name)
    if found is not None and obj.kind != "optimizer":
        return UNKNOWN if name == "module" and scattering.may_have_moved(interp, obj) else found
    if name == "__class__" and (isinstance(obj.cls, Class) or obj.kind == "list"):
        return value_classes.class_of(interp, ref)
    if name == "__dict__":
        return reflection.namespace(interp, ref)
    if name == "_modules" and is_module(interp, ref):
        return module_walks.by_name(interp, ref)
    if name in ("_parameters", "_buffers") and is_module(interp, ref):
        return module_walks.tensors_by_name(interp, ref, name)
    if obj.kind == "instance" and isinstance(obj.cls, Class):
        return _class_attribute(interp, obj.cls, ref, name, node)
    return tensor_attributes.of_object(interp, ref, obj, name, node)


def _entry(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """What a dict of the project's own gives as an attribute: what its ``__getattr__`` gives, or the entry of that name."""
    if hasattr(dict, name):
        return None
    getter = classes.find(interp, obj.cls, "__getattr__") if isinstance(obj.cls, Class) else None
    found = _computed(interp, getter, [ref], name, node) if isinstance(getter, Function) else UNKNOWN
    if name in obj.attrs:
        return obj.attrs[name] if found == UNKNOWN else found
    setting = device_settings.entry(Const(name)) if found == UNKNOWN else None
    return (setting or found) if getter is not None else None


def _class_attribute(interp: Interpreter, cls: Class, receiver: Value, name: str, node: ast.expr) -> Value:
    """An attribute looked up on a class and bound to ``receiver`` (the class itself or an object)."""
    found = classes.find(interp, cls, name)
    if found is not None:
        return bind_method(interp, found, receiver, node)
    if name == named_tuples.FIELDS and (fields := named_tuples.fields_of(interp, cls)):
        return named_tuples.texts(fields)
    if name == classes.FIELDS and classes.is_dataclass(cls) and not classes.is_of_attrs(cls):
        return interp.new(Obj("dict", attrs={field.name: UNKNOWN for field in classes.fields(cls)}))
    if isinstance(receiver, Ref):
        getter = classes.find(interp, cls, "__getattr__")
        own = not is_module(interp, receiver) or not tensor_attributes.is_of_modules(interp, receiver, name)
        if isinstance(getter, Function) and own:
            return _computed(interp, getter, [receiver], name, node)
        entries = mappings.wrapped(interp, interp.obj(receiver)) if getter is not None else None
        if entries is not None and not hasattr(dict, name):
            return containers.get_item(interp, entries, Const(name))
        return tensor_attributes.of_object(interp, receiver, interp.obj(receiver), name, node)
    if name == "__dict__":
        return reflection.namespace_of_class(interp, cls)
    if name in ("__name__", "__qualname__"):
        return Const(cls.node.name) if name == "__name__" else UNKNOWN
    metaclass = classes.find(interp, cls, classes.METACLASS)
    inherited = classes.find(interp, metaclass, name) if isinstance(metaclass, Class) else None
    if inherited is not None and not isinstance(inherited, Function):
        return inherited
    return ExternalMethod(receiver, name, node)


def _computed(
    interp: Interpreter, getter: Function, receiver: list[Value], name: str, node: ast.expr
) -> Value:
    """What ``__getattr__`` gives; nothing is known of a name for which it raises."""
    site = CallSite(node, (Arg(Const(name)),))
    found = interp.attempt(lambda: interp.call_function(getter, receiver, node, site))
    return UNKNOWN if found is None else found


def bind_method(interp: Interpreter, found: Value, receiver: Value, node: ast.expr) -> Value:
    """What an attribute found on a class becomes when it is read through ``receiver``."""
    if isinstance(found, Partial) and found.bound and isinstance(receiver, Ref):
        return replace(found, args=(receiver, *found.args), bound=False)
    if isinstance(found, Ref):
        computed = single_dispatch.bound(interp, found, receiver)
        computed = computed or descriptors.read(interp, found, receiver, node)
        return found if computed is None else computed
    if not isinstance(found, Function):
        return found
    if found.kind == "property":
        if not isinstance(receiver, Ref):
            return found
        return interp.call_function(found, [receiver], node)
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
    order = classes.after(start, value.owner) if name == "__init__" else []
    if found is not None and classes.with_generated_init(interp, order) is None:
        return bind_method(interp, found, value.receiver, node)
    return ExternalMethod(value, name, node)
