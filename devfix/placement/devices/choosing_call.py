"""Choosing calls: a function of the program that gives the device, by which what is met was moved: ``get_device()``, ``util.dev()``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.text.vocabulary import vocabulary
from devfix.findings import Operand, Origin
from devfix.placement.devices.boundness import is_bound
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.placement.devices.device_expression import Place

#: Through so many files a name is followed to where it is defined.
_IMPORTS = 4


def of_peers(facts: Facts, place: Place, peers: Iterable[Operand]) -> str | None:
    """The call that told where one of the peers is made or moved, where the file around the place has the function by the same name."""
    for origin in _origins(peers):
        func = _function(facts, origin)
        name = dotted(func) if func is not None else None
        root = name.partition(".")[0] if name is not None else ""
        if (
            func is None
            or root not in place.outline.variables
            or not is_bound(place.outline, place.node, root)
        ):
            continue
        own = place.outline.function_of(place.node)
        if own is None and not _was_asked(place, origin):
            continue
        if own is not None and root in vocabulary(own).parameters | vocabulary(own).bound:
            continue
        meant = definition(facts, origin.path, name or "")
        if meant is not None and meant == definition(facts, place.path, name or ""):
            return f"{name}()"
    return None


def _was_asked(place: Place, origin: Origin) -> bool:
    """Whether the file has asked before it comes to a place at its top: a function may say something else before it is told."""
    return origin.path == place.path and origin.span.line <= place.outline.source.span(place.node).line


def _origins(peers: Iterable[Operand]) -> Iterator[Origin]:
    """Where the peers, and what they are computed from, were made or moved."""
    for peer in peers:
        yield from (trail[0] for trail in (peer.trail, *peer.roots) if trail)


def _function(facts: Facts, origin: Origin) -> ast.expr | None:
    """``get_device`` of ``x.to(get_device())`` and of ``torch.ones(3, device=get_device())``."""
    known = origin.path in facts.program.sources
    call = facts.outline(origin.path).expression_at(origin.span) if known else None
    if not isinstance(call, ast.Call):
        return None
    told = [each.value for each in call.keywords if each.arg == "device"]
    if getattr(call.func, "attr", "") == "to":
        told += call.args[:1]
    chosen = told[0] if told else None
    plain = isinstance(chosen, ast.Call) and not chosen.args and not chosen.keywords
    return chosen.func if plain and isinstance(chosen, ast.Call) else None


def definition(facts: Facts, path: str | None, name: str, left: int = _IMPORTS) -> tuple[str, str] | None:
    """The file that defines the function that a file calls by a name, and what it is called there; None for anything else."""
    first, _, rest = name.partition(".")
    if path is None or path not in facts.program.sources or not left:
        return None
    for node in facts.source(path).tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return path, name
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            if (alias.asname or alias.name) != first:
                continue
            head, level = (node.module or "", node.level) if isinstance(node, ast.ImportFrom) else ("", 0)
            module = facts.program.resolve(path, f"{head}.{alias.name}".lstrip(".") if rest else head, level)
            return definition(facts, module, rest or alias.name, left - 1)
    return None
