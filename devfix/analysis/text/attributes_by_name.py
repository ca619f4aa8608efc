"""Attributes by name: a loop over names of attributes that takes each of an object, as ``getattr(self, name)`` does."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devfix.analysis.text.scope_names import is_used_after, own_nodes
from devfix.analysis.text.syntax import in_rows

_LOOPS = (ast.For, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class AttributeByName:
    """The expressions of an object and of the name of its attribute."""

    owner: ast.expr
    name: ast.expr


def moved_in_vain(loop: ast.AST | None, statement: ast.Expr) -> AttributeByName | None:
    """The attribute that ``getattr(self, name).to(device)``, or what a loop calls by a name of its own, is.

    None where the loop goes on to use what has that name: then it is the name that was to have the result.
    """
    call = statement.value
    if (
        not isinstance(loop, _LOOPS)
        or not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
    ):
        return None
    receiver = call.func.value
    if not isinstance(receiver, ast.Name):
        return _read(receiver)
    found = _bound_by(loop, receiver.id) or _bound_in(loop, receiver.id)
    return None if is_used_after(loop, statement, receiver.id) else found


def _read(value: ast.expr) -> AttributeByName | None:
    """``getattr(self, name)``, with or without a default."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "getattr"):
        return None
    if len(value.args) < 2 or value.keywords:
        return None
    return _plain(*value.args[:2])


def _plain(owner: ast.expr, name: ast.expr) -> AttributeByName | None:
    """Both, where looking at them again does nothing."""
    parts = [node for each in (owner, name) for node in in_rows(each) if isinstance(node, ast.expr)]
    plain = all(isinstance(part, (ast.Name, ast.Attribute)) for part in parts)
    return AttributeByName(owner, name) if plain else None


def _bound_by(loop: ast.For | ast.AsyncFor, name: str) -> AttributeByName | None:
    """``for key, name in self.tensors()`` or ``vars(self).items()``: an object that tells its own attributes with their names."""
    parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else []
    called = loop.iter.func if isinstance(loop.iter, ast.Call) else None
    if len(parts) != 2 or not isinstance(called, ast.Attribute):
        return None
    key, value = parts
    if not (isinstance(value, ast.Name) and value.id == name and isinstance(key, ast.Name)):
        return None
    if called.attr != "items":
        return _plain(called.value, key)
    if isinstance(called.value, ast.Attribute) and called.value.attr == "__dict__":
        return _plain(called.value.value, key)
    entries = called.value
    of_vars = isinstance(entries, ast.Call) and ast.unparse(entries.func) == "vars"
    return (
        _plain(entries.args[0], key) if isinstance(entries, ast.Call) and of_vars and entries.args else None
    )


def _bound_in(loop: ast.For | ast.AsyncFor, name: str) -> AttributeByName | None:
    """``name = getattr(self, key)``, and nothing else in the loop, gives the name what it has."""
    stores = [
        node
        for node in own_nodes([loop.target, *loop.body])
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    values = [
        node.value
        for node in own_nodes(loop.body)
        if isinstance(node, ast.Assign) and node.targets == stores and len(stores) == 1
    ]
    return _read(values[0]) if values else None
