"""Loaders: what comes out of one remembers the loop that took it; where it is does not change."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import dataloader

from ..claims import CPU, Claim, Made, claim_of, lay, storage_of, types_of
from ..machine import Machine
from ..patching import Patcher
from ..places import user_spot

Tensor = torch.Tensor
_DEPTH = 4


def install(patcher: Patcher, machine: Machine) -> None:
    """Let batches say which loop took them from which loader."""
    if machine.origins:
        patcher.wrap(dataloader._BaseDataLoaderIter, "__next__", _marking)


def _marking(original: Any) -> Any:
    @functools.wraps(original)
    def __next__(self: Any) -> Any:  # noqa: N807 - Python's name
        batch = original(self)
        made = Made("loader", "DataLoader", user_spot())
        for tensor in _tensors(batch, _DEPTH):
            if _has_own_storage(tensor):
                lay(tensor, _taken(tensor, made))
        return batch

    return __next__


def _taken(tensor: Tensor, made: Made) -> Claim:
    known = claim_of(tensor)
    if known is None:
        return Claim(CPU, made)
    before = known.roots or ((known.made,) if known.made is not None and known.made.kind != "loader" else ())
    return Claim(known.device, made, before, pinned=known.pinned, types=types_of(tensor))


def _has_own_storage(tensor: Tensor) -> bool:
    """Whether a tensor is no part of a larger one, which a dataset may keep as its own."""
    storage = storage_of(tensor)
    return storage is not None and (tensor.layout is not torch.strided or storage.nbytes() <= tensor.nbytes)


def _tensors(value: Any, depth: int) -> Iterator[Tensor]:
    """The tensors of a batch: in mappings, sequences, and attributes of objects."""
    if isinstance(value, Tensor):
        yield value
        return
    parts: Any = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    elif hasattr(value, "__dict__") and not isinstance(value, (type, torch.nn.Module)):
        parts = vars(value).values()
    if depth > 0:
        for part in list(parts):
            yield from _tensors(part, depth - 1)
