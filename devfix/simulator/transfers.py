"""Transfers: what a copy from one device to another is called, and how much it carries."""

from __future__ import annotations

from typing import Optional

import torch

from .claims import storage_of


def size_of(tensor: torch.Tensor) -> int:
    """Bytes that a copy of a tensor takes, of a sparse one that of what is written down."""
    storage = storage_of(tensor) if tensor.layout is not torch.strided else None
    return tensor.nbytes if storage is None else storage.nbytes()


def direction(source: torch.device, target: torch.device) -> Optional[str]:
    """What a copy from one device to another is called in the report; None when it stays where it is."""
    if source == target:
        return None
    if source.type == "cpu":
        return "host-to-device"
    return "device-to-host" if target.type == "cpu" else "peer"
