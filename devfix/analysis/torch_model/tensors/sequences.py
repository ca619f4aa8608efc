"""Sequences of tensors: the operands of ``cat``, ``stack`` and the like, and the dtype and rank of what they give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding import correlated
from devfix.analysis.domain import values
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import LEFT, scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, promote
from devfix.analysis.domain.values import Tensor, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg
from devfix.analysis.language.iteration import exact_items, followed_items
from devfix.analysis.torch_model.loading import strangers
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def of_both_paths(interp: Interpreter, parts: list[Part]) -> list[Part]:
    """Where one expression stands for all of a sequence, some of it took the path that leaves it on the CPU.

    The rest took the other one, where that is known to end on the accelerator, and the test between the two may have
    come out otherwise each time.
    """
    written = {id(part.node) for part in parts}
    split = next((part for part in parts if part.tensor.split is not None), None)
    if split is None or len(written) > 1 or any(part.tensor.device.is_known for part in parts):
        return parts
    host = split.tensor.split
    if host is None or host.split is None or correlated.parted_alike(interp, host):
        return parts
    return [*parts, replace(split, tensor=replace(split.tensor, device=host.split.device, split=None))]


def joined_dtype(tensors: list[Tensor]) -> str | None:
    """The dtype of ``torch.cat`` and its kin: all are promoted to one, and ranks have no say.

    None where one of the dtypes is unknown.
    """
    dtype, rank = tensors[0].dtype, 1
    for other in tensors[1:]:
        dtype = promote((dtype, rank), (other.dtype, 1))
    return dtype


def joined_rank(name: str, tensors: list[Tensor], *, unclear: bool) -> int:
    """The rank of what joins the tensors: one more for ``stack``, as many as there are for ``meshgrid``, else the largest.

    One of two dimensions or more has as many as any other beside it, so its rank tells that of the whole. AT_LEAST_1 where
    no such is known and another rank is unknown, or the number of tensors is ``unclear``.
    """
    name = name.rpartition(".")[2]
    if name in ("block_diag", "cartesian_prod"):
        return 2 if len(tensors) > 1 and not unclear else AT_LEAST_1
    if name == "meshgrid":
        return AT_LEAST_1 if unclear else len(tensors)
    # Old code joins an empty 1-dim tensor to others of any rank, so the largest counts.
    ranks = [tensor.rank for tensor in tensors]
    rank = max(AT_LEAST_1 if rank is None else rank for rank in ranks)
    if rank < 2 and (unclear or None in ranks or AT_LEAST_1 in ranks):
        return AT_LEAST_1
    return rank + 1 if name == "stack" else max(rank, _AT_LEAST.get(name, 1))


#: The least rank that joining gives, where it is more than one.
_AT_LEAST = {"vstack": 2, "row_stack": 2, "column_stack": 2, "dstack": 3}


def members(interp: Interpreter, sequence: Arg) -> tuple[list[Part], bool]:
    """The tensors of a sequence argument, with the expressions they are written as."""
    value = without_none(sequence.value)
    if isinstance(value, Tensor):
        return [Part(value, "tensors", sequence.node)], False
    items = followed_items(interp, value)
    node = sequence.node
    obj = interp.obj_of(value)
    left = obj.facts.get(LEFT) if obj is not None else None
    held = not isinstance(node, (ast.ListComp, ast.GeneratorExp))  # whose element is what moves
    if items is None:
        element = _beside_numbers(iteration.element(interp, value, node))
        if isinstance(element, Tensor):
            return [Part(_or_left(element, left), "tensors", node, held=held)], False
        return [], True
    nodes: list[ast.expr | None] = [node] * len(items)
    if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(items):
        nodes = list(node.elts)
    parts = [
        Part(_or_left(item, left), "tensors", where, held=held and where is node)
        for item, where in zip(map(_beside_numbers, items), nodes, strict=True)
        if isinstance(item, Tensor)
    ]
    return parts, len(parts) < len(items)


def _beside_numbers(value: Value) -> Value:
    """The tensor that an entry is which may be a number as well, as sums are that begin with 0: no number is joined."""
    value = without_none(value)
    parts = values.members(value)
    tensors = [part for part in parts if isinstance(part, Tensor)]
    numbers = [part for part in parts if scalar_type(part) in ("int", "float")]
    return tensors[0] if len(tensors) == 1 and len(numbers) == len(parts) - 1 else value


def of_strangers(interp: Interpreter, sequence: Arg) -> list[Part]:
    """What stands in a tuple or list beside tensors, and is one too, whatever is known of it."""
    written = sequence.node.elts if isinstance(sequence.node, (ast.Tuple, ast.List)) else []
    items = exact_items(interp, sequence.value) or ()
    if len(items) != len(written):
        return []  # some of it is spread
    found = (strangers.part(interp, item, "tensors", node) for item, node in zip(items, written, strict=True))
    return [part for part in found if part is not None]


def _or_left(tensor: Tensor, left: Value | None) -> Tensor:
    """One of the entries of a list, some of which were left on the CPU."""
    unknown = not tensor.device.is_known and tensor.split is None
    return replace(tensor, split=left) if unknown and isinstance(left, Tensor) else tensor
