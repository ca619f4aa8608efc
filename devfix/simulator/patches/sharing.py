"""Sharing: device memory that another process opens is host memory here, shared the way the host's is.

``torch.multiprocessing`` sends a tensor of a CUDA device as a handle to its memory (torch/multiprocessing/reductions.py); the
handle of simulated device memory is that of shared host memory.
"""

from __future__ import annotations

import multiprocessing.reduction
import os
from typing import Any

import torch
import torch.multiprocessing
from torch.utils._python_dispatch import _disable_current_modes

from ..claims import Claim, Made
from ..machine import Machine
from ..patching import Patcher
from ..places import user_spot
from .storages import device_of_storage

Storage: Any = torch.UntypedStorage
_base: Any = torch._C.TensorBase
_strategy: Any = torch.multiprocessing.get_sharing_strategy


def install(patcher: Patcher, machine: Machine) -> None:
    """Let tensors of the machine's devices go through queues and pipes."""
    if machine.kind == "cuda":
        patcher.set(Storage, "_share_cuda_", _share(machine))
        patcher.set(Storage, "_new_shared_cuda", _open(machine))
        for name in ("_release_ipc_counter", "_release_ipc_counter_cuda"):
            patcher.set(Storage, name, classmethod(lambda _cls, *_args, **_kwargs: None))


def _share(machine: Machine) -> Any:
    def share_cuda(self: Any) -> tuple[Any, ...]:
        machine.work()
        index = device_of_storage(self).index
        size = self.nbytes()
        return (index, _handle(self) if size else None, size, 0, b"", 0, b"", False)

    return share_cuda


def _handle(storage: Any) -> Any:
    if _strategy() == "file_system":
        manager, name, _size = storage._share_filename_cpu_()
        storage._shared_incref()
        return manager, name
    descriptor, _size = storage._share_fd_cpu_()
    return multiprocessing.reduction.DupFd(descriptor)


def _open(machine: Machine) -> Any:
    def new_shared_cuda(_cls: Any, index: int, handle: Any, size: int, *_rest: Any) -> Any:
        machine.touch()
        opened = _lasting(_opened(handle, size))
        made = Made("other", "torch.multiprocessing", user_spot()) if machine.origins else None
        opened._claim = Claim(machine.device(index), made)
        return opened

    return classmethod(new_shared_cuda)


def _lasting(storage: Any) -> Any:
    """The object that tensors of a storage show; in torch 2.4 it is another than the one that was opened."""
    with _disable_current_modes():
        return _base.untyped_storage(_base.set_(torch.empty(0, dtype=torch.uint8), storage))


def _opened(handle: Any, size: int) -> Any:
    if isinstance(handle, tuple):
        return Storage._new_shared_filename_cpu(*handle, size)._shared_decref()
    descriptor = handle.detach()
    try:
        return Storage._new_shared_fd_cpu(descriptor, size)
    finally:
        os.close(descriptor)
