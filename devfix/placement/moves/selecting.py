"""Selecting: a tensor of which a part is taken moves before that where nobody knows what selects the part.

On the accelerator anything selects; a tensor on the CPU can be indexed from the CPU alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text.dependence import dotted
from devfix.placement.text.naming import named_tensor
from devfix.placement.text.provenance import STORED

#: What asks nothing of a tensor but its form.
_ASKS = frozenset({"shape", "size", "dtype", "ndim", "dim", "numel"})


def whole(facts: Facts, place: Place) -> Place:
    """``table`` for ``table[index]`` where an unknown argument selects; else the place as it is."""
    node = place.node
    if not isinstance(node, ast.Subscript):
        return place
    if named_tensor(place.outline, facts, node.value) != ast.unparse(node.value):
        return place
    if not any(_is_unknown_argument(facts, place, part) for part in _selecting(node.slice)):
        return place
    return Place(place.path, place.outline, node.value)


def _selecting(index: ast.AST) -> Iterator[ast.AST]:
    """The parts of an index that select by where they are themselves: the bounds of a slice are numbers."""
    if not isinstance(index, ast.Slice):
        yield index
        for part in ast.iter_child_nodes(index):
            yield from _selecting(part)


def _is_unknown_argument(facts: Facts, place: Place, node: ast.AST) -> bool:
    function = place.outline.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if node.id not in {each.arg for each in positional_of(function)}:
        return False
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(node.id, [])
    return any(binding.kind in ("number", "other", "strange") for binding in bindings)


def is_array_used_whole(facts: Facts, trail: tuple[Origin, ...]) -> bool:
    """Whether a value is a tensor made of an array, and not only parts of it are taken: of a large one these move alone."""
    if trail[0].kind != "numpy":
        return False
    site = next((site for site in trail if site.kind in STORED), None)
    place = place_at(facts, site.path, site.span) if site is not None else None
    name = dotted(place.node) if place is not None else None
    if place is None or name is None:
        return False
    around = place.outline.function_of(place.node) if isinstance(place.node, ast.Name) else None
    code = around if around is not None else place.outline.source.tree
    reads = (node for node in in_rows(code) if dotted(node) == name)
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and not _is_of_part(place.outline.parents[node], node)
        for node in reads
    )


def _is_of_part(above: ast.AST, node: ast.AST) -> bool:
    """Whether a part is taken of something, or only its form is asked for."""
    if isinstance(above, ast.Subscript):
        return above.value is node
    if isinstance(above, ast.Call):
        return isinstance(above.func, ast.Name) and above.func.id == "len"
    return isinstance(above, ast.Attribute) and above.attr in _ASKS
