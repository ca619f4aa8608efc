"""Naming: a name for a tensor that is where the value of an expression is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.analysis.recorder import Binding

#: What has neither device nor methods, and what may be that.
_NUMBERS = frozenset({"number", "strange"})
#: Methods that nothing but a tensor has; NumPy's arrays have a ``size`` that cannot be called.
_OF_TENSORS = frozenset("size dim numel unsqueeze permute expand expand_as contiguous detach".split())
#: What does not evaluate all its parts, or not here.
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: Methods whose receiver may be elsewhere than what they return.
_MOVES = ("to", "cpu", "cuda", "type", "type_as")


def named_tensor(outline: Outline, facts: Facts, node: ast.expr) -> str | None:
    """A name in the operand's expression for a tensor that is where the operand is."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.BinOp):
            return _of_two(outline, facts, node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _MOVES:
                return None
            root = import_of(outline, node.func)
            if root is None:
                node = node.func.value
            elif root.partition(".")[0] == "torch" and _is_of_one(node):
                node = node.args[0]  # a function of torch's leaves what it makes where its operands are
            else:
                return None
        elif isinstance(node, ast.Subscript) and (_is_entry(node) or _is_part(outline, facts, node)):
            return outline.source.segment(outline.source.span(node))
        elif isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Attribute) and node.attr in ("data", "grad", "T")
        ):
            node = node.value
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            named = import_of(outline, node) is None and _may_be_tensor(outline, facts, node)
            return ast.unparse(node) if named else None
        else:
            return None
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    return node.id if bindings and all(each.kind == "tensor" for each in given(bindings)) else None


def given(bindings: list[Binding]) -> list[Binding]:
    """What a name or an attribute is bound to; a statement that some script ran is told by that run alone."""
    run = {binding.statement for binding in bindings if binding.kind != "ungiven"}
    return [each for each in bindings if each.kind != "ungiven" or each.statement not in run]


def import_of(outline: Outline, node: ast.AST) -> str | None:
    """What dotted names begin with that stand for something in an imported module: ``nn.functional.softplus``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return outline.imported.get(node.id) if isinstance(node, ast.Name) else None


def _is_of_one(call: ast.Call) -> bool:
    """Whether a function is given its operand first, and no device."""
    return bool(call.args) and not any(keyword.arg == "device" for keyword in call.keywords)


def _of_two(outline: Outline, facts: Facts, node: ast.BinOp) -> str | None:
    """A name of one side; an attribute may be the number that scales what is beside it, unless a tensor was stored there."""
    for side in (node.left, node.right):
        name = named_tensor(outline, facts, side)
        if name is not None and ("." not in name or _stored(outline, facts, node, name)):
            return name
    return None


def may_be_number(outline: Outline, facts: Facts, node: ast.AST) -> bool:
    """Whether some calls give a parameter a number, which has neither device nor methods, where others give a tensor.

    The array of NumPy has none of these either.
    """
    if not isinstance(node, ast.Name):
        return False
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.id, [])
    given_as = {each.kind for each in bindings if each.statement is None} & _NUMBERS
    return bool(given_as) and (given_as != {"strange"} or not is_used_as_tensor(outline, node, node.id))


def is_used_as_tensor(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether whoever reaches a place has called on a parameter what nothing but a tensor has: ``x.size(0)``."""
    function = outline.function_of(node)
    if function is None or any(each.id == name for each in _stores(function)):
        return False
    here = outline.statement_of(node)
    calls = (each for each in ast.walk(function) if isinstance(each, ast.Call) and _asks_tensor(each, name))
    statements = (outline.statement_of(call) for call in calls if _is_always_run(outline, call))
    return any(each is not here and outline.dominates(each, node) for each in statements)


def _asks_tensor(call: ast.Call, name: str) -> bool:
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in _OF_TENSORS:
        return False
    return isinstance(func.value, ast.Name) and func.value.id == name


def _is_always_run(outline: Outline, node: ast.AST) -> bool:
    """Whether an expression is evaluated whenever its statement is, which has no parts of its own."""
    while not isinstance(node, ast.stmt):
        node = outline.parents[node]
        if isinstance(node, _SOMETIMES):
            return False
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert))


def _stores(function: ast.AST) -> Iterator[ast.Name]:
    return (
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    )


def differs_by_object(outline: Outline, facts: Facts, node: ast.AST) -> bool:
    """Whether one assignment gives an attribute a tensor in some objects, and in others who knows what: a number, say."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    function = outline.function_of(node)
    if function is None or node.value.id != outline.receiver_name(function):
        return False
    kinds: dict[object, set[str]] = {}
    for each in facts.bindings(outline.source.path, outline.scope(function)).get(f"self.{node.attr}", []):
        kinds.setdefault(each.statement, set()).add(each.kind)
    return any("tensor" in found and not found.isdisjoint(_NUMBERS) for found in kinds.values())


def is_path(node: ast.AST, *keys: type[ast.expr]) -> bool:
    """Whether a node is a name, attributes of one, or items of these under ``keys``: to say it again changes nothing."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, keys):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _is_entry(node: ast.Subscript) -> bool:
    """Whether an item is that of a dict, which is what has a device: ``batch["x"]``."""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return isinstance(key, str) and isinstance(node.value, ast.Name)


def _is_part(outline: Outline, facts: Facts, node: ast.Subscript) -> bool:
    """Whether an item is that of a tuple or list of tensors, which has no device itself: ``outputs[0]``."""
    if not isinstance(node.value, ast.Name) or not isinstance(node.slice, ast.Constant):
        return False
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(node.value.id, [])
    kinds = {binding.kind for binding in bindings}
    return type(node.slice.value) is int and bool(kinds) and kinds <= {"tensors", "list"}


def _may_be_tensor(outline: Outline, facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether nothing but tensors was seen to be stored in an attribute of the object itself."""
    stored = _stored(outline, facts, attribute, ast.unparse(attribute))
    return all(binding.kind == "tensor" for binding in stored)


def _stored(outline: Outline, facts: Facts, node: ast.AST, name: str) -> list[Binding]:
    """What is seen to be stored in an attribute, if it is one of the object whose method a node is in."""
    receiver, _, attribute = name.partition(".")
    function = outline.function_of(node)
    while function is not None and receiver != outline.receiver_name(function):
        function = outline.function_of(function)  # a function within a method sees its object, too
    if function is None:
        return []
    return facts.bindings(outline.source.path, outline.scope(function)).get(f"self.{attribute}", [])
