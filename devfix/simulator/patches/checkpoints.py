"""Checkpoints: storages that ``torch.load`` restores go where their location says, and remember being loaded.

What Python's own pickle restores comes by way of ``torch.load``, too, but no call of it stands in the program.

Which location that is (``map_location``, and what torch says of devices that are not there) is Python on top of a
storage's device, and stays as it is.
"""

from __future__ import annotations

import functools
import threading
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
        pickles = _Pickles()
        patcher.wrap(
            torch.serialization,
            "_get_restore_location",
            lambda original: _restoring(machine, original, pickles),
        )
        patcher.wrap(torch.storage, "_load_from_bytes", pickles.entered)


class _Pickles(threading.local):
    """How many tensors of a pickle are being restored, one inside of the other."""

    depth = 0

    def entered(self, original: Any) -> Any:
        """The function that a pickle names for what restores a storage, which is counted."""

        @functools.wraps(original)
        def load_from_bytes(data: bytes) -> Any:
            self.depth += 1
            try:
                return original(data)
            finally:
                self.depth -= 1

        return load_from_bytes


def _restoring(machine: Machine, original: Any, pickles: _Pickles) -> Any:
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
                way = ("other", "pickle.load") if pickles.depth else ("checkpoint", "torch.load")
                found._claim = Claim(device, Made(*way, user_spot()))
            return found

        return restore_location

    return get_restore_location
