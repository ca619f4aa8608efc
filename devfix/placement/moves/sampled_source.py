"""Sampled sources: what an object keeps of tensors that go into a loader's batches as well moves where they go to it.

The tensors themselves stay: a data set that moves as a whole makes the moves of its batches idle, and workers fail with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called
from devfix.findings import FileEdit, Mismatch, Operand, Origin
from devfix.placement.blaming.causes import Trail
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves.argument_move import parameter_at

Edits = tuple[FileEdit, ...]

#: More tensors than this are not moved one by one.
_MOST = 3
_KEPT = ("attribute", "module-attribute")
_NAMED = ("name", "argument")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def moved(
    facts: Facts, mismatch: Mismatch, operand: Operand, trails: list[Trail], wrap: Callable[[Place], Edits]
) -> Edits:
    """``scaler.fit(x.to(device))``, for each of the values that the operand is or that an object keeps something of.

    Nothing unless one of them goes into batches too, and each came by a call of the same function.
    """
    lives = _lives(facts, mismatch, operand, trails)
    keeper = next((function for life in lives if (function := _keeper(facts, life)) is not None), None)
    found = [_argument(facts, life, keeper) for life in lives] if keeper is not None else []
    ways = [wrap(place) if place is not None else () for place in found]
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if all(ways) else ()


def _lives(facts: Facts, mismatch: Mismatch, operand: Operand, trails: list[Trail]) -> list[Trail]:
    """The life of an operand that goes into batches itself, or of the few values of which something is kept."""
    if _keeper(facts, operand.trail) is not None:
        return [operand.trail]
    kept = any(site.kind in _KEPT for site in operand.trail) or _is_bound(mismatch, operand)
    return trails if kept and len(trails) <= _MOST else []


def _is_bound(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether what a function computed is met elsewhere without having got a name: in a partial call or a list, say."""
    own = operand.trail[0] if len(operand.trail) == 1 else None
    return own is not None and own.kind == "result" and own.scope not in ("", mismatch.get("scope"))


def _keeper(facts: Facts, trail: Trail) -> _Function | None:
    """The function that was handed what goes into batches under the name that it had before."""
    last = max((number for number, site in enumerate(trail) if facts.is_sampled(site)), default=None)
    then = (
        next((site for site in trail[last + 1 :] if site.kind != "given"), None) if last is not None else None
    )
    found = parameter_at(facts, then) if then is not None and then.kind == "argument" else None
    return found[0] if found is not None else None


def _argument(facts: Facts, trail: Trail, keeper: _Function) -> Place | None:
    """The name of a value where the one call of a function in its scope hands it over."""
    named: Origin | None = None
    for site in trail:
        found = parameter_at(facts, site) if site.kind == "argument" and named is not None else None
        if found is not None and found[0] is keeper and named is not None:
            return _handed(facts, named, _called(facts.outline(site.path), keeper))
        if site.kind in _NAMED and site.path in facts.program.sources:
            named = site
    return None


def _handed(facts: Facts, named: Origin, function: str) -> Place | None:
    """The one place where a name, which stands for nothing else, is an argument of what is called so."""
    outline = facts.outline(named.path)
    node = next(
        (each for each in outline.nodes_at(named.span) if isinstance(each, (ast.Name, ast.arg))), None
    )
    if node is None:
        return None
    name = node.id if isinstance(node, ast.Name) else node.arg
    uses = outline.occurrences(outline.function_of(node) or outline.source.tree, name)
    scope = outline.scopes(node)[0]
    own = [use for use in uses if outline.scopes(use)[0] == scope]
    if any(not isinstance(use.ctx, ast.Load) and use is not node for use in own):
        return None
    found = [use for use in own if use is not node and _is_given_to(outline, use, function)]
    return Place(named.path, outline, found[0]) if len(found) == 1 else None


def _is_given_to(outline: Outline, use: ast.Name, function: str) -> bool:
    above = outline.parents[use]
    call = outline.parents[above] if isinstance(above, ast.keyword) else above
    return isinstance(call, ast.Call) and call.func is not use and called(call) == function


def _called(outline: Outline, function: _Function) -> str:
    """By which name a function is called: a constructor by that of its class."""
    cls = outline.class_of(function) if function.name == "__init__" else None
    return cls.name if cls is not None else function.name
