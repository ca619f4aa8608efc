"""Parameter uses: what a function does with a parameter that names a device."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import defaults_of
from devfix.analysis.text.syntax import in_rows

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_HOSTS = ("cpu", None)


def has(function: _Function, name: str) -> bool:
    """Whether a function has a parameter of that name, which can be given by it."""
    return any(each.arg == name for each in (*function.args.args, *function.args.kwonlyargs))


def takes(function: ast.AST, name: str) -> bool:
    """Whether a function can be called with that keyword."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return has(function, name) or function.args.kwarg is not None


def is_optional(function: _Function, name: str) -> bool:
    """Whether a parameter can be left out, and then means the CPU or nothing."""
    spec = function.args
    default = {each.arg: given for each, given in defaults_of(spec)}.get(name)
    if default is None or any(each.arg == name for each in spec.posonlyargs):
        return False
    if isinstance(default, ast.Call) and ast.unparse(default.func).rpartition(".")[2] == "device":
        default = default.args[0] if len(default.args) == 1 else default
    return isinstance(default, ast.Constant) and default.value in _HOSTS


def only_hands_on(outline: Outline, function: _Function, name: str) -> bool:
    """Whether a device goes as it is into calls and attributes: text that is looked into may have to be text."""
    reads = [node for node in in_rows(function) if isinstance(node, ast.Name) and node.id == name]
    return all(_hands_on(outline, node) for node in reads)


def _hands_on(outline: Outline, node: ast.Name) -> bool:
    parent = outline.parents[node]
    if isinstance(node.ctx, ast.Store):
        return _is_made_sure(outline, node, parent)
    if isinstance(parent, ast.BoolOp):
        return parent.values[0] is node and isinstance(parent.op, ast.Or)
    if isinstance(parent, ast.Compare):
        return _asks_for_none(parent)
    if isinstance(parent, ast.IfExp):
        return True
    if isinstance(parent, ast.keyword):
        return parent.arg is not None
    if isinstance(parent, ast.Call):
        return node in parent.args and getattr(parent.func, "id", "") not in ("str", "len", "print")
    if isinstance(parent, ast.Tuple):
        parent = outline.parents[parent]
    if isinstance(parent, ast.Assign):
        return True
    return isinstance(parent, (ast.If, ast.UnaryOp))


def _asks_for_none(test: ast.Compare) -> bool:
    [operator, *others] = test.ops
    [other] = test.comparators[:1]
    return not others and isinstance(operator, (ast.Is, ast.IsNot)) and getattr(other, "value", 0) is None


def _is_made_sure(outline: Outline, node: ast.Name, statement: ast.AST) -> bool:
    """``device = torch.device(device)``, ``device = device or "cpu"``, or a value where there was none."""
    if not isinstance(statement, ast.Assign):
        return False
    if any(isinstance(each, ast.Name) and each.id == node.id for each in in_rows(statement.value)):
        return True
    around = outline.parents[statement]
    return isinstance(around, ast.If) and _is_absent(around.test, node.id) and statement in around.body


def _is_absent(test: ast.expr, name: str) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return getattr(test.operand, "id", "") == name
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Is):
        return False
    return getattr(test.left, "id", "") == name and _asks_for_none(test)


def kept_as(outline: Outline, cls: ast.ClassDef | None, attribute: str) -> tuple[_Function, ast.Name] | None:
    """The constructor, and the parameter's name in it, that alone gives objects of a class an attribute."""
    stores = [
        node
        for node in in_rows(cls or ast.Module([], []))
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return None
    statement, function = outline.statement_of(stores[0]), outline.function_of(stores[0])
    if not isinstance(statement, ast.Assign) or function is None or function.name != "__init__":
        return None
    value = _paired(statement, stores[0])
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "device" and value.args:
        value = value.args[0]
    if isinstance(value, ast.BoolOp):
        value = value.values[0]
    return (function, value) if isinstance(value, ast.Name) else None


def _paired(statement: ast.Assign, store: ast.expr) -> ast.expr:
    """What one target of an assignment is given: ``self.size, self.device = size, device``."""
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and store in target.elts:
            values = statement.value.elts if isinstance(statement.value, ast.Tuple) else []
            return values[target.elts.index(store)] if len(values) == len(target.elts) else statement.value
    return statement.value


def is_read_once(function: _Function, name: str) -> bool:
    """Whether a function reads a name in one place only, and never binds it."""
    reads = [node for node in in_rows(function) if isinstance(node, ast.Name) and node.id == name]
    return len(reads) == 1 and isinstance(reads[0].ctx, ast.Load)
