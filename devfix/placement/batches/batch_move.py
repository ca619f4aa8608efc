"""Moves of batches: moving what comes out of a batch, once, where it gets its name."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, first_name
from devfix.findings import (
    BindResult,
    Edit,
    FileEdit,
    InsertAfter,
    InsertAtBodyStart,
    Operand,
    Origin,
    WrapExpression,
)
from devfix.placement.batches import batch_forms
from devfix.placement.devices import boundness, device_expression, imported_device
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.text import chains, missing_values
from devfix.placement.text.naming import differs_by_round

Edits = tuple[FileEdit, ...]
_LOOPS = (ast.For, ast.AsyncFor)
#: Functions that tell of what kind a value is.
_KINDS = ("is_tensor", "isinstance", "hasattr", "type")


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
    given = _paired(statement, inside)
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
    last = with_second_try(place.outline, with_other_branches(place.outline, statement, name), {name})
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


def _paired(statement: ast.Assign, name: ast.AST) -> ast.expr | None:
    """What of ``f(), g()`` a name gets in ``a, b = f(), g()``."""
    [target], value = statement.targets[:1], statement.value
    both = (ast.Tuple, ast.List)
    if not isinstance(target, both) or not isinstance(value, both) or len(target.elts) != len(value.elts):
        return None
    if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
        return None
    return next((own for part, own in zip(target.elts, value.elts, strict=True) if part is name), None)


def with_other_branches(outline: Outline, statement: ast.stmt, name: str) -> ast.stmt:
    """The ``if`` around a statement, where each of its branches binds the name, to anything but None or a number."""
    while isinstance(around := outline.parents[statement], ast.If) and boundness.binds_always(around, name):
        if any(_gives_constant(part, name) for part in ast.walk(around) if isinstance(part, ast.Assign)):
            break  # a switch may leave this branch out today, and not tomorrow
        statement = around
    return statement


def _gives_constant(statement: ast.Assign, name: str) -> bool:
    """Whether a name gets a constant, by itself or beside others: ``x, mask = x, None``."""
    if isinstance(statement.value, ast.Constant):
        return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
    names = (
        part for part in ast.walk(statement.targets[0]) if isinstance(part, ast.Name) and part.id == name
    )
    return any(isinstance(_paired(statement, part), ast.Constant) for part in names)


def with_second_try(outline: Outline, statement: ast.stmt, names: set[str]) -> ast.stmt:
    """The ``try`` around a statement, where a handler unpacks anew (a loader that came to its end, say)."""
    around = outline.parents[statement]
    if not isinstance(around, ast.Try) or statement not in around.body or around.orelse or around.finalbody:
        return statement
    again = [node for handler in around.handlers for node in ast.walk(handler)]
    stored = {node.id for node in again if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return statement if stored.isdisjoint(names) else around


def _is_bound_by(statement: ast.stmt, name: ast.Name) -> bool:
    """Whether the statement itself binds the name: a comprehension's is unknown outside of it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(node is name for target in targets if target is not None for node in ast.walk(target))


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
    beside = {node.id for node in ast.walk(_unpacked(loop)) if isinstance(node, ast.Name)} - {name}
    found, is_asked = list[ast.Name](), False
    for part in loop.body:
        if isinstance(part, ast.If) and (_reads(part.test) & beside or asks_what(part.test, name)):
            *branches, rest = branches_of(part)
            if asks_what(part.test, name):
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
    names = (node for node in ast.walk(code) if isinstance(node, ast.Name) and node.id == name)
    return [node for node in names if isinstance(node.ctx, ast.Load)]


def branches_of(test: ast.If) -> list[list[ast.stmt]]:
    """What is done where one of the tests of an ``if`` and its ``elif`` holds, and last what where none does."""
    if len(test.orelse) == 1 and isinstance(further := test.orelse[0], ast.If):
        return [test.body, *branches_of(further)]
    return [test.body, test.orelse]


def asks_what(test: ast.AST, name: str) -> bool:
    """Whether a test asks of what kind a name is: ``torch.is_tensor(name)``, ``isinstance(name, Tensor)``."""
    calls = (node for node in ast.walk(test) if isinstance(node, ast.Call) and node.args)
    asked = (call for call in calls if _is_name(call.args[0], name))
    return any(ast.unparse(call.func).rpartition(".")[2] in _KINDS for call in asked)


def _reads(code: ast.AST) -> set[str]:
    names = (node for node in ast.walk(code) if isinstance(node, ast.Name))
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
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def whole_batch(facts: Facts, place: Place, peers: list[Operand]) -> Edits:
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
    return isinstance(value, ast.Name) and any(_is_name(target, value.id) for target in targets)


def _names_device(facts: Facts, place: Place, node: ast.expr) -> bool:
    names = (facts.bindings(place.path, scope) for scope in place.outline.scopes(place.node))
    text = ast.unparse(node)
    return any(binding.kind == "device" for each in names for binding in each.get(text, []))


def _statement_that_moves(loop: ast.For | ast.AsyncFor, name: str) -> ast.stmt | None:
    """The statement ``batch.to(...)`` or ``batch = batch.to(...)`` of a loop."""
    for statement in loop.body:
        value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        func = value.func if isinstance(value, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in ("to", "cuda") and _is_name(func.value, name):
            return statement
    return None


def moves_parts(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop's body moves ``batch["key"]`` by itself, or what is in it: ``batch["key"]["part"]``."""
    calls = (node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Call))
    moves = (
        call.func.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda")
    )
    return any(
        isinstance(part, ast.Subscript) and _is_name(chains.head(part, (ast.Subscript,)), name)
        for part in moves
    )


def _is_used_as_dict(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop only ever reads the name as ``name["key"]`` or ``**name``."""
    uses = {id(node) for part in loop.body for node in ast.walk(part) if _is_name(node, name)}
    keyed = 0
    for node in (node for part in loop.body for node in ast.walk(part)):
        if isinstance(node, ast.Subscript) and _is_name(node.value, name) and isinstance(node.ctx, ast.Load):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                uses.discard(id(node.value))
                keyed += 1
        elif isinstance(node, ast.keyword) and node.arg is None and _is_name(node.value, name):
            uses.discard(id(node.value))
            keyed += 1
    return keyed > 0 and not uses


def _is_used_as_record(loop: ast.For | ast.AsyncFor, name: str, *, handed: bool) -> bool:
    """Whether the loop reads several parts as ``name.part`` and moves none by itself; ``handed``: or hands the whole on.

    A part that selects from something else, ``names[batch.ids]``, stays: that may be an array.
    """
    parts: set[str] = set()
    calls = False
    for node in (node for part in loop.body for node in ast.walk(part)):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return False
        if isinstance(node, ast.Subscript) and first_name(node.value) != name and _uses(node.slice, name):
            return False
        if isinstance(node, ast.Attribute) and _is_name(node.value, name):
            parts.add(node.attr)
        if isinstance(node, ast.Call):
            if called(node) in ("to", "cuda") and first_name(node.func) == name:
                return False
            calls = calls or any(_is_name(given, name) for given in node.args)
    return (handed and calls) or len(parts) > 1


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_unpacking(statement: ast.Assign) -> bool:
    return len(statement.targets) == 1 and isinstance(statement.targets[0], (ast.Tuple, ast.List))
