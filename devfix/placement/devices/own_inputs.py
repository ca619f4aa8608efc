"""Own inputs: what a method of a module meets where its parameters are, in a run that no script began.

Nobody knows the device then. It is the module's own, which its inputs tell, or its parameters.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Operand
from devfix.placement.devices import constructed
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.moving_module import stands_for_module
from devfix.placement.devices.sizing import sizes_of
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_TESTED = (ast.If, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def device(facts: Facts, place: Place, peers: list[Operand]) -> str | None:
    """``x.device`` of an input, best of the one whose size is asked for, that of a buffer at hand, or the parameters'.

    None where a peer is somewhere for certain.
    """
    function = place.outline.function_of(place.node)
    return _told(facts, place, peers) if function is not None and _goes_on(place, function) else None


def of_layer(facts: Facts, place: Place, peers: list[Operand]) -> str | None:
    """The same for a layer that a method makes for the moment, which is called with what is there."""
    constructed = (
        isinstance(function := place.outline.function_of(place.node), _FUNCTIONS)
        and function.name == "__init__"
    )
    return None if constructed else _told(facts, place, peers)


def _told(facts: Facts, place: Place, peers: list[Operand]) -> str | None:
    function = place.outline.function_of(place.node)
    if function is None or not peers or any(peer.device != "same-as" for peer in peers):
        return None
    given = [part.arg for part in in_rows(function.args) if isinstance(part, ast.arg)]
    found = [name for name in given if _is_beside_parameters(facts, place, name, "tensor")]
    sized = [name for name in sizes_of(place.node) if name in found]
    told = next((f"{name}.device" for name in (*sized, *found)), None)
    receiver = place.outline.receiver_name(function)
    if told is not None or receiver is None or any(_may_be_missing(facts, place, peer) for peer in peers):
        return told
    kept = next((peer.text for peer in peers if _is_kept(facts, place, function, receiver, peer)), None)
    if kept is not None:
        return f"{kept}.device"
    beside = _is_beside_parameters(facts, place, receiver, "module")
    return f"next({receiver}.parameters()).device" if beside else None


def _is_kept(facts: Facts, place: Place, function: _Function, receiver: str, peer: Operand) -> bool:
    """Whether an operand is a tensor that the module or a part of it keeps, which the function does not set.

    What another class calls ``self`` is none of this one's.
    """
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    name = dotted(node) if isinstance(node, ast.Attribute) else None
    if not isinstance(node, ast.Attribute) or name is None or name.partition(".")[0] != receiver or peer.held:
        return False
    user = place.outline.function_of(node)
    if user is None or place.outline.class_of(user) is not place.outline.class_of(function):
        return False
    if stands_for_module(facts, place, peer):
        return False  # parameters have a device, and a module has none
    return not any(
        isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and part.attr == node.attr
        for part in in_rows(function)
    )


def _may_be_missing(facts: Facts, place: Place, peer: Operand) -> bool:
    """Whether an attribute is asked for behind a test that the place is not behind, and its constructor may leave it out.

    Such a module may have no parameters at all.
    """
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    user = place.outline.function_of(node) if node is not None else None
    cls = place.outline.class_of(user) if user is not None else None
    if not isinstance(node, ast.Attribute) or cls is None:
        return False
    around = {*place.outline.around(place.node)}
    is_asked = any(isinstance(each, _TESTED) and each not in around for each in place.outline.around(node))
    return is_asked and not constructed.is_always_set(facts, cls, node.attr)


def _is_beside_parameters(facts: Facts, place: Place, name: str, kind: str) -> bool:
    """Whether a name stands for nothing but tensors that meet the parameters of the module, or for what has those.

    Where another run, as a test, gives a tensor on the CPU, what follows it is there as well, as it was.
    """
    known = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    told = [
        each
        for each in known
        if not (each.kind == "tensor" and each.statement is None and each.device == CPU)
    ]
    return (
        bool(told)
        and all(each.kind == kind and facts.is_with_module(each.device) for each in told)
        and is_bound(place.outline, place.node, name)
    )


def _goes_on(place: Place, function: ast.AST) -> bool:
    """Whether what is made at a place is only computed with and returned.

    What results are collected in, item by item, may as well be meant for the CPU, unless the module goes on with it.
    """
    statement = place.outline.statement_of(place.node)
    target = _target(statement, place.node) if isinstance(statement, ast.Assign) else None
    if target is None:
        return not isinstance(statement, ast.Assign)
    uses = [use for use in place.outline.occurrences(function, target.id) if use is not target]
    renewed = [use for use in uses if _is_renewed(place, use)]
    rest = [
        use
        for use in uses
        if not _is_computed_with(place, use) and not any(_comes_before(place, each, use) for each in renewed)
    ]
    return not rest or (
        all(_is_filled(place, use) for use in rest)
        and any(isinstance(place.outline.parents[_item(place, use)], ast.Call) for use in uses)
    )


def _is_renewed(place: Place, use: ast.Name) -> bool:
    """Whether a name is given what a statement computes of what it had, which is where the rest of that is: ``x = a * x + b``."""
    statement = place.outline.parents[use]
    if isinstance(use.ctx, ast.Load) or not isinstance(statement, ast.Assign):
        return False
    return isinstance(statement.value, ast.BinOp) and any(
        isinstance(part, ast.Name) and part.id == use.id for part in in_rows(statement.value)
    )


def _comes_before(place: Place, renewed: ast.Name, use: ast.Name) -> bool:
    """Whether a name has been given something else wherever it is used so."""
    before, statement = place.outline.statement_of(renewed), place.outline.statement_of(use)
    return before is not statement and place.outline.dominates(before, statement)


def _target(statement: ast.Assign, value: ast.AST) -> ast.Name | None:
    """The name that a statement gives to what it computes of a value, be it one of several: ``a, b = (f(), g())``."""
    target, given = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple) and len(target.elts) == len(given.elts):
        pairs = zip(target.elts, given.elts, strict=True)
        target = next((to for to, each in pairs if value in in_rows(each)), target)
    return target if isinstance(target, ast.Name) else None


def _item(place: Place, use: ast.expr) -> ast.AST:
    """What is read of a tensor where it is named: ``y[:, 0]``, or the whole of it."""
    node: ast.AST = use
    while isinstance(around := place.outline.parents[node], ast.Subscript) and around.value is node:
        node = around
    return node


def _is_filled(place: Place, use: ast.Name) -> bool:
    """Whether a name stands where items are written: ``y[:, mask] = ...``."""
    around = place.outline.parents[use]
    return isinstance(around, ast.Subscript) and around.value is use and isinstance(around.ctx, ast.Store)


def _is_computed_with(place: Place, use: ast.Name) -> bool:
    given = _item(place, use)
    if isinstance(given, ast.Subscript) and not isinstance(given.ctx, ast.Load):
        return False
    around = place.outline.parents[given]
    if isinstance(around, ast.Tuple):
        given, around = around, place.outline.parents[around]
    if isinstance(around, ast.Attribute) and around.value is given:
        return _is_written(place, around)
    if isinstance(around, ast.Call):
        root = ast.unparse(around.func).partition(".")[0]
        holder = around.func.value if isinstance(around.func, ast.Attribute) else around.func
        receiver = place.outline.receiver_name(place.outline.function_of(use))
        # One of the module's methods, or the module itself.
        own = isinstance(holder, ast.Name) and holder.id == receiver
        return given in around.args and (own or place.outline.imported.get(root, "").startswith("torch"))
    plain = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Return, ast.Assign)
    return isinstance(around, plain) and not (isinstance(around, ast.Assign) and around.value is given)


def _is_written(place: Place, method: ast.Attribute) -> bool:
    """Whether a statement is nothing but a method that writes to the tensor: ``mask.scatter_(1, index, 1.0)``."""
    call = place.outline.parents[method]
    alone = isinstance(call, ast.Call) and isinstance(place.outline.parents[call], ast.Expr)
    return alone and method.attr.endswith("_") and not method.attr.startswith("_")
