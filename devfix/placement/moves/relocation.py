"""Relocation: the ways to get one operand onto the accelerator, best first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertAfterImports,
    Mismatch,
    Operand,
)
from devfix.placement.batches import batch_move, listed_batch, nested_move, rebuilding, unpacked_parts
from devfix.placement.batches.whole_batch import is_movable_whole, moved_whole
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.modules import late_build, lent_module, module_binding, moving_back, taken_back
from devfix.placement.moves import (
    argument_move,
    asked_there,
    bound_again,
    common_source,
    computed_argument,
    destination,
    given_again,
    gradient_function,
    handing,
    inference,
    kept_argument,
    kept_result,
    loop_parameter,
    made_beside_result,
    map_location,
    own_move,
    parameter_data,
    part_moves,
    picking,
    sampled_source,
    selecting,
    stale_device,
    wholes,
    writing,
)
from devfix.placement.moves.placing import Placing
from devfix.placement.moves.titles import title_of
from devfix.placement.siblings import (
    alike_move,
    made_beside,
    moved_at_use,
    row_of_moves,
    sibling_argument,
    sibling_method,
    sibling_move,
    together,
    told_attribute,
    told_beside,
)
from devfix.placement.telling import left_out, restored, told_function, told_operation, unused_device
from devfix.placement.telling.shared_maker import hands_out
from devfix.placement.text import ancestry, missing_values, provenance
from devfix.placement.text.provenance import MADE, STORED, is_of_module, stayed
from devfix.placement.to_host import hosted_source

#: More sources than this are not changed together: one move of their result is clearer.
_MAX_SOURCES = 3
#: The turn of what is done when all else that mends a program has been done.
_LAST = 2

Edits = tuple[FileEdit, ...]


class Relocator:
    """Builds fixes that move one operand of a mismatch to where its peers are."""

    def __init__(self, facts: Facts, mismatch: Mismatch, operand: Operand) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.operand = operand
        self.peers = [o for o in mismatch.operands if o is not operand and o.device not in ("cpu", None)]
        self.placing = Placing(facts, mismatch, operand, self.peers)

    @inference.outside
    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first, without repeats."""
        if self.operand.trail[-1:] and self.operand.trail[-1].kind == "sometimes":
            # What stands there is a number in other runs, which has no ``to`` and no ``device``.
            trails = self._trails()
            told = told_function.of_made(self.facts, trails)
            ways = (*self._at_origin(trails), self._at_factories(anyhow=True), told)
            return [self._fix(edits, 0) for edits in dict.fromkeys(ways) if edits]
        inside = gradient_function.values(self.facts, self._trails(), self.mismatch)
        if made := [self.placing.made_or_moved(origin, place) for origin, place in inside]:
            edits = tuple(dict.fromkeys(edit for each in made for edit in each))
            return [self._fix(edits, 0)] if all(made) else []
        back = moving_back.fix(self.facts, self.operand)
        lent = lent_module.fix(self.facts, self.operand, self.peers)
        left = taken_back.fixes(self.facts, self.operand, self.peers)
        found = {fix.edits: fix for fix in (lent, back, *left) if fix is not None}
        met = (self.facts, self.mismatch, self.operand, self.peers)
        kept, stays_there = destination.kept(*met)
        if kept is not None and self.facts.program.adopts and self._is_computed():
            kept = replace(kept, turn=_LAST)  # it moves with what it is computed from, if that does
        if kept is not None and destination.is_on_purpose(self.facts, self.mismatch, self.operand):
            found[kept.edits] = kept
        for edits, turn in (way for way in self._candidates() if way[0]):
            found.setdefault(edits, self._fix(edits, turn))
        if kept is not None and stays_there:
            found = self._with_destination(found, kept)
        # Last, for what has to stay where it is, as samples of a dataset do.
        stays = made_beside_result.fix(*met) or destination.fix(*met, anyway=True)
        if stays is not None and self.operand.role != "weight" and not destination.is_made_there(*met[:3]):
            found.setdefault(stays.edits, replace(stays, turn=_LAST))
        return list(found.values()) or [self._fix(edits, 0) for edits in (self._where_no_other(),) if edits]

    def _where_no_other(self) -> Edits:
        """What is left where no way is in sight."""
        before = writing.otherwise(self.facts, self.mismatch, self.operand, self.peers)
        return before or told_function.told(self.facts, self._trails()) or self.placing.by_own_choice()

    def _fix(self, edits: Edits, turn: int) -> Fix:
        """A fix that has its turn where the program is given a device: a second choice of one comes last."""
        chooses = any(isinstance(each.edit, InsertAfterImports) for each in edits)
        # Once the inputs have moved they tell the device more simply than the parameters do.
        asks = any("next(" in getattr(each.edit, "value", "") for each in edits)
        waits = (_LAST if chooses else max(turn, asks)) if self.facts.program.adopts else 0
        return Fix(title_of(self.facts, self.operand, edits), edits, Applicability.SAFE, waits)

    def handed_over(self) -> list[Fix]:
        """The ways to move the operand, first where it is written as an argument of what keeps it."""
        for site in reversed(self.operand.trail):
            place = place_at(self.facts, site.path, site.span) if site.kind == "argument" else None
            if edits := self._given_to_module(place) if place is not None else ():
                first = Fix(title_of(self.facts, self.operand, edits), edits, Applicability.SAFE)
                return [first, *(fix for fix in self.fixes() if fix.edits != edits)]
        return self.fixes()

    def _given_to_module(self, place: Place) -> Edits:
        """What a module is made with moves there, or the module where there may be nothing to move."""
        absent = missing_values.is_none_by_default(place.outline, place.node)
        whole = module_binding.moved(self.facts, self.mismatch, self.operand) if absent else ()
        return whole or self.placing.given(place)

    def _with_destination(self, found: dict[Edits, Fix], kept: Fix) -> dict[Edits, Fix]:
        """What is written to in place is made on the accelerator or loaded to it, or its values come to it."""
        loaded = map_location.of_host(self.facts, (self.operand.trail, *self.operand.roots))
        alike = alike_move.beside(self.facts, (self.operand.trail, *self._trails()))
        told = left_out.all_handed_on(self.facts, self._trails())
        back = restored.moved(self.facts, self.mismatch, self.operand)
        ways = (told, back, alike, self._at_factories(), loaded)
        made = {edits: fix for edits, fix in found.items() if edits in ways}
        rest = {edits: fix for edits, fix in found.items() if edits not in made and edits != self._at_use()}
        return {**made, kept.edits: kept, **rest}

    def _candidates(self) -> Iterator[tuple[Edits, int]]:
        """The ways to move, best first, and the turn of each: what was computed moves last, if it still must."""
        trails = self._trails()
        if picking.is_done_by(self.facts, self.operand.trail) and (handed := self._where_handed()):
            yield from ((edits, 1) for edits in handed)
            return
        yield from ((edits, 0) for edits in self._at_origin(trails))
        yield restored.moved(self.facts, self.mismatch, self.operand), 0
        for place in hosted_source.places(self.facts, self.operand, trails):
            yield kept_argument.where_handed(self.facts, self.operand.trail), 0
            yield self.placing.moved(place), 0
        yield sampled_source.moved(self.facts, self.mismatch, self.operand, trails, self.placing.moved), 0
        yield moved_at_use.beside_others(self.facts, self.operand), 0
        told = unused_device.places(self.facts, (self.operand.trail, *trails))
        yield from ((self.placing.given(place), 0) for place in told)
        yield sibling_argument.in_call(self.facts, self.mismatch, self.operand.trail), 0
        yield from ((edits, 0) for edits in told_beside.ways(self.facts, self.operand, trails))
        yield sibling_move.along(self.facts, self.operand.trail), 0
        yield argument_move.before_loop(self.facts, self.operand.trail), 0
        ways = (sibling_move.along, *argument_move.WAYS, computed_argument.where_named)
        yield from ((self._all_by(way, trails), 0) for way in ways)
        strange = [trail for trail in trails if not argument_move.is_given_elsewhere(self.facts, trail)]
        returned = any(hands_out(self.facts, trail, self.operand.trail) for trail in strange)
        yield () if returned else self._at_factories(), 0
        for trail in (self.operand.trail, *self.operand.roots[:1]):
            yield parameter_data.moved(self.facts, trail), 0
        yield told_function.of_kept(self.facts, trails), 0
        is_made = self.operand.trail in trails
        computed = self._is_computed() and (not is_made or handing.was_given(self.facts, self.operand))
        if computed and self.facts.program.adopts:
            yield self._at_sources(trails), 0
        if self.facts.program.adopts and handing.is_unpacked_within(self.facts, self.operand):
            yield from ((edits, 0) for edits in self._at_unpacking(handing.of_batch(self.operand)))
            yield self._as_arguments(), 0
        yield from ((edits, 2 * computed) for edits in self._at_unpacking(self.operand.trail))
        derived = len(trails) <= _MAX_SOURCES and not is_made
        yield self._jointly(trails, self._at_unpacking) if derived else (), 0
        if self.facts.program.adopts and computed:
            yield self.placing.moved(kept_result.place(self.facts, self.operand)), 0
        if self.facts.program.adopts and (computed or handing.is_given_back(self.facts, self.operand)):
            yield self._as_arguments(), 1
        yield from ((edits, 2 * computed) for edits in self._where_made(self.operand.trail))
        yield self._jointly(trails, self._at_arrival) if derived else (), 1
        yield self._at_factories() if returned else (), 0
        yield self._as_arguments() if self.facts.program.adopts else (), 1
        yield self._where_given(), 1
        yield self._where_handed_over(), 1
        yield from ((way(self.facts, self.mismatch, self.operand), 1) for way in late_build.WAYS)
        yield kept_argument.where_handed(self.facts, self.operand.trail), 0
        yield self._all_by(kept_argument.where_handed, trails), 0
        asked = asked_there.index_moved(self.facts, self.mismatch, self.operand, self.peers)
        yield from ((edits, _LAST) for edits in (asked, self._at_use(), self._where_computed()))
        yield self._at_factories(anyhow=True), 0

    def _is_computed(self) -> bool:
        return handing.is_computed(self.facts, self.operand.trail)

    def _trails(self) -> list[Trail]:
        """The lives of the values that would have to move: the operand's, or those it is made of."""
        return ancestry.movable(self.facts, self.operand)

    def _at_factories(self, *, anyhow: bool = False) -> Edits:
        """Every factory call that the operand goes back to gets the device; ``anyhow``: wherever it went."""
        trails = ancestry.begun(self.facts, ancestry.of_parameters(self.facts, self._trails()))
        unmade = any(not trail or trail[0].kind not in MADE for trail in trails)
        if not trails or len(trails) > _MAX_SOURCES or unmade:
            return ()
        derived = self.operand.trail not in trails
        found: dict[FileEdit, None] = {}
        for trail in trails:
            far = self.placing.is_elsewhere(trail[0])
            meant = anyhow or stayed(trail, self.operand.trail) or is_of_module(self.facts, trail)
            if derived and far and not (meant or argument_move.is_given_elsewhere(self.facts, trail)):
                return ()
            if derived and not (far or anyhow) and ancestry.serves_others(self.facts, trail, self.operand):
                return ()
            change = self.placing.made(trail[0], far=far, together=trails)
            if not change:
                return ()
            found.update(dict.fromkeys(change))
        return tuple(found)

    def _at_origin(self, trails: list[Trail]) -> Iterator[Edits]:
        """The ways that change nothing where the operand is used, or that the operation itself has."""
        yield told_operation.told(self.facts, self.mismatch, self.operand, self.peers)
        yield map_location.of_host(self.facts, (self.operand.trail, *trails))
        yield left_out.all_handed_on(self.facts, trails)
        yield stale_device.told_anew(self.facts, trails)
        yield alike_move.beside(self.facts, (self.operand.trail, *trails))
        yield told_attribute.beside(self.facts, (self.operand.trail, *trails))
        yield sibling_method.moved_at_start(self.facts, self.operand.trail)
        yield from wholes.ways(self.facts, self.operand, trails)
        yield own_move.of_all(self.facts, self.operand.trail, trails, _MAX_SOURCES)
        yield from unpacked_parts.ways(self.facts, self.operand, self.peers, self.placing.moved)

    def _all_by(self, way: Callable[[Facts, Trail], Edits], trails: list[Trail]) -> Edits:
        """Each of the values moves in one way: what an object keeps by the object, arguments beside others."""
        ways = [way(self.facts, trail) for trail in dict.fromkeys(trails) if trail[0].kind != "result"]
        edits = tuple(dict.fromkeys(edit for each in ways for edit in each))
        return edits if all(ways) and len(edits) <= _MAX_SOURCES else ()

    def _where_handed(self) -> list[Edits]:
        """The ways that leave the value where it is for all else."""
        return [edits for edits in (self._as_arguments(), self._where_given(), self._at_use()) if edits]

    def _where_given(self) -> Edits:
        return argument_move.where_given(self.facts, self.operand.trail)

    def _where_handed_over(self) -> Edits:
        """What a dataset keeps is moved where it is taken from it to be an argument of what uses it elsewhere."""
        born = self.operand.trail[0] if self.operand.trail else None
        away = born is not None and born.kind == "loader" and self.placing.is_elsewhere(born)
        place = place_at(self.facts, born.path, born.span) if born is not None and away else None
        return self.placing.moved(argument_move.taken_from_dataset(place)) if place is not None else ()

    def _at_unpacking(self, trail: Trail) -> Iterator[Edits]:
        """Where the value is taken out of a batch it is moved once for all its uses, best beside others that are."""
        sites = ancestry.from_batch(trail)
        yield from sibling_move.where_made(self.facts, sites, self.placing.is_elsewhere)
        for site in sites:
            place = place_at(self.facts, site.path, site.span)
            if place is None:
                continue
            if site.kind == "collected":
                yield self.placing.moved(place)
            elif site.kind == "name":
                yield self.placing.made(trail[0]) if made_beside.is_displayed(place, trail[0]) else ()
                yield self.placing.moved(common_source.of(self.facts, place))
                yield rebuilding.moved(self.facts, place, self.peers) or batch_move.guarded(place, self.peers)
                yield row_of_moves.joined(self.facts, place) or sibling_move.beside(self.facts, place)
                yield listed_batch.moved(self.facts, place, self.peers, trail)
                yield batch_move.after(self.facts, place, self.peers)
            elif site.kind == "loader":
                yield moved_whole(self.facts, place, self.peers)
                yield nested_move.at_loop(self.facts, place, self.peers)
                yield self.placing.moved(place) if is_movable_whole(self.facts, place) else ()

    def _where_made(self, trail: Trail) -> Iterator[Edits]:
        """The right-hand side of the assignment that gave the value its name or attribute."""
        for site in trail:
            if site.kind not in STORED:
                continue
            place = place_at(self.facts, site.path, site.span)
            statement = place.outline.statement_of(place.node) if place is not None else None
            if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            value = Place(place.path, place.outline, statement.value)
            if statement.targets[0] is place.node and bound_again.may_move(self.facts, place, statement):
                yield self.placing.made_or_moved(provenance.begun_at(value, trail) or site, value)

    def _jointly(self, trails: list[Trail], ways: Callable[[Trail], Iterator[Edits]]) -> Edits:
        """Each of the values that the operand is computed from moves where it comes into sight."""
        found: list[Edits] = [next((edits for edits in ways(trail) if edits), ()) for trail in trails]
        return tuple(dict.fromkeys(edit for edits in found for edit in edits)) if all(found) else ()

    def _at_arrival(self, trail: Trail) -> Iterator[Edits]:
        yield from self._at_unpacking(trail)
        if trail and not (trail[0].kind in MADE and stayed(trail, self.operand.trail)):
            yield from self._where_made(tuple(reversed(trail)))

    def _at_sources(self, trails: list[Trail]) -> Edits:
        """All factories and batches behind the operand, as far as they can: what else there is shows then."""
        whole = together.places(self.facts, (trail[0] for trail in trails if trail[0].kind in MADE))
        found: dict[FileEdit, None] = {}
        for trail in trails:
            taken = trail[0].kind == "loader" or hands_out(self.facts, trail, self.operand.trail)
            way = self._at_unpacking if taken else self._where_made
            known = taken or selecting.is_array_used_whole(self.facts, trail)
            edits = next(filter(None, way(trail)), ()) if known else ()
            if trail[0] in whole:
                edits = self.placing.moved(whole[trail[0]])
            elif trail[0].kind in MADE and not edits:
                edits = self.placing.made(trail[0], far=self.placing.is_elsewhere(trail[0]), together=trails)
            found.update(dict.fromkeys(edits))
        return tuple(found)

    def _as_arguments(self) -> Edits:
        """Where somebody who knows the device hands the value, or those it is computed from, to a module."""
        once = given_again.at_name(self.facts, self.operand)
        places = () if once else handing.places(self.facts, self.operand)
        return once or tuple(dict.fromkeys(edit for place in places for edit in self.placing.given(place)))

    def _at_use(self) -> Edits:
        place = common_source.of_operand(self.facts, self.operand)
        stays = destination.stays(self.mismatch, self.operand)  # or it is copied, or moves over and over
        if place is None or stays or self.operand.span == self.mismatch.sink:
            return ()
        if self.operand.held:
            return part_moves.each(self.facts, place, self.operand, self.peers)
        return loop_parameter.moved(self.facts, place, self.peers) or self.placing.moved(place)

    def _where_computed(self) -> Edits:
        """What a module computed elsewhere, of what it keeps, moves there: where it is used it is one of many."""
        return self.placing.moved(provenance.computed_in_module(self.facts, self.operand))
