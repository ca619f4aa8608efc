"""``functools.singledispatch``: functions of one name, of which the type of the first argument chooses one.

So does ``singledispatchmethod`` among methods.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    External,
    ExternalMethod,
    Function,
    Obj,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from devfix.analysis.language import enumerations
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.torch_model.python import instance_checks

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "functools.singledispatch"
METHOD: str = f"{NAME}method"
_DEFAULT = "default"


def begun(interp: Interpreter, name: str, function: Value) -> Value:
    """``@singledispatch``: the function for arguments of any other type."""
    if name not in (NAME, METHOD) or not isinstance(function, Function):
        return UNKNOWN
    return interp.new(Obj("external", External(name), facts={_DEFAULT: function}, items=()))


def bound(interp: Interpreter, found: Value, receiver: Value) -> Value | None:
    """What such a method of a class becomes when it is read through an object; None for anything else."""
    obj = interp.obj_of(found)
    if obj is None or obj.cls != External(METHOD) or not isinstance(receiver, Ref):
        return None
    return Partial(ExternalMethod(found, "__call__"), (receiver,), ())


def registers(interp: Interpreter, wrapper: Value) -> bool:
    """Whether a decorator is ``@move.register`` or ``@move.register(list)``."""
    method = wrapper.function if isinstance(wrapper, Partial) else wrapper
    obj = interp.obj_of(method.receiver) if isinstance(method, ExternalMethod) else None
    return obj is not None and obj.cls in (External(NAME), External(METHOD))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A call of the function, or of its ``register``."""
    if name == "__call__":
        return _dispatched(interp, obj, site)
    if name != "register" or not site.args:
        return UNKNOWN
    first, last = site.args[0].value, site.args[-1].value
    if not isinstance(last, Function):
        return Partial(ExternalMethod(ref, name), (first,), ())
    types = (first,) if len(site.args) > 1 else tuple(_annotated(interp, last, _place(obj)))
    kept = (*(obj.items or ()), *(TupleValue((each, last)) for each in types))
    interp.update(ref, replace(obj, items=kept))
    return last


def _place(obj: Obj) -> int:
    """Which argument chooses: that behind the object of a method."""
    return int(obj.cls == External(METHOD))


def _annotated(interp: Interpreter, function: Function, place: int) -> Iterator[Value]:
    """The types that the annotation of a parameter names."""
    parameters = positional_of(function.node)
    pending = [parameter.annotation for parameter in parameters[place : place + 1]]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp):
            pending += [node.left, node.right]
        elif node is not None:
            yield interp.eval(node)


def _dispatched(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    value = site.value(_place(obj)) or UNKNOWN
    possible: list[Value] = []
    may_be_member = isinstance(value, Const) and _has_enumeration(interp, obj)
    for kept in reversed(obj.items or ()):
        assert isinstance(kept, TupleValue)
        kind, function = kept.items
        known = isinstance(kind, (Class, External))
        asked = CallSite(site.node, (Arg(value), Arg(kind)))
        answer = instance_checks.isinstance_(interp, "", asked) if known else Const(None)
        if answer != FALSE:
            possible.append(function)
        if answer == TRUE and not may_be_member:
            break
    else:
        possible.append(obj.facts[_DEFAULT])
    return interp.either(possible, lambda function: interp.call(function, site))


def _has_enumeration(interp: Interpreter, obj: Obj) -> bool:
    """Whether one of the types is an enumeration, whose members stand for their values here."""
    kinds = (kept.items[0] for kept in obj.items or () if isinstance(kept, TupleValue))
    return any(
        enumerations.is_one(interp, kind)
        if isinstance(kind, Class)
        else isinstance(kind, External) and kind.name in enumerations.BASES
        for kind in kinds
    )
