"""Part movers: methods that make an object anew with its parts moved, and hand on some part as it is.

``to`` of a batch returns ``Batch(x=self.x.to(device), edges=self.edges)``: the edges stay where they are, which nobody
may have meant. They remember that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis import classes
from devfix.analysis.copying import replace
from devfix.analysis.lattice import CPU
from devfix.analysis.syntax import remembered
from devfix.analysis.trails import extend
from devfix.analysis.values import Class, Function, Obj, Ref, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MOVES = ("to", "cuda")
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
    rebuilt = of(node) if isinstance(value, Ref) and isinstance(node.value, ast.Call) else None
    obj = interp.obj_of(value) if rebuilt is not None else None
    if rebuilt is None or obj is None or not isinstance(value, Ref) or not isinstance(obj.cls, Class):
        return
    function = interp.frame.function
    spec = function.node.args.args if function is not None else []
    if obj.items is not None or not spec or spec[0].arg != rebuilt.receiver:
        return
    names = _names(interp, obj.cls)
    held = [obj.attrs.get(_name(part, names)) for part in rebuilt.moved]
    if any(isinstance(part, Tensor) and part.device.is_accelerator for part in held):
        interp.update(value, replace(obj, attrs={**obj.attrs, **dict(_marked(interp, obj, rebuilt, names))}))


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
    own = func.value if isinstance(func, ast.Attribute) and func.attr in _MOVES else None
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


def _marked(
    interp: Interpreter, obj: Obj, rebuilt: Rebuilt, names: list[str]
) -> Iterator[tuple[str, Tensor]]:
    """The tensors on the CPU that were left, by name; a call that makes the like leaves all that it is not told."""
    places: dict[str, ast.expr] = {_name(part, names): part.node for part in rebuilt.left}
    if is_alike(rebuilt.call):
        told = {part.key for part in (*rebuilt.moved, *rebuilt.left)}
        places.update({name: rebuilt.call for name in names if name not in told})
    for name, node in places.items():
        part = obj.attrs.get(name)
        if isinstance(part, Tensor) and part.device == CPU:
            site = replace(interp.site(LEFT, node), text=name)
            yield name, replace(part, trail=extend(part.trail, site))
