"""Late builds: a module that makes its parameters when it is called first moves there and then, with all of them."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import first_name, in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.findings import FileEdit, InsertAfter, Mismatch, Operand
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.modules import module_binding

Edits = tuple[FileEdit, ...]
_MOVES = frozenset({"to", "cuda"})
_Method = ast.FunctionDef | ast.AsyncFunctionDef


def moved(facts: Facts, mismatch: Mismatch, operand: Operand) -> Edits:
    """``self.to(x.device)`` behind ``self.build()``, the method that alone made the parameter which stayed on the CPU."""
    used = place_at(facts, operand.path, operand.span)
    call = _building(used) if used is not None and device_expression.is_in_module(facts, used) else None
    if used is None or call is None:
        return ()
    outline = used.outline
    peers = [each for each in mismatch.operands if each is not operand and each.device not in ("cpu", None)]
    found = device_expression.find(facts, Place(used.path, outline, call), peers)
    receiver = outline.receiver_name(outline.function_of(call))
    if found is None or f"{receiver}." in found.code:  # its own parameters have just been made
        return ()
    span = outline.source.span(outline.statement_of(call))
    return (*found.edits, FileEdit(used.path, InsertAfter(span, f"{receiver}.to({found.code})")))


def _building(used: Place) -> ast.Call | None:
    """The one call, a statement of a method that is called later than ``__init__``, of what makes ``self.weight``."""
    node, outline = used.node, used.outline
    function = outline.function_of(node)
    cls = outline.class_of(function) if function is not None else None
    if cls is None or not _own_attribute(outline, node):
        return None
    methods = [each for each in cls.body if isinstance(each, _Method)]
    makers = [each for each in methods if _stores(each, ast.unparse(node))]
    if len(makers) != 1 or not _makes_parameter(makers[0], ast.unparse(node)) or _moves_parts(cls, outline):
        return None
    calls = [
        part
        for method in methods
        for part in in_rows(method)
        if isinstance(part, ast.Call) and _own_attribute(outline, part.func) == makers[0].name
    ]
    around = outline.function_of(calls[0]) if len(calls) == 1 else None
    if around is None or around.name == "__init__" or around is makers[0]:
        return None
    return calls[0] if isinstance(outline.parents[calls[0]], ast.Expr) else None


def _own_attribute(outline: Outline, node: ast.AST) -> str:
    """The name of an attribute of the object whose method a node is in; "" for anything else."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    return node.attr if node.value.id == outline.receiver_name(outline.function_of(node)) else ""


def _moves_parts(cls: ast.ClassDef, outline: Outline) -> bool:
    """Whether a class moves what its objects keep, or the objects themselves: then not everything may be meant to be in one place."""
    moving = (part.func for part in in_rows(cls) if isinstance(part, ast.Call))
    whole = (each.value for each in moving if isinstance(each, ast.Attribute) and each.attr in _MOVES)
    return any(first_name(each) == outline.receiver_name(outline.function_of(each)) for each in whole)


def _stores(method: _Method, attribute: str) -> bool:
    named = vocabulary(method).attributes.get(attribute.rpartition(".")[2], ())
    return any(not isinstance(part.ctx, ast.Load) and ast.unparse(part) == attribute for part in named)


def _makes_parameter(method: _Method, attribute: str) -> bool:
    """Whether a method that is no constructor gives an attribute nothing but parameters."""
    if method.name == "__init__" or not _stores(method, attribute):
        return False
    made = [
        part.value
        for part in in_rows(method)
        if isinstance(part, ast.Assign) and attribute in map(ast.unparse, part.targets)
    ]
    calls = [ast.unparse(value.func) for value in made if isinstance(value, ast.Call)]
    named = len(calls) == len(made) and all(call.rpartition(".")[2] == "Parameter" for call in calls)
    return bool(made) and named


#: The ways in which a module moves rather than an operand of its own.
WAYS = (moved, module_binding.moved)
