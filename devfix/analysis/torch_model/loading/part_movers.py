"""Part movers: methods that make an object anew with its parts moved, and hand on some part as it is.

``to`` of a batch returns ``Batch(x=self.x.to(device), edges=self.edges)``: the edges stay where they are, which nobody
may have meant. They remember that.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Class, Function, Obj, Ref, Tensor, TupleValue, Value, members
from devfix.analysis.language import containers
from devfix.analysis.nn import modules
from devfix.analysis.record.trails import LEFT
from devfix.analysis.text.syntax import called, in_rows, remembered, spelt
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What moves a part.
MOVES = ("to", "cuda")
#: What makes an object like another one, but for what it is told.
_LIKE = ("replace", "_replace", "evolve")
#: The kinds of places at which a part was left: by itself, or a collection of tensors, by what that is.
LEFT_IN = {
    "": "left-part",
    "list": "left-part-list",
    "dict": "left-part-dict",
    "tuple": "left-part-tuple",
}


def is_left(site: Origin) -> bool:
    """Whether a part was left at a place, by itself or in a collection."""
    return site.kind.startswith(LEFT)


class _Part(NamedTuple):
    """An argument: its position or its keyword, and the attribute of the object that it is, or that moves, or what is computed of some."""

    key: int | str
    node: ast.expr


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
    rebuilt = _rebuilt(node, function.node) if function is not None else None
    if rebuilt is not None and rebuilt.receiver == spec[0].arg:
        _remember(interp, value, rebuilt)


def _remember(interp: Interpreter, value: Ref, rebuilt: Rebuilt) -> None:
    """The parts on the CPU of what such a call has made, that it did not move, remember where they were left."""
    obj = interp.obj(value)
    found = _left(interp, obj.attrs, rebuilt, _names(interp, obj.cls)) if isinstance(obj.cls, Class) else {}
    if found and isinstance(obj.cls, Class):
        marked = {name: _marked(interp, name, part, obj.attrs[name]) for name, part in found.items()}
        items = obj.items
        if items is not None:  # of a named tuple, whose fields they are
            fields = [field.name for field in classes.fields(obj.cls)]
            pairs = zip(fields, items, strict=False)
            items = (
                tuple(marked.get(name, item) for name, item in pairs) if len(fields) == len(items) else items
            )
        interp.update(value, replace(obj, attrs={**obj.attrs, **marked}, items=items))


def returned_tuple(interp: Interpreter, node: ast.Return, value: TupleValue) -> TupleValue:
    """What a function returns that makes a named tuple of the fields of another one: those that it left remember where."""
    function = interp.frame.function
    rebuilt = _rebuilt(node, function.node) if function is not None else None
    if (
        rebuilt is None
        or function is None
        or rebuilt.receiver not in {e.arg for e in function.node.args.args}
    ):
        return value
    return _remembering(interp, value, rebuilt)


def _remembering(interp: Interpreter, value: TupleValue, rebuilt: Rebuilt) -> TupleValue:
    """A named tuple that such a call has made, whose fields that it left remember where."""
    parts = dict(zip(value.names, value.items, strict=True))
    found = _left(interp, parts, rebuilt, list(parts))
    marked = {name: _marked(interp, name, left, parts[name]) for name, left in found.items()}
    return value.with_items(marked.get(name, part) for name, part in parts.items())


def yielded(interp: Interpreter, node: ast.Yield, value: Value) -> Value:
    """What a generator gives that makes anew, with its parts moved, what its loop goes through: the parts that it left remember where."""
    rebuilt = of(node) if interp.frame.loops else None
    if rebuilt is None or not any(rebuilt.receiver in loop.names for loop in interp.frame.loops):
        return value
    if isinstance(value, TupleValue) and value.names:
        return _remembering(interp, value, rebuilt)
    for each in members(value):
        if isinstance(each, Ref):
            _remember(interp, each, rebuilt)
    return value


def _rebuilt(node: ast.Return, function: ast.AST) -> Rebuilt | None:
    """The call that makes what is returned, there or where a statement before gives it the name that is returned."""
    if not isinstance(node.value, ast.Name):
        return of(node)
    return _rebuilt_by_name(function).get(node.value.id)


@remembered
def _rebuilt_by_name(function: ast.AST) -> dict[str, Rebuilt]:
    """The names of a function's body that are given such a call."""
    body = getattr(function, "body", ())
    named = [each for each in body if isinstance(each, ast.Assign)] if isinstance(body, list) else []
    found = {spelt(each.targets[0]): rebuilt for each in named if (rebuilt := of(each))}
    return {name: rebuilt for name, rebuilt in found.items() if name.isidentifier()}


def left_by_itself(interp: Interpreter, holder: Ref, target: ast.Attribute) -> None:
    """``self.x = self.x.to(device)`` in a method that moves what an object keeps: the rest remembers that it was left."""
    obj, function = interp.obj_of(holder), interp.frame.function
    if obj is None or function is None or obj.kind != "instance" or not isinstance(obj.cls, Class):
        return
    moves = own_moves(function.node)
    if not (function.node.args.args and spelt(target.value) == function.node.args.args[0].arg):
        return
    if not moves or not _moves_object(function, moves, obj.cls) or modules.is_module_class(interp, obj.cls):
        return
    names = list(obj.attrs)
    before = names[: names.index(target.attr)] if target.attr in names else []
    left = {
        name: _marked(interp, name, target, part)
        for name, part in obj.attrs.items()
        if name not in moves and _is_left(interp, part) and not (name in before and _was_left(part))
    }
    if left:
        interp.update(holder, replace(interp.obj(holder), attrs={**obj.attrs, **left}))


def _moves_object(function: Function, moves: dict[str, ast.Assign], cls: Class) -> bool:
    """Whether a method is there to move the object: by its name, by the parts that it moves, or as that of a record."""
    return getattr(function.node, "name", "") in MOVES or len(moves) > 1 or classes.is_dataclass(cls)


def _was_left(part: Value) -> bool:
    return isinstance(part, Tensor) and bool(part.trail) and is_left(part.trail[-1])


@remembered
def own_moves(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, ast.Assign]:
    """The statements ``self.x = self.x.to(device)`` of a method's body, by attribute."""
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
def of(node: ast.Return | ast.Assign | ast.Yield) -> Rebuilt | None:
    """The call that a statement returns, names or yields, where it moves one part of an object or more, and leaves the others."""
    call = node.value
    if not isinstance(call, ast.Call):
        return None
    given = [*enumerate(call.args), *((each.arg, each.value) for each in call.keywords)]
    parts = [(key, part) for key, value in given if key is not None and (part := _moved(value))]
    if not parts:
        return None
    receivers = {ast.unparse(part.value) for _, part in parts}
    receiver = receivers.pop()
    moved = tuple(_Part(key, part) for key, part in parts)
    left = tuple(_Part(key, value) for key, value in given if key is not None and _stays(value, receiver))
    return Rebuilt(call, receiver, moved, left) if not receivers and (left or is_alike(call)) else None


def _stays(value: ast.expr, receiver: str) -> bool:
    """Whether an argument is an attribute of an object, or computed of some, none of which goes anywhere."""
    attributes = [node for node in in_rows(value) if isinstance(node, ast.Attribute)]
    own = any(ast.unparse(node.value) == receiver for node in attributes)
    return own and not any(node.attr in (*MOVES, "cpu") for node in attributes)


def is_alike(call: ast.Call) -> bool:
    """Whether a call makes an object like another one, but for what it is told."""
    return called(call) in _LIKE


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


def _left(
    interp: Interpreter, parts: Mapping[str, Value], rebuilt: Rebuilt, names: list[str]
) -> dict[str, ast.expr]:
    """The parts on the CPU that a call left, by name; one that makes the like leaves all that it is not told."""
    held = [parts.get(_name(part, names)) for part in rebuilt.moved]
    if not any(isinstance(part, Tensor) and part.device.is_accelerator for part in held):
        return {}
    places: dict[str, ast.expr] = {_name(part, names): part.node for part in rebuilt.left}
    if is_alike(rebuilt.call):
        told = {keyword.arg for keyword in rebuilt.call.keywords}
        places.update({name: rebuilt.call for name in names if name not in told})
    return {name: node for name, node in places.items() if _is_left(interp, parts.get(name))}


def left_beside(interp: Interpreter, holder: Obj, target: ast.expr) -> dict[str, Value]:
    """The parts of a dict that are on the CPU when another one moves in its place: they remember where."""
    return {
        name: _marked(interp, name, target, part) for name, part in holder.attrs.items() if is_on_host(part)
    }


def left_at(interp: Interpreter, name: str, node: ast.expr, among: str = "") -> Origin:
    """The place at which a part was left when another one moved."""
    return replace(interp.site(LEFT_IN[among], node), text=name)


def is_on_host(part: Value | None) -> bool:
    """Whether a part is a tensor on the CPU."""
    return isinstance(part, Tensor) and part.device == CPU


def _is_left(interp: Interpreter, part: Value | None) -> bool:
    """Whether a part is a tensor on the CPU, a collection of such, or an object with such that can be moved."""
    if isinstance(part, TupleValue) and not part.names:
        return bool(part.items) and all(map(is_on_host, part.items))
    obj = interp.obj_of(part) if isinstance(part, Ref) else None
    if obj is None:
        return is_on_host(part)
    if isinstance(obj.cls, Class):
        moves = isinstance(classes.find(interp, obj.cls, MOVES[0]), Function)
        is_plain = moves and not modules.is_module_class(interp, obj.cls)
        return is_plain and any(map(is_on_host, obj.attrs.values()))
    held = containers.everything(obj)
    return obj.kind in LEFT_IN and bool(held) and all(map(is_on_host, held))


def _marked(interp: Interpreter, name: str, node: ast.expr, part: Value) -> Value:
    if isinstance(part, TupleValue):
        site = left_at(interp, name, node, "tuple")
        return part.with_items(_at(item, site) for item in part.items)
    obj = interp.obj_of(part)
    if isinstance(part, Ref) and obj is not None:
        site = left_at(interp, name, node, obj.kind if obj.kind in LEFT_IN else "")
        interp.update(part, containers.each(obj, lambda item: _at(item, site)))
        return part
    return _at(part, left_at(interp, name, node))


def _at(part: Value, site: Origin) -> Value:
    return part.at(site) if isinstance(part, Tensor) else part
