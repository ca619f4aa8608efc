"""Passing movers: functions that move the tensors of a nested batch, and hand on what they do not look into.

``to_device`` calls itself for the parts of dicts and lists, moves tensors, and ends in ``return obj``. A tuple that comes
there stays where it is, which nobody meant: its tensors remember that.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis import containers, named_tuples
from devfix.analysis.copying import replace
from devfix.analysis.lattice import CPU
from devfix.analysis.syntax import called, remembered
from devfix.analysis.torch_model import part_movers
from devfix.analysis.torch_model.arguments import device_of
from devfix.analysis.trails import extend
from devfix.analysis.values import Class, Ref, Tensor, TupleValue, Value
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MOVES = ("to", "cuda")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What may hold tensors.
_NESTED = frozenset({TupleValue, Ref})
#: What Python's own containers look like, by the kind of their object.
_KINDS = {"list": "left-list", "dict": "left-dict"}


class Mover(NamedTuple):
    """A function that moves what is behind a parameter: where to, None for the accelerator itself."""

    parameter: str
    targets: tuple[ast.expr | None, ...]


def returned(interp: Interpreter, node: ast.Return, value: Value) -> Value:
    """What a mover returns as it is: its tensors on the CPU remember in what they were left."""
    if value.__class__ is Ref:
        part_movers.returned(interp, node, value)
    elif value.__class__ is TupleValue and value.names:
        value = part_movers.returned_tuple(interp, node, value)
    if value.__class__ not in _NESTED or not isinstance(node.value, ast.Name):
        return value  # most functions return something else, and are not looked at
    function = interp.frame.function
    if function is None or not _holds_host_tensor(interp, value):
        return value
    mover = of(function.node)
    if mover is None or node.value.id != mover.parameter or not _moves(interp, mover):
        return value
    return _marked(interp, value, node.value)


def _holds_host_tensor(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    parts = (
        value.items
        if isinstance(value, TupleValue)
        else containers.everything(obj)
        if obj is not None
        else ()
    )
    return any(isinstance(part, Tensor) and part.device == CPU for part in parts)


@remembered
def of(function: ast.AST) -> Mover | None:
    """The parameter that a function moves, parts and all, and returns where it is nothing of the kind."""
    if not isinstance(function, _FUNCTIONS):
        return None
    names = {each.arg for each in (*function.args.posonlyargs, *function.args.args)}
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    if not any(call.args and called(call) == function.name for call in calls):
        return None
    handed = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
    }
    for name in sorted(names & handed):
        targets = tuple(_target(call) for call in calls if _moves_name(call, name))
        if targets:
            return Mover(name, targets)
    return None


def _moves_name(call: ast.Call, name: str) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in _MOVES and getattr(func.value, "id", "") == name


def _target(call: ast.Call) -> ast.expr | None:
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "device"), None)
    return call.args[0] if call.args else named


def _moves(interp: Interpreter, mover: Mover) -> bool:
    """Whether all that is moved goes to the accelerator."""
    for target in mover.targets:
        if isinstance(target, (ast.Name, ast.Attribute, ast.Constant)):
            device = device_of(interp.eval(target))
            if device is None or not device.is_accelerator:
                return False
        elif target is not None:
            return False
    return True


def _marked(interp: Interpreter, value: Value, node: ast.expr) -> Value:
    if isinstance(value, TupleValue):
        site = interp.site("left-namedtuple" if value.names else "left-tuple", node)
        return value.with_items(_left(item, site) for item in value.items)
    obj = interp.obj_of(value)
    if obj is None or not isinstance(value, Ref):
        return value
    if named_tuples.is_one(interp, obj):
        site = interp.site("left-namedtuple", node)
        return named_tuples.with_fields(interp, obj, lambda item: _left(item, site))
    if obj.kind in _KINDS and not isinstance(obj.cls, Class):
        site = interp.site(_KINDS[obj.kind], node)
        interp.update(value, containers.each(obj, lambda item: _left(item, site)))
    return value


def _left(value: Value, site: Origin) -> Value:
    if not isinstance(value, Tensor) or value.device != CPU:
        return value
    return replace(value, trail=extend(value.trail, site))
