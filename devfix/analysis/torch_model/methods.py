"""Method calls on values whose class is not in the project."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import (
    NONE,
    Array,
    BoundMethod,
    Class,
    ExternalMethod,
    Function,
    Obj,
    Partial,
    Ref,
    SuperValue,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import construction, contexts, named_tuples, rebinding, unknown_code
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import is_module
from devfix.analysis.torch_model import external_objects
from devfix.analysis.torch_model.arrays import numpy_model
from devfix.analysis.torch_model.libraries import restored
from devfix.analysis.torch_model.modules import module_methods, super_calls
from devfix.analysis.torch_model.python import container_methods, registered_classes, text_methods
from devfix.analysis.torch_model.tensors import tensor_methods
from devfix.analysis.torch_model.training import autograd_functions

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def call(interp: Interpreter, method: ExternalMethod, site: CallSite) -> Value:
    """``receiver.name(...)``."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Tensor):
        result = tensor_methods.call(interp, receiver, name, method.node, site)
        if name.endswith("_") and isinstance(method.node, ast.Attribute) and isinstance(result, Tensor):
            changed = replace(
                receiver,
                rank=result.rank,
                grad=result.grad,
                leaf=result.leaf,
                empty=result.empty,
                cast_of=None,
            )
            rebinding.rebind(interp, method.node.value, changed)
        return result
    if isinstance(receiver, Array):
        return numpy_model.method(interp, receiver, name, site)
    found = _class_method(interp, receiver, name, site) if isinstance(receiver, Class) else None
    if found is not None:
        return found
    if name in (contexts.ENTER, contexts.EXIT) and not isinstance(receiver, SuperValue):
        return contexts.called(interp, receiver, name, site)
    if isinstance(receiver, SuperValue):
        return super_calls.call_super(interp, receiver, name, site)
    if isinstance(receiver, Ref):
        return _object_method(interp, receiver, name, site)
    if isinstance(receiver, TupleValue):
        return named_tuples.method(interp, receiver, name, site)
    if isinstance(receiver, Function) and name == "__get__":
        bound = site.value(0)
        return receiver if bound in (None, NONE) else BoundMethod(receiver, bound)
    if isinstance(receiver, (Class, Partial)) and name == "_make":
        return named_tuples.made_of(interp, receiver, site)
    if scalar_type(receiver) == "str":
        return text_methods.call(interp, receiver, name, site)
    if scalar_type(receiver) in ("int", "float", "bool") and name == "item":
        return receiver
    return unknown_code.call(interp, site)


def _class_method(interp: Interpreter, cls: Class, name: str, site: CallSite) -> Value | None:
    if name == "apply" and autograd_functions.is_function(interp, cls):
        return autograd_functions.apply(interp, cls, site)
    if name == "__subclasses__":
        return interp.new(Obj("list", items=classes.directly_below(interp, cls)))
    if name == "register":
        return registered_classes.register(interp, cls, site)
    if name == "__new__":
        return construction.bare(interp, cls, site)
    return restored.restore(interp, cls, name, site)


def _object_method(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    obj = interp.obj(ref)
    if obj.kind in ("list", "dict", "set"):
        return container_methods.call(interp, ref, obj, name, site)
    if is_module(interp, ref):
        return module_methods.call(interp, ref, name, site)
    if name == "apply" and isinstance(obj.cls, Class) and autograd_functions.is_function(interp, obj.cls):
        return autograd_functions.apply(interp, obj.cls, site)  # of the class, like any class method
    if name == "_replace" and obj.items is not None and not site.open:
        return named_tuples.replaced(interp, obj, site)
    if name == "_make" and obj.items is not None:
        return named_tuples.made_of(interp, obj.cls, site)
    if name == "_asdict" and obj.items is not None:
        return interp.new(Obj("dict", attrs=dict(obj.attrs)))
    return external_objects.call(interp, ref, obj, name, site)
