"""Accelerators apart: which of two operands on two accelerators moves to the other, and by which words.

A move that names no number (``x.cuda()``) goes to the current accelerator, the first one unless somebody chose another.
Where what it meets is on one that was chosen by its number, it was meant to go there. Beside that, what a module is given
moves to where the module is, as in a pipeline over several accelerators, and a loss's target to its predictions.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand
from devfix.placement.blaming import wording
from devfix.placement.devices import current_accelerator, numbered_move
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import destination, suffixes
from devfix.placement.text.naming import is_path, named_at_use

Edits = tuple[FileEdit, ...]


def are_apart(facts: Facts, mismatch: Mismatch) -> bool:
    """Whether the operands are on two accelerators, whichever is the current one."""
    numbered = all(operand.device != current_accelerator.CURRENT for operand in mismatch.operands)
    return numbered or current_accelerator.is_first(facts)


def brought_together(facts: Facts, mismatch: Mismatch) -> Fix | None:
    """Moves one of two operands to the accelerator of the other one; None where nobody can tell which of them."""
    if len(mismatch.operands) != 2:
        return None
    one, other = mismatch.operands
    for operand, peer in ((one, other), (other, one)):
        bare = numbered_move.is_bare(facts, operand) and numbered_move.is_chosen(facts, peer)
        edits = numbered_move.edits(facts, operand, peer) if bare else ()
        if not edits and (bare or _follows(mismatch, operand, peer)) and not _is_within(mismatch, operand):
            edits = _moved(facts, operand, peer)
        if edits:
            title = f"move `{wording.spoken(operand)}` to the accelerator of `{wording.spoken(peer)}`"
            return Fix(title, edits, Applicability.SAFE)
    return None


def _follows(mismatch: Mismatch, operand: Operand, peer: Operand) -> bool:
    """Whether it is the operand that moves: to a module, to what is written to, or a target to its predictions."""
    if _stays(mismatch, operand):
        return False
    return peer.role == "weight" or operand.role == "target" or destination.is_written(mismatch, peer)


def _stays(mismatch: Mismatch, operand: Operand) -> bool:
    return operand.held or operand.role == "weight" or destination.is_written(mismatch, operand)


def _is_within(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether an operand is made within the call that is the sink, and is not what that is given: in a chain of layers."""
    return [(each.path, each.span) for each in operand.trail] == [(mismatch.path, mismatch.sink)]


def _moved(facts: Facts, operand: Operand, peer: Operand) -> Edits:
    """The operand moves where they meet, unless somebody wrote right there that it goes elsewhere."""
    place, met = (place_at(facts, each.path, each.span) for each in (operand, peer))
    if (
        place is None
        or met is None
        or met.outline is not place.outline
        or numbered_move.says_where(place.node)
    ):
        return ()
    told = numbered_move.device_at(facts, place, peer) if _is_always_there(facts, met, peer) else None
    device = told or _device_of(facts, met, peer)
    return suffixes.added(facts, place.outline, place.node, f".to({device})") if device else ()


def _is_always_there(facts: Facts, met: Place, peer: Operand) -> bool:
    """Whether the name of a peer stands for nothing that is on another accelerator, as that of a loop over stages may."""
    if not isinstance(met.node, ast.expr) or not is_path(met.node, ast.Constant):
        return False
    bindings = numbered_move.bindings_of(facts, met, ast.unparse(met.node))
    found = {str(each.device) for each in bindings if each.device is not None and each.device.is_accelerator}
    return found <= {peer.device}


def _device_of(facts: Facts, met: Place, peer: Operand) -> str | None:
    """The device of the peer as it stands, if that can be read twice."""
    if not isinstance(met.node, ast.expr):
        return None
    if peer.role == "weight" and is_path(met.node, ast.Constant):
        text = ast.unparse(met.node)
        return f"next({text}.parameters()).device" if _has_parameters(facts, met, text) else None
    name = named_at_use(met.outline, facts, met.node)
    return f"{name}.device" if name is not None else None


def _has_parameters(facts: Facts, met: Place, text: str) -> bool:
    """Whether all that a name stands for are modules that have parameters, which copies in threads have not."""
    bindings = numbered_move.bindings_of(facts, met, text)
    have = all(each.kind == "module" and each.device is not None for each in bindings)
    return bool(bindings) and have and current_accelerator.is_first(facts)
