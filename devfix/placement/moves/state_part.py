"""Parts of states: of a file that was asked for on the CPU, and goes on to ``load_state_dict``, only the tensor moves that does not.

``load_state_dict`` copies to where a model is, so that the file need not be on the accelerator as well; and an optimizer
that counts its steps on the CPU would wait for the accelerator at each of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Origin
from devfix.placement.batches import branching
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes

Edits = tuple[FileEdit, ...]
_STORED = ("name", "attribute", "module-attribute")


def moved(facts: Facts, load: Place, trail: tuple[Origin, ...]) -> Edits:
    """``self.mean = state["mean"].to(self.device)`` beside ``net.load_state_dict(state["net"])``."""
    name = _name(load)
    parts = list(_parts(load, name)) if name is not None else []
    if not any(_restores(load, each) for each in parts):
        return ()
    for site in trail:
        place = device_expression.place_at(facts, site.path, site.span) if site.kind in _STORED else None
        statement = place.outline.statement_of(place.node) if place is not None else None
        if place is None or place.path != load.path or not isinstance(statement, ast.Assign):
            continue
        part = (
            statement.value if statement.targets == [place.node] else branching.paired(statement, place.node)
        )
        found = (
            device_expression.find(facts, Place(place.path, place.outline, part), [])
            if part in parts
            else None
        )
        if isinstance(part, ast.Subscript) and found is not None:
            return (*found.edits, *suffixes.added(facts, place.outline, part, f".to({found.code})"))
    return ()


def _name(load: Place) -> ast.Name | None:
    """The only name that what is loaded gets, at once."""
    statement = load.outline.statement_of(load.node)
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is load.node else None
    )
    return target if isinstance(target, ast.Name) else None


def _parts(load: Place, name: ast.Name) -> Iterator[ast.Subscript]:
    """``state["net"]`` wherever it is in the function of the load."""
    around = load.outline.function_of(load.node) or load.outline.source.tree
    for use in load.outline.occurrences(around, name.id):
        part = load.outline.parents[use]
        if isinstance(part, ast.Subscript) and part.value is use and isinstance(part.ctx, ast.Load):
            yield part


def _restores(load: Place, part: ast.Subscript) -> bool:
    call = load.outline.parents[part]
    func = call.func if isinstance(call, ast.Call) and part in call.args else None
    return isinstance(func, ast.Attribute) and func.attr == "load_state_dict"
