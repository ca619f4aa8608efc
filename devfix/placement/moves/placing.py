"""Placing: what stands at a place gets onto the accelerator, made there by its own call or moved behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Mismatch, Operand, Origin, SetKeyword
from devfix.placement.devices import device_expression, followed_peer, given_beside, imported_device
from devfix.placement.devices.device_expression import DeviceExpression, Place, place_at
from devfix.placement.modules import moving_back
from devfix.placement.moves import destination, loop_parameter, selecting, suffixes
from devfix.placement.moves.drawing import filled_at_random
from devfix.placement.siblings import made_beside
from devfix.placement.telling.device_argument import made_alike, takes_no_device
from devfix.placement.text import ancestry
from devfix.placement.text.provenance import MADE
from devfix.placement.to_host import seen_by_array

Edits = tuple[FileEdit, ...]
Trail = tuple[Origin, ...]


class Placing:
    """What is done at one place for an operand of a mismatch, which has to get to where its peers are."""

    def __init__(self, facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.operand = operand
        self.peers = peers

    def made(self, origin: Origin, *, far: bool = False, together: Iterable[Trail] = ()) -> Edits:
        """A factory call makes its tensor on the device; ``far``: in another function than the use, where another one is in sight.

        ``together`` are the lives of what moves with it.
        """
        place = place_at(self.facts, origin.path, origin.span)
        if place is None or not isinstance(place.node, ast.Call) or seen_by_array.is_written(place):
            return ()
        if self.facts.program.adopts and destination.is_sample(place):
            return ()
        if (given := given_beside.named(self.facts, place, together)) is not None:
            return self._made_on(place, origin, DeviceExpression(f"{given}.device"))
        inside = device_expression.is_in_module(self.facts, place)
        near = self.operand.trail[:1] == (origin,) or inside
        beside = self._expression(place) if near or not far else device_expression.of_data(self.facts, place)
        own = device_expression.find(self.facts, place, []) if far and inside else None
        found = own or (device_expression.chosen(self.facts, place) if far else None) or beside
        if found is None and not far and (name := followed_peer.named(self.facts, place, self.peers)):
            found = DeviceExpression(f"{name}.device")
        return self._made_on(place, origin, found) if found is not None else ()

    def by_own_choice(self) -> Edits:
        """Where no device is in sight: that of another file, or one of the file's own; a module is where its owner put it."""
        edits: dict[FileEdit, None] = {}
        for trail in ancestry.movable(self.facts, self.operand):
            place = place_at(self.facts, trail[0].path, trail[0].span) if trail[0].kind in MADE else None
            found = imported_device.or_own(self.facts, place) if place is not None else None
            if place is None or found is None or device_expression.is_in_module(self.facts, place):
                return ()
            edits.update(dict.fromkeys(self._made_on(place, trail[0], found)))
        return tuple(edits)

    def made_or_moved(self, origin: Origin, place: Place) -> Edits:
        """What is made at a place is made where the device of its surroundings is, or moves there."""
        found = self._expression(place)
        return self._made_on(place, origin, found) if found and origin.kind in MADE else self.moved(place)

    def given(self, place: Place) -> Edits:
        """The argument at ``place``: a factory call makes it on the device, anything else is moved."""
        made = self.operand.trail[0] if self.operand.trail else None
        is_it = made is not None and made.kind in MADE and made.span == place.outline.source.span(place.node)
        once = () if is_it else loop_parameter.moved(self.facts, place, self.peers)
        return self.made(made) if made is not None and is_it else once or self.moved(place)

    def moved(self, place: Place | None) -> Edits:
        """What stands at a place moves, each item of what a comprehension makes."""
        if place is not None and isinstance(place.node, (ast.ListComp, ast.GeneratorExp)):
            place = Place(place.path, place.outline, place.node.elt)
        back = place is not None and moving_back.is_copy(self.facts, place.node)
        if place is None or back or not isinstance(place.node, ast.expr):
            return ()
        place = selecting.whole(self.facts, place)
        found = self._expression(place)
        return self._wrapped(place, found) if found is not None else ()

    def is_elsewhere(self, origin: Origin) -> bool:
        """Whether a factory is in another function than the place where its result is used."""
        return origin.path != self.mismatch.path or origin.scope != self.mismatch.get("scope")

    def _made_on(self, place: Place, origin: Origin, found: DeviceExpression) -> Edits:
        """The factory call makes its tensor on the device; a random one is drawn first, then moved."""
        if not isinstance(place.node, ast.Call) or self.facts.stays(origin, self.mismatch):
            return ()
        if (filled := filled_at_random(place.outline, place.node, self.mismatch.sink)) is not None:
            return self._wrapped(Place(place.path, place.outline, filled), found)
        if origin.kind == "random-factory" or takes_no_device(place.outline, place.node):
            return self._wrapped(place, found)
        beside = made_beside.others(self.facts, place, found.code)
        return (*found.edits, FileEdit(place.path, SetKeyword(origin.span, "device", found.code)), *beside)

    def _wrapped(self, place: Place, found: DeviceExpression) -> Edits:
        suffix = f".to({found.code})"
        moved = made_alike(place, found.code) or suffixes.added(self.facts, place.outline, place.node, suffix)
        return (*found.edits, *moved) if moved else ()

    def _expression(self, place: Place) -> DeviceExpression | None:
        return device_expression.find(self.facts, place, self.peers)
