"""Kept results: what a function of another file computes, and an object keeps, moves once where the object gets it."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Operand
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import bound_again
from devfix.placement.text.provenance import MADE

#: How the life of data begins that a function makes of nothing that it is given.
_BORN = (*MADE, "numpy")


def place(facts: Facts, operand: Operand) -> Place | None:
    """``adjacency(edges)`` of ``self.adj = adjacency(edges)``, where whoever computes it knows of no device.

    What gives samples of what it keeps has that on the CPU.
    """
    life = operand.trail
    stored = next((site for site in life if site.kind == "attribute"), None)
    if stored is None or life[0].kind != "result" or stored.path == life[0].path:
        return None
    if not operand.roots or any(
        root[0].kind not in _BORN or (root[0].path, root[0].scope) != (life[0].path, life[0].scope)
        for root in operand.roots
    ):
        return None
    target = place_at(facts, stored.path, stored.span)
    statement = target.outline.statement_of(target.node) if target is not None else None
    if target is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    method = target.outline.function_of(target.node)
    cls = target.outline.class_of(method) if method is not None else None
    if statement.targets != [target.node] or cls is None or _gives_samples(cls):
        return None
    if device_expression.is_in_module(facts, target) or not bound_again.may_move(facts, target, statement):
        return None
    return Place(target.path, target.outline, statement.value)


def _gives_samples(cls: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == "__getitem__" for each in cls.body)
