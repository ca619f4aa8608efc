"""Observed facts: what a run showed, in the place of what the analysis could not know."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from devfix.analysis.domain.lattice import ACCELERATOR, CPU, Device
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding, Recorder
from devfix.analysis.text.outline import Outline
from devfix.findings import Mismatch, Origin, Span
from devfix.observation.bindings import bindings_in
from devfix.observation.entered import Entered
from devfix.observation.pointing import Pointer
from devfix.observation.record import ObservedMismatch
from devfix.observation.spots import Spot
from devfix.project import Program

#: The names of one scope, each with what it was seen to stand for.
Scope = dict[str, list[Binding]]


class ObservedFacts(Facts):
    """The facts of an analysis in which one observed mismatch stands for all of its kind.

    What names stand for is what the run saw, wherever the analysis does not know.
    """

    was_run = True

    def __init__(
        self,
        program: Program,
        recorder: Recorder,
        observed: Sequence[Mismatch],
        names: Mapping[tuple[str, str], Scope],
        outline: Callable[[str], Outline],
        entered: Entered,
    ) -> None:
        super().__init__(program, recorder)
        self._observed = list(observed)
        self._names = names
        self._outline = outline
        self._entered = entered

    def outline(self, path: str) -> Outline:
        """The outline of a file, which all facts of one program share."""
        return self._outline(path)

    def mismatches(self, kind: str | None = None) -> list[Mismatch]:
        """The observed mismatches; of a kind that no run can show, those of the analysis."""
        if kind == "target-width":
            return super().mismatches(kind)
        return [m for m in self._observed if kind is None or m.kind == kind]

    def unadopted_models(self) -> list[tuple[Origin, ...]]:
        """None: what is repaired here chose its device."""
        return []

    def unadopted_parameters(self) -> list[Origin]:
        """None, for the same reason."""
        return []

    def entered_as(self, path: str, span: Span) -> frozenset[str]:
        """The dtypes in which the analysis, or the run, saw an expression make tensors."""
        return super().entered_as(path, span) | self._entered.get((path, span), frozenset())

    def bindings(self, path: str, scope: str) -> Scope:
        """What each name of a scope was bound to; what the run saw fills the gaps."""
        known = super().bindings(path, scope)
        seen = self._names.get((path, scope))
        if not seen:
            return known
        return {**known, **{name: _combined(known.get(name, []), each) for name, each in seen.items()}}


def _combined(known: list[Binding], seen: list[Binding]) -> list[Binding]:
    """The analysis' bindings of a name, where it is not sure those that were seen.

    Which device a name stands for the analysis may only have assumed (of an option, say): the run knows.
    """
    devices = {each.device for each in seen if each.kind == "device"}
    if len(devices) == 1 and all(each.kind == "device" for each in known):
        [device] = devices
        return [Binding("device", device, each.statement) for each in known or seen]
    if not known:
        return seen
    kinds = {(each.kind, each.device) for each in seen}
    if any(_is_sure(each) for each in known):
        sure = {(each.kind, each.device) for each in known if _is_sure(each)}
        against = any(_contradicts(one, other) for one in kinds for other in sure)
        return [replace(each, kind="other", device=None) for each in known] if against else known
    if len(kinds) > 1:
        return known
    [(kind, device)] = kinds
    return [Binding(kind, device, each.statement) for each in known]


def _contradicts(seen: tuple[str, Device | None], known: tuple[str, Device | None]) -> bool:
    """Whether something was seen elsewhere than where the analysis has it."""
    kinds, devices = {seen[0], known[0]}, {seen[1], known[1]}
    return (
        len(kinds) == 1
        and kinds <= {"tensor", "module"}
        and None not in devices
        and devices >= {CPU, ACCELERATOR}
    )


def _is_sure(binding: Binding) -> bool:
    return (
        binding.kind != "other"
        and binding.device is not None
        and binding.device.kind in ("cpu", "accelerator")
    )


def names_seen(mismatches: Sequence[ObservedMismatch], pointer: Pointer) -> dict[tuple[str, str], Scope]:
    """What the names of all frames on the way to the mismatches stood for, by file and scope."""
    found: dict[tuple[str, str], Scope] = {}
    for mismatch in mismatches:
        for place, names in (*zip(mismatch.stack, mismatch.names, strict=False), *mismatch.origins):
            spot = pointer.spot(place)
            if spot is not None:
                for scope, name, binding in _bindings(spot, names, pointer):
                    known = found.setdefault((spot.path, scope), {}).setdefault(name, [])
                    if binding not in known:
                        known.append(binding)
    return found


def _bindings(
    spot: Spot, names: Sequence[tuple[str, str]], pointer: Pointer
) -> Iterator[tuple[str, str, Binding]]:
    function = spot.outline.function_of(spot.node)
    receiver = spot.outline.receiver_name(function)
    for name, what in names:
        kind, device = _meaning(what)
        root = name.partition(".")[0]
        for statement in _statements(spot, name):
            yield _scope_of(spot, root), name, Binding(kind, device, statement)
        if root == receiver and function is not None and "." in name:
            attribute = name.partition(".")[2]
            for stored in _stores(spot, attribute, function, pointer):
                yield spot.outline.scope(function), f"self.{attribute}", Binding(kind, device, stored)


def _meaning(what: str) -> tuple[str, Device | None]:
    """``tensor:cuda:0 float32 3x4`` as the analysis says it."""
    kind, _, rest = what.partition(":")
    device = rest.partition(" ")[0]
    if kind not in ("device", "tensor", "tensors", "module"):
        return "other", None
    return kind, (CPU if device == "cpu" else ACCELERATOR) if device else None


def _scope_of(spot: Spot, root: str) -> str:
    """The scope that binds a name as it is seen from a spot."""
    for scope, node in _scopes(spot):
        if bindings_in(node, spot, root):
            return scope
    return ""


def _scopes(spot: Spot) -> Iterator[tuple[str, ast.AST]]:
    names = spot.outline.scopes(spot.node)
    function = spot.outline.function_of(spot.node)
    for scope in names[:-1]:
        if function is not None:
            yield scope, function
            function = spot.outline.function_of(function)
    yield "", spot.outline.source.tree


def _statements(spot: Spot, name: str) -> list[Span | None]:
    """The statement that binds a name: none for a parameter. A name with several bindings is not relied upon."""
    root = name.partition(".")[0]
    for _, node in _scopes(spot):
        found = bindings_in(node, spot, root)
        if found:
            if len(found) > 1:
                return []
            if found[0].kind == "parameter":
                return [None]
            statement = spot.outline.statement_of(found[0].target.node)
            return [spot.outline.source.span(statement)]
    return []


def _stores(spot: Spot, attribute: str, function: ast.AST, pointer: Pointer) -> list[Span | None]:
    cls = spot.outline.class_of(function)
    targets = [store.target for store in pointer.index.stores(attribute) if store.owner is cls]
    spans = [spot.outline.source.span(spot.outline.statement_of(target.node)) for target in targets]
    return list(spans) or [None]
