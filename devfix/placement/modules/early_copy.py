"""Early copies: what is copied from a module's parameters before the module moves is copied after it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Applicability, Fix, Operand, Origin
from devfix.placement.blaming.causes import module_life
from devfix.placement.text import statement_order
from devfix.placement.text.dependence import reads
from devfix.placement.text.naming import import_of

#: How many calls may lie between the statement that moves the module and the copy.
_DEPTH = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def copied_after_move(facts: Facts, operand: Operand, peers: list[Operand]) -> list[Fix]:
    """The statement that moves the module and the one that copies change places, whichever of the two can."""
    life = module_life(operand)
    if not life or operand.trail[:1] == () or operand.trail[0].kind != "result":
        return []
    found = []
    # What is computed of the copies later tells of its life only where they were taken.
    for copied in (operand.trail[0], life[-1]):
        for moved in _moves(peers):
            for order in _orders(facts, copied, moved):
                found += [edits for edits in (order.moved_up(), order.moved_down()) if edits]
    title = f"copy the weights behind `{operand.text}` when the module has moved"
    return [Fix(title, edits, Applicability.SAFE) for edits in dict.fromkeys(found)]


def _moves(peers: list[Operand]) -> list[Origin]:
    lives = (trail for peer in peers for trail in (peer.trail, *peer.roots))
    return list(dict.fromkeys(life[0] for life in lives if life and life[0].kind == "move"))


def _orders(facts: Facts, copied: Origin, moved: Origin) -> Iterator[statement_order.Order]:
    """The statements around the move that make the copy, or call what does."""
    if moved.path not in facts.program.sources or copied.path not in facts.program.sources:
        return
    outline = facts.outline(moved.path)
    late, call = outline.statement_at(moved.span), outline.expression_at(moved.span)
    name = _moved_name(call)
    if late is None or not name or _is_tensor(facts, outline, moved, call):
        return
    lates = [(late, moved.scope, frozenset[str]()), *_calls_of(facts, outline, late)]
    for statement, scope, unseen in lates:
        makers = _makers(facts, outline, copied, scope) or _hidden(facts, outline, copied, statement, name)
        for early in makers:
            order = statement_order.between(outline, early, statement)
            if order is not None and name in _names(order.early):
                yield replace(order, unseen=unseen)


def _calls_of(
    facts: Facts, outline: Outline, moving: ast.stmt
) -> Iterator[tuple[ast.stmt, str, frozenset[str]]]:
    """The one statement that calls the function around a move, with its scope and what the function reads.

    In the class of a method, whose object has the same name in both.
    """
    function = outline.function_of(moving)
    calls = (
        []
        if function is None
        else [
            (path, node)
            for path, source in facts.program.sources.items()
            for node in in_rows(source.tree)
            if isinstance(node, ast.Call) and _last(node.func) == function.name
        ]
    )
    if function is None or len(calls) != 1 or calls[0][0] != outline.source.path:
        return
    [(_, call)] = calls
    caller = outline.function_of(call)
    receivers = {outline.receiver_name(caller), outline.receiver_name(function)}
    owners = {outline.class_of(each) for each in (caller, function) if each is not None}
    if len(receivers) == len(owners) == 1:
        yield outline.statement_of(call), outline.scopes(call)[0], reads(function.body)


def _makers(facts: Facts, outline: Outline, copied: Origin, scope: str) -> list[ast.stmt]:
    """The statements in the scope of a move, or of a call that moves, by which something was copied."""
    if (copied.path, copied.scope) == (outline.source.path, scope):
        statement = outline.statement_at(copied.span)
        return [statement] if statement is not None else []
    names = called_as(facts, copied)
    calls = [
        node
        for node in in_rows(outline.source.tree)
        if isinstance(node, ast.Call) and _last(node.func) in names and outline.scopes(node)[0] == scope
    ]
    return [outline.statement_of(call) for call in calls]


def _hidden(facts: Facts, outline: Outline, copied: Origin, late: ast.stmt, name: str) -> list[ast.stmt]:
    """The statements before a move that give the module to something no name tells of: ``makers["ema"](net)``.

    One of them calls what copies, where nothing does by its name.
    """
    block = outline.block_of(late)
    earlier = block[: block.index(late)]
    if (copied.path, copied.scope) == (outline.source.path, outline.scopes(late)[0]):
        return []
    return [
        statement
        for statement in earlier
        for node in in_rows(statement)
        if isinstance(node, ast.Call) and _is_given(node, name) and not _is_known(facts, outline, node)
    ]


def _is_given(call: ast.Call, name: str) -> bool:
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(isinstance(arg, (ast.Name, ast.Attribute)) and _last(arg) == name for arg in given)


def _is_known(facts: Facts, outline: Outline, call: ast.Call, depth: int = _DEPTH) -> bool:
    """Whether a name says what is called: something built in, of a library, or of the program that only calls such."""
    called = _last(call.func)
    defined = [
        (facts.outline(path), node)
        for path, source in facts.program.sources.items()
        for node in in_rows(source.tree)
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.name == called
    ]
    if not defined:
        return import_of(outline, call.func) is not None or hasattr(builtins, called)
    return depth > 0 and all(
        isinstance(node, ast.ClassDef)
        or all(_is_known(facts, where, each, depth - 1) for each in _handing(node))
        for where, node in defined
    )


def _handing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
    """The calls by which a function hands on what it is given."""
    names = [
        each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    ]
    calls = [node for node in in_rows(function) if isinstance(node, ast.Call)]
    return [call for call in calls if any(_is_given(call, name) for name in names)]


def called_as(facts: Facts, made: Origin) -> set[str]:
    """The names of the functions that make something, and of those that call them; a class goes by its constructor."""
    names = {_name_of(made.scope)}
    for _ in range(_DEPTH - 1):
        callers = {
            _name_of(facts.outline(path).scopes(node)[0])
            for path, source in facts.program.sources.items()
            for node in in_rows(source.tree)
            if isinstance(node, ast.Call) and _last(node.func) in names
        }
        names |= callers - {""}
    return names - {""}


def _name_of(scope: str) -> str:
    owner, _, name = scope.rpartition(".")
    return owner.rpartition(".")[2] if name == "__init__" else name


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _moved_name(call: ast.AST | None) -> str:
    """The last name of what a call of ``to`` or ``cuda`` moves."""
    func = call.func if isinstance(call, ast.Call) else None
    return _last(func.value) if isinstance(func, ast.Attribute) else ""


def _is_tensor(facts: Facts, outline: Outline, moved: Origin, call: ast.AST | None) -> bool:
    """Whether what a call moves is known to be a tensor: an input moves for its own sake, and tells of no module."""
    func = call.func if isinstance(call, ast.Call) else None
    receiver = (
        outline.source.segment(outline.source.span(func.value)) if isinstance(func, ast.Attribute) else ""
    )
    return any(each.kind == "tensor" for each in facts.bindings(moved.path, moved.scope).get(receiver, ()))


def _names(statement: ast.stmt) -> set[str]:
    return {_last(node) for node in in_rows(statement) if isinstance(node, (ast.Name, ast.Attribute))}
