"""Stale devices: what a module noted of its device before it moved becomes a property, which tells where it is now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import DeleteStatement, FileEdit, InsertAfter, Origin, Span
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import device_note
from devfix.placement.moves.computed_argument import bound
from devfix.placement.moves.device_note import DeviceNote
from devfix.placement.telling.left_out import device_named
from devfix.placement.text.dependence import dotted
from devfix.placement.text.provenance import left_behind
from devfix.records import frozen

Edits = tuple[FileEdit, ...]
#: Where attributes are set by other ways, or compiled.
_HIDDEN = re.compile(r"\bsetattr\(|\b__dict__\b|\b__slots__\b|\bjit\b")
#: What computes with copies of a module whose ``parameters()`` are none.
_COPIED = re.compile(r"\bDataParallel\b|\bdata_parallel\b")


@frozen
class _Placed:
    """What is made or moved where an attribute of a module says; where another tensor tells, there is no ``attribute``."""

    place: Place
    attribute: ast.Attribute | None
    drawn: bool


def told_anew(facts: Facts, trails: list[tuple[Origin, ...]]) -> Edits:
    """``return next(self.parameters()).device`` as a property, where the constructor has ``self.device = torch.device("cpu")``.

    All that would have to move was made or moved where that says, or where something so made is.
    """
    if facts.program.adopts or not all(trails):
        return ()
    places = [place_at(facts, trail[0].path, trail[0].span) for trail in trails]
    placed = [_placed(facts, place, trail[0]) for place, trail in zip(places, trails, strict=True)]
    told = [each for each in placed if each is not None and each.attribute is not None]
    names = {each.attribute.attr for each in told if each.attribute is not None}
    if None in placed or len(names) != 1:
        return ()
    note = device_note.found(facts, names.pop(), {_class_around(each.place) for each in told})
    if note is None or _is_said(facts, _HIDDEN) or ("parameters()" in note.told and _is_said(facts, _COPIED)):
        return ()
    return _as_property(note) if _may_follow(facts, note) else ()


def _placed(facts: Facts, place: Place | None, made: Origin) -> _Placed | None:
    device = device_named(place) if place is not None else None
    if place is None or not isinstance(device, ast.Attribute):
        return None
    kinds = {each.kind for each in _owners(facts, place, device)}
    if kinds == {"tensor"}:
        return _Placed(place, None, drawn=False)
    # What is drawn on another device has other numbers.
    drawn = made.kind == "random-factory" and place.outline.parents[device] not in _moves(place)
    return _Placed(place, device, drawn) if kinds == {"module"} else None


def _is_said(facts: Facts, what: re.Pattern[str]) -> bool:
    return any(what.search(source.text) for source in facts.program.sources.values())


def _class_around(place: Place) -> ast.ClassDef | None:
    function = place.outline.function_of(place.node)
    return place.outline.class_of(function) if function is not None else None


def _moves(place: Place) -> list[ast.Call]:
    """The methods called on what is made at a place."""
    around = [each for each in place.outline.around(place.node) if isinstance(each, ast.Call)]
    return [each for each in around if isinstance(each.func, ast.Attribute) and each.func.attr == "to"]


def _owners(facts: Facts, place: Place, attribute: ast.Attribute) -> list[Binding]:
    return bound(facts, Place(place.path, place.outline, attribute.value))


def _may_follow(facts: Facts, note: DeviceNote) -> bool:
    """Whether all that is placed by the attribute is left behind.

    No constructor asks for one that was none of the module's own, be it by a method: there may be no parameter yet.
    """
    left = {(life[0].path, life[0].span): life[0] for life in left_behind(facts) if life}
    readers = set()
    for outline, node in note.uses(facts):
        if not isinstance(node, ast.Attribute):
            continue
        owners = _owners(facts, Place(outline.source.path, outline, node), node)
        if dotted(node.value) in outline.imported or {each.kind for each in owners} == {"tensor"}:
            continue
        function = outline.function_of(node)
        if note.asks and (function is note.maker or _is_shown(outline, node)):
            continue
        # Its first parameter tells nothing of those that moved without it.
        moved = any(each.device is not None and each.device.is_accelerator for each in owners)
        if (
            not moved
            or any(each.device is None for each in owners)
            or not _is_left(facts, note, outline, node, left)
        ):
            return False  # without parameters, or on the CPU to stay
        readers.add(function.name if function is not None else "")
    asked = {
        attribute for path in facts.program.sources for attribute in _in_constructors(facts.outline(path))
    }
    return note.asks or ("__init__" not in readers and asked.isdisjoint(readers))


def _is_shown(outline: Outline, node: ast.AST) -> bool:
    """Whether a value is only printed."""
    around = outline.parents[node]
    printed = isinstance(around, ast.Call) and dotted(around.func) == "print" and node in around.args
    return printed or isinstance(around, ast.FormattedValue)


def _is_left(
    facts: Facts,
    note: DeviceNote,
    outline: Outline,
    node: ast.Attribute,
    left: Mapping[tuple[str, Span], Origin],
) -> bool:
    """Whether what is made or moved where an attribute tells is on the CPU where it meets the accelerator."""
    call = next((each for each in outline.around(node) if isinstance(each, ast.Call)), None)
    made = left.get((outline.source.path, outline.source.span(call))) if call is not None else None
    place = Place(outline.source.path, outline, call) if call is not None else None
    if place is None or made is None or device_named(place) is not node:
        return False
    placed = _placed(facts, place, made)
    if placed is None or (placed.drawn and not note.asks):
        return False
    return placed.attribute is not None and placed.attribute.attr == node.attr


def _in_constructors(outline: Outline) -> Iterator[str]:
    """The attributes that constructors name."""
    for maker in outline.mentions("__init__"):
        for part in in_rows(maker) if isinstance(maker, ast.FunctionDef) else ():
            if isinstance(part, ast.Attribute):
                yield part.attr


def _as_property(note: DeviceNote) -> Edits:
    code = f"@property\ndef {note.name}(self):\n    return {note.told}"
    source = note.outline.source
    edits = (DeleteStatement(source.span(note.statement)), InsertAfter(source.span(note.maker), code))
    return tuple(FileEdit(source.path, edit) for edit in edits)
