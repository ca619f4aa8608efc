"""Told devices: objects that are told their device when they are made, and work there: ``LogMel(device=device)``."""

from __future__ import annotations

import ast
from collections.abc import Collection

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, RemoveKeyword, ReplaceExpression, SetKeyword
from devfix.placement.devices import parameter_uses
from devfix.placement.devices.device_expression import Place

Edits = tuple[FileEdit, ...]
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_HOST = '"cpu"'


def told_host(facts: Facts, place: Place, moves: Collection[ast.AST]) -> Edits | None:
    """The object whose method moves something to its own device is told the CPU instead.

    None where the object does nothing else with its device than these ``moves``; no edits where it does, and nobody
    sees who tells it.
    """
    named = _own_device(place)
    if named is None:
        return None
    method = place.outline.function_of(named)
    cls = place.outline.class_of(method) if method is not None else None
    kept = parameter_uses.kept_as(place.outline, cls, named.attr)
    if cls is None or kept is None:
        return None
    constructor, parameter = kept
    if not _is_device(facts, place, constructor, named):
        return None
    if not _is_used_elsewhere(cls, constructor, named, parameter, moves):
        return None
    outlines = [facts.outline(path) for path in facts.program.sources]
    if any(_defines_another(outline.source.tree, cls) for outline in outlines):
        return ()
    told = [
        _told(Place(outline.source.path, outline, call), constructor, parameter.id)
        for outline in outlines
        for call in outline.calls(cls.name)
    ]
    return () if None in told else tuple(edit for edits in told for edit in edits or ())


def _defines_another(tree: ast.Module, cls: ast.ClassDef) -> bool:
    """Whether a file has another class of that name."""
    classes = (node for node in in_rows(tree) if isinstance(node, ast.ClassDef))
    return any(node.name == cls.name and node is not cls for node in classes)


def _own_device(place: Place) -> ast.Attribute | None:
    """``self.device`` in ``x.to(self.device)``, or in a call that is told it."""
    call = place.node
    if not isinstance(call, ast.Call):
        return None
    moves = isinstance(call.func, ast.Attribute) and call.func.attr == "to"
    given = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    given += call.args[:1] if moves else []
    receiver = place.outline.receiver_name(place.outline.function_of(call))
    for each in given:
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == receiver:
            return each
    return None


def _is_device(facts: Facts, place: Place, constructor: _Function, named: ast.Attribute) -> bool:
    """Whether nothing but devices was seen to be kept in the attribute: a tensor tells ``to`` where to go as well."""
    stored = facts.bindings(place.path, place.outline.scope(constructor)).get(ast.unparse(named), [])
    return bool(stored) and all(binding.kind == "device" for binding in stored)


def _is_used_elsewhere(
    cls: ast.ClassDef,
    constructor: _Function,
    named: ast.Attribute,
    parameter: ast.Name,
    moves: Collection[ast.AST],
) -> bool:
    """Whether the object does more with its device than to keep it and to move what ``moves`` move."""
    allowed = {part for move in moves for part in in_rows(move)}
    kept = [
        node
        for node in in_rows(cls)
        if isinstance(node, ast.Attribute) and node.attr == named.attr and isinstance(node.ctx, ast.Load)
    ]
    read = [
        node
        for node in in_rows(constructor)
        if isinstance(node, ast.Name) and node.id == parameter.id and isinstance(node.ctx, ast.Load)
    ]
    return not allowed.issuperset(kept) or len(read) > 1


def _told(place: Place, constructor: _Function, name: str) -> Edits | None:
    """What tells an object the CPU where it is made; None where nobody sees what it is told."""
    call, span = place.node, place.outline.source.span
    if not isinstance(call, ast.Call) or not _is_plain(call):
        return None
    optional = parameter_uses.is_optional(constructor, name)
    if any(keyword.arg == name for keyword in call.keywords):
        edit = RemoveKeyword(span(call), name) if optional else SetKeyword(span(call), name, _HOST)
        return (FileEdit(place.path, edit),)
    names = [each.arg for each in positional_of(constructor)][1:]
    if name in names[: len(call.args)]:
        return (FileEdit(place.path, ReplaceExpression(span(call.args[names.index(name)]), _HOST)),)
    return () if optional else None


def _is_plain(call: ast.Call) -> bool:
    """Whether all that a call gives stands there."""
    spread = any(keyword.arg is None for keyword in call.keywords)
    return not spread and not any(isinstance(arg, ast.Starred) for arg in call.args)
