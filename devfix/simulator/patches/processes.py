"""Processes: forked ones carry the machine on, and new Python processes get one like it."""

from __future__ import annotations

import atexit
import functools
import os
from multiprocessing.process import BaseProcess
from typing import Any

from .. import startup
from ..machine import Machine, active
from ..patching import Patcher
from ..places import user_spot


def install(patcher: Patcher, machine: Machine) -> None:
    """Let the children of this process see the machine, and leave what they see in its folder."""
    machine.log.others = machine.children.reports
    if os.environ.get(startup.MACHINE) is not None:
        _watch(machine)
    _set_environment(patcher, machine)
    patcher.wrap(BaseProcess, "_bootstrap", _ending)
    _follow_forks()


def _set_environment(patcher: Patcher, machine: Machine) -> None:
    before = {name: os.environ.get(name) for name in (startup.MACHINE, "PYTHONPATH")}

    def restore() -> None:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    os.environ.update(startup.environment(machine))
    patcher.finally_call(restore)


def _watch(machine: Machine) -> None:
    """Leave what this child process sees, at once and when it ends."""
    machine.log.on_first = lambda: machine.children.write(machine.log, ended=False)
    atexit.register(machine.children.write, machine.log, ended=True)


def _ending(original: Any) -> Any:
    @functools.wraps(original)
    def bootstrap(self: BaseProcess, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        finally:
            # A process forked by multiprocessing ends without the calls of atexit.
            machine = active()
            if machine is not None:
                machine.children.write(machine.log, ended=True)

    return bootstrap


def _forked() -> None:
    """In a forked process: what the parent saw is the parent's to report."""
    machine = active()
    if machine is not None:
        machine.log.clear()
        machine.log.others = list
        machine.forked_at = user_spot()
        _watch(machine)


@functools.cache
def _follow_forks() -> None:
    # This cannot be undone; without a machine it does nothing.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)
