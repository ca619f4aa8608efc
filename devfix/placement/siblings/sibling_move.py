"""Sibling moves: what comes out of a batch moves as the other parts of it do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter, Origin, WrapExpression
from devfix.placement.batches.branching import asks_what, with_other_branches
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings import made_alike, same_words
from devfix.placement.text import chains, following_use

Edits = tuple[FileEdit, ...]
_MOVES = ("to", "cuda")


def beside(facts: Facts, place: Place, *, anyhow: bool = False) -> Edits:
    """``y = y.cuda()`` after ``x = x.cuda()``, where one loop or one assignment unpacks both.

    For programs that name no device, or ``anyhow``: what their author wrote for ``x`` does for ``y``.
    """
    unpacking = place.outline.statement_of(place.node)
    if not isinstance(place.node, ast.Name):
        return ()
    together = _in_one_assignment(facts, place, unpacking, place.node)
    if together or place.node.id not in unpacked(unpacking):
        return together
    name = place.node.id
    if any(asks_what(each, name) for each in following(place, unpacking)):
        return ()  # in another run it is a list, which has no ``to``
    waits = isinstance(unpacking, ast.Assign) and not anyhow
    named = waits and device_expression.chosen(facts, place) is not None
    for statement, sibling, suffix in _moves(place, unpacking):
        if named and not isinstance(place.outline.parents[statement], ast.If):
            continue  # with a device at hand, all that is unpacked moves at once
        if sibling != name and is_placed(facts, place, statement, sibling) and not names(suffix, name):
            own = _renewed(facts, place, unpacking, name)
            if own is not None:
                return suffixes.as_beside(facts, place.outline, own, suffix, statement)
            rank = place.outline.source.span(place.node).column
            span = place.outline.source.span(statement)
            return (FileEdit(place.path, InsertAfter(span, f"{name} = {name}{suffix}", rank)),)
    return () if named else _in_same_words(facts, place, unpacking)


def _in_same_words(facts: Facts, place: Place, unpacking: ast.stmt) -> Edits:
    """After the statement that gives a sibling its name again by a choice, or by a function that is for moves."""
    parts = unpacked(unpacking)
    for statement in following(place, unpacking):
        if not isinstance(statement, ast.Assign):
            continue
        for sibling in parts:
            if not binds(statement, sibling) or not is_placed(facts, place, statement, sibling):
                continue
            if edits := same_words.after(facts, place, statement, sibling):
                return edits
    return ()


def is_one_of(facts: Facts, trail: tuple[Origin, ...]) -> bool:
    """Whether something was made and got its name with others that their author moves by statements of their own."""
    places = (place_at(facts, site.path, site.span) for site in trail[1:] if site.kind == "name")
    return any(_has_moved_sibling(facts, place) for place in places if place is not None)


def _has_moved_sibling(facts: Facts, place: Place) -> bool:
    unpacking = place.outline.statement_of(place.node)
    name = place.node.id if isinstance(place.node, ast.Name) else ""
    return name in unpacked(unpacking) and any(
        sibling != name and is_placed(facts, place, statement, sibling)
        for statement, sibling, _ in _moves(place, unpacking)
    )


def _renewed(facts: Facts, place: Place, unpacking: ast.stmt, name: str) -> ast.expr | None:
    """What a name gets that is a part of what it stands for, as ``x.data`` is, or a cast of it, in a statement of its own.

    Nothing reads the name before that, and what it gets may be a tensor.
    """
    for statement in following(place, unpacking):
        if isinstance(statement, ast.Assign) and binds(statement, name):
            value = statement.value
            is_part = _root(value) == name and not isinstance(value, ast.Name)
            return value if is_part and _may_be_tensor(facts, place, statement, name) else None
        if name in _read(statement):
            return None
    return None


def _may_be_tensor(facts: Facts, place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether nothing else than a tensor was seen to be what a statement gives to a name."""
    span = place.outline.source.span(statement)
    known = facts.bindings(place.path, place.outline.scopes(statement)[0]).get(name, [])
    return all(each.kind in ("tensor", "strange", "ungiven") for each in known if each.statement == span)


@noted
def _read(statement: ast.stmt) -> frozenset[str]:
    """The names in a statement; the body of a guard is looked at by itself."""
    parts = [statement.test, *statement.orelse] if isinstance(statement, ast.If) else [statement]
    return frozenset(node.id for part in parts for node in in_rows(part) if isinstance(node, ast.Name))


def _root(value: ast.expr) -> str:
    """The name at the head of ``name.data.view(-1)``; "" where anything else stands there."""
    return chains.name_of(value, ast.Attribute, ast.Call)


def along(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """What was made and got a name moves as the others that got theirs with it, or just before a guard."""
    for site in trail[1:]:
        place = place_at(facts, site.path, site.span) if site.kind == "name" else None
        edits = (beside(facts, place) or _under_guard(facts, place)) if place is not None else ()
        if edits:
            return edits
    return ()


def _under_guard(facts: Facts, place: Place) -> Edits:
    """``x = x.cuda()`` in an ``if use_gpu: y = y.cuda()`` that does nothing but move what was made before it, or modules."""
    statement = place.outline.statement_of(place.node)
    if not isinstance(place.node, ast.Name) or not binds(statement, place.node.id):
        return ()
    name, block = place.node.id, place.outline.block_of(statement)
    end = following_use.line_of(place.outline, statement, name)
    for guard in block[block.index(statement) + 1 :]:
        if guard.lineno > end:
            break  # it has been read, or is another one from here on
        moves = _moved_alone(guard) if isinstance(guard, ast.If) else {}
        tensors_first = sorted(moves.items(), key=lambda each: isinstance(each[1][0], ast.Expr))
        for sibling, (move, suffix) in tensors_first if name not in moves else ():
            known = _is_made_before(place.outline, guard, sibling) and not names(suffix, name)
            if known and (is_placed(facts, place, move, sibling) or _is_module(facts, place, move, sibling)):
                together = [(statement, name), *_also_moved(place.outline, guard, statement, moves)]
                span = place.outline.source.span(move)
                return tuple(
                    FileEdit(place.path, InsertAfter(span, f"{each} = {each}{suffix}", made.lineno))
                    for made, each in together
                )
    return ()


def _also_moved(
    outline: Outline, guard: ast.stmt, statement: ast.stmt, moves: Container[str]
) -> Iterator[tuple[ast.stmt, str]]:
    """What is made as the value of a statement is, and goes where that goes, moves under the guard as well."""
    for other, name in made_alike.others(outline, statement):
        before = other.lineno < guard.lineno < following_use.line_of(outline, other, name)
        if before and name not in moves:
            yield other, name


def _is_made_before(outline: Outline, guard: ast.stmt, name: str) -> bool:
    """Whether a statement in the block of a guard, and before it, binds a name and nothing else, or the loop around them."""
    scope = outline.function_of(guard) or outline.source.tree
    block = outline.block_of(guard)
    loop = outline.parents[guard]
    if isinstance(loop, (ast.For, ast.AsyncFor)) and block is loop.body and name in unpacked(loop):
        return True
    return any(
        part.lineno < guard.lineno and binds(part, name) and outline.block_of(part) is block
        for part in outline.names_in(scope).binders(name)
    )


def _moved_alone(guard: ast.If) -> dict[str, tuple[ast.stmt, str]]:
    """What a guard moves that does nothing else: by name the statement, and what it calls; {} for any other guard."""
    if guard.orelse:
        return {}
    found = {}
    for part in guard.body:
        for target, value in _pairs(part):
            suffix = move_of(value)
            if not suffix or not isinstance(value, ast.Call):
                return {}
            name = ast.unparse(value)[: -len(suffix)]
            if target is None or (isinstance(target, ast.Name) and target.id == name):
                found[name] = (part, suffix)
    return found


def _pairs(part: ast.stmt) -> list[tuple[ast.expr | None, ast.expr]]:
    """What a statement binds one by one, and to what: two pairs of ``x, y = x.cuda(), y.cuda()``; nothing is bound by a call."""
    if isinstance(part, ast.Expr):
        return [(None, part.value)]
    if not isinstance(part, ast.Assign):
        return [(None, ast.Constant(None))]
    target, value = part.targets[0], part.value
    if len(part.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target if len(part.targets) == 1 else ast.Constant(None), value)]


def _is_module(facts: Facts, place: Place, move: ast.stmt, name: str) -> bool:
    """Whether a statement that is nothing else than a move is that of a module."""
    known = facts.bindings(place.path, place.outline.scopes(move)[0]).get(name, [])
    return isinstance(move, ast.Expr) and bool(known) and all(each.kind == "module" for each in known)


def where_made(facts: Facts, sites: list[Origin], is_elsewhere: Callable[[Origin], bool]) -> Iterator[Edits]:
    """What another function makes of a value moves there, if the others that it makes with it do.

    The sites are those of a life, the last one first: a device is no reason to move later what was handed on by then.
    """
    handed_on = False
    for site in sites:
        place = place_at(facts, site.path, site.span) if site.kind == "name" else None
        if place is not None and is_elsewhere(site):
            yield beside(facts, place, anyhow=handed_on)
        handed_on = handed_on or place is not None


def _in_one_assignment(facts: Facts, place: Place, statement: ast.stmt, name: ast.Name) -> Edits:
    """In ``x, y = x.cuda(), y`` the name moves as well, and so it does in ``Variable(x.cuda()), Variable(y)``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    target = targets[0] if len(targets) == 1 else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return ()
    pairs = list(zip(target.elts, value.elts, strict=False))
    own = next((made for part, made in pairs if part is name), None)
    if own is None or len(target.elts) != len(value.elts):
        return ()
    around = wrapper(own)
    if around:
        pairs = [
            (part, made.args[0])
            for part, made in pairs
            if isinstance(made, ast.Call) and wrapper(made) == around
        ]
        own = next(made for part, made in pairs if part is name)
    if last_move(own) or not f"{ast.unparse(own)}.".startswith(f"{name.id}."):
        return ()
    for part, made in pairs:
        suffix = last_move(made)
        is_sibling = isinstance(part, ast.Name) and suffix and ast.unparse(made).startswith(f"{part.id}.")
        if not is_sibling or not isinstance(part, ast.Name) or names(suffix, name.id):
            continue
        if is_placed(facts, place, statement, part.id):
            return (FileEdit(place.path, WrapExpression(place.outline.source.span(own), "", suffix)),)
    return ()


def wrapper(value: ast.expr) -> str:
    """The function that is called with one argument alone; "" for any other expression."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or len(value.args) != 1:
        return ""
    return value.func.id


def unpacked(statement: ast.stmt) -> set[str]:
    """The names that a loop or an assignment takes a batch apart into."""
    target: ast.expr | None = None
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        target = statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0] if isinstance(statement.targets[0], (ast.Tuple, ast.List)) else None
    return (
        {node.id for node in in_rows(target) if isinstance(node, ast.Name)} if target is not None else set()
    )


def _taken_from_the_same(outline: Outline, unpacking: ast.stmt) -> set[str]:
    """The names that other statements of a block give to parts of what ``unpacking`` takes one from: ``batch.source``."""
    holder = _holder(unpacking)
    block = outline.block_of(unpacking) if holder else []
    return {name for part in block if _holder(part) == holder for name in unpacked(part)}


def _holder(statement: ast.stmt) -> str:
    """``batch`` of ``x, lengths = batch.source``; "" of anything else."""
    value = statement.value if isinstance(statement, ast.Assign) and unpacked(statement) else None
    part = value.value if isinstance(value, ast.Attribute | ast.Subscript) else None
    return part.id if isinstance(part, ast.Name) else ""


def _moves(place: Place, unpacking: ast.stmt) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements that move what was unpacked, under a guard or not: which name, and what they call on it."""
    parts = unpacked(unpacking) | _taken_from_the_same(place.outline, unpacking)
    own, was_read = getattr(place.node, "id", ""), False
    for statement in following(place, unpacking):
        value = statement.value if isinstance(statement, ast.Assign) else None
        suffix = last_move(value) if value is not None else ""
        name = _root(value) if value is not None and suffix else ""
        if name in parts and binds(statement, name):
            yield statement, name, suffix
        elif value is not None and name in parts and not was_read and (new := _new_name(statement, value)):
            yield statement, new, suffix
        was_read |= own in _read(statement)


def _new_name(statement: ast.stmt, value: ast.expr) -> str:
    """The name that what moves is called from then on: ``inputs`` of ``inputs = x.to(device)``; "" of any other statement."""
    targets = statement.targets if isinstance(statement, ast.Assign) and move_of(value) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def following(place: Place, unpacking: ast.stmt) -> Iterator[ast.stmt]:
    """What comes after the unpacking on the same way, with the bodies of its guards."""
    if isinstance(unpacking, (ast.For, ast.AsyncFor)):
        rest = unpacking.body
    else:
        name = place.node.id if isinstance(place.node, ast.Name) else ""
        unpacking = with_other_branches(place.outline, unpacking, name)
        block = place.outline.block_of(unpacking)
        rest = block[block.index(unpacking) + 1 :]
    for statement in rest:
        yield statement
        if isinstance(statement, ast.If):
            yield from statement.body


def names(suffix: str, name: str) -> bool:
    """Whether what is called on one name asks for the other."""
    return re.search(rf"\b{name}\b", suffix) is not None


def move_of(value: ast.expr) -> str:
    """``.cuda(...)`` of a name that is moved; "" for any other expression."""
    func = value.func if isinstance(value, ast.Call) else None
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or func.attr not in _MOVES:
        return ""
    return ast.unparse(value)[len(func.value.id) :]


def last_move(value: ast.expr) -> str:
    """``.cuda(...)`` where it is the last of what is called on something."""
    func = value.func if isinstance(value, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in _MOVES:
        return ""
    return ast.unparse(value)[len(ast.unparse(func.value)) :]


def binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a value to that name, and to nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name


def is_placed(facts: Facts, place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether a name was seen to be a tensor on the accelerator after a statement, or got something else by ``cuda()``."""
    span = place.outline.source.span(statement)
    bindings = bindings_at(facts, place, statement, name)
    # Whoever asks for the CPU, in another call, has all parts there.
    found = [b for b in bindings if b.statement == span and b.device != CPU]
    by_cuda = isinstance(statement, ast.Assign) and move_of(statement.value).startswith(".cuda(")
    return bool(found) and all(
        b.device.is_accelerator if b.device is not None else by_cuda and b.kind in ("strange", "ungiven")
        for b in found
    )


def is_tensor(facts: Facts, place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether a name, or an attribute, was seen to be a tensor after a statement, wherever that is."""
    span = place.outline.source.span(statement)
    found = [each for each in bindings_at(facts, place, statement, name) if each.statement == span]
    return any(each.kind == "tensor" for each in found)


def bindings_at(facts: Facts, place: Place, statement: ast.stmt, name: str) -> list[Binding]:
    """All that a name of the function around a statement was seen to stand for, or an attribute of its object."""
    outline = place.outline
    function = outline.function_of(statement)
    receiver = outline.receiver_name(function)
    if function is not None and receiver is not None and name.startswith(f"{receiver}."):
        return facts.bindings(place.path, outline.scope(function)).get(
            f"self.{name[len(receiver) + 1 :]}", []
        )
    return facts.bindings(place.path, outline.scopes(statement)[0]).get(name, [])
