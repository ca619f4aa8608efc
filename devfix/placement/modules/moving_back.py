"""Moving back: a module that was taken to the CPU to be saved, or looked at, returns to the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertAfter,
    InsertBefore,
    Operand,
    Origin,
    ReplaceExpression,
)
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.modules import borrowed_module, taken_back
from devfix.placement.text import chains
from devfix.placement.text.dependence import dotted

#: What a device is called that a module is moved back to.
_DEVICE = "device"
_SAVING_METHODS = ("state_dict", "save_pretrained", "to_torchscript", "to_onnx")
#: Functions that save or export the module they are given: of ``torch``, ``torch.jit`` and ``torch.onnx``.
_SAVING = ("save", "trace", "script", "export")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
#: Methods of a module that return it.
_KEEPING = ("eval", "train", "float", "requires_grad_", "cpu", "to")


def fix(facts: Facts, operand: Operand) -> Fix | None:
    """``net.to(device)`` after ``torch.save(net.cpu(), path)``, when the operand is a weight of ``net``.

    Where nobody knows the device any more, or ``net`` ends there, ``net.cpu().state_dict()`` becomes a copy, and ``net`` stays.
    """
    made = _move(facts, operand)
    if made is None or taken_back.by_framework(facts, operand) is not None:
        return None
    outline = facts.outline(made.path)
    call = outline.expression_at(made.span)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name, statement = dotted(_whole(call.func.value)), outline.statement_of(call)
    state = _state(outline, call)
    is_passing = isinstance(statement, ast.Expr) and statement.value is not call
    returns = _returns(outline, statement, operand)
    if name is None or not (is_passing or returns or state is not None):
        return None
    first = statement
    if returns:
        statement = _last_use(outline, statement, name)
    found = device_expression.chosen(facts, Place(made.path, outline, statement))
    if found is not None and _goes_on_with(statement, name):
        return _back(outline, statement, name, found.code)
    if state is not None:
        return None if _has_more_than_tensors(facts) else _copied(outline, state, name)
    if returns and _is_unspoken(outline.function_of(first)):
        before = InsertBefore(outline.source.span(first), f"{_DEVICE} = next({name}.parameters()).device")
        return _back(outline, statement, name, _DEVICE, FileEdit(made.path, before))
    return None


def _is_unspoken(function: ast.AST | None) -> bool:
    """Whether a function neither has nor reads a name for a device."""
    parts = in_rows(function) if function is not None else ()
    names = {getattr(part, "id", getattr(part, "arg", "")) for part in parts}
    return bool(names) and _DEVICE not in names


def _back(outline: Outline, statement: ast.stmt, name: str, device: str, *before: FileEdit) -> Fix:
    edit = InsertAfter(outline.source.span(statement), f"{name}.to({device})")
    edits = (*before, FileEdit(outline.source.path, edit))
    return Fix(f"move `{name}` back to where it was", edits, Applicability.SAFE)


def _copied(outline: Outline, state: ast.Call, name: str) -> Fix:
    copy = f"{{key: value.cpu() for key, value in {name}.state_dict().items()}}"
    change = FileEdit(outline.source.path, ReplaceExpression(outline.source.span(state), copy))
    return Fix(f"copy the state of `{name}`, which stays where it is", (change,), Applicability.SAFE)


def _move(facts: Facts, operand: Operand) -> Origin | None:
    """What last moved the module whose weight an operand is, or is computed from."""
    derived = operand.role != "weight"
    lives = operand.roots if derived else (operand.trail,)
    moves = {life[0] for life in lives if life}
    made = moves.pop() if len(moves) == 1 else None
    if made is None or made.kind != "move" or made.path not in facts.program.sources:
        return None
    place = device_expression.place_at(facts, made.path, made.span) if derived else None
    meant = place is not None and _is_for_a_while(place.outline, place.outline.statement_of(place.node))
    return None if derived and not meant else made


def _is_for_a_while(outline: Outline, statement: ast.stmt) -> bool:
    """Whether a statement moves a module to be saved there, or to be looked at by a function that was given it."""
    return _is_lent(outline, statement) or _is_to_save(outline, statement)


def returns(facts: Facts, operand: Operand) -> bool:
    """Whether a module is on the CPU by what was meant for a while: before its next use in a loop, or to be saved."""
    made = operand.trail[0] if operand.trail else None
    if made is None or made.kind != "move":
        return False
    place = device_expression.place_at(facts, made.path, made.span)
    return place is not None and _returns(place.outline, place.outline.statement_of(place.node), operand)


def _returns(outline: Outline, statement: ast.stmt, operand: Operand) -> bool:
    """Whether the use of a module comes behind its move in a loop alone, or in a function that does not save it."""
    if not isinstance(statement, ast.Expr):
        return False
    own = operand.path == outline.source.path
    used = outline.expression_at(operand.span) if own else None
    function = outline.function_of(statement)
    loops = [part for part in outline.around(statement) if isinstance(part, _LOOPS)]
    if used is not None and outline.function_of(used) is function:
        return operand.span.line < statement.lineno and any(loop in outline.around(used) for loop in loops)
    name = dotted(_whole(statement.value))
    calls = (part for loop in loops for part in in_rows(loop) if isinstance(part, ast.Call))
    if name is not None and any(
        dotted(call.func) == name and call.lineno < statement.lineno for call in calls
    ):
        return True
    return function is not None and _is_for_a_while(outline, statement)


def _is_lent(outline: Outline, statement: ast.stmt) -> bool:
    """Whether ``net.cpu()`` or ``net.cpu().eval()(probe)`` is a statement of a function that was only lent ``net``."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(value, ast.Call):
        return False
    moved = value.func if isinstance(value.func, ast.Call) else value
    return borrowed_module.is_one(outline, statement, dotted(_whole(moved)))


def _is_to_save(outline: Outline, statement: ast.stmt) -> bool:
    """Whether a module is moved by a statement behind which it is saved, and not called."""
    name = dotted(_whole(statement.value)) if isinstance(statement, ast.Expr) else None
    if name is None:
        return False
    block = outline.block_of(statement)
    behind = [part for each in block[block.index(statement) + 1 :] for part in _expressions(each)]
    calls = [part for part in behind if isinstance(part, ast.Call)]
    if any(dotted(call.func) == name for call in calls):
        return False
    return any(_is_saving(call, name) for call in calls)


def _is_saving(call: ast.Call, name: str) -> bool:
    """Whether a call takes the state of what has a name, or saves or exports it."""
    owner, _, called = (dotted(call.func) or "").rpartition(".")
    if called in _SAVING_METHODS and owner == name:
        return True
    return called in _SAVING and any(dotted(arg) == name for arg in call.args)


def _whole(value: ast.expr) -> ast.AST:
    """``net`` for ``net.eval()``, which returns it."""
    return chains.head(value, (ast.Call,), _KEEPING)


def _last_use(outline: Outline, statement: ast.stmt, name: str) -> ast.stmt:
    """The last statement of a block, from one of its statements on, that does something with a name."""
    block = outline.block_of(statement)
    behind = block[block.index(statement) :]
    uses = [
        each
        for each in behind
        if not isinstance(each, ast.Return) and any(dotted(part) == name for part in _expressions(each))
    ]
    return uses[-1] if uses else statement


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    return (part for part in in_rows(node) if isinstance(part, ast.expr))


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


def is_copy(facts: Facts, node: ast.AST) -> bool:
    """Whether somebody asked for a copy on one side by name: nobody wants it back in the same breath.

    Where a device is chosen for a program that had none, nobody asked for a side.
    """
    func = node.func if isinstance(node, ast.Call) else None
    asked = isinstance(func, ast.Attribute) and func.attr in ("cpu", "cuda")
    return asked and not facts.program.adopts
