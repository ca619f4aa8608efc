"""``inspect.signature`` and ``f.__code__``: what parameters a function or class of the project has, by name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Obj,
    TupleValue,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text.scope_names import ScopeNames, parameters_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def signature(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``signature(f)``, of which ``parameters`` are known by name and in their order."""
    names = _parameters(interp, site.value(0, "obj"))
    if names is None:
        return UNKNOWN
    parameters = interp.new(Obj("dict", attrs=dict.fromkeys(names, UNKNOWN)))
    return interp.new(Obj("external", External("inspect.Signature"), attrs={"parameters": parameters}))


def full_specification(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``getfullargspec(f)``, whose ``args`` are the parameters that may be given by position, ``self`` too."""
    value = site.value(0, "func")
    function = value.function if isinstance(value, BoundMethod) else value
    if not isinstance(function, Function) or _speaks_for_another(function):
        return UNKNOWN
    spec = function.node.args
    positional = (*spec.posonlyargs, *spec.args)
    args = interp.new(Obj("list", items=tuple(Const(each.arg) for each in positional)))
    return interp.new(Obj("external", External("inspect.FullArgSpec"), attrs={"args": args}))


def code(interp: Interpreter, function: Function) -> Value:
    """``f.__code__``, of which the names of variables are known: ``co_varnames[: co_argcount]`` are parameters."""
    spec, body = function.node.args, getattr(function.node, "body", None)
    names = [each.arg for each in parameters_of(function.node)]
    names += sorted(ScopeNames(body).bound) if isinstance(body, list) else []
    variables = TupleValue(tuple(map(Const, dict.fromkeys(names))))
    count = Const(len(spec.posonlyargs) + len(spec.args))
    attrs: dict[str, Value] = {"co_varnames": variables, "co_argcount": count}
    return interp.new(Obj("external", External("types.CodeType"), attrs=attrs))


def _parameters(interp: Interpreter, value: Value | None) -> list[str] | None:
    """The names of a callable's parameters, without the one that it is bound to."""
    function: object = value
    if isinstance(value, BoundMethod):
        function = value.function
    elif isinstance(value, Class):
        function = classes.find(interp, value, "__init__")
    if not isinstance(function, Function) or _speaks_for_another(function):
        return None
    return _names(function)[function is not value :]


def _speaks_for_another(function: Function) -> bool:
    """Whether a function may have the signature of another one, which ``functools.wraps`` would be given.

    A decorator that is told nothing, or constants, leaves the function as it is, and gets it as it is.
    """
    for decorator in getattr(function.node, "decorator_list", ()):
        told = (
            [*decorator.args, *(each.value for each in decorator.keywords)]
            if isinstance(decorator, ast.Call)
            else ()
        )
        if any(not isinstance(each, ast.Constant) for each in told):
            return True
    return False


def _names(function: Function) -> list[str]:
    spec: ast.arguments = function.node.args
    parts = [*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg]
    return [part.arg for part in parts if part is not None]


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "inspect.signature": signature,
    "inspect.getfullargspec": full_specification,
}
