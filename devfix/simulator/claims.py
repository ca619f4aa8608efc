"""Claims: the device a tensor says it is on, and how it came to be; a tag on the storage.

``tensor.untyped_storage()`` keeps Python attributes for as long as the storage lives, and views share it
(seen with torch 2.4 to 2.13), so a view is always where its base is. A storage without a claim is that of
an ordinary CPU tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional

import torch
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]

from .places import Spot

Tensor = torch.Tensor
CPU = torch.device("cpu")

_storage = torch._C.TensorBase.untyped_storage
_true_device = torch._C.TensorBase.device.__get__
_SPARSE_ROWS = (torch.sparse_csr, torch.sparse_bsr)


class Made(NamedTuple):
    """How a tensor came to be: ``kind`` is one of those of the report, ``by`` what made it."""

    kind: str
    by: str
    spot: Optional[Spot]


class Claim:
    """Where a storage claims to be.

    ``device`` is None for what was made inside C++ without any word on where: such a tensor fits every
    device, and settles with the first tensor it meets. ``roots`` tell what a computed tensor was computed
    from (at most :data:`MOST_ROOTS`), as far as it shares the device, and ``types`` the same for its dtype,
    which a move keeps; both are empty where that is ``made`` itself.
    """

    __slots__ = ("device", "made", "pinned", "roots", "types")

    def __init__(
        self,
        device: Optional[torch.device],
        made: Optional[Made] = None,
        roots: tuple[Made, ...] = (),
        *,
        pinned: bool = False,
        types: tuple[Made, ...] = (),
    ) -> None:
        self.device = device
        self.made = made
        self.roots = roots
        self.pinned = pinned
        self.types = types


def types_of(tensor: Tensor) -> tuple[Made, ...]:
    """Where the dtype of a tensor comes from, as far as that is known."""
    claim = claim_of(tensor)
    if claim is None or claim.made is None:
        return ()
    return claim.types or (claim.made,)


#: How many origins of a computed tensor are remembered; more would not fit a message.
MOST_ROOTS = 4
#: What turns all bits round: whole numbers that were 0 and 1 are both something else then, whatever they are cast to.
_INVERSION = "torch.bitwise_not"


def types_behind(tensors: Sequence[Tensor], made: Made, dtype: torch.dtype) -> tuple[Made, ...]:
    """What gave the result of an operation on ``tensors`` its dtype, where that is not ``made`` itself."""
    if made.by == _INVERSION and dtype != torch.bool:
        return ()
    found = {by: None for t in tensors for by in types_of(t) if t.dtype == dtype or by.by == _INVERSION}
    return tuple(found)[:MOST_ROOTS]


def storage_of(tensor: Tensor) -> Optional[torch.UntypedStorage]:
    """The storage that carries a tensor's claim; None for what has none (a wrapper, a lazy parameter)."""
    try:
        return _storage(tensor)
    except (NotImplementedError, RuntimeError, ValueError):
        # A lazy parameter raises ValueError, a sparse tensor NotImplementedError.
        return _storage_of_values(tensor)


def _storage_of_values(tensor: Tensor) -> Optional[torch.UntypedStorage]:
    try:
        if isinstance(tensor, UninitializedTensorMixin):
            with torch._C.DisableTorchFunctionSubclass():
                return _storage(tensor)
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            return storage_of(torch._C._functorch.get_unwrapped(tensor))
        if tensor.layout == torch.sparse_coo:
            return _storage(tensor._values())
        if tensor.layout != torch.strided:
            return _storage(tensor.values())
    except (NotImplementedError, RuntimeError, ValueError):
        pass
    return None


def lies_in(result: Tensor, tensors: Iterable[Tensor]) -> bool:
    """Whether a result lies in the storage of an operand, which keeps its own claim (or lack of one)."""
    own = storage_of(result)
    return own is not None and any(storage_of(tensor) is own for tensor in tensors)


def claim_of(tensor: Tensor) -> Optional[Claim]:
    """The claim of a tensor, or None for an ordinary CPU tensor."""
    try:
        return getattr(_storage(tensor), "_claim", None)
    except (NotImplementedError, RuntimeError, ValueError):
        carrier: Any = _storage_of_values(tensor)
        return getattr(carrier if carrier is not None else tensor, "_claim", None)


def lay(tensor: Tensor, claim: Claim) -> Tensor:
    """Tag the storage of a tensor; the tensor comes back."""
    storage = storage_of(tensor)
    carrier: Any = tensor if storage is None else storage
    carrier._claim = claim
    return tensor


def remember_replacement(tensor: Tensor, made: Made) -> None:
    """Note where a tensor became the data of a parameter that was elsewhere."""
    carrier: Any = storage_of(tensor)
    if carrier is not None:
        carrier._replacement = made


def replacement_of(tensor: Tensor) -> Optional[Made]:
    """Where a tensor, or one it shares its storage with, became the data of a parameter that was elsewhere."""
    return getattr(storage_of(tensor), "_replacement", None)


def device_of(tensor: Tensor) -> torch.device:
    """The device a tensor claims to be on; what fits every device is shown as a CPU tensor."""
    claim = claim_of(tensor)
    if claim is not None and claim.device is not None:
        return claim.device
    device = _true_device(tensor)
    # Claims are compared by identity.
    return CPU if device == CPU else device
