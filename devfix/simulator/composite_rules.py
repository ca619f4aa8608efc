"""Operators that CUDA carries out with others: which of those says what about operands on several devices.

The mode sees such an operator whole, where CUDA's dispatcher sees its parts. Each rule follows the C++ of
aten/src/ATen/native (the file is named with it) as far as devices go.
"""

from __future__ import annotations

from typing import Optional

import torch

from .claims import CPU
from .generated_checks import checked, same_device
from .iterator_rules import iterate
from .operands import Call, LeftToTorchError, Operand, refuse, tensors_in


def _two(call: Call, first: str, second: str) -> tuple[Operand, Operand]:
    return call.need(first), call.need(second)


def _named(call: Call, *names: str, method: str, **renamed: str) -> torch.device:
    """The check in front of the one kernel that does the work; ``renamed`` tells its names for the arguments."""
    pairs = [(renamed.get(name, name), call.operand(name)) for name in names]
    return same_device(((name, operand.device) for name, operand in pairs if operand is not None), method)


def logical(call: Call) -> Optional[torch.device]:
    """BinaryOps.cpp: the result is made where ``self`` is."""
    own, other = _two(call, "self", "other")
    made = own if call.name.endswith("_") else Operand(own.device, own.shape)
    return iterate([own, other], [made]).device


def ldexp(call: Call) -> Optional[torch.device]:
    """BinaryOps.cpp: ``x * 2 ** other``; an exponent of integers is made a tensor of floats where it is."""
    own, other = _two(call, "self", "other")
    whole = not call.get("other").is_floating_point()
    return iterate([own, other], [own] if call.name.endswith("_") else [], numbers=0 if whole else 1).device


def difference(call: Call) -> Optional[torch.device]:
    """LinearAlgebra.cpp ``dist``, TensorCompare.cpp ``allclose``: the two are subtracted or compared first."""
    return iterate(list(_two(call, "self", "other"))).device


def euclidean(call: Call) -> Optional[torch.device]:
    """Distance.cpp: more than 25 rows go through a product of matrices; ``cdist`` refuses devices of two types first."""
    first, second = _two(call, "x1", "x2")
    if first.device is not None and second.device is not None and first.device.type != second.device.type:
        raise refuse(
            f"X1 and X2 must have the same device type. X1: {first.device.type} X2: {second.device.type}"
        )
    return first.device or second.device


def soft_margin_loss(call: Call) -> Optional[torch.device]:
    """Loss.cpp: the target multiplies what was made from the input, in place."""
    own, target = _two(call, "self", "target")
    return iterate([own, target], [own]).device


def cross_entropy_with_logits(call: Call) -> Optional[torch.device]:
    """Loss.cpp ``binary_cross_entropy_with_logits``: ``(1 - target).mul_(input).sub_(log_sigmoid(input))``."""
    own, target = _two(call, "self", "target")
    weight, pos_weight = call.operand("weight"), call.operand("pos_weight")
    if pos_weight is not None:
        factor = iterate([pos_weight, target])
        iterate([own, factor], [own])
    loss = Operand(target.device, target.shape)
    iterate([loss, own], [loss])
    iterate([loss, own], [loss])
    if weight is not None:
        iterate([loss, weight], [loss])
    return loss.device


def addr_in_place(call: Call) -> Optional[torch.device]:
    """LinearAlgebra.cpp: ``addr_`` is ``addr_out`` onto itself."""
    return _named(call, "self", "vec1", "vec2", method="wrapper_CUDA_out_addr_out")


def complex_of(call: Call) -> Optional[torch.device]:
    """TensorFactories.cpp ``complex`` and ``polar``."""
    name = call.name
    names = ("real", "imag") if name == "complex" else ("abs", "angle")
    return _named(call, *names, method=f"wrapper_CUDA_out_{name}_out")


def stack(call: Call) -> Optional[torch.device]:
    """TensorShape.cpp: sizes are compared, then the tensors are concatenated.

    Raises LeftToTorchError for tensors of different shapes.
    """
    tensors = tensors_in(call.get("tensors"))
    if len({tuple(tensor.shape) for tensor in tensors}) > 1:
        raise LeftToTorchError
    places = [("tensors", call.device_of(tensor)) for tensor in tensors]
    out = call.get("out")
    if isinstance(out, torch.Tensor):
        return same_device([("out", call.device_of(out)), *places], "wrapper_CUDA_cat_out_out")
    return same_device(places, "wrapper_CUDA_cat")


def block_diag(call: Call) -> Optional[torch.device]:
    """TensorShape.cpp: refuses tensors on two devices, and names the first and the one that differs."""
    places = [call.device_of(tensor) for tensor in call.tensors]
    for number, place in enumerate(places):
        if place != places[0] and place is not None and places[0] is not None:
            raise refuse(
                "torch.block_diag: input tensors must all be on the same device. "
                f"Input 0 is on device {places[0]} and input {number} is on device {place}"
            )
    return next((place for place in places if place is not None), None)


def linear_of_nested(call: Call) -> Optional[torch.device]:
    """Nested tensors alone have a kernel for ``linear`` (native/nested/NestedTensorMatmul.cpp)."""
    return _named(call, "input", "weight", "bias", method="wrapper_NestedTensorCUDA__linear")


def mv(call: Call) -> Optional[torch.device]:
    """LinearAlgebra.cpp: the result is made where the vector is, then ``addmv_``."""
    matrix, vector = _two(call, "self", "vec")
    named = [("self", vector.device), ("mat", matrix.device), ("vec", vector.device)]
    return same_device(named, "wrapper_CUDA_addmv_")


def embedding(call: Call) -> Optional[torch.device]:
    """Embedding.cpp: ``weight.index_select(0, indices)``."""
    return _named(
        call, "weight", "indices", method="wrapper_CUDA__index_select", weight="self", indices="index"
    )


def cholesky_solve(call: Call) -> Optional[torch.device]:
    """BatchLinearAlgebra.cpp through LinearAlgebraUtils.h: refuses a factor that is not where the right side is."""
    own, other = _two(call, "self", "input2")
    if own.device != other.device and None not in (own.device, other.device):
        raise refuse(
            "Expected b and A to be on the same device, but found b on "
            f"{own.device} and A on {other.device} instead."
        )
    return own.device or other.device


def lstsq(call: Call) -> Optional[torch.device]:
    """BatchLinearAlgebra.cpp: results are made where the matrix is, then ``linalg_lstsq_out``."""
    return _named(call, "self", "b", method="wrapper_CUDA_out_linalg_lstsq_out")


def trilinear(call: Call) -> Optional[torch.device]:
    """Linear.cpp: the first two are multiplied by ``bmm`` (or one by one when empty), then the third."""
    first, second, third = (call.need(name) for name in ("i1", "i2", "i3"))
    if 0 in first.shape + second.shape + third.shape:
        # Nothing is multiplied; the result is where the first is, for the bias to be added to.
        return first.device
    common = same_device([("self", first.device), ("mat2", second.device)], "wrapper_CUDA_bmm")
    return same_device([("self", common), ("mat2", third.device)], "wrapper_CUDA_bmm")


def pinv(call: Call) -> Optional[torch.device]:
    """LinearAlgebra.cpp: tolerances are given a dimension, and are no numbers any more."""
    own = call.need("self")
    if 0 in own.shape:
        return own.device
    operands = [own, *(operand for operand in map(call.operand, ("atol", "rtol")) if operand is not None)]
    return iterate([operand._replace(shape=()) for operand in operands], numbers=0).device


def sparse_addmm(call: Call) -> torch.device:
    """native/sparse/SparseTensorMath.cpp: ``addmm`` with the sparse matrix as its first factor."""
    return checked(call, "wrapper_SparseCUDA__addmm")


def sparse_tensor(call: Call) -> Optional[torch.device]:
    """Sparse tensors are made of indices and values on one device (SparseTensor.cpp)."""
    return _named(
        call, "indices", "values", method="wrapper_SparseCUDA___sparse_coo_tensor_with_dims_and_tensors"
    )


def searchsorted(call: Call) -> Optional[torch.device]:
    """cuda/Bucketization.cu: refuses a sorter that is elsewhere, which the generated check does not see."""
    device = checked(call, "wrapper_CUDA_Tensor_searchsorted" if call.operand("self") else "")
    sorter = call.operand("sorter")
    if sorter is not None and sorter.device not in (None, device):
        raise refuse(
            "torch.searchsorted(): sorter and boundary tensors should have same device type, but got sorter tensor "
            f"device type {sorter.device} and input value tensor device type {device}"
        )
    return device


def segment_reduce(call: Call) -> Optional[torch.device]:
    """SegmentReduce.cpp: refuses lengths or offsets that are not where the data are."""
    data = call.need("data")
    for name in ("lengths", "offsets"):
        given = call.operand(name)
        if given is not None and given.device not in (None, data.device):
            raise refuse(
                f"Expected data.get_device() == {name}_value.get_device() to be true, but got false.  (Could this "
                "error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
    return data.device


def packed(call: Call) -> list[Optional[torch.device]]:
    """PackedSequence.cpp: the sizes of the batches stay on the host."""
    return [call.device_of(call.tensors[0]), CPU]
