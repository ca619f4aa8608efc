"""Launching: one program from its first line to its last, on the machine that was asked for."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import deferred_compiler, giving_back, launch_options, program, shown_traceback
from .lasting import lasting
from .launch_options import LaunchOptions
from .limits import Limits, Stop

if TYPE_CHECKING:
    from .machine import Machine
    from .run_report import RunReport

#: What the system ends a process with: the report is written before it does.
_ENDING = ("SIGTERM", "SIGHUP", "SIGXCPU")


def main(words: list[str]) -> None:
    """Run what the command line says, and end as Python ends it."""
    options = launch_options.parse(words)
    if options.ear is not None:
        _tell_signals(options.ear)
    # The first to be registered is the last to be called: after what torch and the program want done.
    atexit.register(_finish)
    with _interruptible(), lasting():
        if options.mode == "plain" and options.kind == "none":
            _hide_accelerators()
        # torch is imported from here on: accelerators have to be hidden first.
        from . import places  # noqa: PLC0415 - as above
        from .differentiated import Differentiated  # noqa: PLC0415 - as above
        from .parameters import Trained  # noqa: PLC0415 - as above
        from .run_report import RunReport  # noqa: PLC0415 - as above

        if options.own is not None:
            places.keep_to(options.own)
        machine = _simulated(options)
        if machine is not None or options.kind == "none":
            # A true accelerator has drivers, and they their own way to end.
            giving_back.leave_to_system()
    if machine is None:
        deferred_compiler.defer()
    trained = Trained()
    differentiated = Differentiated(lambda: trained.steps > 0)
    report = RunReport(options.report, options.mode, options.kind, machine, trained, differentiated)
    report.write(final=False)
    _write_at_end(report)
    most = options.max_seconds, options.max_steps, options.max_mismatches
    limits = Limits(*most, _stopping(report), lambda: _leave(report))

    def stepped() -> None:
        report.refresh()
        limits.stepped(trained.steps)

    trained.watch(stepped)
    differentiated.watch()
    _last.append(limits.stop)
    if machine is not None:
        machine.log.on_first = _seeing(machine, report, limits)
    limits.start()
    try:
        _run(options, report)
    finally:
        limits.over = True


def _tell_signals(ear: int) -> None:
    """Let it be known elsewhere which signals arrive here: no process of the program is to hold that open."""
    os.set_inheritable(ear, False)
    os.set_blocking(ear, False)
    signal.set_wakeup_fd(ear, warn_on_full_buffer=False)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """What is done here is nothing of the program's: one that is interrupted before it begins ends without a word."""
    try:
        yield
    except KeyboardInterrupt:
        _flush()
        _end_by(signal.SIGINT)


def _seeing(machine: Machine, report: RunReport, limits: Limits) -> Callable[[], None]:
    def seen() -> None:
        report.refresh()
        limits.seen(machine.log.count)

    return seen


def _simulated(options: LaunchOptions) -> Optional[Machine]:
    """The machine that is simulated from now to the end of the process."""
    if options.mode == "plain":
        return None
    from .simulation import simulated_accelerator  # noqa: PLC0415 - imports torch

    shown_traceback.clean_in_workers()
    entered = contextlib.ExitStack()
    # Kept open by a reference that outlives the program, and whatever Python takes away at its end.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(entered))
    return entered.enter_context(
        simulated_accelerator(
            options.kind,
            options.devices,
            heal=options.mode in ("heal", "insist"),
            insist=options.mode == "insist",
        )
    )


def _hide_accelerators() -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        os.environ[name] = ""
    import torch  # noqa: PLC0415 - reads the above when it looks for devices

    torch.backends.mps.is_available = lambda: False  # type: ignore[assignment]
    for name in ("xpu", "accelerator"):
        module: Any = getattr(torch, name, None)
        if module is not None:
            module.is_available = lambda: False
            module.device_count = lambda: 0
    if hasattr(torch, "accelerator"):
        torch.accelerator.current_accelerator = lambda *_args, **_kwargs: None


def _run(options: LaunchOptions, report: RunReport) -> None:
    try:
        program.run(program.load(options.program, options.arguments, is_module=options.is_module))
    except Stop as stop:
        report.conclude("stopped", 0, reason=str(stop))
        _end_children()
        raise SystemExit(0) from None
    except SystemExit as ending:
        report.conclude("exited", _status(ending))
        raise
    except KeyboardInterrupt as error:
        report.conclude("raised", 130, error=error)
        shown_traceback.show(error)
        raise SystemExit(130) from None
    except BaseException as error:  # noqa: BLE001 - whatever ends the program is reported, and shown as Python does
        report.conclude("raised", 1, error=error)
        shown_traceback.show(error)
        raise SystemExit(1) from None
    report.conclude("finished", 0)


def _status(ending: SystemExit) -> int:
    if ending.code is None:
        return 0
    return ending.code & 0xFF if isinstance(ending.code, int) else 1


def _end_children() -> None:
    """Processes of the program that nobody waits for any more would keep it from ending."""
    multiprocessing: Any = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            child.terminate()


#: What is done when everything else is.
_last: list[Callable[[], None]] = []


def _finish() -> None:
    while _last:
        _last.pop()()


def _stopping(report: RunReport) -> Callable[[str], None]:
    def stopping(reason: str) -> None:
        report.conclude("stopped", 0, reason=reason)
        report.write(final=False)

    return stopping


def _leave(report: RunReport) -> None:
    """End a process that would not end by itself."""
    report.write()
    _flush()
    _true_exit(0)


_true_exit = os._exit


def _write_at_end(report: RunReport) -> None:
    """Let the report be written however the process ends, short of being killed."""

    def ended() -> None:
        report.write()
        if report.outcome["status"] == 130 and report.outcome["how"] == "raised":
            # Python ends by the signal itself, after everything else: the shell wants to know.
            _flush()
            _end_by(signal.SIGINT)

    def leave(status: int) -> None:
        if report.is_own_process:
            report.conclude("exited", status & 0xFF)
            report.write()
        _true_exit(status)

    def ending(number: int, _frame: Any) -> None:
        if report.is_own_process:
            report.conclude("stopped", 128 + number, reason=signal.Signals(number).name)
            report.write()
        _end_by(number)

    _last.append(ended)
    os._exit = leave  # type: ignore[assignment]
    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, ending)


def _end_by(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A stream may be closed, or be something else by now.
        with contextlib.suppress(Exception):
            stream.flush()
