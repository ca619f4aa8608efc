"""Part movers: methods that make an object anew with its parts moved, and hand on some part as it is.

``to`` of a batch returns ``Batch(x=self.x.to(device), edges=self.edges)``: the edges stay where they are, which nobody
may have meant. They remember that.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis import classes
from devfix.analysis.copying import replace
from devfix.analysis.lattice import CPU
from devfix.analysis.syntax import remembered
from devfix.analysis.trails import extend
from devfix.analysis.values import Class, Function, Obj, Ref, Tensor, Value
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What moves a part.
MOVES = ("to", "cuda")
#: What makes an object like another one, but for what it is told.
_LIKE = ("replace", "_replace", "evolve")
#: The kind of place at which a part was left.
LEFT = "left-part"


class _Part(NamedTuple):
    """An argument: its position or its keyword, and the attribute of the object that it is, or that moves."""

    key: int | str
    node: ast.Attribute


class Rebuilt(NamedTuple):
    """A call that makes an object of the parts of another one, which goes by the name of ``receiver``."""

    call: ast.Call
    receiver: str
    moved: tuple[_Part, ...]
    left: tuple[_Part, ...]


def returned(interp: Interpreter, node: ast.Return, value: Value) -> None:
    """What a part mover returns: the parts on the CPU that it did not move remember where they were left."""
    obj, function = interp.obj_of(value), interp.frame.function
    spec = function.node.args.args if function is not None else []
    if obj is None or not isinstance(value, Ref) or not isinstance(obj.cls, Class) or not spec:
        return
    receiver = spec[0].arg
    if isinstance(node.value, ast.Name):
        found = _left_by_itself(obj, obj.cls, function, receiver) if node.value.id == receiver else {}
    else:
        rebuilt = of(node)
        same = rebuilt is not None and rebuilt.receiver == receiver
        found = _left(obj, rebuilt, _names(interp, obj.cls)) if rebuilt is not None and same else {}
    if found:
        marked = {name: _marked(interp, name, part, obj) for name, part in found.items()}
        items = obj.items
        if items is not None:  # of a named tuple, whose fields they are
            fields = [field.name for field in classes.fields(obj.cls)]
            pairs = zip(fields, items, strict=False)
            items = (
                tuple(marked.get(name, item) for name, item in pairs) if len(fields) == len(items) else items
            )
        interp.update(value, replace(obj, attrs={**obj.attrs, **marked}, items=items))


def _left_by_itself(obj: Obj, cls: Class, function: Function | None, receiver: str) -> dict[str, ast.expr]:
    """The parts on the CPU of a record that moved others by itself, each with the last one that moved."""
    moves = own_moves(function.node) if function is not None and classes.is_dataclass(cls) else {}
    held = [obj.attrs.get(name) for name in moves]
    if not moves or not any(isinstance(part, Tensor) and part.device.is_accelerator for part in held):
        return {}
    last = list(moves.values())[-1].targets[0]
    return {name: last for name, part in obj.attrs.items() if name not in moves and _is_on_host(part)}


@remembered
def own_moves(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, ast.Assign]:
    """The statements ``self.x = self.x.to(device)`` of a method, by attribute."""
    body = function.body if isinstance(function.body, list) else []
    receiver = function.args.args[0].arg if function.args.args else ""
    found: dict[str, ast.Assign] = {}
    for statement in body:
        moved = _moved(statement.value) if isinstance(statement, ast.Assign) else None
        if moved is None or not isinstance(statement, ast.Assign) or ast.unparse(moved.value) != receiver:
            continue
        if [ast.unparse(target) for target in statement.targets] == [ast.unparse(moved)]:
            found[moved.attr] = statement
    return found


@remembered
def of(node: ast.Return) -> Rebuilt | None:
    """The call that a statement returns, where it moves one part of the object or more, and leaves the others."""
    call = node.value
    if not isinstance(call, ast.Call):
        return None
    given = [*enumerate(call.args), *((each.arg, each.value) for each in call.keywords)]
    moved = tuple(_Part(key, part) for key, value in given if key is not None and (part := _moved(value)))
    if not moved:
        return None
    receivers = {ast.unparse(part.node.value) for part in moved}
    receiver = receivers.pop()
    left = tuple(
        _Part(key, value)
        for key, value in given
        if key is not None and isinstance(value, ast.Attribute) and ast.unparse(value.value) == receiver
    )
    return Rebuilt(call, receiver, moved, left) if not receivers and (left or is_alike(call)) else None


def is_alike(call: ast.Call) -> bool:
    """Whether a call makes an object like another one, but for what it is told."""
    return (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in _LIKE


def _moved(value: ast.expr) -> ast.Attribute | None:
    """``self.x`` of ``self.x.to(device)``."""
    func = value.func if isinstance(value, ast.Call) else None
    own = func.value if isinstance(func, ast.Attribute) and func.attr in MOVES else None
    return own if isinstance(own, ast.Attribute) and isinstance(own.value, ast.Name) else None


def _names(interp: Interpreter, cls: Class) -> list[str]:
    """What the arguments of a class are called, by position."""
    init = classes.find(interp, cls, "__init__")
    if isinstance(init, Function):
        return [each.arg for each in init.node.args.args[1:]]
    return [field.name for field in classes.fields(cls)]


def _name(part: _Part, names: list[str]) -> str:
    if isinstance(part.key, str):
        return part.key
    return names[part.key] if part.key < len(names) else ""


def _left(obj: Obj, rebuilt: Rebuilt, names: list[str]) -> dict[str, ast.expr]:
    """The parts on the CPU that a call left, by name; one that makes the like leaves all that it is not told."""
    held = [obj.attrs.get(_name(part, names)) for part in rebuilt.moved]
    if not any(isinstance(part, Tensor) and part.device.is_accelerator for part in held):
        return {}
    places: dict[str, ast.expr] = {_name(part, names): part.node for part in rebuilt.left}
    if is_alike(rebuilt.call):
        told = {part.key for part in (*rebuilt.moved, *rebuilt.left)}
        places.update({name: rebuilt.call for name in names if name not in told})
    return {name: node for name, node in places.items() if _is_on_host(obj.attrs.get(name))}


def left_beside(interp: Interpreter, holder: Obj, target: ast.expr) -> dict[str, Value]:
    """The parts of a dict that are on the CPU when another one moves in its place: they remember where."""
    return {
        name: _marked(interp, name, target, holder)
        for name, part in holder.attrs.items()
        if _is_on_host(part)
    }


def left_at(interp: Interpreter, name: str, node: ast.expr) -> Origin:
    """The place at which a part was left when another one moved."""
    return replace(interp.site(LEFT, node), text=name)


def _is_on_host(part: Value | None) -> bool:
    return isinstance(part, Tensor) and part.device == CPU


def _marked(interp: Interpreter, name: str, node: ast.expr, obj: Obj) -> Value:
    part = obj.attrs[name]
    if not isinstance(part, Tensor):
        return part
    return replace(part, trail=extend(part.trail, left_at(interp, name, node)))
