"""Truths in floats: ``mask = torch.zeros(n)`` in which ones are written, and ``torch.triu(torch.ones(n, n))``.

Beside the dtype of which a cast made floats, a tensor's ``cast_of`` may say that there is nothing but ``zeros`` or ``ones`` in it,
or that it is a ``mask`` of torchvision.
"""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Const, Tensor, Value

#: Factories that fill a tensor with one of the two numbers.
_FILLS = frozenset(("zeros", "ones"))
#: What leaves some of the entries, and zeros in the place of the others.
_PARTS = frozenset(("triu", "tril"))
#: What whole numbers are that torchvision has a class for.
MASK = "mask"


def filled(made: Tensor, name: str) -> Tensor:
    """What a factory of that name makes."""
    return replace(made, cast_of=name) if name in _FILLS else made


def is_known(tensor: Tensor) -> bool:
    """Whether it was numbers or truths that a tensor is made of, and not only zeros or ones."""
    return tensor.cast_of is not None and tensor.cast_of not in _FILLS


def of_part(base: str, first: Tensor) -> str | None:
    """What the floats are made of that an operation leaves of others: truths, where those are all ones."""
    return "bool" if base in _PARTS and first.cast_of in ("ones", "bool") else None


def of_view(first: Tensor) -> str | None:
    """What entries of a tensor are made of, or all in another shape: those of a mask are no mask any more."""
    return None if first.cast_of == MASK else first.cast_of


def stored(receiver: Tensor, value: Value) -> str | None:
    """What a tensor is made of when a value has been written to entries of it."""
    is_truth = (
        isinstance(value, Const) and isinstance(value.value, (bool, int, float)) and value.value in (0, 1)
    )
    return "bool" if is_truth and (receiver.cast_of in _FILLS or receiver.cast_of == "bool") else None
