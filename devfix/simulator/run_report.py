"""Run report: what a run showed, as one JSON file that is whole at every moment."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from types import TracebackType
from typing import Any, Optional

import torch

from .differentiated import Differentiated
from .machine import Machine
from .parameters import Trained
from .places import Spot, is_user_file, place

#: More than this of each is left out, and counted.
MOST_MISMATCHES, MOST_TRANSFERS, MOST_FRAMES, MOST_MODULES = 500, 1000, 50, 1000
#: A run that goes on writes its report anew no more often than this, in seconds.
REFRESH = 1.0


class RunReport:
    """Gathers what a run shows; :meth:`write` puts it into the file, in place of what was there."""

    def __init__(
        self,
        path: str,
        mode: str,
        kind: str,
        machine: Optional[Machine],
        trained: Trained,
        differentiated: Differentiated,
    ) -> None:
        self.outcome: dict[str, Any] = {"how": "unfinished", "status": None, "reason": None, "error": None}
        self._path = os.path.abspath(path)
        self._process = os.getpid()
        self._mode = mode
        self._kind = kind
        self._machine = machine
        self._trained = trained
        self._differentiated = differentiated
        self._written = 0.0
        self._began = time.monotonic()

    def conclude(
        self, how: str, status: int, *, reason: Optional[str] = None, error: Optional[BaseException] = None
    ) -> None:
        """Say how the run ended; what stopped it goes before what the program made of that."""
        if self.outcome["how"] == "stopped":
            return
        self.outcome = {"how": how, "status": status, "reason": reason, "error": _error(error)}

    @property
    def is_own_process(self) -> bool:
        """Whether this is the process that was launched, and none forked from it."""
        return os.getpid() == self._process

    def refresh(self) -> None:
        """Write what is known by now, unless that was done a moment ago."""
        if time.monotonic() - self._written > REFRESH:
            self.write(final=False)

    def write(self, *, final: bool = True) -> None:
        """Write the report; a process forked from the one that was launched has none to write."""
        if not self.is_own_process:
            return
        try:
            text = json.dumps(self._content(final=final))
        except Exception:  # noqa: BLE001 - how the run ended is worth more than the rest
            text = json.dumps({**self._head(), "steps": self._trained.steps})
        # A report that cannot be written must not end the program; whoever reads it misses it soon enough.
        with contextlib.suppress(OSError):
            self._put(text)
        self._written = time.monotonic()

    def _put(self, text: str) -> None:
        """Replace the file as a whole; what is no file, such as ``/dev/null``, is written to and stays what it is."""
        is_replaced = os.path.isfile(self._path) or not os.path.exists(self._path)
        written = f"{self._path}.{self._process}.part" if is_replaced else self._path
        with open(written, "w", encoding="utf-8") as file:
            file.write(text)
        if is_replaced:
            os.replace(written, self._path)

    def _content(self, *, final: bool) -> dict[str, Any]:
        mismatches = self._machine.log.mismatches if self._machine is not None else []
        transfers = self._machine.log.transfers if self._machine is not None else []
        return {
            **self._head(),
            "gpu_name": _gpu_name() if final and self._mode == "plain" else None,
            "drew_on_device": _drew_on_device() if final and self._mode == "plain" else None,
            "steps": self._trained.steps,
            "mismatches": mismatches[:MOST_MISMATCHES],
            "mismatches_left_out": max(0, len(mismatches) - MOST_MISMATCHES),
            "transfers": transfers[:MOST_TRANSFERS],
            "transfers_left_out": max(0, len(transfers) - MOST_TRANSFERS),
            "parameters": self._trained.report() if final else None,
            "gradients_on": self._differentiated.device_types,
            "modules": _modules() if final else {},
        }

    def _head(self) -> dict[str, Any]:
        return {
            "format": 1,
            "python": sys.version.split()[0],
            "torch": str(torch.__version__),
            "mode": self._mode,
            "kind": self._kind,
            "outcome": self.outcome,
            "seconds": round(time.monotonic() - self._began, 3),
        }


_is_initialised: Any = torch.cuda.is_initialized


def _gpu_name() -> Optional[str]:
    return torch.cuda.get_device_name() if _is_initialised() else None


def _drew_on_device() -> bool:
    """Whether a GPU's own generator gave random numbers: they are others than the CPU's, from the same seed.

    The state of such a generator is its seed and how far it came, eight bytes each (ATen's CUDAGeneratorImpl).
    """
    if not _is_initialised():
        return False
    return any(bool(generator.get_state()[8:].any()) for generator in torch.cuda.default_generators)


def _modules() -> dict[str, str]:
    """The user's own modules that the run imported, and their files."""
    found: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        file = vars(module).get("__file__") if hasattr(module, "__dict__") else None
        if isinstance(file, str) and is_user_file(file) and len(found) < MOST_MODULES:
            found[name] = os.path.abspath(file)
    return found


def _error(error: Optional[BaseException]) -> Optional[dict[str, Any]]:
    if error is None:
        return None
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the user's own exception class may not manage
        message = ""
    return {
        "type": type(error).__qualname__,
        "module": type(error).__module__,
        "message": message[:20_000],
        "frames": _frames(error.__traceback__),
    }


def _frames(traceback: Optional[TracebackType]) -> list[dict[str, Any]]:
    """The user's own frames of a traceback, outermost first; of very many the last."""
    found = []
    while traceback is not None:
        if is_user_file(traceback.tb_frame.f_code.co_filename):
            found.append(place(Spot(traceback.tb_frame.f_code, traceback.tb_lasti)))
        traceback = traceback.tb_next
    return [frame for frame in found if frame is not None][-MOST_FRAMES:]
