"""Conditions: what is known of a test, which branch chooses the accelerator, what a test teaches."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.values import (
    FALSE,
    NONE,
    TRUE,
    Array,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Namespace,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def truth(interp: Interpreter, value: Value) -> bool | None:
    """Whether a value counts as true; None when that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, TupleValue):
        return bool(value.items)
    if isinstance(value, Union):
        found = {truth(interp, member) for member in value.members}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, (DeviceValue, DTypeValue, Function, Class, External, Namespace)):
        return True
    obj = interp.obj_of(value)
    if obj is not None:
        if obj.kind == "module":
            return True
        if obj.kind == "list" and obj.items is not None and obj.element is None:
            return bool(obj.items)
        if obj.kind == "dict" and obj.element is None and obj.attrs:
            return True
    return None


def decide(interp: Interpreter, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool | None:
    """Which branch the program under analysis takes; None when both are possible.

    A flag nobody here decides (a command line option, say) is taken to be set so that the
    accelerator is chosen, when one branch chooses it and the other does not.
    """
    known = truth(interp, interp.eval(test))
    if known is not None or not _is_flag(test):
        return known
    return preferred(body, orelse)


def preferred(body: list[ast.stmt], orelse: list[ast.stmt]) -> bool | None:
    """The one branch that chooses the accelerator, if exactly one does."""
    then, other = any(map(chooses, body)), any(map(chooses, orelse))
    return then if then != other else None


def decide_expression(interp: Interpreter, node: ast.IfExp) -> bool | None:
    """Like :func:`decide`, for a conditional expression."""
    known = truth(interp, interp.eval(node.test))
    if known is not None or not _is_flag(node.test):
        return known
    then, other = chooses(node.body), chooses(node.orelse)
    return then if then != other else None


_CHOICES: dict[int, tuple[ast.AST, bool]] = {}


def chooses(node: ast.AST) -> bool:
    """Whether a piece of code names an accelerator: ``.cuda()``, ``"cuda:0"``, ``torch.cuda.…``."""
    known = _CHOICES.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    if len(_CHOICES) > 10_000:
        _CHOICES.clear()
    answer = any(map(_names_accelerator, ast.walk(node)))
    _CHOICES[id(node)] = (node, answer)
    return answer


def _names_accelerator(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "cuda"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split(":")[0] in ("cuda", "mps", "xpu", "npu")
    return (
        isinstance(node, ast.Attribute)
        and node.attr in ("FloatTensor", "LongTensor")
        and (isinstance(node.value, ast.Attribute) and node.value.attr == "cuda")
    )


def _is_flag(test: ast.expr) -> bool:
    """Whether a test is a plain option: names, attributes, constants and their combinations."""
    allowed = (
        ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BoolOp, ast.UnaryOp, ast.Compare,
        ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context, ast.Tuple, ast.List,
    )  # fmt: skip
    for node in ast.walk(test):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id != "len":
                return False
        elif isinstance(node, ast.Subscript):
            if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, str):
                return False  # an entry of a configuration is an option, a tensor's size is not
        elif not isinstance(node, allowed):
            return False
    return True


def depends_on_data(test: ast.expr) -> bool:
    """Whether a test is of the kind that comes out both ways in one run: arithmetic on numbers.

    ``step % 10 == 0`` and ``x.shape[0] <= 64`` are; options, types, devices and whatever calls
    code that may know about them are not.
    """
    if _is_flag(test):
        return False
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and _called(node) not in _COUNTING:
            return False
        if isinstance(node, ast.Attribute) and node.attr in ("device", "is_cuda", "training", "type"):
            return False
        if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float)):
            return False
    return any(isinstance(node, (ast.BinOp, ast.Subscript, ast.Call)) for node in ast.walk(test))


#: Calls whose results are numbers of the data at hand.
_COUNTING = frozenset("len size numel dim item random randint rand sum any all max min abs int".split())


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def assume(interp: Interpreter, test: ast.expr, outcome: bool) -> None:
    """Narrow variables by a test that came out as ``outcome``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        assume(interp, test.operand, not outcome)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) == outcome:
            for part in test.values:
                assume(interp, part, outcome)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        _assume_compare(interp, test, outcome)
    elif isinstance(test, ast.Name) and outcome:
        _narrow(interp, test, without_none(interp.eval(test)))


def _assume_compare(interp: Interpreter, test: ast.Compare, outcome: bool) -> None:
    right = test.comparators[0]
    if not (isinstance(right, ast.Constant) and right.value is None):
        return
    if isinstance(test.ops[0], ast.Is):
        is_none = outcome
    elif isinstance(test.ops[0], ast.IsNot):
        is_none = not outcome
    else:
        return
    value = interp.eval(test.left)
    if is_none:
        if any(member == NONE for member in members(value)):
            _narrow(interp, test.left, NONE)
    else:
        _narrow(interp, test.left, without_none(value))


def _narrow(interp: Interpreter, node: ast.expr, value: Value) -> None:
    if isinstance(node, ast.Name):
        frame = interp.frame.id
        if interp.state.get(frame, node.id) is not None:
            interp.state.set(frame, node.id, value)
    elif isinstance(node, ast.Attribute):
        owner = interp.eval(node.value)
        obj = interp.obj_of(owner)
        if obj is not None and isinstance(owner, Ref) and node.attr in obj.attrs:
            interp.update(owner, obj.with_attr(node.attr, value))


def compare_identity(interp: Interpreter, left: Value, right: Value) -> bool | None:
    """``left is right``, mostly asked of None."""
    if NONE in (right, left):
        other = left if right == NONE else right
        kinds = {member == NONE for member in members(other)}
        if len(kinds) != 1:
            return None
        if kinds == {True}:
            return True
        return None if not _is_certainly_something(other) else False
    if isinstance(left, Const) and isinstance(right, Const):
        return left == right
    if isinstance(left, Ref) and isinstance(right, Ref):
        return True if left == right else None
    return None


def _is_certainly_something(value: Value) -> bool:
    kinds = (Tensor, Array, Ref, Const, TupleValue, DeviceValue, DTypeValue, Scalar)
    return all(isinstance(member, (*kinds, External, Function, Class)) for member in members(value))


def boolean(answer: bool | None) -> Value:
    """The abstract bool for a known answer, or an unknown bool."""
    return Scalar("bool") if answer is None else (TRUE if answer else FALSE)
