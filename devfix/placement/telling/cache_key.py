"""Keys of caches: what is made on a device that the function is told is kept under a key that tells the device as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.assumptions import keyed_caches
from devfix.analysis.assumptions.keyed_caches import Filling
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows, spelt
from devfix.findings import Edit, FileEdit, Operand, ReplaceExpression
from devfix.placement.devices.device_expression import place_at

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOVES = ("to", "to_empty")


def with_device(facts: Facts, operand: Operand) -> tuple[FileEdit, ...]:
    """``key = (length, device)`` where ``if key not in cache: cache[key] = make(length, device=device)``.

    Nothing where anything else in the file looks into the cache, or where the device is not told by an argument.
    """
    born = operand.trail[0] if operand.trail else None
    place = place_at(facts, born.path, born.span) if born is not None else None
    if place is None:
        return ()
    outline = place.outline
    function = outline.function_of(place.node)
    for around in outline.around(place.node):
        found = keyed_caches.filling(around) if isinstance(around, ast.If) else None
        if found is None or not isinstance(around, ast.If) or not isinstance(function, _Function):
            continue
        device = _told(function, around)
        edits = list(_edits(outline, function, found, device)) if device else []
        return tuple(FileEdit(place.path, edit) for edit in edits)
    return ()


def _told(function: _Function, block: ast.If) -> str:
    """The one device on which a block makes things, if it is an argument or that of one; "" otherwise."""
    asked = {spelt(node) for statement in block.body for node in _asked(statement)}
    names = {each.arg for each in parameters_of(function)}
    stored = {
        node.id
        for node in in_rows(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    device = asked.pop() if len(asked) == 1 else ""
    name, _, attribute = device.partition(".")
    return device if name in names - stored and attribute in ("", "device") else ""


def _asked(statement: ast.stmt) -> Iterator[ast.expr]:
    """The devices that calls are given."""
    for call in (node for node in in_rows(statement) if isinstance(node, ast.Call)):
        yield from (each.value for each in call.keywords if each.arg == "device")
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES and call.args:
            yield call.args[0]


def _edits(outline: Outline, function: _Function, found: Filling, device: str) -> Iterator[Edit]:
    """The key with the device: where it gets its name, or wherever it stands."""
    uses = list(_uses(outline.source.tree, found))
    inside = set(in_rows(function))
    same = all(use in inside and ast.dump(key) == ast.dump(found.key) for use, key in uses)
    if not same or device in {spelt(part) for part in in_rows(found.key) if isinstance(part, ast.expr)}:
        return
    if isinstance(found.key, ast.Name):
        bound = [node for node in inside if isinstance(node, ast.Assign) and _binds(node, found.key.id)]
        if (
            len(bound) == 1
            and isinstance(bound[0].value, ast.Tuple)
            and _is_key_alone(inside, uses, found.key.id)
        ):
            yield _with(outline, bound[0].value, device)
        return
    for use, key in uses:
        if isinstance(use, ast.Subscript):
            text = outline.source.segment(outline.source.span(use.value))
            span = outline.source.span(use)
            yield ReplaceExpression(span, f"{text}[{_listed(outline, key, device)}]")
        elif isinstance(key, ast.Tuple):
            yield _with(outline, key, device)
        else:
            yield ReplaceExpression(outline.source.span(key), f"({_listed(outline, key, device)})")


def _uses(tree: ast.AST, found: Filling) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Where a file looks into the cache, and the key under which it does."""
    cache = spelt(found.cache)
    for node in in_rows(tree):
        if isinstance(node, ast.Subscript) and spelt(node.value) == cache:
            yield node, node.slice
        elif isinstance(node, ast.Compare) and cache in map(spelt, node.comparators):
            yield node, node.left
        elif _asks_otherwise(node, cache):
            yield node, ast.Constant(None)


def _asks_otherwise(node: ast.AST, cache: str) -> bool:
    """Whether a method of the cache is called that may look into it."""
    method = node.func if isinstance(node, ast.Call) else None
    return isinstance(method, ast.Attribute) and spelt(method.value) == cache and method.attr != "clear"


def _binds(node: ast.Assign, name: str) -> bool:
    return [spelt(target) for target in node.targets] == [name]


def _is_key_alone(inside: set[ast.AST], uses: list[tuple[ast.AST, ast.expr]], name: str) -> bool:
    """Whether a name is bound once, and read as the key and as nothing else."""
    keys = {key for _, key in uses}
    names = [node for node in inside if isinstance(node, ast.Name) and node.id == name]
    stored = [node for node in names if not isinstance(node.ctx, ast.Load)]
    return len(stored) == 1 and all(node in keys for node in names if node not in stored)


def _with(outline: Outline, key: ast.Tuple, device: str) -> Edit:
    return ReplaceExpression(outline.source.span(key), f"({_listed(outline, key, device)})")


def _listed(outline: Outline, key: ast.expr, device: str) -> str:
    """The parts of a key and the device, side by side."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    return ", ".join([*(outline.source.segment(outline.source.span(part)) for part in parts), device])
