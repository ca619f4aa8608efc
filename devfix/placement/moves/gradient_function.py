"""Autograd functions: what ``forward`` makes is moved in it, not behind ``apply``.

The gradient that ``backward`` gets and gives lives where the result of ``forward`` does: behind a move of that
result it would come back to the CPU for an input on the accelerator, which autograd refuses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Mismatch, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import argument_move, autograd_class
from devfix.placement.text import chains

Trail = tuple[Origin, ...]


def values(facts: Facts, trails: Iterable[Trail], mismatch: Mismatch) -> list[tuple[Origin, Place]]:
    """What the ``forward`` of autograd functions made, or was handed and named, that met others outside of it.

    Each with the place in it that moves: a call that makes the value, or what an assignment gives to its name.
    """
    found = [value for value in (_value(facts, trail) for trail in trails if trail) if value is not None]
    return [] if any(_is_around(place, mismatch) for _, place in found) else found


def _is_around(place: Place, mismatch: Mismatch) -> bool:
    """Whether the function around a place is that in which values meet."""
    scope = place.outline.scopes(place.node)[0]
    return place.path == mismatch.path and scope == mismatch.get("scope")


def _value(facts: Facts, trail: Trail) -> tuple[Origin, Place] | None:
    within = [(site, place) for site, place in _places(facts, trail) if _is_forward(place)]
    if not within or within[0][0].kind == "factory":
        return next(iter(within), None)
    named = ((site, argument_move.named_value(place)) for site, place in within if site.kind == "name")
    return next(((site, place) for site, place in named if place is not None), within[0])


def _places(facts: Facts, trail: Trail) -> Iterator[tuple[Origin, Place]]:
    for site in trail:
        place = place_at(facts, site.path, site.span)
        if place is not None:
            yield site, place


def gradient(place: Place) -> str:
    """The gradient that an expression in ``backward`` begins with, as ``grad`` of ``grad.t()``; "" where there is none.

    It has the dtype of the result of ``forward``, which autocast may have chosen.
    """
    name = chains.name_of(place.node, ast.Call, ast.Attribute, ast.Subscript)
    function = place.outline.function_of(place.node)
    if not isinstance(function, ast.FunctionDef) or not autograd_class.is_in(
        place.outline, place.node, autograd_class.BACKWARD
    ):
        return ""
    return name if name in [each.arg for each in function.args.args[1:]] else ""


def first_use(place: Place, name: str) -> ast.stmt:
    """The statement before which a gradient is cast: the one around a place, or the first of several in ``backward`` that use it."""
    outline, function = place.outline, place.outline.function_of(place.node)
    statement = outline.statement_of(place.node)
    body = function.body if isinstance(function, ast.FunctionDef) else []
    using = [each for each in body if any(getattr(part, "id", "") == name for part in in_rows(each))]
    return using[0] if len(using) > 1 and statement not in body else statement


def _is_forward(place: Place) -> bool:
    return autograd_class.is_in(place.outline, place.node, autograd_class.FORWARD)
