"""Handing: where code outside of modules gives a value to one, and may well know the device."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Operand
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place

#: How the life of a tensor begins that is made of numbers or of an array, and handed over with nothing in between.
_AT_ONCE = (("numpy", "given"), ("factory", "given"))


def places(facts: Facts, operand: Operand) -> list[Place]:
    """The arguments that the operand was, or else those that the values it is computed from were."""
    own = _last(facts, operand.trail)
    found = [own] if own is not None else [_last(facts, root) for root in operand.roots]
    return [place for place in found if place is not None]


def is_unpacked_within(facts: Facts, operand: Operand) -> bool:
    """Whether a module takes the operand out of what code outside of modules gave it: ``src, dst = edges``."""
    life = operand.trail
    named = next((number for number, site in reversed(list(enumerate(life))) if site.kind == "name"), 0)
    given = any(site.kind == "given" for site in life[:named])
    place = device_expression.place_at(facts, life[named].path, life[named].span) if given else None
    within = place is not None and device_expression.is_in_module(facts, place)
    return within and _last(facts, life[:named]) is not None


def was_given(facts: Facts, operand: Operand) -> bool:
    """Whether an operand, or what it is computed from, was given to a module of a program that has just got its device."""
    return facts.program.adopts and bool(places(facts, operand))


def is_computed(facts: Facts, life: Trail) -> bool:
    """Whether a value is the result of something: then others may move, and it with them. A part of a batch is none."""
    return life[:1] != () and life[0].kind == "result" and not _is_yielded(facts, life)


def _is_yielded(facts: Facts, life: Trail) -> bool:
    """Whether a loop took a value with others from a generator of the program's own: ``for x, y in batches(16)``."""
    if [site.kind for site in life[:2]] != ["result", "name"] or life[0].scope == life[1].scope:
        return False
    made, taken = (device_expression.place_at(facts, site.path, site.span) for site in life[:2])
    loop = taken.outline.statement_of(taken.node) if taken is not None else None
    function = made.outline.function_of(made.node) if made is not None else None
    yields = function is not None and any(isinstance(node, ast.Yield) for node in in_rows(function))
    return yields and isinstance(loop, ast.For) and isinstance(loop.target, ast.Tuple)


def is_given_back(facts: Facts, operand: Operand) -> bool:
    """Whether the function that hands the operand to a module gives it back as well: its callers have it as before."""
    given = _last(facts, operand.trail)
    function = given.outline.function_of(given.node) if given is not None else None
    if given is None or function is None or not isinstance(given.node, ast.Name):
        return False
    returns = [node for node in in_rows(function) if isinstance(node, (ast.Return, ast.Yield))]
    name, own = given.node.id, [node for node in returns if given.outline.function_of(node) is function]
    return any(node.value is not None and _is_of(node.value, name) for node in own)


def _is_of(value: ast.expr, name: str) -> bool:
    """Whether an expression is what a name stands for, or entries of it alone: ``[points[i] for i in best]``."""
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        return _is_of(value.elt, name)
    if isinstance(value, (ast.Tuple, ast.List)):
        return value.elts != [] and all(_is_of(each, name) for each in value.elts)
    while isinstance(value, ast.Subscript):
        value = value.value
    return isinstance(value, ast.Name) and value.id == name


def of_batch(operand: Operand) -> Trail:
    """How the life of a part of a batch begins, up to the name that it was unpacked to; nothing for anything else."""
    life = operand.trail
    return life[:2] if [site.kind for site in life[:2]] == ["loader", "name"] else ()


def _last(facts: Facts, life: Trail) -> Place | None:
    """The last argument that somebody else than a module gave."""
    for site in reversed(life):
        if site.kind == "given" and site.path in facts.program.sources:
            outline = facts.outline(site.path)
            node = outline.expression_at(site.span)
            spread = isinstance(node, ast.Starred)  # each part of it has a life of its own
            place = Place(site.path, outline, node) if node is not None and not spread else None
            if place is not None and not device_expression.is_in_module(facts, place):
                return place
    return _made_for_module(facts, life)


def _made_for_module(facts: Facts, life: Trail) -> Place | None:
    """Where a value was made that got no name before a module had it: with others in a list, say."""
    if tuple(site.kind for site in life[:2]) not in _AT_ONCE:
        return None
    place = device_expression.place_at(facts, life[0].path, life[0].span)
    return place if place is not None and not device_expression.is_in_module(facts, place) else None
