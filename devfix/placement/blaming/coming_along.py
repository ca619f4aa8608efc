"""Coming along: buffers of a module that a plain list leaves behind move with it, once it is registered."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import called
from devfix.findings import Operand, Origin
from devfix.placement.devices.device_expression import place_at


def comes_along(facts: Facts, operand: Operand) -> bool:
    """Whether all that an operand is made of are buffers of objects of which a plain container keeps the parameters back.

    The container is the one cause then, and a device where the buffer is made would be idle behind its fix.
    """
    made = {trail[0] for trail in (operand.roots or (operand.trail,)) if trail}
    if not made or not all(_is_buffer(facts, site) for site in made):
        return False
    return {_owner(site) for site in made} <= {
        (other.path, (other.get("scope") or "").rpartition(".")[0])
        for other in facts.mismatches("device")
        if other.get("unregistered") and other.get("module")
    }


def _owner(site: Origin) -> tuple[str, str]:
    return site.path, (site.scope or "").rpartition(".")[0]


def _is_buffer(facts: Facts, site: Origin) -> bool:
    """Whether a tensor is made for ``self.register_buffer(name, tensor)``, in a method of a class."""
    place = place_at(facts, site.path, site.span)
    node: ast.AST | None = place.node if place is not None else None
    while place is not None and isinstance(node, ast.expr):
        if isinstance(node, ast.Call) and called(node) == "register_buffer":
            return "." in (site.scope or "")
        node = place.outline.parents.get(node)
    return False
