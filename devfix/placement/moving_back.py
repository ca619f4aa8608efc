"""Moving back: a module that was taken to the CPU to be saved returns to the accelerator."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, InsertAfter, Operand
from devfix.placement import device_expression
from devfix.placement.dependence import dotted
from devfix.placement.device_expression import Place


def fix(facts: Facts, operand: Operand) -> Fix | None:
    """``net.to(device)`` after ``torch.save(net.cpu(), path)``, when the operand is a weight of ``net``."""
    made = operand.trail[0] if operand.trail else None
    if (
        operand.role != "weight"
        or made is None
        or made.kind != "move"
        or made.path not in facts.program.sources
    ):
        return None
    outline = facts.outline(made.path)
    call = outline.expression_at(made.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name, statement = dotted(call.func.value), outline.statement_of(call)
    if name is None or not isinstance(statement, ast.Expr) or statement.value is call:
        return None
    found = device_expression.chosen(facts, Place(made.path, outline, statement))
    if found is None:
        return None
    edit = InsertAfter(outline.source.span(statement), f"{name}.to({found.code})")
    return Fix(f"move `{name}` back to where it was", (FileEdit(made.path, edit),), Applicability.SAFE)


def is_copied(node: ast.AST) -> bool:
    """Whether somebody asked for a copy on one side by name: nobody wants it back in the same breath."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("cpu", "cuda")
