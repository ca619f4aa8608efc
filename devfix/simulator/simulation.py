"""Simulation: a machine with an accelerator for as long as a block runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Optional

from .children import Children
from .dispatch import DeviceChecks
from .machine import Machine, activate, active, deactivate
from .patches import (
    autocast,
    availability,
    checkpoints,
    compilers,
    composed,
    constructions,
    device_numbers,
    dlpack,
    dtype_checks,
    element_functions,
    factories,
    generators,
    gradients,
    higher_order,
    leaves,
    legacy_types,
    libraries,
    loaders,
    numpy_interchange,
    optimizers,
    own_gradients,
    parallel,
    parameter_vectors,
    pinning,
    processes,
    profiling,
    runtime,
    sharing,
    sparse,
    storages,
    streams,
    subclasses,
    tensor_moves,
    tensor_queries,
    threads,
    transforms,
    unplaced,
)
from .patching import Patcher

#: In the order they are installed; a later one may build on what an earlier one put there.
PATCHES = (
    availability,
    runtime,
    libraries,
    streams,
    generators,
    autocast,
    tensor_queries,
    tensor_moves,
    factories,
    gradients,
    own_gradients,
    legacy_types,
    subclasses,
    leaves,
    optimizers,
    composed,
    higher_order,
    transforms,
    unplaced,
    storages,
    numpy_interchange,
    dlpack,
    parallel,
    parameter_vectors,
    pinning,
    checkpoints,
    sharing,
    loaders,
    processes,
    threads,
    constructions,
    device_numbers,
    sparse,
    compilers,
    profiling,
    dtype_checks,
    element_functions,
)


@contextmanager
def simulated_accelerator(
    kind: str = "cuda",
    count: int = 1,
    *,
    heal: bool = False,
    insist: bool = False,
    origins: Optional[bool] = None,
    children: Optional[Children] = None,
) -> Iterator[Machine]:
    """Run a block of code as if the machine had ``count`` accelerators of a ``kind`` ("cuda", "mps", "xpu").

    Tensors of any shape keep true CPU numbers, and each says which device it is on; operations whose tensors do not
    share a device raise what the accelerator raises or, with ``heal``, are written down in ``machine.log`` and carried
    out all the same; with ``insist`` as well, so it is even where a ``try`` of the program has an answer to them. With
    ``origins`` every tensor remembers the line that made it (so it is unless said otherwise where mismatches are
    healed). ``children`` is where the processes that the block starts leave what they see.

    Raises ValueError for a kind or count that no machine has, and RuntimeError when an accelerator is being simulated
    already.
    """
    if active() is not None:
        raise RuntimeError("an accelerator is being simulated already")
    machine = Machine(kind, count, heal=heal, insist=insist, origins=origins, children=children)
    patcher = Patcher()
    activate(machine)
    try:
        for patch in PATCHES:
            patch.install(patcher, machine)
        with DeviceChecks(machine):
            yield machine
    finally:
        patcher.undo()
        deactivate(machine)
        machine.children.close()
