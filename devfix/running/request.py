"""Request: what is to be run, with what, and how far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import devfix

#: What runs a program in the user's interpreter and reports on it.
LAUNCHER = Path(devfix.__file__).resolve().parent / "simulator" / "launch.py"


@dataclass(frozen=True, slots=True)
class Request:
    """One program (a script, notebook, folder or, with ``is_module``, a module) and how it is run.

    ``strict`` ends the run at the first mismatch, as an accelerator would. ``max_total_seconds`` is for all runs
    that a repair takes.
    """

    program: str
    arguments: tuple[str, ...] = ()
    is_module: bool = False
    kind: str = "cuda"
    devices: int = 1
    max_seconds: float | None = None
    max_steps: int | None = None
    strict: bool = False
    max_total_seconds: float = 1800.0

    @property
    def words(self) -> tuple[str, ...]:
        """The program and its arguments as Python takes them."""
        return (*(("-m",) if self.is_module else ()), self.program, *self.arguments)

    def command(
        self,
        python: str,
        report: Path,
        mode: str = "heal",
        words: Sequence[str] | None = None,
        ear: int | None = None,
        own: Path | None = None,
    ) -> list[str]:
        """The command that runs it in a mode of the launcher and leaves the report.

        ``words`` stand for the program where it lies elsewhere than the user says; to the descriptor ``ear`` it writes
        the signals that it gets. Files elsewhere than below ``own`` are not the user's.
        """
        options = ["--mode", mode, "--kind", self.kind, "--devices", str(self.devices)]
        options += ["--report", str(report)]
        if self.max_seconds is not None:
            options += ["--max-seconds", str(self.max_seconds)]
        if self.max_steps is not None:
            options += ["--max-steps", str(self.max_steps)]
        if ear is not None:
            options += ["--ear", str(ear)]
        if own is not None:
            options += ["--own", str(own)]
        if self.strict:
            options += ["--max-mismatches", "1"]
        return [python, str(LAUNCHER), *options, *(self.words if words is None else words)]
