"""Copied parts: what was computed from a part of a module before it moved tells where to move the whole."""

from __future__ import annotations

import ast
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Operand, Origin
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices.device_expression import Place, is_in_module, place_at

_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")
#: What may be in the life of something of which only copies are used.
_KINDS = ("module", "name", "collected")


def is_one(facts: Facts, operand: Operand, made: Origin | None) -> bool:
    """Whether a tensor was computed from a part of a module: that moves with the whole, and what was computed stays."""
    if made is None or not operand.trail or operand.trail[0].kind == "module":
        return False
    place = place_at(facts, made.path, made.span)
    if place is None or not isinstance(place.node, ast.expr):
        return False
    return is_in_module(facts, place) or _container(place.outline, place.node) is not None


def wholes(facts: Facts, operand: Operand, sites: Trail) -> list[Origin]:
    """The places at which the whole may move where it is made; none where it is not known what that is.

    What a constructor makes only to compute something of it moves first: nothing else would move that. What others
    take of it, as a shadow of weights does, is theirs, and tells nothing of the parts beside it.
    """
    made = sites[0] if sites else None
    place = place_at(facts, made.path, made.span) if made is not None else None
    if made is None or place is None or any(site.kind not in _KINDS for site in sites):
        return []
    if is_in_module(facts, place) and not _is_beside(operand.trail[0], made):
        return []
    container = _container(place.outline, place.node)
    if container is not None:
        whole = isinstance(place.outline.parents[container], ast.stmt)
        return [_of(place, container, made)] if whole else []
    return [site for site in sites if site.scope == made.scope]


def _is_beside(copied: Origin, made: Origin) -> bool:
    """Whether a copy is taken by the class that makes what it is of."""
    return copied.path == made.path and copied.scope.rpartition(".")[0] == made.scope.rpartition(".")[0]


def _of(place: Place, container: ast.Call, made: Origin) -> Origin:
    source = place.outline.source
    span = source.span(container)
    return replace(made, span=span, text=source.segment(span))


def _container(outline: Outline, node: ast.AST) -> ast.Call | None:
    """The outermost ``nn.Sequential`` or the like that an expression stands in as one of its modules."""
    found = None
    while isinstance(node := outline.parents[node], ast.expr | ast.keyword | ast.comprehension):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _CONTAINERS:
            found = node
    return found
