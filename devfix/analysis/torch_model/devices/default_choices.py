"""Default choices: dtypes and devices that a program sets by default, as scripts do, and what prepares tests.

Of functions that nobody is seen to call no one knows which is called first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import DeviceValue, Value
from devfix.analysis.text.syntax import called, walk
from devfix.analysis.torch_model import names

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.library import Library
    from devfix.project import Program
    from devfix.source import Source

#: What sets the default dtype, and how what they are told ends where that is float32.
_WIDENING = frozenset({"set_default_dtype", "set_default_tensor_type"})
_USUAL = ("torch.float32", "torch.float", "torch.FloatTensor", "torch.FloatTensor'")
#: What sets the default device, and what they are told where that is the CPU.
_PLACING = frozenset({"set_default_device", "set_default_tensor_type"})
_HOST = re.compile(
    r"""None|["']cpu["']|torch\.device\(["']cpu["']\)|["']?torch\.[A-Z][a-zA-Z0-9]*Tensor["']?"""
)
#: Libraries that put what is made without ``device=`` on the accelerator, where there is one, as soon as they are imported.
_PLACING_LIBRARIES = frozenset({"deepxde"})
#: What a data set makes its samples in: a loader puts together what is on the CPU.
_SAMPLING = frozenset({"__getitem__", "__getitems__"})
#: What of torch makes tensors only beside others, in factories and layers, which are remarked by themselves, or of a class that names its device.
_FOLLOWING = tuple(
    f"torch.{package}."
    for package in (
        "Tensor accelerator amp autograd backends compiler cuda distributed fft func jit linalg multiprocessing nn "
        "optim profiler random return_types special types utils version"
    ).split()
)
#: What reads pictures, or computes with what it is given.
_OF_PICTURES = tuple(
    f"torchvision.{package}." for package in ("datasets", "io", "ops", "transforms", "utils")
)
#: Libraries that make tensors of what they are given, or keep some, and say nothing of a device.
_MAKING = frozenset({"torchvision", "torchaudio", "transformers", "datasets"})


def note(library: Library, program: Program) -> None:
    """Write down which defaults a program sets to something else than float32 and the CPU."""
    for source in program.sources.values():
        if "set_default_" in source.text:
            for name, told in _calls(source):
                library.default_floats &= name not in _WIDENING or told.endswith(_USUAL)
                library.default_placed |= name in _PLACING and not _HOST.fullmatch(told)


def forget_device(interp: Interpreter) -> None:
    """Where the program sets the default device, nobody knows which one it is for what no script is seen to call."""
    if interp.library.default_placed:
        interp.state.default_device = DeviceValue(UNKNOWN_DEVICE)


def at_import(library: Library, chosen: Value | None) -> Value | None:
    """The default device where a file is executed that something imports which has chosen one; others may have chosen another."""
    return DeviceValue(UNKNOWN_DEVICE) if chosen is not None or library.default_placed else None


def imported(interp: Interpreter, module: str) -> None:
    """A library from outside of the project that sets the default device was imported."""
    if module.partition(".")[0] in _PLACING_LIBRARIES:
        interp.state.default_device = DeviceValue(UNKNOWN_DEVICE)


def note_made(interp: Interpreter, node: ast.AST) -> None:
    """Remark what a script makes, or may make, where the default device is, when that may be another than the CPU.

    What a data set makes its samples in is left out while a loader reads them.
    """
    if not _is_elsewhere(interp):
        return
    around, _, function = interp.frame.scope.rpartition(".")
    if not (interp.makes_batch and around and function in _SAMPLING):
        interp.recorder.remarked.add(interp.site("by-default", node))


def note_called(interp: Interpreter, name: str, node: ast.AST) -> None:
    """Remark a call of code from outside the project that may make what it gives back, or keeps, on the default device.

    What has no name is of the project.
    """
    if name and _is_elsewhere(interp) and not _makes_nothing(name):
        note_made(interp, node)


def _is_elsewhere(interp: Interpreter) -> bool:
    default = interp.state.default_device
    return interp.is_script and isinstance(default, DeviceValue) and default.device != CPU


def _makes_nothing(name: str) -> bool:
    """Whether what has a canonical name goes by its arguments, is of no device, or is a factory, a layer or a model that is known."""
    head, _, rest = name.partition(".")
    if head == "torch":
        return not rest.startswith("sparse_") if "." not in rest else name.startswith(_FOLLOWING)
    return name.startswith(_OF_PICTURES) or (head not in _MAKING and names.is_harmless(name))


def _calls(source: Source) -> Iterator[tuple[str, str]]:
    """What a file calls with a first argument: the last name, and the argument as it is written."""
    for call in walk(source.tree):
        if isinstance(call, ast.Call) and call.args:
            name = called(call)
            yield name, ast.unparse(call.args[0]) if name in _WIDENING | _PLACING else ""
