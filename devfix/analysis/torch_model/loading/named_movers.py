"""Named movers: methods that move the parts that a tuple names, and leave a part that it does not.

``to`` of a batch does ``for name in FIELDS: setattr(self, name, getattr(self, name).to(device))``, or makes one like it
of what it moves so; the names may stand there themselves. The parts that nobody added to the names remember where they were left.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Class, Const, Obj, Ref, Tensor, TupleValue
from devfix.analysis.text.syntax import remembered, spelt, walk
from devfix.analysis.torch_model.loading import part_movers

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


class Named(NamedTuple):
    """The names that a mover goes through, what the object is called whose parts they are, and whether one alike is made."""

    names: ast.Name | ast.Attribute | ast.Tuple | ast.List
    receiver: str
    alike: bool


def returned(interp: Interpreter, node: ast.Return, value: Ref) -> None:
    """What such a mover returns: the parts on the CPU that are not among the names remember where they were left."""
    obj, function = interp.obj_of(value), interp.frame.function
    if obj is None or function is None or not isinstance(obj.cls, Class):
        return
    moved = {
        name for name, part in obj.attrs.items() if isinstance(part, Tensor) and part.device.is_accelerator
    }
    if not moved or not any(map(part_movers.is_on_host, obj.attrs.values())):
        return  # as most have no such parts, few functions are looked at
    named = _of(node, function.node)
    names = _texts(interp, named.names) if named is not None else []
    if named is None or moved.isdisjoint(names):
        return
    left = {
        name: part.at(part_movers.left_at(interp, name, named.names))
        for name, part in obj.attrs.items()
        if name not in names and isinstance(part, Tensor) and part_movers.is_on_host(part)
    }
    if left:
        interp.update(value, replace(obj, attrs={**obj.attrs, **left}))


def _texts(interp: Interpreter, names: ast.expr) -> list[str]:
    """The texts that a name stands for; none where anything else is among them."""
    value = interp.eval(names)
    obj = interp.obj_of(value)
    items = value.items if isinstance(value, TupleValue) else obj.items if isinstance(obj, Obj) else None
    found = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    return found if len(found) == len(items or ()) else []


def _of(node: ast.Return, function: ast.AST) -> Named | None:
    """How a function moves the parts of the object that it returns, or of which it returns one alike."""
    named = of(function)
    if named is None or node.value is None:
        return None
    call = node.value
    if isinstance(call, ast.Name):
        return named if call.id == named.receiver and not named.alike else None
    if not named.alike or not isinstance(call, ast.Call) or not part_movers.is_alike(call):
        return None
    like = [*call.args[:1], *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
    spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
    whole = len(call.keywords) == len(spread) == 1 and isinstance(spread[0], (ast.DictComp, ast.Name))
    return named if whole and named.receiver in map(spelt, like) else None


@remembered
def of(function: ast.AST) -> Named | None:
    """The one statement or expression of a function that moves the parts of an object by their names."""
    found = [named for node in walk(function) if (named := at(node)) is not None]
    return found[0] if len(found) == 1 else None


def at(node: ast.AST) -> Named | None:
    """What moves by name there: a loop that does nothing else, or what goes to a call that makes one like the object."""
    if isinstance(node, ast.For) and len(node.body) == 1 and isinstance(node.target, ast.Name):
        receiver = _set_anew(node.body[0], node.target.id)
        return _named(node.iter, receiver, alike=False)
    if isinstance(node, ast.DictComp) and len(node.generators) == 1:
        each = node.generators[0]
        if each.ifs or not isinstance(each.target, ast.Name) or spelt(node.key) != each.target.id:
            return None
        return _named(each.iter, _moved(node.value, each.target.id), alike=True)
    return None


def _named(names: ast.expr, receiver: str, *, alike: bool) -> Named | None:
    if not receiver or not isinstance(names, (ast.Name, ast.Attribute, ast.Tuple, ast.List)):
        return None
    return Named(names, receiver, alike)


def _set_anew(statement: ast.stmt, name: str) -> str:
    """The object of ``setattr(self, name, getattr(self, name).to(device))``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or spelt(call.func) != "setattr" or len(call.args) != 3:
        return ""
    receiver = _moved(call.args[2], name)
    return receiver if [spelt(arg) for arg in call.args[:2]] == [receiver, name] else ""


def _moved(value: ast.expr, name: str) -> str:
    """The object of ``getattr(self, name).to(device)``."""
    func = value.func if isinstance(value, ast.Call) else None
    got = func.value if isinstance(func, ast.Attribute) and func.attr in part_movers.MOVES else None
    if not isinstance(got, ast.Call) or spelt(got.func) != "getattr" or len(got.args) != 2:
        return ""
    whole, part = got.args
    return whole.id if isinstance(whole, ast.Name) and spelt(part) == name else ""
