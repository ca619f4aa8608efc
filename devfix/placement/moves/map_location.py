"""Map location: where a checkpoint should be loaded to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import pairwise

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Origin, ReplaceExpression, SetKeyword
from devfix.placement.blaming.causes import Trail, sites_of
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.devices.move_guards import AVAILABLE
from devfix.placement.modules import assigned_state
from devfix.placement.moves import state_part, taken_over
from devfix.placement.telling import unused_device
from devfix.placement.text.dependence import dotted

#: States that must stay on the CPU wherever the program runs.
_HOST_STATES = ("set_rng_state", "set_state", "ByteTensor")


class MapLocation:
    """Builds the fix for a ``torch.load`` that leaves the device to the file."""

    def __init__(self, facts: Facts, mismatch: Mismatch, load: Origin) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.load = load

    @classmethod
    def each(cls, facts: Facts, found: Iterable[Mismatch]) -> Iterator[MapLocation]:
        """One for each load; a tensor that does not fit says more than a state that is loaded."""
        loads: dict[Origin, MapLocation] = {}
        for mismatch in sorted(found, key=lambda m: m.kind == "map-location"):
            for operand in mismatch.operands:
                for site in sites_of(operand):
                    if site.kind == "checkpoint":
                        loads.setdefault(site, cls(facts, mismatch, site))
        yield from (each for each in loads.values() if each.is_certain or not each.is_told_otherwise())

    def fixes(self) -> list[Fix]:
        """``map_location`` names the program's device; without one in sight, the CPU."""
        outline = self.facts.outline(self.load.path)
        node = outline.expression_at(self.load.span)
        if not isinstance(node, ast.Call):
            return []
        place = Place(self.load.path, outline, node)
        code = self._device(place)
        if code is None:
            return []
        edit = _loaded_to(place, code)
        trust = Applicability.SAFE if self.is_certain else Applicability.UNSAFE
        return [Fix(f"load it to `{code}`", (edit,), trust)]

    def is_told_otherwise(self) -> bool:
        """Whether a choice around the load has none for other machines: the author wants what is in the file.

        Its other branch says where to load to, or is the one that machines without an accelerator take.
        """
        outline = self.facts.outline(self.load.path)
        load = outline.expression_at(self.load.span)
        chain = pairwise((load, *outline.around(load))) if load is not None else ()
        return any(
            _says_other_branch(inner, around) or _needs_accelerator(inner, around) for inner, around in chain
        )

    @property
    def is_certain(self) -> bool:
        """Whether something fails here; a file of the same kind of machine is loaded as it is."""
        return self.mismatch.get("certain") != "no"

    def _device(self, place: Place) -> str | None:
        told = unused_device.parameter(self.facts, place) if self.is_certain else None
        if told is not None and not self._holds_host_state(place):
            return told
        # A state is copied to where the model is: what tensor is at hand has nothing to do with it.
        states = self.mismatch.kind == "map-location" and not self.is_certain
        found = (
            device_expression.chosen(self.facts, place)
            if states
            else device_expression.find(self.facts, place, [])
        )
        named = found is not None and not found.edits and dotted(ast.parse(found.code, mode="eval").body)
        serves = named and (self.is_certain or not _is_fixed(place, named))
        if serves and found is not None and not self._holds_host_state(place):
            return found.code
        # load_state_dict copies to where the model is; a tensor that is used by itself does not.
        return '"cpu"' if self.mismatch.kind == "map-location" else None

    def _holds_host_state(self, place: Place) -> bool:
        return holds_host_state(self.facts, place)


def _says_other_branch(inner: ast.AST, choice: ast.AST) -> bool:
    """Whether a choice, in a branch of which something stands, says in the other one where to load to."""
    if not isinstance(choice, (ast.If, ast.IfExp)) or inner is choice.test:
        return False
    body, other = (part if isinstance(part, list) else [part] for part in (choice.body, choice.orelse))
    return any(map(_says_where, other if inner in body else body))


def _needs_accelerator(inner: ast.AST, choice: ast.AST) -> bool:
    """Whether something stands in a branch that is taken only where there is an accelerator."""
    if not isinstance(choice, (ast.If, ast.IfExp)) or inner is choice.test:
        return False
    test = choice.test
    denied = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) and denied else test
    parts = (
        asked.values
        if isinstance(asked, ast.BoolOp) and isinstance(asked.op, ast.And) and not denied
        else [asked]
    )
    others = choice.orelse if isinstance(choice.orelse, list) else [choice.orelse]
    return (inner in others) is denied and any(ast.unparse(part) == AVAILABLE for part in parts)


def _says_where(branch: ast.AST) -> bool:
    """Whether a branch loads something and says where to."""
    given = (part.arg for part in in_rows(branch) if isinstance(part, ast.keyword))
    return "map_location" in given


def _is_fixed(place: Place, name: str) -> bool:
    """Whether a variable names an accelerator whether there is one or not: then it says nothing to other machines."""
    values = (
        node.value
        for node in place.outline.source.tree.body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    )
    return any(
        isinstance(value, ast.Constant)
        and isinstance(value.value, str)
        and value.value.partition(":")[0] != "cpu"
        for value in values
    )


def holds_host_state(facts: Facts, place: Place) -> bool:
    """Whether the file restores what must stay on the CPU, such as a generator's state."""
    return any(word in facts.source(place.path).text for word in _HOST_STATES)


def to_host(facts: Facts, loads: Iterable[Origin]) -> tuple[FileEdit, ...]:
    """Each of some calls of ``torch.load`` asks for the CPU; nothing where one is another call, or is moved at once."""
    places = {load: device_expression.place_at(facts, load.path, load.span) for load in loads}
    if not all(place is not None and _is_plain_load(place) for place in places.values()):
        return ()
    return tuple(_loaded_to(place, '"cpu"') for place in places.values() if place is not None)


def _loaded_to(place: Place, code: str) -> FileEdit:
    """A load that asks for a device, whether it is told one by name, by its place, or not at all."""
    source, given = place.outline.source, getattr(place.node, "args", [])[1:2]
    if given:
        return FileEdit(place.path, ReplaceExpression(source.span(given[0]), code))
    return FileEdit(place.path, SetKeyword(source.span(place.node), "map_location", code))


def _is_plain_load(place: Place) -> bool:
    """Whether a call is of a function ``load``, and nothing moves its result there."""
    node = place.node
    if not isinstance(node, ast.Call) or (dotted(node.func) or "").split(".")[-1] != "load":
        return False
    return not any(getattr(around, "attr", "") in ("to", "cuda") for around in place.outline.around(node))


def of_host(facts: Facts, trails: Iterable[Trail]) -> tuple[FileEdit, ...]:
    """The load of what was loaded to the CPU on request asks for the program's device."""
    for trail in trails:
        if trail and trail[0].kind == "host-checkpoint":
            place = device_expression.place_at(facts, trail[0].path, trail[0].span)
            part = state_part.moved(facts, place, trail) if place is not None else ()
            found = part or elsewhere(facts, place) if place is not None else ()
            return found or assigned_state.moved_back(facts, trail) or taken_over.moved(facts, trail)
    return ()


def elsewhere(facts: Facts, place: Place) -> tuple[FileEdit, ...]:
    """A load that asks for the CPU asks for the program's device; nothing where none is in sight."""
    call = place.node
    given = [k.value for k in getattr(call, "keywords", ()) if k.arg == "map_location"]
    found = device_expression.find(facts, place, []) if given else None
    if found is None or holds_host_state(facts, place):
        return ()
    span = place.outline.source.span(place.node)
    return (*found.edits, FileEdit(place.path, SetKeyword(span, "map_location", found.code)))
