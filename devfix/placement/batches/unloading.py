"""Unloading: taking moves out of datasets and collate functions, into the loops that use the batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import parameters_of
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    Mismatch,
    Origin,
    RemoveKeyword,
    SetKeyword,
    Span,
)
from devfix.placement.batches.unpacking import moved_at_loop
from devfix.placement.devices.device_expression import Place
from devfix.placement.devices.following import follows_tensor
from devfix.placement.moves import map_location
from devfix.placement.moves.emptied import without_idle
from devfix.placement.telling import told_function
from devfix.placement.telling.device_argument import without_device, without_mover_of_all
from devfix.placement.telling.spread_option import spread_option
from devfix.placement.telling.told_device import told_host

#: Options that make no sense (or raise) without workers.
_WORKER_OPTIONS = ("persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout")
#: The methods by which a data set hands out samples.
_HANDING_OUT = frozenset(("__getitem__", "__getitems__", "__iter__"))


class Unloading:
    """Builds fixes for batches that are on the accelerator before the loader is done with them.

    All loops over loaders whose batches pass the same moves belong together: when the moves go,
    every one of these loops has to move its batches itself.
    """

    def __init__(self, facts: Facts, mismatch: Mismatch) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.moves = _moves(mismatch)

    @classmethod
    def each(cls, facts: Facts, found: Sequence[Mismatch]) -> Iterator[Unloading]:
        """One for each set of moves; mismatches that share a move are one fault."""
        seen: set[Origin] = set()
        for mismatch in found:
            made = cls(facts, mismatch)
            if not made.moves or not seen.intersection(made.moves):
                seen.update(made.moves)
                yield made

    @property
    def is_legal(self) -> bool:
        """Whether no loader has workers or pins, so that the program runs as it is."""
        return all(other.get("legal") for other in self.together)

    @cached_property
    def together(self) -> list[Mismatch]:
        """All mismatches that share a move with this one."""
        kinds = ("worker", "pin", "framework-pin")
        others = [m for m in self.facts.mismatches() if m.kind in kinds and set(_moves(m)) & set(self.moves)]
        return others or [self.mismatch]

    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first."""
        safe = Applicability.DISPLAY if self.is_legal else Applicability.SAFE
        loaded = self.mismatch.get("where") == "resident"
        if (
            loaded
            and self.mismatch.kind == "worker"
            and (edits := map_location.to_host(self.facts, self.moves))
        ):
            return [Fix("load it to the CPU", edits, safe)]
        if self.moves and not loaded:
            return [Fix("move the batch where it is used", edits, safe) for edits in [self._late()] if edits]
        if self.mismatch.kind == "pin":
            edits = self._option("pin_memory", "False")
            return [Fix("do not pin what is on the device already", edits, safe)] if edits else []
        edits = self._option("num_workers", "0")
        title = "load in the main process: workers cannot use the accelerator"
        return [Fix(title, edits, Applicability.UNSAFE)] if edits else []

    def _late(self) -> tuple[FileEdit, ...]:
        edits: dict[FileEdit, None] = {}
        moves = dict.fromkeys(move for mismatch in self.together for move in _moves(mismatch))
        places = {move: self._place(move.path, move.span) for move in moves}
        nodes = [place.node for place in places.values() if place is not None]
        leading = {
            move: place
            for move, place in places.items()
            if place is None or not follows_tensor(self.facts, place.outline, place.node)
        }
        if any(place is not None and _is_told_by_others(self.facts, place) for place in places.values()):
            return ()
        for move, place in (leading or places).items():
            # What an object keeps on its device cannot be used by a worker either.
            told = told_host(self.facts, place, nodes) if place is not None else None
            dropped = told
            if told is None and place is not None:
                all_moved = move.kind == "all-moved"
                dropped = (
                    without_mover_of_all(place)
                    if all_moved
                    else without_device(place, mover=move.kind == "move")
                )
            if not dropped:
                return ()
            edits.update(dict.fromkeys(dropped))
        edits = dict.fromkeys(without_idle(self.facts, tuple(edits)))
        for mismatch in self.together:
            edits.update(dict.fromkeys(self._at_loop(mismatch)))
        return tuple(edits)

    @property
    def first(self) -> Origin | None:
        """Where the fault is: the first of the moves, or the loader."""
        trail = self.mismatch.operands[0].trail
        return (
            min(self.moves, key=lambda move: (move.path, move.span))
            if self.moves
            else trail[0]
            if trail
            else None
        )

    def _at_loop(self, mismatch: Mismatch) -> tuple[FileEdit, ...]:
        place = self._place(mismatch.path, mismatch.sink)
        if place is None or mismatch.kind == "framework-pin":
            return ()  # a framework moves the batches itself
        return moved_at_loop(self.facts, place, mismatch.get("form") or "")

    def _option(self, name: str, value: str) -> tuple[FileEdit, ...]:
        """An option that the loader's own call gives, or a dictionary that is spread in it, gets another value."""
        trail = self.mismatch.operands[0].trail
        place = self._place(trail[0].path, trail[0].span) if trail else None
        if place is None or not isinstance(place.node, ast.Call):
            return ()
        given = {keyword.arg for keyword in place.node.keywords}
        if name not in given:
            return spread_option(
                self.facts, place, name, value, _WORKER_OPTIONS if name == "num_workers" else ()
            )
        edits = [FileEdit(place.path, SetKeyword(trail[0].span, name, value))]
        if name == "num_workers":
            gone = [option for option in _WORKER_OPTIONS if option in given]
            edits += [FileEdit(place.path, RemoveKeyword(trail[0].span, option)) for option in gone]
        return tuple(edits)

    def _place(self, path: str, span: Span) -> Place | None:
        outline = self.facts.outline(path)
        node = outline.expression_at(span)
        return Place(path, outline, node) if node is not None else None


def _is_told_by_others(facts: Facts, place: Place) -> bool:
    """Whether a function makes something where it is told to, not by data sets alone: the others want it where they are."""
    call, function = place.node, place.outline.function_of(place.node)
    told = [each.value for each in getattr(call, "keywords", ()) if each.arg == "device"]
    given = {each.arg for each in parameters_of(function)} if function is not None else set()
    if not isinstance(function, ast.FunctionDef) or not any(
        getattr(each, "id", "") in given for each in told
    ):
        return False
    return not all(map(_is_in_data, told_function.calls(facts, place.outline, function)))


def _is_in_data(call: Place | None) -> bool:
    """Whether a call stands in a class that hands out samples."""
    function = call.outline.function_of(call.node) if call is not None else None
    cls = call.outline.class_of(function) if call is not None and function is not None else None
    return cls is not None and any(getattr(part, "name", "") in _HANDING_OUT for part in cls.body)


def _moves(mismatch: Mismatch) -> list[Origin]:
    """The calls that put the batch on the accelerator."""
    return [root[0] for operand in mismatch.operands for root in operand.roots if root]
