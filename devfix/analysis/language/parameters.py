"""Parameters: what the names of a function stand for in a call."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all, join_values
from devfix.analysis.domain.lattice import ACCELERATOR, DTYPES, parse_device
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    DeviceValue,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    option,
)
from devfix.analysis.language import placeholders
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record import notes
from devfix.analysis.record.recorder import OptionalCall
from devfix.analysis.text import device_parameters
from devfix.analysis.torch_model.tensors.arguments import names_host

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: What may be given, and is nothing unless it is.
_OPTION = Union((NONE, option()))


def bind(interp: Interpreter, function: Function, site: CallSite) -> None:
    """Give the parameters their values in the frame of the call, which is the current one."""
    spec = function.node.args
    names = [*spec.posonlyargs, *spec.args] if spec.posonlyargs else spec.args
    variables = interp.state.own(interp.stack[-1].id)
    defaults = dict(function.defaults) if function.defaults else {}
    if site.spread:
        defaults = _unless_told(defaults)
    for index, parameter in enumerate(names):
        arg = site.args[index] if index < len(site.args) else site.keywords.get(parameter.arg)
        value = _given(site, parameter.arg, arg, defaults)
        variables[parameter.arg] = _bound(interp, function, parameter, value, arg)
    for parameter in spec.kwonlyargs:
        arg = site.keywords.get(parameter.arg)
        value = _given(site, parameter.arg, arg, defaults)
        variables[parameter.arg] = _bound(interp, function, parameter, value, arg)
    if spec.vararg is not None:
        rest = tuple(arg.value for arg in site.args[len(names) :])
        value = Sequence(join_all(list(rest))) if site.open else TupleValue(rest)
        variables[spec.vararg.arg] = value
    if spec.kwarg is not None:
        known = {p.arg for p in (*names, *spec.kwonlyargs)}
        entries = {n: a.value for n, a in site.keywords.items() if n not in known}
        element = UNKNOWN if site.open else None
        variables[spec.kwarg.arg] = interp.new(Obj("dict", attrs=entries, element=element))


def _unless_told(defaults: Mapping[str, Value]) -> dict[str, Value]:
    """The defaults that hold where keywords of unknown content may say otherwise.

    One that names the CPU, or is a tensor, is what these are there to change, and a text is one of several.
    """
    left = {
        name: value
        for name, value in defaults.items()
        if not names_host(value) and not isinstance(value, Tensor)
    }
    return {name: _OPTION if value == NONE else _chosen_text(value) for name, value in left.items()}


def _given(site: CallSite, name: str, arg: Arg | None, defaults: Mapping[str, Value]) -> Value | None:
    """What a call gives a parameter, or its default; either where the call names it at times only."""
    default = defaults.get(name)
    if arg is None or default is None:
        return default if arg is None else arg.value
    return join_values(default, arg.value) if name in site.at_times else arg.value


def unless_told(interp: Interpreter, value: Value, name: str) -> Value:
    """The default of a field where keywords of unknown content may say otherwise, as those of a file of settings do.

    A text is chosen there as it is by an option, and so is one in a dict, which says what is to be made.
    """
    if names_host(value):
        return option(name)
    if value == NONE:
        return _OPTION
    if isinstance(value, Const):
        return _chosen_text(value)
    obj = interp.obj_of(value)
    if obj is None or obj.kind != "dict" or not obj.attrs:
        return value
    entries = {key: unless_told(interp, entry, key) for key, entry in obj.attrs.items()}
    return interp.new(Obj("dict", attrs=entries, element=obj.element, trail=obj.trail))


def _chosen_text(value: Value) -> Value:
    """What a text is where another may be chosen instead: that of a place, or of a dtype, is what is meant."""
    if not isinstance(value, Const) or not isinstance(value.value, str):
        return value
    is_place = parse_device(value.value).is_known or value.value.rpartition(".")[2] in DTYPES
    return value if is_place else Scalar("str", value.value)


def note_call(interp: Interpreter, function: Function, site: CallSite) -> None:
    """Tell the recorder which arguments a call gives, where it need not give all that can be given.

    A call that may be of several functions is told of each of them.
    """
    is_special = function.defaults or function.node.args.kwarg is not None or _has_spread(site.node)
    if is_special or _has_other_name(function, site.node):
        given, is_open = frozenset(site.keywords), site.open or site.spread
        call = OptionalCall(
            function.node, function.path, interp.frame.path, site.node, len(site.args), given, is_open
        )
        interp.recorder.optional.add(call)


def _has_spread(node: ast.expr) -> bool:
    """Whether a call hands on keywords that its text does not name."""
    return isinstance(node, ast.Call) and bool(node.keywords) and node.keywords[-1].arg is None


def _has_other_name(function: Function, node: ast.expr) -> bool:
    """Whether a function, or the class it makes objects of, is called by a name that it was not given."""
    name = getattr(function.node, "name", "")
    if name == "__init__" and function.owner is not None:
        name = function.owner.node.name
    elif name.startswith("__") or name == "forward":
        return False
    called = getattr(node, "func", None)
    return getattr(called, "id", None) != name and getattr(called, "attr", None) != name


def _is_of_another(arg: Arg | None) -> bool:
    """Whether an argument is the device of a variable, ``x.device``: that of a tensor, which may be anywhere."""
    node = arg.node if arg is not None else None
    if not isinstance(node, ast.Attribute) or node.attr != "device" or not isinstance(node.value, ast.Name):
        return False
    return node.value.id not in ("self", "cls")


def _bound(
    interp: Interpreter, function: Function, parameter: ast.arg, value: Value | None, arg: Arg | None
) -> Value:
    """What a parameter stands for, which is written down; of a constant, as most are, there is no more to know."""
    known = value if isinstance(value, Const) else _learnt(interp, function, parameter, value, arg)
    interp.saw(parameter, known)
    notes.note_binding(interp, function.path, function.scope, parameter.arg, known, None)
    return known


def _learnt(
    interp: Interpreter, function: Function, parameter: ast.arg, value: Value | None, arg: Arg | None
) -> Value:
    """What a call and its function tell of an argument."""
    nobody_says = value is None or (isinstance(value, Unknown) and not _is_of_another(arg))
    if nobody_says and device_parameters.is_device(function, parameter.arg):
        value = DeviceValue(ACCELERATOR)
    if arg is None and placeholders.is_default(function, parameter.arg, value):
        value = None
    if value is None and interp.is_script and _is_decorated(function):
        value = option(parameter.arg)  # a decorator gives what the call does not
    if value is None or (isinstance(value, Unknown) and not value.token):
        call = _call_of(interp, arg.node) if arg is not None and arg.node is not None else ""
        value = Unknown(f"{call}{function.path}:{function.scope}:{parameter.arg}")
        if interp.program.adopts and arg is not None and arg.node is not None and not _is_of_module(interp):
            interp.given[value.token] = (interp.site_of_caller("given", arg.node),)
    if isinstance(value, Tensor):
        if interp.program.adopts and arg is not None and arg.node is not None:
            value = value.at(interp.site_of_caller("given", arg.node))
        value = value.at(interp.site("argument", parameter, parameter.arg))
    elif isinstance(value, Ref) and parameter is not _receiver(function):
        modules.remember(interp, value, interp.site("argument", parameter, parameter.arg))
    return value


def _call_of(interp: Interpreter, arg: ast.expr) -> str:
    """What tells a call from others: what is learnt of an argument holds for it alone.

    That is what is executed from the outside, too: a module whose device nobody decides there may be on the CPU here.
    A script is one run.
    """
    outermost = (
        "" if interp.is_script else next((f.scope for f in interp.stack if f.function is not None), "")
    )
    return f"{outermost}:{interp.stack[-2].path}:{arg.lineno}:{arg.col_offset}:"


def _is_decorated(function: Function) -> bool:
    return not isinstance(function.node, ast.Lambda) and bool(function.node.decorator_list)


def _is_of_module(interp: Interpreter) -> bool:
    """Whether a module is what calls the function being executed: what it hands on it has computed, and has there."""
    receiver = interp.stack[-2].receiver
    return receiver is not None and modules.is_module(interp, receiver)


def _receiver(function: Function) -> ast.arg | None:
    """The parameter that stands for the object a method belongs to."""
    if function.owner is None:
        return None
    spec = function.node.args
    return spec.posonlyargs[0] if spec.posonlyargs else spec.args[0] if spec.args else None
