"""Passing movers: functions that move the tensors of a nested batch, and hand on what they do not look into.

``to_device`` calls itself for the parts of dicts and lists, moves tensors, and ends in ``return obj``. A tuple that comes
there stays where it is, which nobody meant: its tensors remember that. So it is where ``nested_map(fn, obj)`` leaves the move to ``fn``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Class, Function, Obj, Ref, Tensor, TupleValue, Union, Value, members
from devfix.analysis.language import containers, named_tuples, records
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record.apart import apart
from devfix.analysis.record.trails import extend
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import called, in_rows, remembered
from devfix.analysis.torch_model.loading import named_movers, part_movers
from devfix.analysis.torch_model.python import mappings
from devfix.analysis.torch_model.python.standard_library import DEQUE
from devfix.analysis.torch_model.tensors.arguments import device_of
from devfix.findings import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devfix.analysis.interpreter import Interpreter

_MOVES = ("to", "cuda")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What may hold tensors.
_NESTED = frozenset({TupleValue, Ref, Union})
#: What containers were left, by their form: Python's own, and classes of the project made of ``UserDict``.
_KINDS = {"list": "left-list", "dict": "left-dict", "mapping": "left-mapping"}
#: How deep within what was left tensors remember it.
_DEPTH = 3


class Mover(NamedTuple):
    """A function that moves what is behind a parameter: where to, None for the accelerator itself, or by what it is given."""

    parameter: str
    targets: tuple[ast.expr | None, ...]
    given: tuple[ast.Call, ...]


def returned(interp: Interpreter, node: ast.Return, value: Value) -> Value:
    """What a mover returns as it is: its tensors on the CPU remember in what they were left."""
    if value.__class__ is Ref:
        part_movers.returned(interp, node, value)
        named_movers.returned(interp, node, value)
    elif value.__class__ is TupleValue and value.names:
        value = part_movers.returned_tuple(interp, node, value)
    if value.__class__ not in _NESTED or not isinstance(node.value, ast.Name):
        return value  # most functions return something else, and are not looked at
    function = interp.frame.function
    held = [_holds_host_tensor(interp, each) for each in members(value)]
    if function is None or not any(held):
        return value
    mover = of(function.node)
    if mover is None or node.value.id != mover.parameter or not _moves(interp, mover):
        return value
    if not isinstance(value, Union):
        return _marked(interp, value, node.value)
    pairs = zip(value.members, held, strict=True)
    return replace(
        value, members=tuple(_marked(interp, each, node.value) if left else each for each, left in pairs)
    )


def _holds_host_tensor(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    if obj is not None and records.is_of_fields(interp, obj):
        parts: Iterable[Value] = obj.attrs.values()
    elif isinstance(value, TupleValue):
        parts = value.items
    else:
        parts = containers.everything(obj) if obj is not None else ()
    return any(isinstance(part, Tensor) and part.device == CPU for part in parts)


@remembered
def of(function: ast.AST) -> Mover | None:
    """The parameter that a function moves, parts and all, and returns where it is nothing of the kind."""
    if not isinstance(function, _FUNCTIONS):
        return None
    names = {each.arg for each in positional_of(function)}
    calls = [node for node in in_rows(function) if isinstance(node, ast.Call)]
    if not any(call.args and called(call) == function.name for call in calls):
        return None
    handed = {
        node.value.id
        for node in in_rows(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
    }
    for name in sorted(names & handed):
        targets = tuple(_target(call) for call in calls if _moves_name(call, name))
        given = tuple(call for call in calls if _is_given_to(call, name, names)) if not targets else ()
        if targets or given:
            return Mover(name, targets, given)
    return None


def _moves_name(call: ast.Call, name: str) -> bool:
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in _MOVES and getattr(func.value, "id", "") == name


def _is_given_to(call: ast.Call, name: str, names: set[str]) -> bool:
    """Whether a function that the mover was given is called with what it moves, and nothing else."""
    given = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return isinstance(call.func, ast.Name) and call.func.id in names and getattr(given, "id", "") == name


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
    return all(_sends(interp, call) for call in mover.given)


def _sends(interp: Interpreter, call: ast.Call) -> bool:
    """Whether what a mover was given takes a tensor on the CPU to the accelerator; it is asked apart from the run."""
    function = interp.eval(call.func)
    if not isinstance(function, Function):
        return False
    with apart(interp):
        made = interp.call(function, CallSite(call, (Arg(Tensor(device=CPU, dtype="float32")),)))
    return isinstance(made, Tensor) and made.device.is_accelerator


def _marked(interp: Interpreter, value: Value, node: ast.expr) -> Value:
    obj = interp.obj_of(value)
    if isinstance(value, TupleValue):
        site = interp.site("left-namedtuple" if value.names else "left-tuple", node)
    elif obj is None or not isinstance(value, Ref):
        return value
    elif named_tuples.is_one(interp, obj):
        site = interp.site("left-namedtuple", node)
    elif records.is_of_fields(interp, obj):
        site = interp.site("left-dataclass", node)
    elif form := _form(interp, obj):
        site = interp.site(_KINDS[form], node)
    else:
        return value
    return _left(interp, value, site)


def _form(interp: Interpreter, obj: Obj) -> str:
    """The form of a container; "" for what is none, or cannot be made anew of its entries alone."""
    if not isinstance(obj.cls, Class):
        return obj.kind if obj.kind in _KINDS and obj.cls != DEQUE else ""
    alike = containers.is_made_of_entries(interp, obj) and not classes.find(interp, obj.cls, "__setattr__")
    return "mapping" if obj.kind == "dict" and mappings.is_user_dict(interp, obj) and alike else ""


def _left(interp: Interpreter, value: Value, site: Origin, depth: int = _DEPTH) -> Value:
    """A value whose tensors remember where they were left, and those in parts of the same form."""

    def part(item: Value) -> Value:
        return _left(interp, item, site, depth - 1) if depth else item

    if isinstance(value, Tensor):
        return replace(value, trail=extend(value.trail, site)) if value.device == CPU else value
    if isinstance(value, TupleValue):
        alike = site.kind == ("left-namedtuple" if value.names else "left-tuple")
        return value.with_items(map(part, value.items)) if alike else value
    obj = interp.obj_of(value)
    if obj is None or not isinstance(value, Ref):
        return value
    if site.kind == "left-namedtuple" and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, part)
    if site.kind == "left-dataclass" and records.is_of_fields(interp, obj):
        interp.update(value, replace(obj, attrs={name: part(held) for name, held in obj.attrs.items()}))
    elif site.kind == _KINDS.get(_form(interp, obj)):
        interp.update(value, containers.each(obj, part))
    return value
