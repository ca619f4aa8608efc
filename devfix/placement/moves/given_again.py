"""Given again: what several calls are given that need it on the device moves once, where it got its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, Origin, Span
from devfix.placement.batches import batch_move
from devfix.placement.devices.device_expression import Place, place_at

#: What asks a tensor for what is the same wherever it is.
_ASKS = ("size", "shape", "dim", "ndim", "numel")
_FEWEST = 2


def at_name(facts: Facts, operand: Operand) -> tuple[FileEdit, ...]:
    """``x = x.to(device)`` behind ``x, n = load()``, where ``net(x)`` stands more than once, and nothing else needs ``x``."""
    for name, _ in _given(operand):
        place = place_at(facts, name.path, name.span)
        if place is None or not isinstance(place.node, ast.Name):
            continue
        calls = {
            given.span
            for mismatch in facts.mismatches("device")
            for other in mismatch.operands
            for site, given in _given(other)
            if site == name
        }
        if len(calls) >= _FEWEST and _is_for_calls(place, place.node.id, calls):
            return batch_move.after(facts, place, [])
    return ()


def _given(operand: Operand) -> Iterator[tuple[Origin, Origin]]:
    """Where a value got its name, and the argument that it was next, in one function."""
    for life in (operand.trail, *operand.roots):
        for name, given in pairwise(life):
            here = (name.path, name.scope) == (given.path, given.scope)
            if here and name.kind == "name" and given.kind == "given":
                yield name, given


def _is_for_calls(place: Place, name: str, calls: set[Span]) -> bool:
    """Whether a name is read by the calls alone, and by who asks for its size."""
    outline = place.outline
    scope = outline.function_of(place.node) or outline.source.tree
    for node in outline.occurrences(scope, name):
        parent = outline.parents[node]
        asks = isinstance(parent, ast.Attribute) and parent.attr in _ASKS
        measured = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") == "len"
        if (
            isinstance(node.ctx, ast.Load)
            and outline.source.span(node) not in calls
            and not (asks or measured)
        ):
            return False
    return True
