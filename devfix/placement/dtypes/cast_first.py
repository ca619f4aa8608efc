"""Cast first: what is moved and cast is cast before, so that less is moved."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, ReplaceExpression
from devfix.placement.dtypes.casting import CASTS


def cast_before_move(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """``x.to(device).float()`` as ``x.float().to(device)``: the same numbers, and less is moved."""
    outline = facts.outline(mismatch.path)
    move = outline.expression_at(mismatch.sink)
    attribute = outline.parents.get(move) if move is not None else None
    cast = outline.parents.get(attribute) if attribute is not None else None
    if not (isinstance(move, ast.Call) and isinstance(move.func, ast.Attribute)):
        return []
    if (
        not (isinstance(attribute, ast.Attribute) and isinstance(cast, ast.Call))
        or cast.func is not attribute
    ):
        return []
    if attribute.attr not in CASTS - {"double"} or cast.args or cast.keywords:
        return []
    source = outline.source
    receiver, moved = outline.receiver_text(move), source.segment(source.span(move))
    if receiver is None:
        return []
    code = f"{receiver}.{attribute.attr}(){moved[len(receiver) :]}"
    edit = FileEdit(mismatch.path, ReplaceExpression(source.span(cast), code))
    return [Fix("cast before the move", (edit,), Applicability.SAFE)]
