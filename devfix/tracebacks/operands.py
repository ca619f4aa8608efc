"""Operands: the expressions of the user's code that stand for the roles of an operation."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devfix.analysis.text.syntax import first_name
from devfix.tracebacks import signatures
from devfix.tracebacks.scene import Tail
from devfix.tracebacks.views import View, name_of_call


@dataclass(frozen=True, slots=True)
class Culprit:
    """An operand in the user's code: its role, the expression, and the node that it is.

    ``of_module``: the expression is the module that the operand belongs to.
    """

    role: str
    text: str
    node: ast.expr
    of_module: bool = False


def call_name(sink: ast.AST) -> str:
    """What the operation of the user's own line is called in the tables."""
    if isinstance(sink, ast.Call):
        return name_of_call(sink)
    if isinstance(sink, ast.BinOp):
        return "matmul" if isinstance(sink.op, ast.MatMult) else "add"
    if isinstance(sink, ast.Compare):
        return "eq"
    if isinstance(sink, ast.Subscript):
        return "index"
    return "index_put" if isinstance(sink, ast.Assign) else "add_"


def operands(
    sink: ast.AST, *, through_module: bool, parameters: Sequence[str] = ("input",)
) -> dict[str, ast.expr]:
    """The operands of an operation by their roles.

    ``through_module``: what is called is a module, whose ``forward`` has those ``parameters``; it
    stands for its own ``weight``.
    """
    if isinstance(sink, ast.BinOp):
        return {"input": sink.left, "other": sink.right}
    if isinstance(sink, ast.Compare) and len(sink.comparators) == 1:
        return {"input": sink.left, "other": sink.comparators[0]}
    if isinstance(sink, ast.AugAssign):
        return {"input": sink.target, "other": sink.value}
    if isinstance(sink, ast.Subscript):
        return {"self": sink.value, "index": sink.slice}
    if isinstance(sink, ast.Assign):
        return _of_assignment(sink)
    return _of_call(sink, through_module, parameters) if isinstance(sink, ast.Call) else {}


def _of_assignment(sink: ast.Assign) -> dict[str, ast.expr]:
    target = sink.targets[0]
    if not isinstance(target, ast.Subscript):
        return {}
    return {"self": target.value, "index": target.slice, "value": sink.value}


def _of_call(sink: ast.Call, through_module: bool, parameters: Sequence[str]) -> dict[str, ast.expr]:  # noqa: FBT001 - handed on
    given = {keyword.arg: keyword.value for keyword in sink.keywords if keyword.arg is not None}
    positional = [argument for argument in sink.args if not isinstance(argument, ast.Starred)]
    if len(positional) < len(sink.args):
        return {}
    if through_module:
        return {"weight": sink.func, **dict(zip(parameters, positional, strict=False)), **given}
    if isinstance(sink.func, ast.Attribute) and not is_namespace(sink.func.value):
        positional.insert(0, sink.func.value)
    names = signatures.CALLS.get(name_of_call(sink), ("input",))
    if names[:1] == ("equation",):
        names = ("equation", "input", "other")
    return {**dict(zip(names, positional, strict=False)), **given}


_NAMESPACES = frozenset(
    "torch F nn functional np numpy optim th torch_sparse torch_scatter scipy sklearn plt utils".split()
)


def is_namespace(node: ast.expr) -> bool:
    """Whether ``x`` in ``x.f(...)`` is a package and not a tensor."""
    return first_name(node) in _NAMESPACES


def forward_parameters(tail: Tail) -> tuple[str, ...]:
    """The parameters of the ``forward`` that was called, by the file of the module."""
    if tail.file == "loss":
        parameters = signatures.CALLS.get(tail.call, ("input", "target"))
        return tuple(name for name in parameters if name != "weight")
    if tail.file == "rnn":
        return ("input", "hidden")
    if tail.call == "multi_head_attention_forward":
        return ("query", "key", "value", "key_padding_mask")
    return ("input",)


def culprits(role: str, view: View, sink: ast.AST, tail: Tail) -> Iterator[Culprit]:
    """The expressions that may stand for a role; none when that is not clear."""
    found = operands(sink, through_module=tail.through_module, parameters=forward_parameters(tail))
    if tail.entry == "backward" and role != "gradient":
        return  # it belongs to an operation of the forward pass
    if role in _OWNERS:
        yield from _owner(role, view, sink)
        return
    if role in signatures.OF_MODULE and tail.through_module:
        module = found.get("weight")
        if module is not None:
            yield Culprit(role, view.text(module), module, of_module=True)
        return
    node = _by_role(role.partition("[")[0], found, tail)
    if node is not None and role.startswith("tensors"):
        node = _item(node, first=role.endswith("[0]"))
    if node is not None:
        yield Culprit(role, view.text(node), node)


#: Roles of objects whose methods are called: a metric, a wrapped module.
_OWNERS = frozenset({"metric", "module", "distribution"})


def _owner(role: str, view: View, sink: ast.AST) -> Iterator[Culprit]:
    if isinstance(sink, ast.Call):
        func = sink.func
        node = func.value if isinstance(func, ast.Attribute) and func.attr in _METHODS else func
        yield Culprit(role, view.text(node), node, of_module=True)


_METHODS = frozenset("update compute forward log_prob sample rsample cdf icdf entropy".split())

#: A role by other names.
_ALIASES: dict[str, tuple[str, ...]] = {
    "input": ("self", "x1", "query", "tensors"), "self": ("input",), "other": ("mat2", "tensor", "vec"), "mat2": ("other",),
    "index": ("indices",), "source": ("src",), "x1": ("input",), "x2": ("other",), "hidden": ("hx",), "value": ("other", "input"),
    "attn_mask": ("mask",), "mask": ("attn_mask",), "tensor": ("other", "input"), "mat1": ("input",),
}  # fmt: skip


def _by_role(role: str, found: dict[str, ast.expr], tail: Tail) -> ast.expr | None:
    for name in (role, *_ALIASES.get(role, ())):
        if name in found:
            return found[name]
    if "mask" in role:
        masks = [node for name, node in found.items() if "mask" in name]
        return masks[0] if len(masks) == 1 else None
    inputs = [node for name, node in found.items() if name != "weight"]
    return inputs[0] if len(inputs) == 1 and (tail.through_module or len(found) == 1) else None


def _item(node: ast.expr, *, first: bool) -> ast.expr:
    """Of a list of tensors the one that is odd: PyTorch compares the others with the first."""
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    if any(isinstance(item, ast.Starred) for item in items):
        return node
    if items and first:
        return items[0]
    return items[1] if len(items) == 2 else node
