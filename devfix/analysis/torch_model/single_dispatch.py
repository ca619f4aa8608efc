"""``functools.singledispatch``: functions of one name, of which the type of the first argument chooses one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis import calls
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.torch_model import instance_checks
from devfix.analysis.values import (
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

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "functools.singledispatch"
_DEFAULT = "default"


def begun(interp: Interpreter, name: str, function: Value) -> Value:
    """``@singledispatch``: the function for arguments of any other type. Of methods nobody knows which one runs."""
    if name != NAME or not isinstance(function, Function):
        return UNKNOWN
    return interp.new(Obj("external", External(NAME), facts={_DEFAULT: function}, items=()))


def registers(interp: Interpreter, wrapper: Value) -> bool:
    """Whether a decorator is ``@move.register`` or ``@move.register(list)``."""
    method = wrapper.function if isinstance(wrapper, Partial) else wrapper
    obj = interp.obj_of(method.receiver) if isinstance(method, ExternalMethod) else None
    return obj is not None and obj.cls == External(NAME)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A call of the function, or of its ``register``."""
    if name == "__call__":
        return _dispatched(interp, obj, site)
    if name != "register" or not site.args:
        return UNKNOWN
    first, last = site.args[0].value, site.args[-1].value
    if not isinstance(last, Function):
        return Partial(ExternalMethod(ref, name), (first,), ())
    types = (first,) if len(site.args) > 1 else tuple(_annotated(interp, last))
    kept = (*(obj.items or ()), *(TupleValue((each, last)) for each in types))
    interp.update(ref, replace(obj, items=kept))
    return last


def _annotated(interp: Interpreter, function: Function) -> Iterator[Value]:
    """The types that the annotation of the first parameter names."""
    parameters = [*function.node.args.posonlyargs, *function.node.args.args]
    pending = [parameters[0].annotation] if parameters else []
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp):
            pending += [node.left, node.right]
        elif node is not None:
            yield interp.eval(node)


def _dispatched(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    value = site.value(0) or UNKNOWN
    possible: list[Value] = []
    for kept in reversed(obj.items or ()):
        assert isinstance(kept, TupleValue)
        kind, function = kept.items
        known = isinstance(kind, (Class, External))
        asked = CallSite(site.node, (Arg(value), Arg(kind)))
        answer = instance_checks.isinstance_(interp, "", asked) if known else Const(None)
        if answer != FALSE:
            possible.append(function)
        if answer == TRUE:
            break
    else:
        possible.append(obj.facts[_DEFAULT])
    return interp.either(possible, lambda function: calls.call(interp, function, site))
