"""Asked places: tests of where a tensor is, ``x.is_cuda``, within a model of which that is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU, Device
from devfix.analysis.domain.values import DeviceValue, Tensor, Unknown, Value
from devfix.analysis.nn.modules import external_bases, module_device
from devfix.analysis.text.syntax import remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: The answer to ``x.is_cuda`` where nobody knows where ``x`` is.
ANSWER = Unknown("asked place")
#: The attributes of a tensor that tell where it is.
_ASKING = frozenset({"device", "is_cuda", "is_cpu"})
#: What a loader asks for samples and indices, in processes of the host.
_LOADED = frozenset(
    {
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.Sampler",
        "torch.utils.data.BatchSampler",
    }
)


def parted(interp: Interpreter, test: ast.expr) -> Tensor | None:
    """The tensor whose place a test ``x.is_cuda`` asks for, if one path leaves it on the CPU and others do not."""
    if not isinstance(test, ast.Attribute) or test.attr not in ("is_cuda", "is_cpu"):
        return None
    value = interp.eval(test.value)
    return value if isinstance(value, Tensor) and value.is_parted else None


def are_open(interp: Interpreter, test: ast.expr) -> bool:
    """Whether tensors are asked whether they are on the accelerator, where that goes by what they are, and is no option.

    So it is where a name keeps the answer.
    """
    if isinstance(test, ast.Name) and interp.eval(test) == ANSWER:
        return True
    return parted(interp, test) is not None or _are_of_host(interp, test)


def _are_of_host(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks whether tensors are on the accelerator, for a model on the CPU: there its inputs are, too."""
    return _asks_for_accelerator(test) and is_within_host(interp)


def is_within_host(interp: Interpreter) -> bool:
    """Whether a model on the CPU is what is executed, or a data set: there what they are given and hold is, too."""
    return any(_is_of_host(interp, frame.given[0]) for frame in interp.stack if frame.given)


def _is_of_host(interp: Interpreter, owner: Value) -> bool:
    if module_device(interp, owner) == CPU:
        return True
    obj = interp.obj_of(owner)
    return obj is not None and not _LOADED.isdisjoint(external_bases(interp, obj.cls))


def are_judged(interp: Interpreter, device: Device) -> bool:
    """Whether nobody decides which device this is: what code does with an accelerator is judged."""
    return device.kind == "same-as" and not interp.is_script and not is_within_host(interp)


def asks_judged(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks where something is that is judged for an accelerator."""
    for part in walk(test):
        if isinstance(part, ast.Attribute) and part.attr in _ASKING:
            value = interp.eval(part if part.attr == "device" else part.value)
            if isinstance(value, (DeviceValue, Tensor)) and are_judged(interp, value.device):
                return True
    return False


@remembered
def _asks_for_accelerator(test: ast.expr) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr == "is_cuda" for part in walk(test))
