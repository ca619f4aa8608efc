"""Beside: an operand moved where it is used, to the device of a tensor that the run saw under a name there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.findings import Applicability, FileEdit, Fix, WrapExpression
from devfix.observation.sighting import Sighting
from devfix.placement.text.naming import is_path


def fixes(sighting: Sighting) -> Iterator[Fix]:
    """Moves of the operand to blame, for when nothing around it is known to name the device."""
    sink, operands = sighting.sink, sighting.observed.operands
    callee = sink.node.func if isinstance(sink.node, ast.Call) else None
    blamed = [sighting.nodes[k] for k, each in enumerate(operands) if each.blamed and k in sighting.nodes]
    peers = [path for each in operands if each.device != "cpu" for path in each.paths if _is_plain(path)]
    for node in blamed[:1]:
        if node is callee:
            continue
        for peer in peers[:1]:
            spot = sink.at(node)
            edit = WrapExpression(spot.span, "", f".to({peer}.device)")
            title = f"move `{spot.text}` to the device of what it meets"
            yield Fix(title, (FileEdit(spot.path, edit),), Applicability.SAFE)


def written(sighting: Sighting) -> Iterator[Fix]:
    """What ``total[key] += value`` adds goes to where that is written, which is not the same place in each round."""
    sink, node = sighting.sink, sighting.sink.node
    in_place = sighting.observed.operation.endswith("_")
    if (
        not isinstance(node, ast.AugAssign)
        or not in_place
        or not is_path(node.target, ast.Name, ast.Constant)
    ):
        return
    spot = sink.at(node.value)
    edit = WrapExpression(spot.span, "", f".to({ast.unparse(node.target)}.device)")
    title = f"move `{spot.text}` to where it is added"
    yield Fix(title, (FileEdit(spot.path, edit),), Applicability.SAFE)


def _is_plain(path: str) -> bool:
    """Whether an expression is a name, or attributes of one."""
    return all(part.isidentifier() for part in path.split("."))
