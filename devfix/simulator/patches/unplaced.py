"""Functions whose C++ makes its results without a word on where: they lie where the first tensor they take does."""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import Claim, claim_of, device_of, lay
from ..machine import Machine
from ..operands import tensors_in
from ..patching import Patcher

#: Found by calling each operator of torch's own database with operands of one device (torch 2.13), and
#: what ``torch.quasirandom`` draws with.
_NAMES = {torch: ("logdet", "_sobol_engine_draw"), torch.Tensor: ("logdet",), torch.linalg: ("matrix_rank",)}


def install(patcher: Patcher, _machine: Machine) -> None:
    """Let the results of each of these functions have a device of their own."""
    for owner, names in _NAMES.items():
        for name in names:
            patcher.wrap(owner, name, _placed)


def _placed(original: Any) -> Any:
    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        out = original(*args, **kwargs)
        first = next(iter(tensors_in([*args, *kwargs.values()])), None)
        for result in tensors_in(out):
            claim = claim_of(result)
            if first is not None and claim is not None and claim.device is None:
                lay(result, Claim(device_of(first)))
        return out

    return function
