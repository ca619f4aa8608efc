"""Comparisons of devices in functions that torch composes of others in C++, above what a dispatch mode sees.

Each compares the devices of its tensors and has words of its own (aten/src/ATen/native; an H200 said them).
A comparison gets the arguments by name, and raises :class:`RefusedError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import torch

from .claims import device_of
from .generated_checks import same_device
from .layer_rules import refuse_mask, short_name
from .number_range import refuse_number
from .operands import refuse, tensors_in

Arguments = Mapping[str, Any]
Comparison = Callable[[Arguments], None]


def meshgrid(given: Arguments) -> None:
    """TensorShape.cpp: refuses tensors on two devices."""
    tensors = tensors_in(given["tensors"])
    if any(device_of(tensor) != device_of(tensors[0]) for tensor in tensors):
        raise refuse("meshgrid expects all tensors to have the same device")


def quantile(given: Arguments) -> None:
    """Sorting.cpp: refuses a tensor ``q`` that is not where the input is, even one without dimensions."""
    if isinstance(given["q"], torch.Tensor) and device_of(given["q"]) != device_of(given["input"]):
        raise refuse("quantile() q tensor must be on the same device as the input tensor")


def inner(given: Arguments) -> None:
    """LinearAlgebra.cpp through TensorUtils.cpp ``checkDeviceType``: refuses tensors on two types of devices."""
    own, other = device_of(given["input"]).type, device_of(given["other"]).type
    if own != other:
        raise refuse(
            f"Expected tensor to have {own} DeviceType, but got tensor with {other} DeviceType "
            "(while checking arguments for inner())"
        )


def gradient(given: Arguments) -> None:
    """ReduceOps.cpp: refuses a tensor of ``spacing`` that is not where the input is."""
    own = device_of(given["input"])
    for spacing in tensors_in(given.get("spacing")):
        if device_of(spacing) != own:
            raise refuse(
                "torch.gradient expected each tensor to be on the same device, but got devices "
                f"{own} and {device_of(spacing)}!"
            )


def take_along_dim(given: Arguments) -> None:
    """TensorAdvancedIndexing.cpp: refuses indices that are not where the input is."""
    own, other = device_of(given["input"]), device_of(given["indices"])
    if own != other:
        raise refuse(
            f"Expected tensor to have {own} Device, but got tensor with {other} Device "
            "(while checking arguments for torch.take_along_dim():)"
        )


def tensor_split(given: Arguments) -> None:
    """TensorShape.cpp: the places to split at are read by the host, and those of a device are refused."""
    places = given.get("indices_or_sections", given.get("tensor_indices_or_sections"))
    if isinstance(places, torch.Tensor) and device_of(places).type != "cpu":
        raise refuse(
            f"tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {device_of(places)}",
            "host-only",
        )


def matrix_rank(given: Arguments) -> None:
    """LinearAlgebra.cpp: refuses a tolerance that is a tensor and not where the input is."""
    own = device_of(given["input"])
    for name in ("atol", "rtol", "tol"):
        tolerance = given.get(name)
        if isinstance(tolerance, torch.Tensor) and device_of(tolerance) != own:
            raise refuse(
                f"torch.linalg.matrix_rank: Expected {name} and input tensors to be on the same device, but got "
                f"{name} on {device_of(tolerance)} and input on {own}"
            )


def multi_dot(given: Arguments) -> None:
    """LinearAlgebra.cpp: refuses tensors on two devices, and numbers them."""
    tensors = tensors_in(given["tensors"])
    for number, tensor in enumerate(tensors):
        if device_of(tensor) != device_of(tensors[0]):
            raise refuse(
                "multi_dot(): all tensors must be on the same device but tensor 0 is on "
                f"{device_of(tensors[0])} and tensor {number} on {device_of(tensor)}"
            )


def _transform(name: str) -> Comparison:
    def compared(given: Arguments) -> None:
        own, window = device_of(given["input"]), given.get("window")
        if isinstance(window, torch.Tensor) and device_of(window) != own:
            raise refuse(
                f"{name} input and window must be on the same device but got self on {own} and window on "
                f"{device_of(window)}"
            )

    return compared


#: SpectralOps.cpp.
stft, istft = _transform("stft"), _transform("istft")


def attention(given: Arguments) -> None:
    """transformers/attention.cpp ``validate_sdpa_input``: refuses a key or value that is not where the query is."""
    query, key, value = (device_of(given[name]) for name in ("query", "key", "value"))
    if not query == key == value:
        raise refuse(
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{query} key.device: {key} and value.device: {value} instead."
        )
    mask = given.get("attn_mask")
    if isinstance(mask, torch.Tensor) and query.type != "cpu" and device_of(mask) != query and mask.dim():
        refuse_mask(query, device_of(mask), given["query"])


def rms_norm(given: Arguments) -> None:
    """native/layer_norm.cpp: one kernel on CUDA, several operators on the CPU."""
    named = [(name, device_of(given[name])) for name in ("input", "weight") if given.get(name) is not None]
    same_device(named, "wrapper_CUDA___fused_rms_norm")


#: The names of C++ for dtypes, which some messages use.
_C_NAMES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.float16: "c10::Half",
    torch.int64: "long int",
}


def lstm_cell(given: Arguments) -> None:
    """RNN.cpp: two products and a fused kernel on CUDA, several operators on the CPU."""
    _cell(given, tensors_in(given["hx"]), "lstm")


def gru_cell(given: Arguments) -> None:
    """As an LSTM cell, with one hidden state."""
    _cell(given, [given["hx"]], "gru")


def _cell(given: Arguments, hidden: list[torch.Tensor], kind: str) -> None:
    own = given["input"]
    if device_of(own).type != "cuda":
        return
    for operand, weight in ((own, given["w_ih"]), (hidden[0], given["w_hh"])):
        same_device([("self", device_of(operand)), ("mat2", device_of(weight))], "wrapper_CUDA_mm")
        if operand.dtype != weight.dtype:
            first, second = (_C_NAMES.get(t.dtype, str(t.dtype)[6:]) for t in (operand, weight))
            raise refuse(
                f"expected mat1 and mat2 to have the same dtype, but got: {first} != {second}", "dtype"
            )
    named = [("input_gates", device_of(own)), ("hidden_gates", device_of(hidden[0]))]
    named.append(("cx" if kind == "lstm" else "hx", device_of(hidden[-1])))
    biases = (("input_bias", given.get("b_ih")), ("hidden_bias", given.get("b_hh")))
    named += [(name, device_of(bias)) for name, bias in biases if bias is not None]
    same_device(named, f"wrapper_CUDA___thnn_fused_{kind}_cell")


def recurrent(given: Arguments) -> None:
    """RNN.cpp ``check_attributes``: refuses hidden states first, then parameters; CUDA compares dtypes too."""
    own = given["input"]
    hidden = tensors_in(given["hx"])
    for role, tensors in (("hidden", hidden), ("parameter", tensors_in(given["params"]))):
        for tensor in tensors:
            if device_of(tensor) != device_of(own):
                raise refuse(
                    f"Input and {role} tensors are not at the same device, found input tensor at {device_of(own)} "
                    f"and {role} tensor at {device_of(tensor)}"
                )
            if tensor.dtype != own.dtype and device_of(own).type == "cuda":
                raise refuse(
                    f"Input and {role} tensors are not the same dtype, found input tensor with "
                    f"{short_name(own.dtype)} and {role} tensor with {short_name(tensor.dtype)}",
                    "dtype",
                )


def chosen_number(given: Arguments) -> None:
    """TensorCompare.cpp makes a tensor of a number where the condition is: CUDA fills it, and refuses what does not fit."""
    branches = (given["input"], given["other"])
    number = next((branch for branch in branches if isinstance(branch, (int, float))), None)
    tensor = next((branch for branch in branches if isinstance(branch, torch.Tensor)), None)
    where = device_of(given["condition"])
    if number is None or tensor is None or where.type != "cuda":
        return
    if not tensor.dim() or device_of(tensor) == where:  # else it is refused for its device
        refuse_number(number, torch.result_type(tensor, number), (tensor,))
