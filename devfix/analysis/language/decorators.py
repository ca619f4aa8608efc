"""Decorators: what a definition is bound to once they have had their say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import BoundMethod, Class, External, Function, Union, Unknown, Value
from devfix.analysis.language import contexts, descriptors
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import choices, grad_mode
from devfix.analysis.torch_model.python import function_commands, registered_classes, single_dispatch

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def decorate(interp: Interpreter, decorator: ast.expr, value: Value) -> Value:
    """The value a decorator returns; one from outside the project leaves the function as it is."""
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    if isinstance(value, Function):
        if name in ("property", "cached_property"):
            return replace(value, kind=name)
        if name in ("staticmethod", "classmethod"):
            return replace(value, kind=name)
        if name in ("setter", "getter", "deleter"):
            called = getattr(value.node, "name", "")
            previous = interp.state.get(interp.frame.id, called)
            if name == "setter":
                interp.state.set(interp.frame.id, classes.setter_of(called), value)
            return previous if previous is not None else value
    wrapper = interp.eval(decorator)
    if isinstance(wrapper, External) and wrapper.name.startswith(single_dispatch.NAME):
        return single_dispatch.begun(interp, wrapper.name, value)
    if registered_classes.registers(wrapper) or single_dispatch.registers(interp, wrapper):
        interp.call(wrapper, CallSite(decorator, (Arg(value, None),)))
        return value
    if isinstance(wrapper, External) and wrapper.name in grad_mode.HANDLERS:
        wrapper = interp.call(wrapper, CallSite(decorator))  # ``@torch.no_grad`` needs no call
    if isinstance(value, Function) and _is_manager(interp, wrapper):
        return replace(value, within=(*value.within, wrapper))
    if isinstance(wrapper, Class) and descriptors.describes(interp, wrapper):
        return interp.call(wrapper, CallSite(decorator, (Arg(value, None),)))
    if isinstance(wrapper, (Function, BoundMethod)) or _has_own_call(interp, wrapper):
        made = interp.call(wrapper, CallSite(decorator, (Arg(value, None),)))
        if isinstance(made, Function) and isinstance(value, Function):
            kind = value.kind if made.kind == "function" else made.kind  # some make a property of a method
            return replace(made, owner=value.owner, kind=kind)
        return value if isinstance(made, Unknown) else made
    return function_commands.with_option(interp, wrapper, value) if isinstance(value, Function) else value


def _is_manager(interp: Interpreter, wrapper: Value) -> bool:
    """Whether a decorator is one of torch's context managers, or may be, or one of the project's that are made for it."""
    obj = interp.obj_of(wrapper)
    if isinstance(wrapper, Union):
        return any(choices.is_autocast(interp, each) for each in wrapper.members)
    if obj is not None and (obj.cls == External(grad_mode.NAME) or contexts.decorates(interp, obj)):
        return True
    return choices.is_autocast(interp, wrapper)


def _has_own_call(interp: Interpreter, wrapper: Value) -> bool:
    """Whether a decorator is an object whose class says what becomes of a function."""
    obj = interp.obj_of(wrapper)
    if obj is None or obj.kind != "instance" or not isinstance(obj.cls, Class):
        return False
    return isinstance(classes.find(interp, obj.cls, "__call__"), Function)
