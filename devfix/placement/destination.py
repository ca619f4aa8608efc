"""Destinations: values that come to a tensor on the CPU which is there for good."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand, Origin, WrapExpression


def is_written(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether the operation writes to the operand in place."""
    return mismatch.get("in_place") == operand.role


def is_on_purpose(facts: Facts, mismatch: Mismatch, operand: Operand) -> bool:
    """Whether somebody moved the operand to the CPU for this use, or the module it belongs to."""
    trails = [trail for trail in (operand.trail, *operand.roots) if trail]
    moves = [trail[0] for trail in trails if trail[0].kind == "move"]
    derived = bool(operand.trail) and operand.trail[0].kind == "result"
    if not moves or len(moves) < len(trails) - derived:
        return False
    return all(move.scope == mismatch.get("scope") or _is_statement(facts, move) for move in moves)


def _is_statement(facts: Facts, move: Origin) -> bool:
    """Whether a move stands alone, as those of modules do, which move in place."""
    if move.path not in facts.program.sources:
        return False
    statement = facts.outline(move.path).statement_at(move.span)
    return isinstance(statement, ast.Expr)


def fix(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> Fix | None:
    """Moves the other operands to the device of this one, where they are used."""
    on_purpose = is_on_purpose(facts, mismatch, operand)
    if not (is_written(mismatch, operand) or on_purpose):
        return None
    outline = facts.outline(mismatch.path) if mismatch.path in facts.program.sources else None
    node = outline.expression_at(operand.span) if outline is not None else None
    if outline is None or node is None or operand.path != mismatch.path:
        return None
    name = _named_tensor(outline, facts, node) if not operand.held else None
    suffix = f".to({name}.device)" if name is not None else ".cpu()"
    if name is None and not on_purpose:
        return None
    movable = [peer for peer in peers if peer.path == mismatch.path and not _is_part(mismatch, peer)]
    if not movable or len(movable) < len(peers):
        return None
    edits = tuple(FileEdit(peer.path, WrapExpression(peer.span, "", suffix)) for peer in movable)
    moved = ", ".join(f"`{peer.text}`" for peer in movable)
    return Fix(f"move {moved} to where `{operand.text}` is kept", edits, Applicability.SAFE)


def _is_part(mismatch: Mismatch, peer: Operand) -> bool:
    """Whether an operand is no value of its own at the sink: a module's weight, say, or the sink itself."""
    return peer.held or peer.span == mismatch.sink or (peer.role == "weight" and mismatch.get("module") is not None)


#: Methods whose receiver may be elsewhere than what they return.
_MOVES = ("to", "cpu", "cuda", "type", "type_as")


def _named_tensor(outline: Outline, facts: Facts, node: ast.expr) -> str | None:
    """A name in the operand's expression for a tensor that is where the operand is."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _MOVES:
                return None
            node = node.func.value
        elif isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr in ("data", "grad", "T")
        ):
            node = node.value
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return ast.unparse(node)
        else:
            return None
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    return node.id if bindings and all(binding.kind == "tensor" for binding in bindings) else None
