"""Moving functions: functions of the program that give back what they were given, on the accelerator."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import choosing_call, move_guards
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.device_expression import Place
from devfix.placement.text.dependence import dotted

_MOVES = ("to", "cuda", "contiguous")
#: What only gives a tensor another class.
_WRAPPERS = ("Variable", "autograd.Variable", "torch.autograd.Variable")


def is_call(facts: Facts, place: Place, value: ast.expr) -> bool:
    """Whether a value is ``send(x)``, and all that ``send`` does is to move what it is given; it is defined at a file's top."""
    name = dotted(value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or name is None or len(value.args) != 1 or value.keywords:
        return False
    if not isinstance(value.args[0], ast.Name) or not is_bound(place.outline, value, name.partition(".")[0]):
        return False
    found = choosing_call.definition(facts, place.path, name)
    return found is not None and any(
        isinstance(each, ast.FunctionDef) and each.name == found[1].rpartition(".")[2] and _moves(each)
        for each in facts.source(found[0]).tree.body
    )


def _moves(function: ast.FunctionDef) -> bool:
    """Whether a function moves its first parameter somewhere, and does nothing else to anything."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters or function.decorator_list:
        return False
    moves = any(isinstance(part, ast.Attribute) and part.attr in ("to", "cuda") for part in in_rows(function))
    return moves and all(_is_of_moves(each, parameters[0].arg) for each in function.body)


def _is_of_moves(statement: ast.stmt, name: str) -> bool:
    """Whether a statement does nothing but move what has a name, or give it back."""
    if isinstance(statement, ast.If):
        return move_guards.is_flag(statement.test) and all(
            _is_of_moves(each, name) for each in (*statement.body, *statement.orelse)
        )
    if isinstance(statement, ast.Return):
        return statement.value is not None and _is_moved(statement.value, name)
    if isinstance(statement, ast.Assign):
        [target, *more] = statement.targets
        return (
            not more
            and isinstance(target, ast.Name)
            and target.id == name
            and _is_moved(statement.value, name)
        )
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass)


def _is_moved(value: ast.expr, name: str) -> bool:
    """Whether a value is what has a name, wherever that is."""
    if isinstance(value, ast.IfExp):
        return move_guards.is_choice(value) and _is_moved(value.orelse, name)
    if isinstance(value, ast.Call) and ast.unparse(value.func) in _WRAPPERS:
        return len(value.args) == 1 and not value.keywords and _is_moved(value.args[0], name)
    if isinstance(value, ast.Call):
        method = value.func
        return isinstance(method, ast.Attribute) and method.attr in _MOVES and _is_moved(method.value, name)
    return isinstance(value, ast.Name) and value.id == name
