"""Own moves: objects of the program that move what they keep with a method of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import FileEdit, InsertAfter, Origin
from devfix.placement.devices import device_expression, imported_device
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import declared_parts
from devfix.placement.siblings import sibling_move

Edits = tuple[FileEdit, ...]

_Function = ast.FunctionDef | ast.AsyncFunctionDef

_MOVES = ("to", "cuda")
#: Through so many functions the object that one of them makes is followed.
_RETURNS = 3


@dataclass(frozen=True, slots=True)
class _Mover:
    """A method, and the statements in it that move attributes, by the attribute."""

    method: ast.FunctionDef
    moves: dict[str, ast.Assign]


def of_all(facts: Facts, own: tuple[Origin, ...], others: list[tuple[Origin, ...]], most: int) -> Edits:
    """How the value moves that has the life ``own``, or else all that it is computed from, which are few."""
    if edits := of_attribute(facts, own):
        return edits
    lives = [life for life in dict.fromkeys(others) if life[0].kind != "result" or _stored(life) is not None]
    ways = [of_attribute(facts, life) for life in lives]
    found = tuple(dict.fromkeys(edit for edits in ways for edit in edits))
    return found if all(ways) and len(found) <= most else ()


def of_attribute(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    """How what an object keeps as an attribute is moved by the object: in its method, or by a call of it."""
    stored = _stored(trail)
    if stored is None or stored.path not in facts.program.sources:
        return ()
    outline = facts.outline(stored.path)
    target = outline.expression_at(stored.span)
    maker = outline.function_of(target) if target is not None else None
    cls = outline.class_of(maker) if maker is not None else None
    if not isinstance(target, ast.Attribute) or maker is None or cls is None:
        return ()
    if maker.name != "__init__" or ast.unparse(target.value) != outline.receiver_name(maker):
        return ()
    mover = _mover(outline, cls)
    if mover is None:
        return ()
    if target.attr in mover.moves:
        return _called(facts, cls, mover)
    if facts.is_leaf(trail[0]):
        return ()  # an optimizer would have the leaf, and the object what was moved
    return _beside(outline, maker, mover, target.attr)


def in_module(facts: Facts, outline: Outline, maker: _Function, name: str) -> Edits:
    """One more attribute is moved in the ``to`` that a module has of its own, which moves others, as it is seen to do.

    It is no leaf: that would be another tensor than an optimizer has.
    """
    cls = outline.class_of(maker)
    mover = _mover(outline, cls) if cls is not None else None
    if mover is None or mover.method.name not in _MOVES or name in mover.moves:
        return ()
    receiver = outline.receiver_name(mover.method)
    for kept, statement in mover.moves.items():
        place = Place(outline.source.path, outline, statement)
        if not sibling_move.is_placed(facts, place, statement, f"{receiver}.{kept}"):
            return ()
    return _beside(outline, maker, mover, name, fewest=1)


def _stored(trail: tuple[Origin, ...]) -> Origin | None:
    return next((site for site in trail if site.kind == "attribute"), None)


def _mover(outline: Outline, cls: ast.ClassDef) -> _Mover | None:
    """The one method of a class that moves attributes of the object, which stay what they are called."""
    found: list[_Mover] = []
    for method in cls.body:
        if isinstance(method, ast.FunctionDef) and method.name != "__init__":
            moves = dict(_moved(method, outline.receiver_name(method) or ""))
            if moves:
                found.append(_Mover(method, moves))
    return found[0] if len(found) == 1 else None


def _moved(method: ast.FunctionDef, receiver: str) -> Iterator[tuple[str, ast.Assign]]:
    """The attributes that the body of a method moves: ``self.x = self.x.to(device)``."""
    for statement in method.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], _where_there(statement.value)
        func = value.func if isinstance(value, ast.Call) else None
        if not isinstance(func, ast.Attribute) or func.attr not in _MOVES:
            continue
        own = isinstance(target, ast.Attribute) and ast.unparse(target.value) == receiver
        if own and isinstance(target, ast.Attribute) and ast.unparse(target) == ast.unparse(func.value):
            yield target.attr, statement


def _where_there(value: ast.expr) -> ast.expr:
    """``self.x.to(device)`` of ``self.x.to(device) if self.x is not None else None``."""
    if not isinstance(value, ast.IfExp):
        return value
    parts = [part for part in (value.body, value.orelse) if not isinstance(part, ast.Constant)]
    return parts[0] if len(parts) == 1 else value


def _beside(outline: Outline, maker: _Function, mover: _Mover, name: str, fewest: int = 2) -> Edits:
    """One more attribute is moved as its neighbours are, in the order in which they were made; what may be None where it is there."""
    moves = {name: move for name, move in mover.moves.items() if isinstance(move.value, ast.Call)}
    if len(moves) < fewest:
        return ()
    order = [node.attr for node in _stores(maker)]
    before = [other for other in order[: order.index(name)] if other in moves]
    neighbour = before[-1] if before else next(iter(moves))
    statement = moves[neighbour]
    receiver = outline.receiver_name(mover.method)
    suffix = ast.unparse(statement.value)[len(ast.unparse(statement.targets[0])) :]
    code = f"{receiver}.{name} = {receiver}.{name}{suffix}"
    if declared_parts.may_be_missing(outline.class_of(maker), name):
        code = f"if {receiver}.{name} is not None:\n    {code}"
    return (FileEdit(outline.source.path, InsertAfter(outline.source.span(statement), code)),)


def _stores(function: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a function sets, in the order of the text."""
    found = [
        node
        for node in in_rows(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    yield from sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _called(facts: Facts, cls: ast.ClassDef, mover: _Mover) -> Edits:
    """The object's own method is called where its one object is made."""
    if mover.method.name not in _MOVES:
        return ()
    for outline, statement in _homes(facts, cls.name):
        edits = _called_after(facts, outline, statement, mover)
        if edits:
            return edits
    return ()


def _homes(facts: Facts, name: str) -> Iterator[tuple[Outline, ast.Assign]]:
    """Where the one object that ``name(...)`` makes gets its name, there and where functions have returned it."""
    for _ in range(_RETURNS):
        outlines = [facts.outline(path) for path in facts.program.sources]
        made = [found for outline in outlines for found in _constructions(outline, name)]
        if len(made) != 1:
            return
        yield made[0]
        outline, statement = made[0]
        function, target = outline.function_of(statement), ast.unparse(statement.targets[0])
        last = function.body[-1] if isinstance(function, ast.FunctionDef) else None
        if function is None or not isinstance(last, ast.Return) or last.value is None:
            return
        if ast.unparse(last.value) != target:
            return
        name = function.name


def _called_after(facts: Facts, outline: Outline, statement: ast.Assign, mover: _Mover) -> Edits:
    target = statement.targets[0]
    name = ast.unparse(target)
    if not isinstance(target, ast.Name) or _is_moved(outline, statement, name):
        return ()
    block = outline.block_of(statement)
    after = block[block.index(statement) + 1 :]
    arguments = len(mover.method.args.args) - 1 - len(mover.method.args.defaults)
    if not after or arguments > 1:
        return ()
    place = Place(outline.source.path, outline, after[0])
    found = device_expression.find(facts, place, []) or imported_device.find(facts, place)
    if found is None:
        return ()
    given = found.code if arguments == 1 else ""
    edit = InsertAfter(outline.source.span(statement), f"{name}.{mover.method.name}({given})")
    return (*found.edits, FileEdit(outline.source.path, edit))


def _constructions(outline: Outline, name: str) -> Iterator[tuple[Outline, ast.Assign]]:
    """The assignments of what ``name(...)`` makes."""
    for node in in_rows(outline.source.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if len(node.targets) == 1 and called(node.value) == name:
            yield outline, node


def _is_moved(outline: Outline, statement: ast.stmt, name: str) -> bool:
    """Whether the code around a statement moves what it binds already."""
    around: ast.AST = outline.function_of(statement) or outline.source.tree
    return any(
        isinstance(node, ast.Attribute) and node.attr in _MOVES and ast.unparse(node.value) == name
        for node in in_rows(around)
    )
