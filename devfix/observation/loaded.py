"""Loaded: batches that are on the accelerator before their loader is done with them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from devfix.findings import Mismatch, Operand, Origin
from devfix.observation.bindings import own_nodes
from devfix.observation.sighting import Sighting
from devfix.observation.spots import Spot

_LOOPS = (ast.For, ast.AsyncFor)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: Methods of datasets that a loader calls for its samples.
_SAMPLING = ("__getitem__", "__getitems__", "__iter__", "__next__")


def translated(sighting: Sighting) -> list[Mismatch]:
    """The batch as operand, with the calls that moved it as roots, where the program asks a loader for it."""
    asked = ((k, _asked(frame)) for k, frame in enumerate(sighting.lives.frames) if frame is not None)
    number, source = next(((k, source) for k, source in asked if source is not None), (0, None))
    frame = sighting.lives.frames[number] if source is not None else None
    if frame is None or source is None:
        return []
    loader = frame.at(_loader(source, sighting, number))
    moves = _moves(sighting, number)
    if sighting.observed.kind == "worker" and not moves:
        return []
    inner = [each for each in sighting.lives.frames[number + 1 :] if each is not None]
    within = inner[0] if inner else next(iter(moves), None)
    made = _made(sighting, loader, number)
    detail = {
        "scope": loader.scope,
        "where": "dataset" if within is None or _is_of_dataset(within) else "collate",
        "form": _form(within) if within is not None else "",
    }
    batch = Operand(
        loader.text,
        "batch",
        loader.path,
        loader.span,
        "cuda",
        trail=(made.origin("other"),) if isinstance(made.node, ast.Call) else (),
        roots=tuple((_moved(move),) for move in moves),
    )
    found = Mismatch(
        sighting.observed.kind,
        loader.path,
        loader.span,
        "torch.utils.data.DataLoader",
        (batch,),
        tuple(sorted(detail.items())),
    )
    return [found]


def otherwise(sighting: Sighting) -> list[Mismatch]:
    """The mismatches of the loader without the calls that move: where these do not make what is handed out, no worker can do it."""
    return [
        replace(
            found,
            operands=tuple(replace(batch, roots=()) for batch in found.operands),
            detail=tuple(sorted({**dict(found.detail), "where": "inside", "form": ""}.items())),
        )
        for found in translated(sighting)
        if found.kind == "worker"
    ]


def _made(sighting: Sighting, loader: Spot, number: int) -> Spot:
    """The call that made a loader, or what ``iter`` was given."""
    made = sighting.lives.whence.source(_expression(loader), loader, number)
    call = made.node
    while isinstance(call, ast.Call) and getattr(call.func, "id", "") == "iter" and call.args:
        made = sighting.lives.whence.source(call.args[0], made, number)
        call = made.node
    return made


def _expression(spot: Spot) -> ast.expr:
    assert isinstance(spot.node, ast.expr)  # noqa: S101 - what a loop iterates over is one
    return spot.node


def _asked(frame: Spot) -> ast.expr | None:
    """What a frame takes the next element of: of a loop, of a comprehension, or by ``next``."""
    node: ast.AST | None = frame.node
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "next" and node.args:
            return node.args[0]
        if isinstance(node, _COMPREHENSIONS) and not _is_in([node], frame.node, but=node.generators):
            return node.generators[0].iter
        node = frame.outline.parents.get(node)
    if isinstance(node, _LOOPS) and (node is frame.node or not _is_in(node.body, frame.node)):
        return node.iter
    return None


def _is_in(nodes: Sequence[ast.AST], node: ast.AST, but: Sequence[ast.AST] = ()) -> bool:
    within = any(node is part for each in nodes for part in ast.walk(each))
    return within and not any(node is part for each in but for part in ast.walk(each)) and node not in nodes


def _loader(source: ast.expr, sighting: Sighting, number: int) -> ast.expr:
    """The loader among what elements are asked of."""
    names = sighting.lives.names[number] if number < len(sighting.lives.names) else {}
    for node in ast.walk(source):
        if isinstance(node, (ast.Name, ast.Attribute)) and names.get(ast.unparse(node)) == "loader":
            return node
    while isinstance(source, ast.Call) and source.args and not isinstance(source.args[0], ast.Starred):
        source = source.args[0]
    return source


def _moves(sighting: Sighting, number: int) -> list[Spot]:
    """The calls, in what the loader calls, that put tensors on the accelerator."""
    if sighting.observed.kind == "worker":
        inside = len(sighting.lives.frames) - 1 > number and isinstance(sighting.sink.node, ast.Call)
        return [sighting.sink] if inside else []
    found: dict[tuple[str, object], Spot] = {}
    for operand in sighting.observed.operands:
        for made in (operand.made, *operand.roots):
            spot = sighting.lives.pointer.made(made)
            called = made is not None and made.kind in ("move", "factory", "random-factory")
            if spot is not None and called and (_is_of_dataset(spot) or _is_collating(spot)):
                found.setdefault((spot.path, spot.span), spot)
    return list(found.values())


def _moved(spot: Spot) -> Origin:
    return spot.origin("move" if _is_method(spot.node) else "factory")


def _is_method(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("to", "cuda")
    )


def _is_of_dataset(spot: Spot) -> bool:
    function = spot.outline.function_of(spot.node)
    return getattr(function, "name", "") in _SAMPLING


def _is_collating(spot: Spot) -> bool:
    """Whether the file gives the function around a spot to a loader."""
    function = spot.outline.function_of(spot.node)
    name = getattr(function, "name", None)
    keywords = (
        node for node in spot.outline.parents if isinstance(node, ast.keyword) and node.arg == "collate_fn"
    )
    given = {getattr(k.value, "attr", getattr(k.value, "id", "")) for k in keywords}
    return name is not None and (name in given or "collate" in name)


def _form(within: Spot) -> str:
    """What of the samples is moved, read off what the function around a move returns."""
    function = within.outline.function_of(within.node)
    if function is None:
        return ""
    nodes = list(own_nodes(function))
    holding = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _holds(node.value, within.node)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    values = [
        node.value for node in nodes if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None
    ]
    if not values:
        return ""
    value = values[0]
    if isinstance(value, ast.Tuple):
        moved = [k for k, part in enumerate(value.elts) if _holds(part, within.node) or _names(part, holding)]
        return ",".join(f"{k}:tensor" for k in moved)
    return "dict" if isinstance(value, (ast.Dict, ast.DictComp)) else "tensor"


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(each is part for each in ast.walk(node))


def _names(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))
