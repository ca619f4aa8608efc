"""Provenance: whether a value stayed in the function that made it, or was handed out to another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import GIVING
from devfix.analysis.text.syntax import walk
from devfix.findings import Operand, Origin, Span
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place

Trail = tuple[Origin, ...]

#: How the life of a value begins that a factory call makes.
MADE = ("factory", "random-factory")
#: Sites at which a value gets a name or an attribute.
STORED = ("name", "attribute", "module-attribute")


def left_behind(facts: Facts) -> Iterator[Trail]:
    """The lives of all that is on the CPU where it meets the accelerator."""
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands:
            if operand.device == "cpu":
                yield from (operand.trail, *operand.roots)


def names_left_behind(facts: Facts) -> set[tuple[str, Span]]:
    """Where such values got their names: the paths and spans of these."""
    return {(site.path, site.span) for life in left_behind(facts) for site in life if site.kind == "name"}


def stayed(life: Trail, whole: Trail) -> bool:
    """Whether a value never left the function that made it but as an argument.

    ``whole`` is the life of what is at once computed from it, where it has no name of its own.
    """
    return all(site.scope == life[0].scope for site in _passed(life, whole))


def begun_at(place: Place, life: Trail) -> Origin | None:
    """Where the life of a value began, if that is the expression at a place."""
    here = (place.path, place.outline.source.span(place.node))
    return next((site for site in life if (site.path, site.span) == here), None)


def was_returned(facts: Facts, life: Trail, whole: Trail) -> bool:
    """Whether a function that only makes data handed the value to one that gave it a name.

    What a module's own methods make, such as a first hidden state, is meant for the module.
    """
    if not life or life[0].kind not in MADE:
        return False
    # What is computed of it there may be what the function is for.
    together = whole[:1] != () and (whole[0].path, whole[0].scope) == (life[0].path, life[0].scope)
    passed = [*_passed(life, whole), *(_passed(whole, ()) if together else ())]
    # A function within the one that made it sees the same name.
    inner = f"{life[0].scope}."
    away = next((site for site in passed if not f"{site.scope}.".startswith(inner)), None)
    if away is None or away.kind not in ("name", "result") or is_of_module(facts, life):
        return False
    return not _keeps_what_it_makes(facts, life[0])


def _keeps_what_it_makes(facts: Facts, made: Origin) -> bool:
    """Whether a function outside of classes gives nothing back, so that what it makes goes down to those it calls alone."""
    place = device_expression.place_at(facts, made.path, made.span)
    maker = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(maker, ast.FunctionDef) or place.outline.class_of(maker) is not None:
        return False
    own = (
        node for node in walk(maker) if isinstance(node, GIVING) and place.outline.function_of(node) is maker
    )
    return not any(node.value is not None for node in own)


def is_of_module(facts: Facts, life: Trail) -> bool:
    """Whether a module's method made a value."""
    place = device_expression.place_at(facts, life[0].path, life[0].span)
    return place is not None and device_expression.is_in_module(facts, place)


def _passed(life: Trail, whole: Trail) -> list[Origin]:
    sites = life if len(life) > 1 else (*life, *whole)
    return [site for site in sites[1:] if site.kind in (*STORED, "result")]


def computed_in_module(facts: Facts, operand: Operand) -> Place | None:
    """Where a module computed what it keeps, or hands out among others."""
    born = operand.trail[0] if operand.trail and operand.held else None
    if born is None or born.kind != "result":
        return None
    place = device_expression.place_at(facts, born.path, born.span)
    inside = place is not None and device_expression.is_in_module(facts, place)
    return place if inside else None
