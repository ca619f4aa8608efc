"""Restored values: what an object makes anew of what it keeps, to write to it, is made where the object was told to be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Mismatch, Operand
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import destination, suffixes

Edits = tuple[FileEdit, ...]


def moved(facts: Facts, mismatch: Mismatch, operand: Operand) -> Edits:
    """``self.sum = self.zero.clone().to(self.device)`` where ``self.sum += x`` has to find it."""
    born = operand.trail[0] if operand.trail and destination.is_written(mismatch, operand) else None
    place = place_at(facts, born.path, born.span) if born is not None and born.kind == "result" else None
    if place is None or not _is_kept(place.outline, place.node):
        return ()
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if receiver is None or function is None:
        return ()
    found = device_expression.find(facts, place, [])
    code = found.code if found is not None else ""
    if not code.startswith(f"{receiver}."):
        noted = _noted(place.outline.class_of(function))
        code = f"{receiver}.{noted}" if noted else _of_replaced(place, receiver)
    return suffixes.added(facts, place.outline, place.node, f".to({code})") if code else ()


def _of_replaced(place: Place, receiver: str) -> str:
    """``getattr(self, name).device`` in a loop over what an object has by name, which another method moves in the same way."""
    outline, setting = place.outline, place.outline.parents.get(place.node)
    name = setting.args[1] if isinstance(setting, ast.Call) and len(setting.args) == 3 else None
    loop = outline.parents.get(outline.statement_of(place.node))
    if not isinstance(name, ast.Name) or not isinstance(loop, ast.For) or setting is None:
        return ""
    looped = {part.id for part in in_rows(loop.target) if isinstance(part, ast.Name)}
    over = {part.id for part in in_rows(loop.iter) if isinstance(part, ast.Name)}
    cls = outline.class_of(outline.function_of(place.node) or place.node)
    if name.id not in looped or over != {receiver} or cls is None:
        return ""
    moves = any(isinstance(part, ast.Call) and _moves_by_name(part) for part in in_rows(cls))
    return f"getattr({receiver}, {name.id}).device" if moves else ""


def _moves_by_name(call: ast.Call) -> bool:
    """Whether a call is ``setattr(self, name, getattr(self, name).to(device))``."""
    if getattr(call.func, "id", "") != "setattr" or len(call.args) != 3:
        return False
    owner, name, value = call.args
    method = value.func if isinstance(value, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr not in ("to", "cuda"):
        return False
    return ast.unparse(method.value) == f"getattr({ast.unparse(owner)}, {ast.unparse(name)})"


def _noted(cls: ast.ClassDef | None) -> str | None:
    """Under which attribute a method that moves an object notes where it was told to: ``self._where = where``.

    Before that it may be None, which moves nothing.
    """
    noted = {
        target.attr
        for method in (cls.body if cls is not None else ())
        if isinstance(method, ast.FunctionDef)
        for told in _told(method)
        for target, value in stored(method)
        if getattr(value, "id", "") == told
    }
    others = [value for name, value in stored(cls) if name.attr in noted and not isinstance(value, ast.Name)]
    only = all(isinstance(value, ast.Constant) and value.value is None for value in others)
    return noted.pop() if len(noted) == 1 and only else None


def _told(method: ast.FunctionDef) -> Iterator[str]:
    """The parameters of a method that something moves to."""
    names = {each.arg for each in method.args.args[1:]}
    for node in in_rows(method):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "to" and len(node.args) == 1:
            yield from names.intersection({getattr(node.args[0], "id", "")})


def stored(code: ast.AST | None) -> Iterator[tuple[ast.Attribute, ast.expr]]:
    """The attributes of objects that a piece of code sets, each with what it gets."""
    for node in in_rows(code) if code is not None else ():
        if not isinstance(node, ast.Assign):
            continue
        [target, *_], value = node.targets, node.value
        pairs = (
            zip(target.elts, value.elts, strict=False)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            else ((target, value),)
        )
        yield from ((each, given) for each, given in pairs if isinstance(each, ast.Attribute))


def _is_kept(outline: Outline, value: ast.AST) -> bool:
    """Whether a value becomes an attribute as it is, perhaps under a name that nobody sees: ``setattr(self, name, value)``."""
    around = outline.parents.get(value)
    if isinstance(around, ast.Assign):
        return isinstance(around.targets[0], ast.Attribute)
    return isinstance(around, ast.Call) and getattr(around.func, "id", "") == "setattr"
