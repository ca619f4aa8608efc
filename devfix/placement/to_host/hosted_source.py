"""Hosted sources: what is computed from tensors that are read on the CPU as well moves by itself, and they stay."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Operand, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves.argument_move import named_value
from devfix.placement.telling import told_function


def places(facts: Facts, operand: Operand, trails: list[tuple[Origin, ...]]) -> Iterator[Place]:
    """Where a mask moves that is made of the lengths that ``pack_padded_sequence`` reads: where it comes from a function.

    Else where it gets its name; where the lengths are used themselves, there.
    """
    if not any(map(facts.is_read_on_host, trails)):
        return
    born = operand.trail[0] if operand.trail else None
    made = place_at(facts, born.path, born.span) if born is not None and born.kind == "result" else None
    called = _only_call(facts, made) if made is not None else None
    if called is not None:
        yield called
    for site in reversed(operand.trail):
        named = place_at(facts, site.path, site.span) if site.kind == "name" and made is not None else None
        value = named_value(named)
        if value is not None:
            yield value
    used = place_at(facts, operand.path, operand.span)
    if used is not None and not operand.held and not _is_called(used):
        yield used


def _is_called(used: Place) -> bool:
    """Whether what is used is a loss that keeps a tensor: that moves once, not each time it is called."""
    return getattr(used.outline.parents[used.node], "func", None) is used.node


def _only_call(facts: Facts, made: Place) -> Place | None:
    """The one call of the function that returns what it makes at a place."""
    function = made.outline.function_of(made.node)
    returned = made.outline.parents.get(made.node)
    if not isinstance(returned, ast.Return) or not isinstance(function, ast.FunctionDef):
        return None
    calls = list(told_function.calls(facts, made.outline, function))
    return calls[0] if len(calls) == 1 and function in made.outline.source.tree.body else None
