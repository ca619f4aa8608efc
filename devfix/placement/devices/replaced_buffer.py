"""Replaced buffers: what a method makes in place of a buffer of its module is made where that one is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import defaults_of
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import boundness, constructed

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place


def named(facts: Facts, place: Place) -> str | None:
    """``self.seen`` in ``self.seen = torch.zeros(3)``, where the constructor has registered a buffer of that name.

    None where the method may run before that, or where the name stands for something else at times, as for None, or for nothing.
    """
    outline = place.outline
    function = outline.function_of(place.node)
    statement = outline.statement_of(place.node)
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    )
    cls = outline.class_of(function) if function is not None else None
    if function is None or cls is None or not isinstance(target, ast.Attribute):
        return None
    receiver = outline.receiver_name(function)
    if getattr(target.value, "id", None) != receiver:
        return None
    family = [
        (outline, cls),
        *((facts.outline(path), base) for path, base in constructed.placed_bases(facts, cls)),
    ]
    if any(boundness.early_uses(each, cls, function) for _, each in family):
        return None
    known = facts.bindings(place.path, outline.scope(function)).get(f"self.{target.attr}", [])
    if any(each.kind != "tensor" for each in known) or any(
        _is_deleted(each, target.attr) for _, each in family
    ):
        return None
    registered = any(_registers(where, each, target.attr) for where, each in family)
    return f"{receiver}.{target.attr}" if registered else None


def _registers(outline: Outline, cls: ast.ClassDef, name: str) -> bool:
    """Whether the constructor of a class always registers a buffer of that name, which is no None."""
    for part in cls.body:
        if not isinstance(part, ast.FunctionDef) or part.name != "__init__":
            continue
        receiver = outline.receiver_name(part)
        for statement in part.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != f"{receiver}.register_buffer":
                continue
            [key, value, *_] = [*call.args[:2], None, None]
            if isinstance(key, ast.Constant) and key.value == name and value is not None:
                return not _may_be_none(value, part)
    return False


def _may_be_none(value: ast.expr, maker: ast.FunctionDef) -> bool:
    """Whether what a constructor registers is None at times: where it says so, or need not be given it."""
    if isinstance(value, ast.IfExp):
        return any(_may_be_none(part, maker) for part in (value.body, value.orelse))
    if isinstance(value, ast.Name):
        defaults = {given.arg: default for given, default in defaults_of(maker.args)}
        value = defaults.get(value.id, value)
    return isinstance(value, ast.Constant) and value.value is None


def _is_deleted(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class takes away an attribute of that name."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Del)
        for node in in_rows(cls)
    )
