"""Named entries: the device that settings hold, by which the file itself moves what is met: ``cfg["device"]``, ``config.device``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Operand, Origin
from devfix.placement.devices.boundness import is_bound
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

#: Methods of a dict that leave it as it is.
_READING = ("get", "keys", "values", "items", "copy")


def of_peers(place: Place, peers: Iterable[Operand]) -> str | None:
    """The entry to which one of the peers was moved in the same file, where its dict is known at the place as well."""
    for peer in peers:
        for trail in (peer.trail, *peer.roots):
            code = _asked(place.outline, trail[0]) if trail else None
            root = code.partition("[")[0].partition(".")[0] if code is not None else ""
            if code is None or not is_bound(place.outline, place.node, root):
                continue
            if _is_of_file(place, root) or _is_of_function(place, trail[0], root, code):
                return code
    return None


def _asked(outline: Outline, move: Origin) -> str | None:
    """``cfg["device"]`` of ``model.to(cfg["device"])``."""
    call = (
        outline.expression_at(move.span) if move.kind == "move" and move.path == outline.source.path else None
    )
    if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") != "to":
        return None
    given = [*call.args[:1], *(each.value for each in call.keywords if each.arg == "device")]
    part = given[0] if given else None
    while isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
        part = part.value
    entry = part is not None and dotted(part) is not None and given[0] is not part
    named = entry or (part is not None and _is_of_import(outline, part))
    return outline.source.segment(outline.source.span(given[0])) if named else None


def _is_of_import(outline: Outline, part: ast.expr) -> bool:
    """Whether an expression is an attribute of what the file imports: ``config.device``."""
    owner = part.value if isinstance(part, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in outline.imported


def _is_of_file(place: Place, name: str) -> bool:
    """Whether a name is bound once, at the top of the file, and means the same everywhere in it."""
    tree = place.outline.source.tree
    stored = [node for node in in_rows(tree) if _binds(node, name)]
    written = (
        node
        for node in in_rows(tree)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
    )
    filled = [node for node in written if ast.unparse(node.value).partition(".")[0] == name]
    inside = [node for node in (*stored, *filled) if place.outline.definition_of(node) is not None]
    return len(stored) == 1 and not inside


def _is_of_function(place: Place, move: Origin, name: str, code: str) -> bool:
    """Whether a function has one dict, all of which is there before it moves a peer by it, and before the place."""
    moved = place.outline.expression_at(move.span)
    if moved is None or place.outline.function_of(moved) is not place.outline.function_of(place.node):
        return False
    return _is_filled(place.outline, name, code.rpartition("[")[0], (moved, place.node))


def is_settled(place: Place, name: str, key: str) -> bool:
    """Whether a name stands for one dict, of the function or of the file, whose entry is never another one."""
    function = place.outline.function_of(place.node)
    fills = [node for node in in_rows(function) if _may_fill(node, name)] if function is not None else []
    if any(not isinstance(fill, ast.Subscript) or _may_be(fill, key) for fill in fills):
        return False
    return _is_of_file(place, name) or _is_filled(place.outline, name, name, (place.node,))


def _may_be(entry: ast.Subscript, key: str) -> bool:
    return not isinstance(entry.slice, ast.Constant) or entry.slice.value == key


def _is_filled(outline: Outline, name: str, dicts: str, nodes: tuple[ast.AST, ...]) -> bool:
    """Whether the function around nodes binds a name once, and has done all that fills its dict before it reaches them."""
    function = outline.function_of(nodes[0])
    parts = list(in_rows(function)) if function is not None else []
    binders = [part for part in parts if _binds(part, name)]
    if len(binders) != 1 or any(isinstance(part, (ast.Global, ast.Nonlocal)) for part in parts):
        return False
    bound = [part for part in binders if not isinstance(part, ast.arg)]
    changes = [*bound, *(part for part in parts if _may_fill(part, dicts))]
    return all(_is_done(outline, change, node) for change in changes for node in nodes)


def _may_fill(node: ast.AST, dicts: str) -> bool:
    """Whether a node sets an entry of a dict, or calls a method of it that may."""
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) == dicts
    called = node.func if isinstance(node, ast.Call) else None
    filling = isinstance(called, ast.Attribute) and called.attr not in _READING
    return isinstance(called, ast.Attribute) and filling and ast.unparse(called.value) == dicts


def _is_done(outline: Outline, change: ast.AST, node: ast.AST) -> bool:
    """Whether every way to a node has passed what changes a dict."""
    statement = outline.statement_of(change)
    at = outline.statement_of(node)
    return statement is not at and outline.dominates(statement, at)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    return isinstance(node, ast.arg) and node.arg == name
