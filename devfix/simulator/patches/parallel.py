"""Data parallelism: scattering, replicating and gathering over the machine's devices, and process groups.

``torch.nn.DataParallel`` is Python on top of a few functions of torch/csrc/cuda/comm.cpp; these do the same with
claims. NCCL needs GPUs: a process group that asks for it talks through gloo.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any, Optional

import torch
from torch.nn.parallel import _functions

from ..claims import CPU, claim_of, device_of
from ..events import Operand
from ..machine import Machine
from ..patching import Patcher
from ..refusals import Refusal
from .tensor_moves import move

Tensor = torch.Tensor
#: The identities of process groups that nobody frees.
_KEPT: set[int] = set()
_COLLECTIVES = """
    all_reduce broadcast reduce all_gather gather scatter reduce_scatter all_gather_into_tensor reduce_scatter_tensor
    all_to_all all_to_all_single send recv isend irecv
""".split()


def install(patcher: Patcher, machine: Machine) -> None:
    """Let the machine's devices share work."""
    if machine.kind not in ("cuda", "xpu"):
        return
    exchange = Exchange(machine)
    for name in ("scatter", "scatter_out", "gather", "gather_out", "broadcast", "broadcast_out"):
        patcher.set(torch._C, f"_{name}", getattr(exchange, name))
    patcher.set(torch._C, "_broadcast_coalesced", exchange.broadcast_coalesced)
    # Streams that an earlier machine made.
    patcher.set(_functions, "_streams", None)
    if machine.kind == "cuda":
        patcher.set(torch.cuda.nccl, "is_available", lambda _tensors: False)
        patcher.set(torch.cuda.nccl, "version", lambda: (2, 26, 2))
        if torch.distributed.is_available():
            _process_groups(patcher, machine)


class Exchange:
    """The functions of torch/csrc/cuda/comm.cpp."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _move(self, tensor: Tensor, index: Optional[int], by: str) -> Tensor:
        if index == -1:
            return move(tensor, CPU, by)
        return move(tensor, self._machine.device(self._machine.current if index is None else index), by)

    def scatter(
        self,
        tensor: Tensor,
        devices: Sequence[int],
        chunk_sizes: Optional[Sequence[int]] = None,
        dim: int = 0,
        _streams: Any = None,
    ) -> list[Tensor]:
        """Cut a tensor along a dimension, one piece for each device."""
        chunks = (
            tensor.chunk(len(devices), dim)
            if chunk_sizes is None
            else torch.split(tensor, list(chunk_sizes), dim)
        )
        return [self._move(chunk, index, "scatter") for chunk, index in zip(chunks, devices)]

    def scatter_out(self, tensor: Tensor, out: Sequence[Tensor], dim: int = 0, _streams: Any = None) -> Any:
        """The same into tensors that exist."""
        for target, chunk in zip(out, torch.split(tensor, [each.size(dim) for each in out], dim)):
            target.copy_(chunk)
        return list(out)

    def gather(self, tensors: Sequence[Tensor], dim: int, destination: Optional[int] = None) -> Tensor:
        """Put pieces together on one device, or on the CPU for -1; raises RuntimeError for a piece on the CPU."""
        for number, tensor in enumerate(tensors):
            if device_of(tensor) == CPU:
                text = f"Expected all input tensors to be CUDA tensors, but tensor at index {number} has device cpu"
                raise RuntimeError(text)
        return torch.cat([self._move(tensor, destination, "gather") for tensor in tensors], dim)

    def gather_out(self, tensors: Sequence[Tensor], out: Tensor, dim: int) -> Tensor:
        """The same into a tensor that exists."""
        return out.copy_(torch.cat([move(tensor, device_of(out), "gather") for tensor in tensors], dim))

    def broadcast(self, tensor: Tensor, devices: Sequence[int]) -> list[Tensor]:
        """A copy on each device; where the tensor is already, itself."""
        return [self._move(tensor, index, "broadcast") for index in devices]

    def broadcast_out(self, tensor: Tensor, out: Sequence[Tensor]) -> list[Tensor]:
        """The same into tensors that exist."""
        return [target.copy_(tensor) for target in out]

    def broadcast_coalesced(
        self, tensors: Sequence[Tensor], devices: Sequence[int], _buffer_size: int = 0
    ) -> list[list[Tensor]]:
        """Copies of many tensors on each device; raises RuntimeError unless all are on the first of them."""
        first = self._machine.device(devices[0])
        if any(device_of(tensor) != first for tensor in tensors):
            raise RuntimeError(f"All tensors must be on devices[0]: {devices[0]}")
        return [[self._move(tensor, index, "broadcast") for tensor in tensors] for index in devices]


def _process_groups(patcher: Patcher, machine: Machine) -> None:
    """Process groups that ask for NCCL get gloo, and are told it is NCCL."""
    distributed = torch.distributed.distributed_c10d
    asked: list[str] = []

    def init(original: Any) -> Any:
        @functools.wraps(original)
        def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> Any:
            asked[:] = ["nccl"] if backend is None else [str(backend)]
            kwargs.pop("device_id", None)
            original("gloo" if backend is None or "nccl" in str(backend) else backend, *args, **kwargs)
            _keep_groups()

        return init_process_group

    def told(original: Any) -> Any:
        @functools.wraps(original)
        def get_backend(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            return "nccl" if found == "gloo" and "nccl" in asked else found

        return get_backend

    def kept(original: Any) -> Any:
        @functools.wraps(original)
        def new_group(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            _keep_groups()
            return found

        return new_group

    for name, make in (("init_process_group", init), ("get_backend", told), ("new_group", kept)):
        original = getattr(distributed, name)
        patcher.everywhere(torch.distributed, name, original, make(original))
    for name in _COLLECTIVES:
        # The module's own calls, which send objects as CPU tensors, stay as they are.
        patcher.wrap(torch.distributed, name, lambda original: _on_devices(machine, asked, original))
    original = distributed.is_nccl_available
    patcher.everywhere(torch.distributed, "is_nccl_available", original, lambda: True)


def _keep_groups() -> None:
    """Let no process group end before the process does.

    A group's destructor waits for gloo's threads while it holds the interpreter's lock. The work that such a thread lays down
    keeps the modes under which it was asked for, of which the simulator's is one, and a thread that drops the last hold of a
    Python object waits for that lock.
    """
    for group in torch.distributed.distributed_c10d._world.pg_map:
        if id(group) not in _KEPT:
            _KEPT.add(id(group))
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(group))


def _on_devices(machine: Machine, asked: Sequence[str], original: Any) -> Any:
    """A collective operation that NCCL carries out, which it does for GPU tensors alone."""

    @functools.wraps(original)
    def collective(*args: Any, **kwargs: Any) -> Any:
        values = [*args, *kwargs.values()]
        tensors = [value for value in values if isinstance(value, Tensor)]
        blamed = tuple(tensor for tensor in tensors if device_of(tensor) == CPU)
        if "nccl" in asked and blamed:
            operands = [Operand("tensor", tensor, claim_of(tensor), CPU) for tensor in blamed]
            refusal = Refusal("No backend type associated with device type cpu", blamed=blamed)
            machine.refuse(refusal, original.__name__, operands)
        return original(*args, **kwargs)

    return collective
