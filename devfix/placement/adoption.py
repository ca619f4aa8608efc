"""Adoption: where a program that chooses no device does so, and where its models move there.

A model moves where it is made, or where the script that runs has it from whoever made it. The device is
an attribute of the object that makes the model, else a variable at the top of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, Origin, WrapExpression
from devfix.placement import device_expression, introduction, own_device
from devfix.placement.device_expression import DeviceExpression, Place

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]


@dataclass(frozen=True)
class _Spot:
    """An expression whose value is a model that is to move."""

    place: Place
    made: Origin


def edits(facts: Facts, lives: Iterable[Trail]) -> Edits:
    """What gives the program one device and moves its models there; nothing when that cannot be done."""
    spots = _spots(facts, list(lives))
    files = {spot.place.path: spot.place for spot in spots}
    found: dict[FileEdit, None] = {}
    for path in files:
        here = {
            facts.source(path).span(spot.place.node): spot.place for spot in spots if spot.place.path == path
        }
        chosen = _chosen(facts, list(here.values()))
        if chosen is None:
            return ()
        found.update(dict.fromkeys(chosen.edits))
        for span in here:
            found[FileEdit(path, WrapExpression(span, "", f".to({chosen.code})"))] = None
    return tuple(found)


def _spots(facts: Facts, lives: list[Trail]) -> list[_Spot]:
    """Where each model moves; models that are made in one place move in one kind of place."""
    found: list[_Spot] = []
    for made in dict.fromkeys(life[0] for life in lives):
        own = [_where_had(facts, life) for life in lives if life[0] == made]
        places = [place for place in own if place is not None]
        if len(places) < len(own):
            place = _place(facts, made)
            places = [place] if place is not None else []
        found.extend(_Spot(place, made) for place in places)
    return found


def _where_had(facts: Facts, life: Trail) -> Place | None:
    """Where a script or an object has the model from a function of another file; None if it makes it itself."""
    if facts.is_script(life[0].path):
        return None
    for site in life[1:]:
        if site.kind == "name" and facts.is_script(site.path):
            return _assigned(facts, site)
        if site.kind == "attribute" and site.scope != life[0].scope:
            return _assigned(facts, site)
    return None


def _assigned(facts: Facts, site: Origin) -> Place | None:
    """The value that the name at a site is bound to, where that is all the statement does."""
    place = _place(facts, site)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.Assign) or statement.targets != [place.node]:
        return None
    return Place(place.path, place.outline, statement.value)


def _place(facts: Facts, site: Origin) -> Place | None:
    outline = facts.outline(site.path)
    node = outline.expression_at(site.span)
    return Place(site.path, outline, node) if node is not None else None


def _chosen(facts: Facts, places: list[Place]) -> DeviceExpression | None:
    """The device of one file's models."""
    return _attribute(facts, places) or introduction.at_top(facts, places[0].path)


def _attribute(facts: Facts, places: list[Place]) -> DeviceExpression | None:
    """``self.device`` where it is one class, itself no module, whose methods make all the models."""
    outline, path = places[0].outline, places[0].path
    functions = [outline.function_of(place.node) for place in places]
    classes = {outline.class_of(function) if function is not None else None for function in functions}
    receivers = {outline.receiver_name(function) for function in functions}
    if len(classes) != 1 or len(receivers) != 1 or device_expression.is_in_module(facts, places[0]):
        return None
    [cls], [receiver] = classes, receivers
    constructor = (
        next((part for part in cls.body if _is_constructor(part)), None) if cls is not None else None
    )
    if cls is None or receiver is None or constructor is None or not own_device.is_free(facts, cls):
        return None
    if any(_is_static(function) for function in functions):
        return None
    assert isinstance(constructor, ast.FunctionDef)  # noqa: S101 - `_is_constructor` saw to it
    return introduction.in_constructor(facts, path, constructor, receiver)


def _is_constructor(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and part.name == "__init__"


def _is_static(function: ast.AST | None) -> bool:
    decorators = getattr(function, "decorator_list", [])
    return any(getattr(each, "id", "") in ("staticmethod", "classmethod", "property") for each in decorators)
