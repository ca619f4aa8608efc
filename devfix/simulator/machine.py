"""The machine that is pretended: which accelerators it has, and what a process may do with them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Optional, Union

import torch

from .children import Children
from .claims import CPU
from .events import Log, Operand
from .expectations import is_expected
from .places import Spot, release_locals, user_spot
from .refusals import Refusal

DeviceLike = Union[torch.device, str, int, None]

#: What torch says when a process forked from one that used the accelerator uses it too (torch/cuda/__init__.py).
FORKED = (
    "Cannot re-initialize {0} in forked subprocess. To use {0} with multiprocessing, "
    "you must use the 'spawn' start method"
)


_VISIBLE = "CUDA_VISIBLE_DEVICES"


def _named_devices(named: str) -> int:
    """How many devices a list names; a number below zero ends it (torch/cuda/__init__.py)."""
    found = 0
    for part in named.split(","):
        if not part.strip() or part.strip().startswith("-"):
            break
        found += 1
    return found


class Machine:
    """A machine with ``count`` accelerators of one ``kind`` ("cuda", "mps" or "xpu"), or none ("none").

    ``heal``: mismatches are written down and the run goes on; otherwise they raise, as the accelerator does.
    ``insist``: so it is where a ``try`` of the program has an answer to them, too.
    ``origins``: every tensor remembers the line that made it (on by default where mismatches are healed).
    ``children``: where the processes that this one starts leave what they see.
    """

    def __init__(
        self,
        kind: str = "cuda",
        count: int = 1,
        *,
        heal: bool = False,
        insist: bool = False,
        origins: Optional[bool] = None,
        children: Optional[Children] = None,
    ) -> None:
        if kind not in ("cuda", "mps", "xpu", "none"):
            raise ValueError(f"no accelerator is called {kind!r}; there are cuda, mps, xpu and none")
        if count < 1 or (kind == "mps" and count > 1):
            raise ValueError(f"a machine cannot have {count} {kind} devices")
        self.kind = kind
        self.count = 0 if kind == "none" else count
        self.heal = heal
        self.insist = insist
        self.origins = heal if origins is None else origins
        self.log = Log()
        self.children = Children() if children is None else children
        self.devices = [torch.device(kind, index) for index in range(self.count)]
        self._visible = os.environ.get(_VISIBLE)
        self._looked = False
        #: The process that asked whether there is an accelerator, the one that has a context on it, and
        #: the one that could not have one.
        self._asking: Optional[int] = None
        self._using: Optional[int] = None
        self._faulted: Optional[int] = None
        self.initialised = False
        #: Whether a tensor was copied into one of another device, over which gradients come back.
        self.copied = False
        #: The line of the program that forked this process.
        self.forked_at: Optional[Spot] = None
        #: Where ``torch.Tensor(2, 3)`` goes (``torch.set_default_tensor_type``).
        self.default_type_device = CPU
        self._of_thread = threading.local()

    @property
    def current(self) -> int:
        """The number of the device that is current in this thread."""
        return getattr(self._of_thread, "current", 0)

    @current.setter
    def current(self, index: int) -> None:
        self._of_thread.current = index

    @property
    def forked(self) -> bool:
        """Whether this process was forked from one that had used the accelerator, or only asked for it."""
        return self._asking is not None and self._asking != os.getpid()

    def ask(self) -> None:
        """Somebody asks whether there is an accelerator: from now on no forked process can use it.

        So an H200 has it: ``torch.cuda.is_available`` talks to the driver (``poison_fork`` in
        torch/csrc/cuda/Module.cpp), and with it autocast, GradScaler and loaders that pin.
        """
        self._look()
        if self._asking is None and self.kind != "none":
            self._asking = os.getpid()

    def _look(self) -> None:
        """Find the devices that the program lets itself see, which the driver does once.

        What the variable said before the program ran is about the real machine.
        """
        if not self._looked and self.kind == "cuda":
            self._looked = True
            named = os.environ.get(_VISIBLE)
            if named is not None and named != self._visible:
                self.count = min(self.count, _named_devices(named))
                del self.devices[self.count :]

    def touch(self) -> None:
        """The accelerator is used: its context is made, which a forked process cannot do again.

        Raises what torch raises where there is none: AssertionError in a build without CUDA, RuntimeError in one with it.
        """
        if getattr(self._of_thread, "asleep", False):
            return
        if self.kind == "none":
            raise AssertionError("Torch not compiled with CUDA enabled")
        self._look()
        if not self.count:
            raise RuntimeError("No CUDA GPUs are available")
        if self.forked and self.kind in ("cuda", "xpu"):
            if self.heal and self._faulted == os.getpid() and user_spot() == self.forked_at:
                # What a loader makes of the samples: a line of the samples' own was written down.
                return
            self._faulted = os.getpid()
            self.refuse(Refusal(FORKED.format(self.kind.upper()), "worker"), f"torch.{self.kind}._lazy_init")
            return
        self.work()
        self.ask()
        self.initialised = True

    def work(self) -> None:
        """The driver does something; in a process forked from one that has a context CUDA's fails."""
        if self.kind != "cuda" or getattr(self._of_thread, "asleep", False):
            return
        if self._using is None and not self.forked:
            self._using = os.getpid()
        elif (self.forked or self._using != os.getpid()) and not (self.heal and self._faulted == os.getpid()):
            # Where mismatches are healed, the first says it all: what follows works on what should not be there.
            self._faulted = os.getpid()
            fault = self.fault("initialization error")
            self.refuse(Refusal(str(fault), "worker", type(fault)), "cudaGetDevice")

    def refuse(self, refusal: Refusal, operation: str, operands: Sequence[Operand] = ()) -> None:
        """Raise what the accelerator raises, or write it down where mismatches are healed."""
        if not self.heal or self.expects(refusal.error):
            raise refusal.exception()
        self.log.mismatch(refusal, operation, operands)
        release_locals()

    def expects(self, error: type[BaseException]) -> bool:
        """Whether the program is after such an error where it is, or has an answer to it."""
        return is_expected(error, answered=not self.insist)

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Ask of the accelerator without using it: this thread makes no context meanwhile."""
        self._of_thread.asleep = True
        try:
            yield
        finally:
            self._of_thread.asleep = False

    def device(self, named: DeviceLike) -> torch.device:
        """The device that a name, an index or a ``torch.device`` stands for, with its index.

        Raises RuntimeError for one that the machine does not have, and AssertionError, as torch, for a CUDA device on a
        machine of another kind.
        """
        if isinstance(named, int) and not isinstance(named, bool):
            return self._numbered(self.kind, named)
        found = named if isinstance(named, torch.device) else torch.device(named)  # type: ignore[arg-type]
        if found.type == self.kind:
            return self._numbered(found.type, found.index)
        if found.type == "cpu":
            return CPU
        if found.type in ("cuda", "xpu"):
            raise AssertionError(f"Torch not compiled with {found.type.upper()} enabled")
        if found.type != "meta":
            raise RuntimeError(f"PyTorch is not linked with support for {found.type} devices")
        return found

    def _numbered(self, kind: str, index: Optional[int]) -> torch.device:
        index = self.current if index is None else index
        if kind == "none":
            raise AssertionError("Torch not compiled with CUDA enabled")
        self._look()
        if not self.count:
            raise RuntimeError("No CUDA GPUs are available")
        if not 0 <= index < self.count:
            raise self.fault("invalid device ordinal")
        return self.devices[index]

    def is_accelerator(self, device: Optional[torch.device]) -> bool:
        """Whether a device is one of the machine's accelerators."""
        return device is not None and device.type == self.kind

    def fault(self, text: str) -> RuntimeError:
        """What torch raises for an error of the CUDA runtime (``AcceleratorError`` since torch 2.8)."""
        error: Any = getattr(torch, "AcceleratorError", RuntimeError)
        hint = (
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
            "might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
        )
        try:
            raised = error(f"CUDA error: {text}\n{hint}")
        except TypeError:
            raised = RuntimeError(f"CUDA error: {text}\n{hint}")
        assert isinstance(raised, RuntimeError)  # noqa: S101 - so it is in torch/csrc/Exceptions.h
        return raised


_active: list[Machine] = []


def active() -> Optional[Machine]:
    """The machine that is being simulated, if any."""
    return _active[-1] if _active else None


def activate(machine: Machine) -> None:
    """Make a machine the simulated one."""
    _active.append(machine)


def deactivate(machine: Machine) -> None:
    """Simulate a machine no longer."""
    _active.remove(machine)
