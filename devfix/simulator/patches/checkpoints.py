"""Checkpoints: storages that ``torch.load`` restores go where their location says, and remember being loaded.

Which location that is (``map_location``, and what torch says of devices that are not there) is Python on top of a
storage's device, and stays as it is.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..claims import CPU, Claim, Made
from ..machine import Machine
from ..patching import Patcher
from ..places import user_spot
from ..refusals import Refusal
from .storages import device_of_storage

Storage = torch.UntypedStorage


def install(patcher: Patcher, machine: Machine) -> None:
    """Let what is loaded say that it comes from a checkpoint."""
    if machine.origins:
        patcher.wrap(
            torch.serialization, "_get_restore_location", lambda original: _restoring(machine, original)
        )


def _restoring(machine: Machine, original: Any) -> Any:
    @functools.wraps(original)
    def get_restore_location(map_location: Any) -> Any:
        restore = original(map_location)

        def restore_location(storage: Any, location: str) -> Any:
            try:
                found = restore(storage, location)
            except RuntimeError as error:
                if not machine.heal or "deserialize" not in str(error):
                    raise
                # The device is not there; the data is.
                machine.refuse(Refusal(str(error), "map-location"), "torch.load")
                found = storage
            device = device_of_storage(found) if isinstance(found, Storage) else None
            if device is not None and (device == CPU or machine.is_accelerator(device)):
                found._claim = Claim(device, Made("checkpoint", "torch.load", user_spot()))
            return found

        return restore_location

    return get_restore_location
