"""Handed copies: what some calls give a function as a number and others as a tensor is copied by those that give the tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.telling import told_function
from devfix.placement.text import handed

Edits = tuple[FileEdit, ...]

#: Names that methods of the program share with those of Python's own collections, whose calls are not told apart.
_COMMON = frozenset(name for kind in (list, dict, set, str) for name in dir(kind))
#: What nothing but a tensor has, and gives a tensor.
_OF_TENSORS = frozenset("detach unsqueeze permute contiguous cuda".split())
#: What gives a tensor where it is asked of one.
_TENSOR_METHODS = frozenset("mean sum abs pow sqrt exp log min max norm clone float double squeeze".split())


def by_callers(facts: Facts, place: Place, suffix: str) -> Edits:
    """``meter.add(loss.detach().cpu())``, beside ``meter.add(accuracy)`` where that is a number.

    What is handed over may be reckoned with and kept by the object, whose methods read it on the CPU.
    """
    function = place.outline.function_of(place.node)
    if not isinstance(function, ast.FunctionDef):
        return ()
    found = _parameters(facts, place.outline, function)
    if len(found) != 1:
        return ()
    [(called, parameter)] = found
    edits: list[FileEdit] = []
    for call in _calls(facts, place.outline, called):
        given = (
            handed.argument(place.outline, called, parameter, call.node)
            if isinstance(call.node, ast.Call)
            else None
        )
        if given is not None and _is_tensor(facts, call.outline, given):
            edits += suffixes.added(facts, call.outline, given, suffix)
    return tuple(dict.fromkeys(edits))


def _parameters(
    facts: Facts, outline: Outline, function: ast.FunctionDef
) -> list[tuple[ast.FunctionDef, str]]:
    """The parameters of a function that are a tensor in some calls and a number in others, or else of those of its class."""
    own = [(function, name) for name in _mixed(facts, outline, function)]
    cls = outline.class_of(function)
    if own or cls is None:
        return own
    methods = [each for each in cls.body if isinstance(each, ast.FunctionDef)]
    return [(method, name) for method in methods for name in _mixed(facts, outline, method)]


def _mixed(facts: Facts, outline: Outline, function: ast.FunctionDef) -> Iterator[str]:
    around = outline.scope(function)
    names = facts.bindings(outline.source.path, f"{around}.{function.name}" if around else function.name)
    for name, bindings in names.items():
        given = [each for each in bindings if each.statement is None]
        on_device = any(
            b.kind == "tensor" and b.device is not None and b.device.is_accelerator for b in given
        )
        if on_device and any(each.kind == "number" for each in given):
            yield name


def _calls(facts: Facts, outline: Outline, function: ast.FunctionDef) -> list[Place]:
    """The calls of a function, as they were seen, or by its name; none where something else is called that as well."""
    seen = facts.calls_of(function)
    if seen:
        return [Place(each.path, facts.outline(each.path), each.node) for each in seen]
    if outline.class_of(function) is not None and function.name in _COMMON:
        return []
    named = list(told_function.calls(facts, outline, function))
    found = [call for call in named if call is not None]
    return found if len(found) == len(named) else []


def _is_tensor(facts: Facts, outline: Outline, node: ast.expr) -> bool:
    """Whether an expression gives a tensor for certain."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        asked = node.func.attr
        return asked in _OF_TENSORS or (
            asked in _TENSOR_METHODS and _is_tensor(facts, outline, node.func.value)
        )
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    return bool(bindings) and all(each.kind == "tensor" for each in bindings)
