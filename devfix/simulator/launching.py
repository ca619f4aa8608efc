"""Launching: one program from its first line to its last, on the machine that was asked for."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Optional

from . import launch_options, program

if TYPE_CHECKING:
    from .run_report import RunReport


class Stop(BaseException):
    """Raised in the program when its time or its steps are used up; no ``except Exception`` catches it."""


def main(words: list[str]) -> None:
    """Run what the command line says, and end as Python ends it."""
    options = launch_options.parse(words)
    if options.mode == "plain" and options.kind == "none":
        _hide_accelerators()
    # torch is imported from here on.
    from .machine import Machine  # noqa: PLC0415 - accelerators have to be hidden first
    from .parameters import Trained  # noqa: PLC0415 - as above
    from .run_report import RunReport  # noqa: PLC0415 - as above
    from .simulation import simulated_accelerator  # noqa: PLC0415 - as above

    machine: Optional[Machine] = None
    simulated: AbstractContextManager[Any] = nullcontext()
    if options.mode != "plain":
        simulated = simulated_accelerator(options.kind, options.devices, heal=options.mode == "heal")
        machine = simulated.__enter__()
    trained = Trained()
    trained.watch()
    report = RunReport(options.report, options.mode, options.kind, machine, trained)
    report.write(final=False)
    _end_well(report)
    _limit(options, report, trained)
    _run(options, report)


def _hide_accelerators() -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        os.environ[name] = ""
    import torch  # noqa: PLC0415 - reads the above when it looks for devices

    torch.backends.mps.is_available = lambda: False  # type: ignore[assignment]
    if hasattr(torch, "xpu"):
        torch.xpu.is_available = lambda: False
        torch.xpu.device_count = lambda: 0
    if hasattr(torch, "accelerator"):
        torch.accelerator.is_available = lambda: False
        torch.accelerator.device_count = lambda: 0
        torch.accelerator.current_accelerator = lambda *_args, **_kwargs: None


def _run(options: launch_options.LaunchOptions, report: RunReport) -> None:
    try:
        program.run(program.load(options.program, options.arguments, is_module=options.is_module))
    except SystemExit as ending:
        report.conclude("exited", _status(ending))
        raise
    except Stop as stop:
        report.conclude("stopped", 0, reason=str(stop))
        raise SystemExit(0) from None
    except BaseException as error:  # noqa: BLE001 - whatever ends the program is reported, and shown as Python does
        interrupted = isinstance(error, KeyboardInterrupt)
        report.conclude("raised", 130 if interrupted else 1, error=error)
        _show(error)
        raise SystemExit(130 if interrupted else 1) from None
    report.conclude("finished", 0)


def _status(ending: SystemExit) -> int:
    if ending.code is None:
        return 0
    return ending.code & 0xFF if isinstance(ending.code, int) else 1


def _show(error: BaseException) -> None:
    """Print a traceback as Python does, without the frames of the launcher and the simulator."""
    here = os.path.dirname(os.path.abspath(__file__))
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(here):
        traceback = traceback.tb_next
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)


def _end_well(report: RunReport) -> None:
    """Let the report be written however the process ends."""
    atexit.register(report.write)
    true_exit = os._exit

    def leave(status: int) -> None:
        report.conclude("exited", status & 0xFF)
        report.write()
        true_exit(status)

    def terminated(number: int, _frame: Any) -> None:
        report.conclude("stopped", 128 + number, reason="signal")
        report.write()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    os._exit = leave  # type: ignore[assignment]
    signal.signal(signal.SIGTERM, terminated)


def _limit(options: launch_options.LaunchOptions, report: RunReport, trained: Any) -> None:
    if options.max_seconds is not None:

        def late(_number: int, _frame: Any) -> None:
            report.conclude("stopped", 0, reason="max-seconds")
            report.write()
            raise Stop("max-seconds")

        signal.signal(signal.SIGALRM, late)
        # Again and again, since a program may catch everything.
        signal.setitimer(signal.ITIMER_REAL, options.max_seconds, 1.0)

    def stepped() -> None:
        if options.max_steps is not None and trained.steps >= options.max_steps:
            raise Stop("max-steps")
        report.refresh()

    trained.after_step = stepped
