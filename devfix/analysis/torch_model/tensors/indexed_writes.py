"""``x[i] = v`` on tensors and arrays: what is written across devices, and what is not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Array, Tensor, Value, without_none
from devfix.analysis.language.frames import Arg
from devfix.analysis.torch_model.arrays import array_indices
from devfix.analysis.torch_model.tensors import host_memory, indexing, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def assign(interp: Interpreter, target: ast.Subscript, tensor: Tensor, key: Value, value: Value) -> None:
    """``tensor[key] = value``: copies across devices, except under an index tensor or mask, which may be elsewhere itself.

    Facts: "slice assign: cuda[0:2] = cpu" runs, "index_put: cuda tensor, cpu values" does not.
    """
    keys = indexing.key_parts(target.slice, key)
    indices = [(index, where) for index, where in keys if isinstance(index, Tensor)]
    counted = indexing.counts_entries(keys)
    for index, where in indices:
        indexing.check_index(interp, target, tensor, index, where, counted=counted, written=True)
    # An integer of 0 dimensions selects, as a number does: what is left is a slice.
    indices = [
        (index, where) for index, where in indices if index.dtype == "bool" or index.rank not in (0, None)
    ]
    # Lists and arrays of NumPy are made into index tensors.
    lists = [index for index, where in keys if _is_list_of_numbers(interp, index, where)]
    value = without_none(value)
    if not (indices or lists) or not isinstance(value, Tensor):
        return
    masks_only = not lists and all(index.dtype == "bool" for index, _ in indices)
    if value.rank in (0, None) or (masks_only and value.rank is None):
        return
    parts = [Part(tensor, "self", target.value), Part(value, "values", _assigned(interp))]
    requirements.same_dtype(interp, target, "torch.Tensor.__setitem__", parts[::-1], decisive=parts[0])
    requirements.meet(interp, target, "torch.Tensor.__setitem__", parts, detail={"in_place": "self"})


def _is_list_of_numbers(interp: Interpreter, index: Value, where: ast.expr) -> bool:
    """What selects entries by their numbers and is no tensor; an array of no dimensions is a number, and a slice is none.

    A tuple is no list: each of its numbers is for a dimension.
    """
    if isinstance(where, ast.Slice):
        return False
    if isinstance(index, Array):
        return index.rank not in (0, None) and index.dtype != "bool"
    return indexing.listed(interp, index) is not index


def assign_to_array(
    interp: Interpreter, target: ast.Subscript, array: Array, key: Value, value: Value
) -> None:
    """``array[key] = tensor``: NumPy wants an array of it to fill a slice, a row or what a mask selects.

    To fill one element it asks for a number, which an accelerator's tensor gives (H200, NumPy 2.5).
    """
    keys = indexing.key_parts(target.slice, key)
    array_indices.check(interp, target, keys)
    if indexing.rank_after(array.rank, keys) not in (0, None):
        given = Arg(value, _assigned(interp, target))
        host_memory.check_argument(interp, "numpy.ndarray.__setitem__", target, given)


def _assigned(interp: Interpreter, target: ast.expr | None = None) -> ast.expr | None:
    """The right-hand side of the assignment being executed."""
    statement = interp.frame.statement
    if not isinstance(statement, ast.Assign) or (target is not None and target not in statement.targets):
        return None
    return statement.value
