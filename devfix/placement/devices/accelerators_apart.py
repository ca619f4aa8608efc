"""Accelerators apart: which of two operands on two accelerators moves to the other, and by which words.

A move that names no number (``x.cuda()``) goes to the current accelerator, the first one unless somebody chose another.
Where what it meets is on one that was chosen by its number, it was meant to go there. Beside that, what a module is given
moves to where the module is, as in a pipeline over several accelerators, and a loss's target to its predictions.
"""

from __future__ import annotations

import ast
import re

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand
from devfix.placement.blaming import wording
from devfix.placement.devices import numbered_move
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import destination, suffixes
from devfix.placement.text.naming import is_path, named_at_use

Edits = tuple[FileEdit, ...]
#: What changes where a move without a number goes: another current accelerator, for a while, in a thread of a replica's or in
#: a process of its own, or others in sight.
_RENUMBERED = re.compile(
    r"set_device|visible_devices|cuda\.device|device_index|data_?parallel|parallel_apply|rank", re.IGNORECASE
)
#: Where a move without a number goes, as mismatches have it.
_CURRENT = "cuda"


def are_apart(facts: Facts, mismatch: Mismatch) -> bool:
    """Whether the operands are on two accelerators, whichever is the current one."""
    numbered = all(operand.device != _CURRENT for operand in mismatch.operands)
    texts = (source.text for source in facts.program.sources.values())
    return numbered or not any(map(_RENUMBERED.search, texts))


def brought_together(facts: Facts, mismatch: Mismatch) -> Fix | None:
    """Moves one of two operands to the accelerator of the other one; None where nobody can tell which of them."""
    if len(mismatch.operands) != 2:
        return None
    one, other = mismatch.operands
    for operand, peer in ((one, other), (other, one)):
        bare = numbered_move.is_bare(facts, operand) and numbered_move.is_chosen(facts, peer)
        edits = numbered_move.edits(facts, operand, peer) if bare else ()
        if not edits and (bare or _follows(mismatch, operand, peer)):
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
    device = numbered_move.device_at(facts, place, peer) or _device_of(facts, met, peer)
    return suffixes.added(facts, place.outline, place.node, f".to({device})") if device else ()


def _device_of(facts: Facts, met: Place, peer: Operand) -> str | None:
    """The device of the peer as it stands, if that can be read twice."""
    if not isinstance(met.node, ast.expr):
        return None
    if peer.role == "weight" and is_path(met.node, ast.Constant):
        text = ast.unparse(met.node)
        kinds = {binding.kind for binding in numbered_move.bindings_of(facts, met, text)}
        return f"next({text}.parameters()).device" if kinds == {"module"} else None
    name = named_at_use(met.outline, facts, met.node)
    return f"{name}.device" if name is not None else None
