"""Alike moves: what gets its name beside something that is made in the same way moves as that does."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings import renewed_alike, sibling_move, twin_move, unpacked_attributes
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]
#: Places of a life where a value gets a name, or an object keeps it.
_NAMING = ("numpy", "name", "attribute")


def beside(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``x = xs[i:j].to(device)`` beside ``y = ys[i:j].to(device)``: as the author does with the other one.

    The first life that has such a neighbour decides.
    """
    for trail in trails if not facts.program.adopts else ():
        for site in trail:
            place = place_at(facts, site.path, site.span) if site.kind in _NAMING else None
            if place is not None and site.kind == "numpy":
                place = _named(place)
            if place is None:
                continue
            if edits := _as_neighbour(facts, place) or renewed_alike.within(facts, place):
                return edits
            if edits := unpacked_attributes.beside(facts, place):
                return edits
    return ()


def _named(place: Place) -> Place | None:
    """The name that what comes from an array gets, once some of its methods were called."""
    node, parents = place.node, place.outline.parents
    while isinstance(parents.get(node), (ast.Attribute, ast.Call)) and _begins(parents[node], node):
        node = parents[node]
    statement = parents.get(node)
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return None
    return Place(place.path, place.outline, statement.targets[0])


def _begins(node: ast.AST, inner: ast.AST) -> bool:
    """Whether a method, or a call of it, is that of the inner expression."""
    return getattr(node, "value" if isinstance(node, ast.Attribute) else "func", None) is inner


def _as_neighbour(facts: Facts, place: Place) -> Edits:
    outline = place.outline
    statement = outline.statement_of(place.node)
    if not isinstance(statement, ast.Assign) or statement.targets != [place.node]:
        return ()
    if isinstance(place.node, ast.Attribute):
        kept = dotted(place.node)
        if kept is None or is_read_as_array(place, statement, kept):
            return ()
        return _as_kept_beside(facts, place, statement, kept)
    if not isinstance(place.node, ast.Name) or not decides(outline, statement, place.node):
        return ()
    ways = set(_ways(statement.value))
    for sibling in outline.block_of(statement) if ways else []:
        name, base, suffix = _moved(sibling)
        if name in ("", place.node.id) or base is None or sibling_move.names(suffix, place.node.id):
            continue
        if not ways.isdisjoint(_ways(base)) and sibling_move.is_placed(facts, place, sibling, name):
            return suffixes.as_beside(facts, outline, statement.value, suffix, sibling)
    name = place.node.id
    return twin_move.within(facts, place, statement, name) or twin_move.behind(facts, place, statement, name)


def _as_kept_beside(facts: Facts, place: Place, statement: ast.Assign, name: str) -> Edits:
    """``self.hits = torch.zeros(3).cuda()`` where all else that the object gets there moves by the same ``.cuda()``."""
    twin = twin_move.within(facts, place, statement, name) or twin_move.behind(facts, place, statement, name)
    if twin or not isinstance(statement.value, ast.Call):
        return twin
    beside = [
        (sibling_move.last_move(other.value), sibling_move.is_placed(facts, place, other, kept))
        for other, kept in twin_move.others(place.outline, statement, name)
        if sibling_move.is_tensor(facts, place, other, kept)
    ]
    suffixes_there = {suffix for suffix, _ in beside}
    suffix = suffixes_there.pop() if len(suffixes_there) == 1 and all(placed for _, placed in beside) else ""
    bare = suffix.startswith(".cuda(")  # a device that is told by name may be told to what makes the tensor
    return suffixes.added(facts, place.outline, statement.value, suffix) if bare else ()


def is_read_as_array(place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether the class asks for the array of what its objects keep, which is on the CPU then."""
    function = place.outline.function_of(statement)
    cls = place.outline.class_of(function) if function is not None else None
    asked = (node for node in in_rows(cls) if isinstance(node, ast.Attribute)) if cls is not None else ()
    return any(node.attr == "numpy" and dotted(node.value) == name for node in asked)


def _moved(statement: ast.stmt) -> tuple[str, ast.expr | None, str]:
    """The name that a statement gives to what it moves, what that was, and the move: ``("y", ys[i], ".to(device)")``."""
    value = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    suffix = sibling_move.last_move(value) if value is not None else ""
    if not suffix or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return "", None, ""
    base = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    return statement.targets[0].id, base, suffix


def _ways(node: ast.expr) -> Iterator[tuple[str, str]]:
    """How a value is made: an item under a key, whatever holds it, or of a holder, or an array by a function."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if dotted(node.func) is not None:
            break
        node = node.func.value
    if isinstance(node, ast.Subscript):
        yield "item", ast.dump(node.slice)
        holder = dotted(node.value)
        if holder is not None and isinstance(node.slice, ast.Constant):
            yield "holder", holder
    called = dotted(node.func) if isinstance(node, ast.Call) else None
    if called is not None and called.rpartition(".")[2] in _OF_ARRAYS:
        yield "array", called


#: What makes tensors of data that others have made.
_OF_ARRAYS = frozenset({"from_numpy", "stack", "cat"})
