"""Odd dtypes: which operands of a refused call have a dtype that does not fit, and what would.

A call fails for many reasons. What is found here are guesses, likeliest first; the one with which the call
succeeds was right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Callable, NamedTuple, Optional

import torch

from .claims import types_of
from .slots import Slot

_INDICES = frozenset({"index", "indices", "offsets"})
_MASKS = frozenset(
    "mask condition attn_mask key_padding_mask src_mask tgt_mask memory_mask src_key_padding_mask "
    "tgt_key_padding_mask memory_key_padding_mask".split()
)
_TARGETS = frozenset({"target", "targets"})
_PREDICTIONS = frozenset({"self", "input", "log_probs"})
#: Operators whose index is the first argument.
_INDEXED_BY_INPUT = frozenset({"one_hot"})
_LOGICAL = ("bitwise_", "__and__", "__or__", "__xor__", "__invert__", "__iand__", "__ior__", "__ixor__")
_CLASSES = ("nll_loss", "multi_margin_loss", "multilabel_margin_loss", "ctc_loss", "cross_entropy")
#: What a loss is given beside predictions and targets.
_WEIGHTS = frozenset({"weight", "pos_weight"})
#: So many entries a table may have of which truths are the numbers.
_MOST_CLASSES = 2
_BOUNDS = frozenset({"min", "max"})
#: TensorIterator says what would have come out (c10/core/ScalarType.h names them).
_RESULT = re.compile(r"result type (\w+) can't be cast")
_SCALAR_TYPES = {
    "Float": torch.float32, "Double": torch.float64, "Half": torch.float16, "BFloat16": torch.bfloat16,
    "Long": torch.int64, "Int": torch.int32, "Short": torch.int16, "Char": torch.int8, "Byte": torch.uint8,
    "ComplexFloat": torch.complex64, "ComplexDouble": torch.complex128, "Bool": torch.bool,
}  # fmt: skip
_HALVES = (torch.float16, torch.bfloat16)
#: What operators say that have no kernel for them.
_TOO_NARROW = re.compile(
    r"Low precision dtypes|Unsupported dtype BFloat16|(?:not implemented for|tensors? of type:) '?(?:Half|BFloat16)|float or double"
    r"|in half precision|HalfTensor is not supported|other than float and double|of float, double|Half, Float or Double"
)
#: What the kinds of NumPy's own numbers become when nobody says otherwise.
_NUMPY_FLOAT = torch.float64


class Guess(NamedTuple):
    """The dtype that some operands should have had. ``in_place``: the call writes its result to the operand."""

    kind: str
    slots: tuple[Slot, ...]
    wanted: torch.dtype
    in_place: bool = False


class RefusedCall(NamedTuple):
    """A call that failed: the name of the function, its tensors, the one it writes to, and what it said.

    ``context`` is the dtype of the parameters of the layer that is called, where that is not among the tensors.
    """

    name: str
    slots: Sequence[Slot]
    written: Optional[Slot]
    message: str
    is_parameter: Callable[[torch.Tensor], bool]
    context: Optional[torch.dtype] = None


def guesses(call: RefusedCall) -> Iterator[Guess]:
    """What may be wrong with the dtypes of a call, likeliest first."""
    for find in (_indices, _masks, _targets, _in_place, _mixed, _integers, _narrow):
        yield from find(call)


def _indices(call: RefusedCall) -> Iterator[Guess]:
    by_input = _short(call.name) in _INDEXED_BY_INPUT
    roles = _INDICES | _PREDICTIONS if by_input else _INDICES
    of_wrong = [s for s in call.slots if s.role in roles and s.tensor.dtype not in (torch.int64, torch.bool)]
    masks = [slot for slot in of_wrong if _is_mask_of(slot, call)]
    if masks:
        yield Guess("mask-dtype", tuple(masks), torch.bool)
    if of_wrong:
        yield Guess("index-dtype", tuple(of_wrong), torch.int64)


def _is_mask_of(slot: Slot, call: RefusedCall) -> bool:
    """Whether an index has the shape of what it selects from, as masks have, and is none that only has two of its entries."""
    if _short(call.name) not in ("index", "index_put_", "index_put"):
        return False
    shape, first = call.slots[0].tensor.shape, int(slot.path[-1])
    if slot.tensor.shape != shape[first : first + slot.tensor.dim()]:
        return False
    return slot.tensor.dim() > 1 or (slot.tensor.numel() > _MOST_CLASSES and _are_truths(slot.tensor))


def _are_truths(tensor: torch.Tensor) -> bool:
    return not tensor.is_meta and bool(((tensor == 0) | (tensor == 1)).all())


def _masks(call: RefusedCall) -> Iterator[Guess]:
    masks = tuple(slot for slot in call.slots if slot.role in _MASKS and slot.tensor.dtype != torch.bool)
    if masks:
        yield Guess("mask-dtype", masks, torch.bool)
    if _short(call.name).startswith(_LOGICAL):
        floats = tuple(slot for slot in call.slots if slot.tensor.is_floating_point())
        if floats:
            yield Guess("mask-dtype", floats, torch.bool)


def _targets(call: RefusedCall) -> Iterator[Guess]:
    targets = tuple(slot for slot in call.slots if slot.role in _TARGETS)
    predictions = next((slot.tensor.dtype for slot in call.slots if slot.role in _PREDICTIONS), None)
    if not targets or predictions is None:
        return
    wanted = (torch.int64, predictions) if _short(call.name).startswith(_CLASSES) else (predictions,)
    for dtype in wanted:
        odd = tuple(slot for slot in targets if slot.tensor.dtype != dtype)
        if odd:
            yield Guess("target-dtype", odd, dtype)


def _in_place(call: RefusedCall) -> Iterator[Guess]:
    found = _RESULT.search(call.message)
    if found is None or call.written is None:
        return
    bounds = tuple(slot for slot in call.slots if slot.role in _BOUNDS and slot.tensor.is_floating_point())
    if bounds:
        yield Guess("in-place-dtype", bounds, call.written.tensor.dtype)
    result = _SCALAR_TYPES.get(found[1])
    if result is not None:
        yield Guess("in-place-dtype", (call.written,), result, in_place=True)


def _mixed(call: RefusedCall) -> Iterator[Guess]:
    """Operands of several dtypes: all should have the one that matters most."""
    others = [slot for slot in call.slots if slot.role not in _INDICES | _MASKS | _TARGETS]
    if call.context is not None:
        wanted = call.context
    elif len({slot.tensor.dtype for slot in others}) < 2:
        return
    elif call.written is not None:
        wanted = call.written.tensor.dtype
    else:
        # What a loss weighs classes by is a constant of the program, whatever module keeps it.
        layers = [slot for slot in others if not (slot.role in _WEIGHTS and _is_loss(call.name))]
        wanted = _decisive(layers or others, call.is_parameter)
    odd = tuple(slot for slot in others if slot.tensor.dtype != wanted)
    if odd:
        yield Guess("dtype", odd, wanted)


def _is_loss(name: str) -> bool:
    return _short(name).startswith((*_CLASSES, "binary_cross_entropy"))


def _decisive(slots: Sequence[Slot], is_parameter: Callable[[torch.Tensor], bool]) -> torch.dtype:
    """The dtype the operands should share.

    A parameter's was chosen for a whole module. Else floats come before integers, and float64 that nobody
    asked for, since it comes from NumPy, gives way to what it meets.
    """
    floats = [slot for slot in slots if slot.tensor.is_floating_point() or slot.tensor.is_complex()]
    chosen = [slot for slot in floats if not _is_numpy_default(slot.tensor)]
    default = [slot for slot in chosen if slot.tensor.dtype == torch.get_default_dtype()]
    parameters = [slot for slot in floats if is_parameter(slot.tensor)] if len(floats) > 1 else []
    return (parameters or default or chosen or floats or list(slots))[0].tensor.dtype


def _is_numpy_default(tensor: torch.Tensor) -> bool:
    made = types_of(tensor) if tensor.dtype == _NUMPY_FLOAT else ()
    return bool(made) and all(root.kind in ("numpy", "loader") for root in made)


def _integers(call: RefusedCall) -> Iterator[Guess]:
    """Integers where only floats will do."""
    wanted = torch.get_default_dtype()
    whole = tuple(
        slot
        for slot in call.slots
        if slot.role not in _INDICES | _MASKS
        and not slot.tensor.is_floating_point()
        and not slot.tensor.is_complex()
    )
    if whole and len(whole) == len([slot for slot in call.slots if slot.role not in _INDICES | _MASKS]):
        yield Guess("float-dtype", whole, wanted, in_place=call.written is not None)


def _narrow(call: RefusedCall) -> Iterator[Guess]:
    """Floats of 16 bits where only wider ones will do."""
    narrow = tuple(slot for slot in call.slots if slot.tensor.dtype in _HALVES)
    if narrow and _TOO_NARROW.search(call.message):
        yield Guess("narrow-float", narrow, torch.float32, in_place=call.written is not None)


def _short(name: str) -> str:
    """A function's name without what it belongs to."""
    return name.rpartition("::")[2].rpartition(".")[2]
