"""Moves of batches: moving what comes out of a batch, once, where it gets its name."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import (
    FileEdit,
    InsertAfter,
    InsertAtBodyStart,
    Operand,
    Origin,
    WrapExpression,
)
from devfix.placement.batches import branching
from devfix.placement.devices import device_expression, imported_device
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.text import missing_values
from devfix.placement.text.naming import differs_by_round

Edits = tuple[FileEdit, ...]
_LOOPS = (ast.For, ast.AsyncFor)


def after(facts: Facts, place: Place, peers: list[Operand]) -> Edits:
    """``x = x.to(device)`` after the statement that unpacks a batch into names, ``x`` among them."""
    statement = place.outline.statement_of(place.node)
    if not isinstance(place.node, ast.Name) or not _is_bound_by(statement, place.node):
        return ()
    name, inside = place.node.id, place.node
    if isinstance(statement, _LOOPS):
        return _in_loop(facts, place, statement, name, peers)
    if not (isinstance(statement, ast.Assign) and _is_unpacking(statement)):
        return ()
    given = branching.paired(statement, inside)
    if missing_values.chooses_none(statement, name):
        return ()
    if given is not None and missing_values.may_be_none(facts, place.outline, given):
        return ()
    if isinstance(given, ast.Name):
        return ()  # but another name of what has one: of ``x`` in ``total, name = x.sum(), x``
    own = Place(place.path, place.outline, inside)
    found = device_expression.find(facts, own, peers) or imported_device.find(facts, own)
    if found is None or found.code.partition(".")[0] == name:
        return ()
    last = branching.with_second_try(
        place.outline, branching.with_other_branches(place.outline, statement, name), {name}
    )
    block = place.outline.block_of(last)
    if tests := missing_values.ends(place.outline, statement, name):
        if tests != block[block.index(last) + 1 :][:1]:
            return ()
        [last] = tests  # whoever gets by the test has what can be moved
    if isinstance(given, ast.Call) and last is statement and (moved := _at_call(facts, place, given, peers)):
        return moved
    edit = InsertAfter(place.outline.source.span(last), f"{name} = {name}.to({found.code})", _rank(place))
    return (*found.edits, FileEdit(place.path, edit))


def _at_call(facts: Facts, place: Place, call: ast.Call, peers: list[Operand]) -> Edits:
    """``f().to(device)`` in ``x, done = f(), False``."""
    found = device_expression.find(facts, Place(place.path, place.outline, call), peers)
    moved = suffixes.added(facts, place.outline, call, f".to({found.code})") if found is not None else ()
    return (*found.edits, *moved) if found is not None and moved else ()


def _is_bound_by(statement: ast.stmt, name: ast.Name) -> bool:
    """Whether the statement itself binds the name: a comprehension's is unknown outside of it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(node is name for target in targets if target is not None for node in in_rows(target))


def _in_loop(
    facts: Facts, place: Place, loop: ast.For | ast.AsyncFor, name: str, peers: list[Operand]
) -> Edits:
    top = Place(place.path, place.outline, loop.body[0])
    found = device_expression.find(facts, top, peers) or imported_device.find(facts, top)
    if found is None or found.code.partition(".")[0] == name:
        return ()
    if differs_by_round(place.outline, facts, loop, name):
        return ()
    once = _uses_by_position(loop, name)
    if len(once) > 1:
        return ()
    if once:
        only = WrapExpression(place.outline.source.span(once[0]), "", f".to({found.code})")
        return (*found.edits, FileEdit(place.path, only))
    code = f"{name} = {name}.to({found.code})"
    edit = InsertAtBodyStart(place.outline.source.span(loop), code, _rank(place))
    return (*found.edits, FileEdit(place.path, edit))


def _uses_by_position(loop: ast.For | ast.AsyncFor, name: str) -> list[ast.Name]:
    """Uses of one of a batch's parts, where some are of one part alone: its number, or the name beside it, is tested.

    Or it is tested what the part is. There are none where each part is used, before all tests or whatever they say.
    """
    beside = {node.id for node in in_rows(_unpacked(loop)) if isinstance(node, ast.Name)} - {name}
    found, is_asked = list[ast.Name](), False
    for part in loop.body:
        if isinstance(part, ast.If) and (_reads(part.test) & beside or branching.asks_what(part.test, name)):
            *branches, rest = branching.branches_of(part)
            if branching.asks_what(part.test, name):
                is_asked = True
                branches.append(rest)  # a list has no ``to``, so what is a tensor moves behind the test
            elif any(name in _reads(each) for each in rest):
                return []
            found += [use for branch in branches for each in branch for use in _uses(each, name)]
        elif found or is_asked:
            found += _uses(part, name)
        elif name in _reads(part):
            return []
    return found


def _unpacked(loop: ast.For | ast.AsyncFor) -> ast.expr:
    """What a loop's target says of one batch: not how many there were before it, as ``i, (x, y)`` does."""
    target = loop.target
    counted = isinstance(target, ast.Tuple) and isinstance(target.elts[-1], (ast.Tuple, ast.List))
    named = getattr(loop.iter, "func", None)
    if counted and isinstance(target, ast.Tuple) and getattr(named, "id", "") == "enumerate":
        return target.elts[-1]
    return target


def _uses(code: ast.AST, name: str) -> list[ast.Name]:
    """Where code reads a name."""
    names = (node for node in in_rows(code) if isinstance(node, ast.Name) and node.id == name)
    return [node for node in names if isinstance(node.ctx, ast.Load)]


def _reads(code: ast.AST) -> set[str]:
    names = (node for node in in_rows(code) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}


def _rank(place: Place) -> int:
    """Moves of one statement's names stand in the order of the names."""
    return place.outline.source.span(place.node).column


def guarded(place: Place, peers: list[Operand]) -> Edits:
    """Beside the move of another name of the same batch, where that move has a guard around it.

    ``if args.cuda: data = data.cuda()`` gets a ``target = target.cuda()`` of its own, so that both
    obey the same option.
    """
    outline = place.outline
    unpacking = outline.statement_of(place.node)
    if not isinstance(place.node, ast.Name) or not _names(unpacking):
        return ()
    for peer in peers:
        for site in (site for trail in (peer.trail, *peer.roots) for site in trail[:1]):
            moved = _guarded_move(outline, place, site, unpacking)
            if moved is not None:
                statement, suffix = moved
                name = place.node.id
                code = f"{name} = {name}{suffix}"
                return (
                    FileEdit(place.path, InsertAfter(outline.source.span(statement), code, _rank(place))),
                )
    return ()


def _guarded_move(
    outline: Outline, place: Place, site: Origin, unpacking: ast.stmt
) -> tuple[ast.stmt, str] | None:
    """The statement ``x = x.cuda()`` at ``site`` and what it calls, when ``x`` came out of ``unpacking``."""
    call = outline.expression_at(site.span) if site.kind == "move" and site.path == place.path else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    receiver, statement = call.func.value, outline.statement_of(call)
    if not (isinstance(statement, ast.Assign) and statement.value is call and isinstance(receiver, ast.Name)):
        return None
    if ast.unparse(statement.targets[0]) != receiver.id or receiver.id not in _names(unpacking):
        return None
    if not isinstance(outline.parents[statement], ast.If):
        return None
    whole, head = outline.source.segment(site.span), outline.source.segment(outline.source.span(receiver))
    return statement, whole[len(head) :]


def _names(statement: ast.stmt) -> set[str]:
    """The names that a loop or an assignment unpacks something into."""
    if isinstance(statement, _LOOPS):
        target: ast.expr = statement.target
    elif isinstance(statement, ast.Assign) and _is_unpacking(statement):
        target = statement.targets[0]
    else:
        return set()
    return {node.id for node in in_rows(target) if isinstance(node, ast.Name)}


def _is_unpacking(statement: ast.Assign) -> bool:
    return len(statement.targets) == 1 and isinstance(statement.targets[0], (ast.Tuple, ast.List))
