"""Moves of whole batches: what is a dict, a record or moves itself moves at the top of the loop."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import called, first_name, in_rows, names_in
from devfix.findings import BindResult, Edit, FileEdit, InsertAtBodyStart, Operand
from devfix.placement.batches import batch_forms
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]
_LOOPS = (ast.For, ast.AsyncFor)


def moved_whole(facts: Facts, place: Place, peers: list[Operand]) -> Edits:
    """All of a batch that is a dict or moves itself, at the top of the loop over the loader at ``place``."""
    loop = place.outline.statement_of(place.node)
    if not isinstance(loop, _LOOPS):
        return ()
    target = loop.target
    if isinstance(target, ast.Tuple) and isinstance(loop.iter, ast.Call) and len(target.elts) == 2:
        target = target.elts[1] if getattr(loop.iter.func, "id", "") == "enumerate" else target
    if not isinstance(target, ast.Name):
        return ()
    kind = _kind(facts, place, loop, target.id)
    moving = _statement_that_moves(loop, target.id)
    if kind == "object" and isinstance(moving, ast.Expr):
        return (FileEdit(place.path, BindResult(place.outline.source.span(moving), target.id)),)
    is_dict = kind in batch_forms.DICTS
    if moving is not None or not kind or (is_dict and moves_parts(loop, target.id)):
        return ()
    if is_dict and is_moved_by_another(facts, place):
        return ()
    found = device_expression.find(facts, Place(place.path, place.outline, loop.body[0]), peers)
    if found is None or found.code.partition(".")[0] == target.id:
        return ()
    batch = target.id
    code = batch_forms.moved(kind, batch, found.code)
    edit: Edit = InsertAtBodyStart(place.outline.source.span(loop), code)
    return (*found.edits, FileEdit(place.path, edit))


def is_movable_whole(facts: Facts, place: Place) -> bool:
    """Whether the value at ``place`` gets one name, under which it is something that ``to`` moves as a whole."""
    statement = place.outline.statement_of(place.node)
    if not isinstance(statement, ast.Assign) or statement.value is not place.node:
        return False
    target = statement.targets[0] if len(statement.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return False
    scope, span = place.outline.scopes(statement)[0], place.outline.source.span(statement)
    bindings = facts.bindings(place.path, scope).get(target.id, [])
    return {binding.kind for binding in bindings if binding.statement == span} == {"object"}


def _kind(facts: Facts, place: Place, loop: ast.For | ast.AsyncFor, name: str) -> str:
    """How the batch behind a name is moved; "" when nobody knows.

    Of a dict every value is known to be a tensor, or it is a mixed one.
    """
    bindings = facts.bindings(place.path, place.outline.scopes(loop)[0]).get(name, [])
    kinds = {binding.kind for binding in bindings}
    if len(kinds) == 1 and kinds <= {"object", "mover"}:
        return kinds.pop()
    if len(kinds) == 1 and kinds <= batch_forms.RECORDS:
        return kinds.pop() if _is_used_as_record(loop, name, handed=facts.program.adopts) else ""
    if not _is_used_as_dict(loop, name):
        return ""
    if len(kinds) == 1 and kinds <= batch_forms.DICTS:
        return kinds.pop()
    return "mixed dict" if kinds.isdisjoint(batch_forms.OWN_DICTS) else ""


def is_moved_by_another(facts: Facts, place: Place) -> bool:
    """Whether the loop at ``place`` has ``batch = send(batch, device)``: what that leaves where it is has no ``to``."""
    loop = place.outline.statement_of(place.node)
    for statement in loop.body if isinstance(loop, _LOOPS) else ():
        call = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(call, ast.Call) and call.args and _rebinds(statement, call.args[0]):
            given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
            return any(_names_device(facts, place, each) for each in given)
    return False


def _rebinds(statement: ast.stmt, value: ast.expr) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return isinstance(value, ast.Name) and any(chains.name_of(target) == value.id for target in targets)


def _names_device(facts: Facts, place: Place, node: ast.expr) -> bool:
    names = (facts.bindings(place.path, scope) for scope in place.outline.scopes(place.node))
    text = ast.unparse(node)
    return any(binding.kind == "device" for each in names for binding in each.get(text, []))


def _statement_that_moves(loop: ast.For | ast.AsyncFor, name: str) -> ast.stmt | None:
    """The statement ``batch.to(...)`` or ``batch = batch.to(...)`` of a loop."""
    for statement in loop.body:
        value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        func = value.func if isinstance(value, ast.Call) else None
        if (
            isinstance(func, ast.Attribute)
            and func.attr in ("to", "cuda")
            and chains.name_of(func.value) == name
        ):
            return statement
    return None


def moves_parts(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop's body moves ``batch["key"]`` by itself, or what is in it: ``batch["key"]["part"]``."""
    calls = (node for part in loop.body for node in in_rows(part) if isinstance(node, ast.Call))
    moves = (
        call.func.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda")
    )
    return any(
        isinstance(part, ast.Subscript) and chains.name_of(chains.head(part, (ast.Subscript,))) == name
        for part in moves
    )


def _is_used_as_dict(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop only ever reads the name as ``name["key"]`` or ``**name``."""
    uses = {id(node) for part in loop.body for node in in_rows(part) if chains.name_of(node) == name}
    keyed = 0
    for node in (node for part in loop.body for node in in_rows(part)):
        if (
            isinstance(node, ast.Subscript)
            and chains.name_of(node.value) == name
            and isinstance(node.ctx, ast.Load)
        ):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                uses.discard(id(node.value))
                keyed += 1
        elif isinstance(node, ast.keyword) and node.arg is None and chains.name_of(node.value) == name:
            uses.discard(id(node.value))
            keyed += 1
    return keyed > 0 and not uses


def _is_used_as_record(loop: ast.For | ast.AsyncFor, name: str, *, handed: bool) -> bool:
    """Whether the loop reads several parts as ``name.part`` and moves none by itself; ``handed``: or hands the whole on.

    A part that selects from something else, ``names[batch.ids]``, stays: that may be an array.
    """
    parts: set[str] = set()
    calls = False
    for node in (node for part in loop.body for node in in_rows(part)):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return False
        if (
            isinstance(node, ast.Subscript)
            and first_name(node.value) != name
            and name in names_in(node.slice)
        ):
            return False
        if isinstance(node, ast.Attribute) and chains.name_of(node.value) == name:
            parts.add(node.attr)
        if isinstance(node, ast.Call):
            if called(node) in ("to", "cuda") and first_name(node.func) == name:
                return False
            calls = calls or any(chains.name_of(given) == name for given in node.args)
    return (handed and calls) or len(parts) > 1
