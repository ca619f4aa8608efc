"""Number limits: the limit of a tensor's dtype in place of a number beyond it."""

from __future__ import annotations

import ast

from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand, ReplaceExpression
from devfix.placement.devices.introduction import torch_name
from devfix.placement.text import chains
from devfix.placement.text.naming import import_of, is_path

#: Methods of a tensor alone whose result has its dtype.
_VIEWS = frozenset(
    "view reshape flatten squeeze unsqueeze expand transpose permute contiguous clone detach narrow "
    "masked_fill masked_fill_".split()
)
_FACTORIES = ("full", "full_like", "new_full")
#: Of two numbers, the one nearer to zero.
_NEARER = {"min": "max", "max": "min"}


def limit_fixes(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """``torch.finfo(score.dtype).min`` where ``-1e9`` is too small.

    A number with a name may be given by others too, and is kept where it fits: ``max(fill, ...)``. No limit is
    what was meant by an exponent, and a module that keeps a number serves tensors of any dtype.
    """
    if mismatch.operation.endswith("pow") or mismatch.get("module") is not None:
        return []
    tensor, number = mismatch.operands
    if number.path != mismatch.path or number.path not in facts.program.sources:
        return []
    outline = facts.outline(number.path)
    node, torch = outline.expression_at(number.span), torch_name(facts, number.path)
    if node is None or torch is None or number.span == mismatch.sink:
        return []
    package, imports = torch
    end = mismatch.get("limit") or "min"
    info = "iinfo" if tensor.dtype in INTEGERS else "finfo"
    limit = f"{package}.{info}({_dtype(outline, mismatch, tensor, package)}).{end}"
    code = limit if _is_plain_number(node) else f"{_NEARER[end]}({number.text}, {limit})"
    edits = (*imports, FileEdit(number.path, ReplaceExpression(number.span, code)))
    return [Fix(f"use `{limit}`", edits, Applicability.UNSAFE)]


def _dtype(outline: Outline, mismatch: Mismatch, tensor: Operand, package: str) -> str:
    """What says the dtype of the tensor: a keyword of the call, a tensor with a name, or the dtype itself."""
    call = outline.expression_at(mismatch.sink)
    if mismatch.operation.rpartition(".")[2] in _FACTORIES and isinstance(call, ast.Call):
        given = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
        if given is not None:
            return outline.source.segment(outline.source.span(given))
        if tensor.span == mismatch.sink:
            return _dtype_of(outline, getattr(call.func, "value", None)) or f"{package}.{tensor.dtype}"
    return _dtype_of(outline, outline.expression_at(tensor.span)) or f"{package}.{tensor.dtype}"


def _dtype_of(outline: Outline, node: ast.AST | None) -> str | None:
    node = chains.head(node, (ast.Call,), _VIEWS) if node is not None else None
    if node is None or not is_path(node, ast.Constant, ast.Name) or import_of(outline, node) is not None:
        return None
    return f"{outline.source.segment(outline.source.span(node))}.dtype"


def _is_plain_number(node: ast.expr) -> bool:
    """Whether the number is written out, or is the limit of a dtype."""
    if isinstance(node, ast.UnaryOp):
        return _is_plain_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_plain_number(node.left) and _is_plain_number(node.right)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).rpartition(".")[2] == "finfo"
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return ast.unparse(node.func).rpartition(".")[2] == "tensor" and _is_plain_number(node.args[0])
    return isinstance(node, ast.Constant)
