"""Asked devices: where a peer was made on, or moved to, the device of a parameter, that parameter tells it at other places, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.sizing import sizes_of
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.findings import Operand
    from devfix.placement.devices.device_expression import Place


def of_peers(facts: Facts, place: Place, peers: list[Operand]) -> str | None:
    """``x.device``, or the name that was given to it, where nobody else than a caller decides where the peers are."""
    function = place.outline.function_of(place.node)
    if function is None or not _is_made(place) or any(peer.device != "same-as" for peer in peers):
        return None
    sized = next((name for name in sizes_of(place.node) if _is_beside_module(facts, place, name)), None)
    if sized is not None and _is_kept(place):
        return f"{sized}.device"
    given = {part.arg for part in in_rows(function.args) if isinstance(part, ast.arg)}
    stored = [part.id for part in in_rows(function) if isinstance(part, ast.Name) and not _is_read(part)]
    for node in (node for peer in peers for node in _asked(place, peer)):
        named = dotted(node) if place.outline.function_of(node) is function else None
        root = (named or "").partition(".")[0]
        is_parameter = root in given and root not in stored and root != named
        is_kept = root == named and root not in given and stored.count(root) == 1
        if named is not None and (is_parameter or is_kept) and is_bound(place.outline, place.node, root):
            return named
    return None


def _is_made(place: Place) -> bool:
    """Whether a tensor is made at the place, by a function of torch."""
    func = place.node.func if isinstance(place.node, ast.Call) else None
    root = (dotted(func) or "").partition(".")[0] if func is not None else ""
    return place.outline.imported.get(root, "").startswith("torch")


def _is_kept(place: Place) -> bool:
    """Whether what is made goes where more is kept of what it is as large as: ``state["sum"] = torch.zeros(p.shape)``."""
    statement = place.outline.statement_of(place.node)
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)


def _is_beside_module(facts: Facts, place: Place, name: str) -> bool:
    """Whether a name stands for nothing but tensors that are where the parameters of a module are."""
    known = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    told = [each for each in known if each.kind != "none"]
    beside = bool(told) and all(each.kind == "tensor" and facts.is_with_module(each.device) for each in told)
    return beside and is_bound(place.outline, place.node, name)


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _asked(place: Place, peer: Operand) -> Iterator[ast.expr]:
    """What names the device where a peer, or what it is computed of, begins."""
    for trail in (peer.trail, *peer.roots):
        for site in trail[:1]:
            call = place.outline.expression_at(site.span) if site.path == place.path else None
            if not isinstance(call, ast.Call):
                continue
            yield from (each.value for each in call.keywords if each.arg == "device")
            if site.kind == "move" and len(call.args) == 1:
                yield call.args[0]
