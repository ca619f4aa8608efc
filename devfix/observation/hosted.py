"""Hosted: tensors that reach NumPy inside of something else, or by ways on which no call can be changed at the end.

They are copied to the host earlier: where they get a name, or where they are made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Origin, WrapExpression
from devfix.placement.devices.device_expression import Place

_KINDS = ("numpy", "host-only")


def fixes(facts: Facts, mismatch: Mismatch) -> Iterator[Fix]:
    """Copies along the life of the operand, the latest first."""
    if mismatch.kind not in _KINDS:
        return
    operand = mismatch.operands[0]
    for site in reversed(operand.trail):
        place = value_at(facts, site)
        if place is not None and place.node is not None:
            edit = WrapExpression(place.outline.source.span(place.node), "", ".cpu()")
            yield Fix(f"copy `{site.text}` to the CPU", (FileEdit(site.path, edit),), Applicability.SAFE)


def value_at(facts: Facts, site: Origin) -> Place | None:
    """The expression whose value passes a site."""
    outline = facts.outline(site.path)
    node = outline.expression_at(site.span)
    if node is None:
        return None
    if site.kind in ("result", "move", "cast", "factory", "random-factory"):
        return Place(site.path, outline, node)
    statement = outline.statement_of(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if site.kind in ("name", "attribute", "module-attribute") and isinstance(statement, ast.Assign):
        return Place(site.path, outline, statement.value) if targets == [node] else None
    return None
