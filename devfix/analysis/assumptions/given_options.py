"""Options as they are when nobody says otherwise: programs whose own defaults do not go together.

A device option whose default is the CPU is taken to be set to the accelerator, and the program is
judged like that. Where it also asks by itself whether there is an accelerator, what follows the
option and what follows the question part when the option is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from devfix.analysis import entries
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.library import Library
from devfix.analysis.record.recorder import Recorder
from devfix.findings import Mismatch

if TYPE_CHECKING:
    from devfix.project import Program

#: The statements that a second look at the scripts may take.
_BUDGET = 20_000


def judge(program: Program, recorder: Recorder, library: Library) -> None:
    """Write down what parts when the program's one device option is left alone."""
    if len(library.host_options) != 1 or not recorder.conditional:
        return
    option = library.host_options[0]
    apart, again = Recorder(), Library(as_given=True)
    for path in recorder.scripts:
        if again.steps < _BUDGET:
            entries.run_script(Interpreter(program, apart, again), path)
    for found in apart.confirmed():
        devices = {operand.device for operand in found.operands}
        if (
            found.kind == "device"
            and "cpu" in devices
            and len(devices) > 1
            and found not in recorder.mismatches
        ):
            operands = tuple(replace(operand, trail=(), roots=()) for operand in found.operands)
            operation = "argparse.ArgumentParser.add_argument"
            recorder.mismatch(Mismatch("device-option", option.path, option.span, operation, operands))
            return
