"""Computed arguments: what a function computes of what it makes, and gives a module, moves once where it gets its name."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.findings import FileEdit, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.moves.argument_move import named_value
from devfix.placement.text.provenance import MADE


def where_named(facts: Facts, life: tuple[Origin, ...]) -> tuple[FileEdit, ...]:
    """``t = (torch.ones(n) * i).long().to(device)`` before ``model(x, t)``, where ``x`` is on the accelerator.

    All else that is done with it there has a partner on the accelerator, too: ``betas[t]``.
    """
    made = place_at(facts, life[0].path, life[0].span) if [site.kind for site in life] in _ALONE else None
    if made is None or facts.program.adopts or device_expression.is_in_module(facts, made):
        return ()
    statement = made.outline.statement_of(made.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    value = named_value(Place(made.path, made.outline, target)) if isinstance(target, ast.Name) else None
    if not isinstance(target, ast.Name) or value is None or value.node is made.node:
        return ()
    found = device_expression.chosen(facts, value)
    if found is None or found.edits or not _goes_there(facts, value, target.id):
        return ()
    return suffixes.added(facts, value.outline, value.node, f".to({found.code})")


#: How a life looks of which nothing was seen but that it began.
_ALONE = tuple([kind] for kind in MADE)


def _goes_there(facts: Facts, value: Place, name: str) -> bool:
    """Whether a module is given what a name stands for, and wherever else the name is read something on the accelerator is."""
    outline = value.outline
    scope = outline.function_of(value.node) or outline.source.tree
    uses = [node for node in outline.occurrences(scope, name) if isinstance(node.ctx, ast.Load)]
    calls = [call for call in map(outline.parents.__getitem__, uses) if isinstance(call, ast.Call)]
    given = any(
        binding.kind == "module"
        for call in calls
        for binding in bound(facts, Place(value.path, outline, call.func))
    )
    return given and all(_has_partner(facts, Place(value.path, outline, node)) for node in uses)


def _has_partner(facts: Facts, place: Place) -> bool:
    """Whether an argument stands beside another one on the accelerator, or an index belongs to what is there."""
    around = place.outline.parents[place.node]
    beside: list[ast.expr] = []
    if isinstance(around, ast.Call) and place.node in around.args:
        beside = [other for other in around.args if other is not place.node]
    elif isinstance(around, ast.Subscript) and place.node is around.slice:
        beside = [around.value]
    return any(_is_there(facts, Place(place.path, place.outline, other)) for other in beside)


def _is_there(facts: Facts, place: Place) -> bool:
    found = {each.device for each in bound(facts, place) if each.kind == "tensor"}
    known = [device for device in found if device is not None]
    return bool(known) and all(device.is_accelerator for device in known)


def bound(facts: Facts, place: Place) -> list[Binding]:
    """All that a name, or an attribute of the object around, was seen to stand for."""
    outline, node = place.outline, place.node
    if isinstance(node, ast.Name):
        scopes = (facts.bindings(place.path, scope) for scope in outline.scopes(node))
        return next((bound[node.id] for bound in scopes if node.id in bound), [])
    function = outline.function_of(node)
    cls = outline.class_of(function) if function is not None else None
    receiver = outline.receiver_name(function)
    if cls is None or not isinstance(node, ast.Attribute) or ast.unparse(node.value) != receiver:
        return []
    methods = [each for each in cls.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    bound = (facts.bindings(place.path, outline.scope(each)).get(f"self.{node.attr}", []) for each in methods)
    return [binding for found in bound for binding in found]
