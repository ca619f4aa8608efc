"""What a TensorIterator takes: aten/src/ATen/TensorIterator.cpp, ``compute_types``.

Elementwise kernels run over one. It finds the first operand that is not on the host, and wants all others
there, except numbers: CPU tensors without dimensions that are inputs. How many of them it takes, and whether
the kernel behind it takes them too, depends on the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import torch

from .claims import CPU
from .operands import Call, LeftToTorchError, Operand, RefusedError, refuse

SAME_DEVICE = "Expected all tensors to be on the same device, but "

#: Operators whose iterator takes no numbers from the host (their configuration does not allow CPU scalars).
_NO_NUMBERS = {
    "addcdiv",
    "addcdiv_",
    "binary_cross_entropy",
    "binomial",
    "index_fill",
    "index_fill_",
}
#: Operators whose iterator takes such a number and whose kernel then fails an assertion (H200 record).
_KERNEL_WITHOUT_NUMBERS = {"lerp", "lerp_", "smooth_l1_loss"}
_ASSERTION = (
    'iter.device(arg).is_cuda() INTERNAL ASSERT FAILED at "/pytorch/aten/src/ATen/native/cuda/Loops.cuh":109, '
    "please report a bug to PyTorch. argument {}: expected a CUDA device but found cpu"
)
_ADDCMUL = (
    "CPU Scalar support for self argument is not supported when calling addcmul on CUDA tensors.",
    "CPU Scalar support for tensor1 argument is not supported when calling addcmul on CUDA tensors. However, CPU Scalar support for tensor2 is supported, please swap your tensor1 and tensor2 terms.",
)


def common_device(operands: Sequence[Operand]) -> torch.device:
    """The first device that is not the host's."""
    for operand in operands:
        if operand.device is not None and operand.device.type != "cpu":
            return operand.device
    return CPU


def two_devices(first: torch.device, second: torch.device) -> RefusedError:
    """The refusal of a TensorIterator."""
    return refuse(f"{SAME_DEVICE}found at least two devices, {first} and {second}!")


def apart(one: Optional[torch.device], other: Optional[torch.device]) -> RefusedError:
    """The same for two devices of which one may be the host, which is named last."""
    first, second = (one or CPU), (other or CPU)
    return two_devices(second, first) if first == CPU else two_devices(first, second)


def iterate(inputs: Sequence[Operand], outputs: Sequence[Operand] = (), *, numbers: int = 1) -> Operand:
    """The result of an elementwise operation, or its refusal; ``outputs`` are written to and set the shape.

    At most ``numbers`` inputs may be CPU tensors without dimensions. Shapes are compared before devices are
    (``TensorIteratorBase::build``).
    """
    shape = _shape(inputs, outputs)
    common = common_device((*outputs, *inputs))
    for operand in outputs:
        if operand.device is not None and operand.device != common:
            raise two_devices(common, operand.device)
    taken = 0
    for operand in inputs:
        if operand.device is None or operand.device == common:
            continue
        if not (numbers and operand.host_scalar):
            raise two_devices(common, operand.device)
        taken += 1
        if taken > numbers:
            raise refuse("Trying to pass too many CPU scalars to non-CPU kernel!")
    return Operand(common, shape)


def _shape(inputs: Sequence[Operand], outputs: Sequence[Operand]) -> tuple[int, ...]:
    shape: list[int] = []
    for sizes in (operand.shape for operand in inputs):
        shape = [1] * (len(sizes) - len(shape)) + shape
        for place, size in enumerate(reversed(sizes), start=1):
            if shape[-place] == 1:
                shape[-place] = size
            elif size not in (1, shape[-place]):
                raise LeftToTorchError
    for operand in outputs:
        # What is only written to is given the shape it needs.
        if operand.shape != tuple(shape) and any(operand is read for read in inputs):
            raise LeftToTorchError
    return tuple(shape)


def elementwise(call: Call) -> torch.device:
    """The rule for an operator that runs over a TensorIterator with all its tensors.

    ``addcmul`` refuses numbers of the host in words of its own.
    """
    name = call.name
    inputs, outputs = _operands(call)
    if name == "mse_loss":
        _mean_squared(inputs)
    result = iterate(inputs, outputs, numbers=0 if name in _NO_NUMBERS else 1)
    if result.device != CPU:
        if name in ("addcmul", "addcmul_"):
            for operand, said in zip(inputs, _ADDCMUL):
                if operand.host_scalar:
                    raise refuse(said)
        if name in _KERNEL_WITHOUT_NUMBERS:
            # The weight of lerp.Tensor is the one number that its kernel takes.
            _refuse_numbers(inputs[:2])
    return result.device or CPU


def _mean_squared(inputs: Sequence[Operand]) -> None:
    """``mse_loss`` takes no number, and names two of them in their own order, as its reduction does."""
    one, other = inputs[:2]
    if one.device is not None and other.device is not None and one.device != other.device:
        if one.shape or other.shape:
            raise apart(one.device, other.device)
        raise two_devices(one.device, other.device)


def _refuse_numbers(inputs: Sequence[Operand]) -> None:
    for position, operand in enumerate(inputs, start=1):
        if operand.host_scalar:
            raise refuse(_ASSERTION.format(position))


def _operands(call: Call) -> tuple[list[Operand], list[Operand]]:
    inputs, outputs = [], []
    for argument in call.func._schema.arguments:
        operand = call.operand(argument.name)
        if operand is None:
            continue
        if argument.is_out:
            outputs.append(operand)
            continue
        inputs.append(operand)
        if argument.alias_info is not None and argument.alias_info.is_write:
            outputs.append(operand)
    return inputs, outputs
