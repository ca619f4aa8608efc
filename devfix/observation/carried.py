"""Carried: tensors that are handed over inside of a list or dictionary, which has no ``to``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, ReplaceExpression
from devfix.observation.parts import normal
from devfix.observation.sighting import Sighting
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place


def fixes(facts: Facts, sighting: Sighting, mismatch: Mismatch) -> Iterator[Fix]:
    """Replaces what carries the operand by the same with every tensor moved."""
    blamed = next((each for each in sighting.observed.operands if each.blamed), None)
    call = sighting.sink.node
    if blamed is None or not isinstance(call, ast.Call):
        return
    held = [normal(path) for path in blamed.paths]
    for carrier in _carriers(call):
        text = ast.unparse(carrier)
        item = next((path for path in held if path.startswith(f"{text}[")), None)
        if item is None:
            continue
        sink = sighting.sink.at(carrier)
        found = device_expression.find(
            facts, Place(sink.path, sink.outline, carrier), list(mismatch.operands[1:])
        )
        if found is not None:
            shown = sink.outline.source.segment(sink.span)
            code = _moved(shown, found.code, keyed=item[len(text) + 1] in "'\"")
            edit = FileEdit(sink.path, ReplaceExpression(sink.span, code))
            title = f"move what `{sink.text}` holds to the device of what it meets"
            yield Fix(title, (*found.edits, edit), Applicability.SAFE)


def _carriers(call: ast.Call) -> Iterator[ast.expr]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        inner = argument.value if isinstance(argument, ast.Starred) else argument
        if isinstance(inner, (ast.Name, ast.Attribute)):
            yield inner


def _moved(text: str, device: str, *, keyed: bool) -> str:
    if keyed:
        return f'{{k: v.to({device}) if hasattr(v, "to") else v for k, v in {text}.items()}}'
    return f'[v.to({device}) if hasattr(v, "to") else v for v in {text}]'
