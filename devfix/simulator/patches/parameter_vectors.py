"""Parameter vectors: ``parameters_to_vector`` and its reverse, which compare devices in Python before they begin."""

from __future__ import annotations

import functools
from typing import Any, Optional

import torch
from torch.nn.utils import convert_parameters

from ..claims import CPU, claim_of, device_of
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal


def install(patcher: Patcher, machine: Machine) -> None:
    """Write down, where mismatches are healed, what these functions refuse."""
    if machine.heal:
        patcher.wrap(convert_parameters, "_check_param_device", lambda original: _checking(machine, original))


def _checking(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def check_param_device(param: torch.Tensor, old_param_device: Optional[int]) -> Any:
        try:
            return original(param, old_param_device)
        except TypeError as error:
            device = device_of(param)
            blamed = (param,) if device == CPU else ()
            refusal = Refusal(str(error), "device", TypeError, blamed)
            operand = Operand("parameters", param, claim_of(param), device)
            machine.refuse(refusal, "torch.nn.utils.convert_parameters", [operand])
            return original(param, None)

    return check_param_device
