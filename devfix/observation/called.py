"""Called: what a call gives of which only a run knows what it calls, moved as soon as it is there.

``f(*args)`` with functions out of a table makes tensors in some rounds and uses them in others. No name stands for
what is handed in, and of the function nobody knows whether it takes a device.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, WrapExpression
from devfix.observation.sighting import Sighting
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place


def fixes(facts: Facts, sighting: Sighting) -> Iterator[Fix]:
    """Moves the result of the calls that made the operand to blame to the device that the program has a name for there."""
    blamed = next((each for each in sighting.observed.operands if each.blamed), None)
    if blamed is None:
        return
    spots = [sighting.lives.pointer.made(made) for made in (blamed.roots or (blamed.made,))]
    edits: dict[FileEdit, None] = {}
    called = ""
    for spot in spots:
        call = spot.node if spot is not None else None
        if spot is None or not isinstance(call, ast.Call):
            return
        found = device_expression.chosen(facts, Place(spot.path, spot.outline, call))
        if found is None:
            return
        move = FileEdit(spot.path, WrapExpression(spot.span, "", f".to({found.code})"))
        edits.update(dict.fromkeys((*found.edits, move)))
        called = called or ast.unparse(call.func)
    title = f"move what `{called}` gives to the device of what it meets"
    yield Fix(title, tuple(edits), Applicability.SAFE)
