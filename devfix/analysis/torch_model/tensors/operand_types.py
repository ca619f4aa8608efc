"""Operand types: masks that must be boolean, and operands that have the dtype of others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.values import (
    FALSE,
    TRUE,
    Array,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
    without_none,
)
from devfix.analysis.torch_model.loading import batch_mates, file_parts
from devfix.analysis.torch_model.tensors import float_operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: The operand that is a mask; ``where`` alone still takes uint8.
_MASKS = {
    "torch.masked_fill": "mask",
    "torch.masked_select": "mask",
    "torch.masked_scatter": "mask",
    "torch.where": "condition",
}
_LOGICAL = frozenset({"torch.bitwise_and", "torch.bitwise_or", "torch.bitwise_xor"})
#: Masks of attention: floats are added to the scores, so integers alone are refused.
_ATTENTION = frozenset(
    "attn_mask key_padding_mask mask src_mask tgt_mask memory_mask src_key_padding_mask tgt_key_padding_mask "
    "memory_key_padding_mask".split()
)
#: The operands to whose scores masks are added.
_ASKING = frozenset(("query", "src", "tgt"))
#: The operands that have to have the dtype of what they are written into, or blended with.
_WRITTEN = frozenset(("src", "source", "values", "end"))
#: Functions that autocast gives operands of one dtype, the widest.
_WIDENED = frozenset({"torch.scatter_add", "torch.index_put"})


def check_written(
    interp: Interpreter, node: ast.AST, name: str, parts: list[Part], *, in_place: bool
) -> list[Part]:
    """What is written into a tensor has its dtype: "scatter(): Expected self.dtype to be equal to src.dtype".

    Autocast widens the operands of two of these by itself, unless they write in place. Weights are written nowhere,
    and have it too, unless they are one number. The operands that are given back are as those that fit: whole numbers into
    which floats are written should have been floats.
    """
    if name == "torch.lerp":
        weights = [part for part in parts if part.role == "weight" and part.tensor.rank not in (0, None)]
        requirements.same_dtype(interp, node, name, [*weights, parts[0]], decisive=parts[0])
    source = next((part for part in parts if part.role in _WRITTEN), None)
    if source is None or source is parts[0] or parts[0].role != "input" or name == "torch.heaviside":
        return parts
    if (interp.autocast and name in _WIDENED and not in_place) or source.tensor.rank == 0:
        return parts
    requirements.same_dtype(interp, node, name, [source, parts[0]], decisive=parts[0])
    target, wide = parts[0].tensor, source.tensor.dtype
    if target.dtype not in INTEGERS or not requirements.is_float(wide):
        return parts
    return [replace(parts[0], tensor=replace(target, dtype=wide, typed=())), *parts[1:]]


def check_masks(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part]) -> None:
    """A mask of numbers: "masked_fill_ only supports boolean masks", on every device."""
    role = _MASKS.get(operation)
    for part in parts:
        dtype = part.tensor.dtype
        if part.role != role or dtype in (None, "bool") or (role == "condition" and dtype == "uint8"):
            continue
        requirements.record(interp, node, operation, "mask-dtype", [part])


def check_attention_masks(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part]) -> None:
    """An attention mask of integers: neither a choice nor something to add to the scores."""
    for part in parts:
        if part.role in _ATTENTION and part.tensor.dtype in INTEGERS:
            requirements.record(interp, node, operation, "mask-dtype", [part])
    if not interp.autocast:
        _check_added_mask(interp, node, operation, parts)


def _check_added_mask(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part]) -> None:
    """What is added to the scores: "Expected attn_mask dtype to be bool or float or to match query dtype"."""
    query = next((part for part in parts if part.role in _ASKING), None)
    if query is None or not requirements.is_float(query.tensor.dtype):
        return
    for mask in parts:
        added = mask.role in _ATTENTION and requirements.is_float(mask.tensor.dtype)
        if added and mask.tensor.dtype != "float32":
            requirements.same_dtype(interp, node, operation, [mask, query], decisive=query)


def check_bag_weights(
    interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], table: Part
) -> None:
    """What weighs the entries of a bag: "to have the same type as tensor for argument #1 'per_sample_weights'"."""
    given = [part for part in parts if part.role == "per_sample_weights"]
    if given:
        requirements.same_dtype(interp, node, operation, [*given, table], decisive=table)


def check_logical(
    interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], others: list[Value]
) -> None:
    """``a & b`` on floats that are used as masks: "bitwise_and not implemented for 'Float'".

    Beside an integer somebody may mean its bits, so that only masks with masks count.
    """
    if operation not in _LOGICAL or not all(_is_truth(other) for other in others):
        return
    if not all(part.tensor.dtype == "bool" or requirements.is_float(part.tensor.dtype) for part in parts):
        return
    for part in parts:
        if requirements.is_float(part.tensor.dtype):
            requirements.record(interp, node, operation, "mask-dtype", [part])


def _is_truth(value: Value) -> bool:
    return isinstance(value, Tensor) or value in (TRUE, FALSE) or value == Scalar("bool")


def is_logical(operation: str) -> bool:
    """Whether the operation combines bits, which floats do not have."""
    return operation in _LOGICAL


def check_inverted(interp: Interpreter, node: ast.UnaryOp, tensor: Tensor) -> None:
    """``~mask`` of a float mask."""
    if isinstance(node.op, ast.Invert) and requirements.is_float(tensor.dtype):
        parts = [Part(tensor, "input", node.operand)]
        requirements.record(interp, node, "torch.bitwise_not", "mask-dtype", parts)


def check_alike(interp: Interpreter, name: str, parts: list[Part], site: CallSite) -> None:
    """The operands of an operation that promotes nothing; those that are integers where it takes floats are cast for that."""
    if float_operations.check(interp, name, parts[0].tensor, site):
        return
    numbers = [part for part in parts if part.role != "pivots" and not _is_apart(name, part)]
    requirements.same_dtype(interp, site.node, f"torch.{name}", numbers)


def _is_apart(name: str, part: Part) -> bool:
    """Whether an operand has a dtype of its own: the pivots of ``torch.lu_solve``, which ``torch.linalg.lu_solve`` takes second.

    What ``torch.addmv`` adds to has one before torch 2.13.
    """
    if name == "addmv":
        return part.role == "input"
    return name == "lu_solve" and part.role == "B" and part.tensor.dtype == "int32"


def placed(parts: list[Part], excused: str) -> list[Part]:
    """The operands that have to be in one place: all but the one that may be a number of the CPU, where it is one."""
    return [part for part in parts if part.role != excused or part.tensor.rank not in (0, None)]


def operands(interp: Interpreter, left: Value, right: Value) -> tuple[Value, Value]:
    """Two operands as far as they can stand beside one another: beside a tensor that is no list and no dict."""
    left, right = (
        batch_mates.operand(interp, without_none(left)),
        batch_mates.operand(interp, without_none(right)),
    )
    if isinstance(left, Union) or isinstance(right, Union):
        return _beside(interp, left, right), _beside(interp, right, left)
    return left, right


def _beside(interp: Interpreter, value: Value, other: Value) -> Value:
    each = members(value)
    beside = [member for member in members(other) if not _is_collection(interp, member)]
    if not beside or not all(isinstance(member, Tensor) for member in beside):
        return value
    kept = tuple(member for member in each if not _is_collection(interp, member))
    if not kept or len(kept) == len(each):
        return value
    return kept[0] if len(kept) == 1 else replace(value, members=kept)


def tensor_of(interp: Interpreter, value: Value) -> Value:
    """A value where only a tensor can stand: the collection or array that it is on another path would fail there."""
    value = without_none(value)
    if not isinstance(value, Union):
        return (
            file_parts.as_tensor(interp, value)
            if interp.program.adopts
            else batch_mates.operand(interp, value)
        )
    kept = [m for m in value.members if not isinstance(m, Array) and not _is_collection(interp, m)]
    return kept[0] if len(kept) == 1 else value


def _is_collection(interp: Interpreter, value: Value) -> bool:
    obj = interp.obj_of(value)
    return isinstance(value, (TupleValue, Sequence)) or (obj is not None and obj.kind in ("list", "dict"))


def beside(value: Value, other: Value) -> Value:
    """What may stand beside a value: who takes tensors or arrays has both operands of one kind."""
    kind = type(value)
    if not isinstance(value, (Tensor, Array)) or not isinstance(other, Union):
        return other
    alike = [member for member in other.members if isinstance(member, kind)]
    return join_all(alike) if alike else other
