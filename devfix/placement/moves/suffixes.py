"""Suffixes: methods called on an expression as it stands, which move or cast what it gives."""

from __future__ import annotations

import ast
import builtins

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, ReplaceExpression, WrapExpression
from devfix.placement.devices.boundness import is_bound
from devfix.placement.moves import scaled, spread_dict
from devfix.placement.text.missing_values import is_given_none, may_be_none
from devfix.placement.text.naming import differs_by_object, differs_by_round, may_be_number

#: What makes a collection, which has no methods of a tensor, or stands for what is in one.
_DISPLAYS = (
    ast.Starred, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp
)  # fmt: skip

#: How a suffix begins that moves.
_MOVES = (".to(", ".cuda(")


def added(facts: Facts, outline: Outline, node: ast.AST | None, suffix: str) -> tuple[FileEdit, ...]:
    """``node.to(device)``; nothing where the node is called that already, without help, or is no tensor in some run.

    That its form may tell, or a call that gives a number where others give a tensor. What a call gives becomes a leaf
    after it moved.
    """
    if suffix.startswith(_MOVES) and (made := _becomes_leaf(node)) is not None:
        return added(facts, outline, made, suffix)
    if isinstance(node, ast.IfExp) and _has_constant(node):
        parts = [part for part in (node.body, node.orelse) if not isinstance(part, ast.Constant)]
        return tuple(edit for part in parts for edit in added(facts, outline, part, suffix))
    if not isinstance(node, ast.expr) or isinstance(node, _DISPLAYS):
        return ()
    if _is_spread(outline, node):
        return spread_dict.moved(facts, outline, node, suffix)
    if _is_unpacked(facts, outline, node) or may_be_number(outline, facts, node):
        return ()
    if differs_by_object(outline, facts, node) or may_be_none(facts, outline, node):
        return ()
    if is_given_none(facts, outline, node) or _varies(facts, outline, node):
        return ()
    if suffix.startswith(_MOVES) and (tensor := scaled.tensor_in(node)) is not node:
        return added(facts, outline, tensor, suffix)
    span = outline.source.span(node)
    if not suffix or outline.source.segment(span).endswith(suffix):
        return ()
    if suffix.startswith(".to(") and (receiver := _sent_in_vain(facts, node)) is not None:
        code = outline.source.segment(outline.source.span(receiver)) + suffix
        return (FileEdit(outline.source.path, ReplaceExpression(span, code)),)
    return (FileEdit(outline.source.path, WrapExpression(span, "", suffix)),)


def as_beside(
    facts: Facts, outline: Outline, node: ast.AST | None, suffix: str, beside: ast.AST
) -> tuple[FileEdit, ...]:
    """The same with a suffix that stands ``beside``; nothing where it names what is bound on the way there."""
    if node is None or any(
        is_bound(outline, beside, name) and not is_bound(outline, node, name) for name in _names_in(suffix)
    ):
        return ()
    return added(facts, outline, node, suffix)


def _names_in(suffix: str) -> set[str]:
    """What a suffix names that is no built-in function."""
    code = ast.parse(f"None{suffix}", mode="eval")
    names = {node.id for node in in_rows(code) if isinstance(node, ast.Name)}
    return {name for name in names if not hasattr(builtins, name)}


def _sent_in_vain(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``x`` of ``x.cuda()``: where another move follows, that one is in vain, and fails without an accelerator.

    So is ``x.to(net.device)``, and ``x.cpu()`` in a program that has just been given its device: nothing was anywhere else.
    """
    method = node.func if isinstance(node, ast.Call) and not node.keywords else None
    if not isinstance(node, ast.Call) or not isinstance(method, ast.Attribute):
        return None
    if node.args:
        [given, *more] = node.args
        alone = method.attr == "to" and not more
        return method.value if alone and isinstance(given, ast.Attribute) and given.attr == "device" else None
    return method.value if method.attr == "cuda" or (method.attr == "cpu" and facts.program.adopts) else None


def _becomes_leaf(node: ast.AST | None) -> ast.Call | None:
    """``torch.cat(parts)`` of ``torch.cat(parts).requires_grad_()``, which nobody else has: moved later it were no leaf."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr != "requires_grad_":
        return None
    return method.value if isinstance(method.value, ast.Call) else None


def _has_constant(choice: ast.IfExp) -> bool:
    """Whether one of two things is None or a number: ``noise if explore else None``."""
    return isinstance(choice.body, ast.Constant) or isinstance(choice.orelse, ast.Constant)


def _is_spread(outline: Outline, node: ast.expr) -> bool:
    """Whether an expression is handed on as ``**node``: a dict, which has no methods of a tensor."""
    parent = outline.parents.get(node)
    if isinstance(parent, ast.Dict):
        return any(
            key is None and value is node for key, value in zip(parent.keys, parent.values, strict=True)
        )
    return isinstance(parent, ast.keyword) and parent.arg is None


def _varies(facts: Facts, outline: Outline, node: ast.expr) -> bool:
    """Whether what an assignment names is no tensor in some rounds: ``tree = tree[key]`` on the way to a leaf."""
    parent = outline.parents.get(node)
    if not isinstance(parent, ast.Assign) or parent.value is not node or len(parent.targets) != 1:
        return False
    target = parent.targets[0]
    return isinstance(target, ast.Name) and differs_by_round(outline, facts, parent, target.id)


def _is_unpacked(facts: Facts, outline: Outline, node: ast.expr) -> bool:
    """Whether an assignment takes apart what an expression gives, which most often is no tensor but a tuple of some."""
    parent = outline.parents.get(node)
    if not isinstance(parent, ast.Assign) or parent.value is not node:
        return False
    if not any(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets):
        return False
    bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(ast.unparse(node), [])
    return not bindings or any(binding.kind != "tensor" for binding in bindings)
