"""Picking: what selects parts of a table on the CPU stays there, since the accelerator selects nothing of such a table."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.siblings.sibling_move import last_move
from devfix.placement.text.provenance import left_behind

#: What computes, of what it has, something that is where that is.
_COMPUTED = (ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Call)


def is_done_by(facts: Facts, trail: Trail) -> bool:
    """Whether a value has a name ``rows`` in a scope where ``table[rows]`` meets the accelerator from the CPU, or moves there."""
    named = (place_at(facts, site.path, site.span) for site in trail if site.kind == "name")
    return any(_is_moved(place) or _is_left_behind(facts, place) for place in named if place is not None)


def _is_left_behind(facts: Facts, name: Place) -> bool:
    picked = {name.outline.source.span(each) for each in _picked(name)}
    made = (life[0] for life in left_behind(facts) if life) if picked else ()
    return any(site.path == name.path and site.span in picked for site in made)


def _is_moved(name: Place) -> bool:
    return any(last_move(each) for each in _picked(name))


def _picked(name: Place) -> Iterator[ast.expr]:
    """What a name selects in its scope, and what is computed of that at once."""
    if not isinstance(name.node, ast.Name):
        return
    outline = name.outline
    code = outline.function_of(name.node) or outline.source.tree
    for use in outline.occurrences(code, name.node.id):
        node = outline.parents[use]
        if not isinstance(node, ast.Subscript) or node.slice is not use:
            continue
        while isinstance(node, _COMPUTED) and outline.scopes(node)[0] == outline.scopes(name.node)[0]:
            yield node
            node = outline.parents[node]
