"""Keepers: the module that an object keeps moves in the method that uses it, where the constructor knows of no device and the method does."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, InsertBefore, Operand, Origin
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, is_in_module, place_at
from devfix.placement.text.dependence import dotted, reads, writes

_Method = ast.FunctionDef | ast.AsyncFunctionDef


def moved_in_method(facts: Facts, operand: Operand, sites: Trail) -> tuple[FileEdit, ...]:
    """``self.shadow.to(engine.device)`` before what a hook does with its copy of the model that it is called for.

    That moves nothing but the first time.
    """
    used = place_at(facts, operand.path, operand.span)
    method = used.outline.function_of(used.node) if used is not None else None
    if used is None or not isinstance(method, _Method) or is_in_module(facts, used):
        return ()
    for name in (site.text for site in sites if _is_kept_by(used.outline, method, site)):
        first = _first_use(method, name)
        place = Place(used.path, used.outline, first) if first is not None else None
        found = device_expression.chosen(facts, place) if place is not None else None
        if first is not None and found is not None:
            edit = InsertBefore(used.outline.source.span(first), f"{name}.to({found.code})")
            return (*found.edits, FileEdit(used.path, edit))
    return ()


def _is_kept_by(outline: Outline, method: _Method, site: Origin) -> bool:
    """Whether another method of the same class gives the object what it keeps."""
    if site.kind != "attribute" or site.path != outline.source.path:
        return False
    node = outline.expression_at(site.span)
    maker = outline.function_of(node) if node is not None else None
    if not isinstance(node, ast.Attribute) or maker is None or maker is method:
        return False
    cls, receiver = outline.class_of(maker), outline.receiver_name(method)
    alike = receiver is not None and outline.receiver_name(maker) == receiver == dotted(node.value)
    return alike and cls is not None and outline.class_of(method) is cls


def _first_use(method: _Method, name: str) -> ast.stmt | None:
    """The statement of a method's body that first reads what is kept; None where the method gives the object something else."""
    if name in writes(method.body):
        return None
    return next((statement for statement in method.body if name in reads([statement])), None)
