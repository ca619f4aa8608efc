"""Moving back: a module that was taken to the CPU to be saved returns to the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import Applicability, FileEdit, Fix, InsertAfter, Operand, ReplaceExpression
from devfix.placement import chains, device_expression
from devfix.placement.dependence import dotted
from devfix.placement.device_expression import Place

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
#: Methods of a module that return it.
_KEEPING = ("eval", "train", "float", "requires_grad_", "cpu", "to")


def fix(facts: Facts, operand: Operand) -> Fix | None:
    """``net.to(device)`` after ``torch.save(net.cpu(), path)``, when the operand is a weight of ``net``.

    Where nobody knows the device any more, or ``net`` ends there, ``net.cpu().state_dict()`` becomes a copy, and ``net`` stays.
    """
    made = operand.trail[0] if operand.trail else None
    if (
        operand.role != "weight"
        or made is None
        or made.kind != "move"
        or made.path not in facts.program.sources
    ):
        return None
    outline = facts.outline(made.path)
    call = outline.expression_at(made.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name, statement = dotted(_whole(call.func.value)), outline.statement_of(call)
    state = _state(outline, call)
    is_passing = isinstance(statement, ast.Expr) and statement.value is not call
    comes_round = _comes_round(outline, statement, operand)
    if name is None or not (is_passing or comes_round or state is not None):
        return None
    if comes_round:
        statement = _last_use(outline, statement, name)
    found = device_expression.chosen(facts, Place(made.path, outline, statement))
    if found is not None and _goes_on_with(statement, name):
        edit = InsertAfter(outline.source.span(statement), f"{name}.to({found.code})")
        return Fix(f"move `{name}` back to where it was", (FileEdit(made.path, edit),), Applicability.SAFE)
    if state is None or _has_more_than_tensors(facts):
        return None
    copy = f"{{key: value.cpu() for key, value in {name}.state_dict().items()}}"
    change = FileEdit(made.path, ReplaceExpression(outline.source.span(state), copy))
    return Fix(f"copy the state of `{name}`, which stays where it is", (change,), Applicability.SAFE)


def comes_round(facts: Facts, operand: Operand) -> bool:
    """Whether what put a module on the CPU comes behind its use in a loop, so that the first round finds it elsewhere."""
    made = operand.trail[0] if operand.trail else None
    if made is None or made.kind != "move":
        return False
    place = device_expression.place_at(facts, made.path, made.span)
    return place is not None and _comes_round(place.outline, place.outline.statement_of(place.node), operand)


def _comes_round(outline: Outline, statement: ast.stmt, operand: Operand) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    own = operand.path == outline.source.path
    used = outline.expression_at(operand.span) if own else None
    function = outline.function_of(statement)
    loops = [part for part in outline.around(statement) if isinstance(part, _LOOPS)]
    if used is not None and outline.function_of(used) is function:
        return operand.span.line < statement.lineno and any(loop in outline.around(used) for loop in loops)
    name = dotted(_whole(statement.value))
    calls = (part for loop in loops for part in ast.walk(loop) if isinstance(part, ast.Call))
    return name is not None and any(
        dotted(call.func) == name and call.lineno < statement.lineno for call in calls
    )


def _whole(value: ast.expr) -> ast.AST:
    """``net`` for ``net.eval()``, which returns it."""
    return chains.head(value, (ast.Call,), _KEEPING)


def _last_use(outline: Outline, statement: ast.stmt, name: str) -> ast.stmt:
    """The last statement of a block, from one of its statements on, that does something with a name."""
    block = outline.block_of(statement)
    behind = block[block.index(statement) :]
    uses = [each for each in behind if any(dotted(part) == name for part in _expressions(each))]
    return uses[-1] if uses else statement


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    return (part for part in ast.walk(node) if isinstance(part, ast.expr))


def _goes_on_with(statement: ast.stmt, name: str) -> bool:
    """Whether there is something behind a statement in which a name is still what it was before."""
    if isinstance(statement, ast.Assign):
        return name not in map(ast.unparse, statement.targets)
    return isinstance(statement, ast.Expr)


def _state(outline: Outline, call: ast.Call) -> ast.Call | None:
    """``net.cpu().state_dict()`` around ``net.cpu()``."""
    method = outline.parents[call]
    state = outline.parents[method]
    if (
        not isinstance(method, ast.Attribute)
        or method.attr != "state_dict"
        or not isinstance(state, ast.Call)
    ):
        return None
    return None if state.args or state.keywords else state


def _has_more_than_tensors(facts: Facts) -> bool:
    """Whether some module of the program may add anything to its state."""
    return any("get_extra_state" in source.text for source in facts.program.sources.values())


def is_copied(node: ast.AST) -> bool:
    """Whether somebody asked for a copy on one side by name: nobody wants it back in the same breath."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("cpu", "cuda")
