"""Methods of tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.modules import hooks
from devfix.analysis.torch_model.names import is_in_place
from devfix.analysis.torch_model.tensors import (
    factories,
    float_operations,
    functional,
    generators,
    host_memory,
    in_place_results,
    leaves,
    moves,
    number_range,
    operations,
    ranks,
    requirements,
    results,
    tensor_attributes,
)
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.training import gradients

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_NUMBERS = {"item": None, "tolist": None, "dim": "int", "numel": "int", "nelement": "int", "ndimension": "int",
            "element_size": "int", "data_ptr": "int", "is_floating_point": "bool", "is_contiguous": "bool",
            "__len__": "int", "storage_offset": "int", "get_device": "int", "is_complex": "bool"}  # fmt: skip
_NOTHING = frozenset("retain_grad record_stream".split())
_FILLING = frozenset(
    "copy_ normal_ uniform_ zero_ fill_ random_ bernoulli_ exponential_ set_ resize_ share_memory_ trunc_normal_ "
    "fill_diagonal_ cauchy_ log_normal_ geometric_ pin_memory_".split()
)


#: What cuts a tensor into pieces.
_PIECES = frozenset(
    "split chunk unbind hsplit vsplit dsplit split_with_sizes unsafe_chunk unsafe_split unsafe_split_with_sizes".split()
)
#: What gives several tensors of the tensor's dtype, nobody knows how many.
_SEVERAL = frozenset("gradient lu".split())

#: The parts of a sparse tensor: their dtype ("" as the tensor's) and rank.
_OF_SPARSE = {
    **dict.fromkeys(("values", "_values"), ("", AT_LEAST_1)),
    **dict.fromkeys(("indices", "_indices"), ("int64", 2)),
    **dict.fromkeys(("crow_indices", "col_indices", "row_indices", "ccol_indices"), ("int64", AT_LEAST_1)),
}


def call(interp: Interpreter, value: Tensor, name: str, node: ast.expr | None, site: CallSite) -> Value:
    """``value.name(...)``; ``node`` is the expression ``value.name``."""
    if name in results.NAMESPACED:
        return UNKNOWN
    return _method(interp, value, name, node.value if isinstance(node, ast.Attribute) else None, site)


def as_function(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``torch.split(x, 2)`` is ``x.split(2)``; None when the first argument is no tensor."""
    named = next((key for key in ("input", "self", "A") if key in site.keywords), None)
    given = site.args[0] if site.args else site.keywords[named] if named else None
    value = without_none(given.value) if given is not None else None
    if given is None or not isinstance(value, Tensor):
        return None
    keywords = {key: arg for key, arg in site.keywords.items() if site.args or key != named}
    return _method(interp, value, name, given.node, replace(site, args=site.args[1:], keywords=keywords))


def _method(interp: Interpreter, value: Tensor, name: str, where: ast.expr | None, site: CallSite) -> Value:
    if name in moves.METHODS:
        return moves.tensor(interp, value, name, site)
    if name in ("numpy", "__array__"):
        return _numpy(interp, value, where, site)
    if name == "get_device" and value.device in (CPU, ACCELERATOR):
        return Const(0 if value.device.is_accelerator else -1)
    if name in _NUMBERS:
        return _number(value, name)
    if name == "retain_grad":
        leaves.retain(interp, value)
    if name == "register_hook":
        return hooks.of_gradient(interp, value, site)
    if name == "backward":
        return gradients.backward(interp, "torch.Tensor.backward", site.shifted(Arg(value, where)))
    if name in _NOTHING:
        return NONE
    if name in _FILLING:
        if "generator" in site.keywords:
            generators.check(interp, site, value.device)
        number_range.check(interp, name[:-1], site.shifted(Arg(value, where)))
        in_place_results.check_alone(interp, name[:-1], value, site.shifted(Arg(value, where)))
        return replace(value, empty=0) if value.empty else value  # it may be given another size
    if name == "requires_grad_":
        flag = site.value(0, "requires_grad")
        changed = replace(value, grad=flag != FALSE, leaf=value.leaf is not False)
        leaves.train(interp, value, flag)
        leaves.note(interp, changed)
        return changed
    if name.startswith("new"):
        return factories.new(interp, value, name, site)
    return _special(interp, value, name, where, site)


def _special(interp: Interpreter, value: Tensor, name: str, where: ast.expr | None, site: CallSite) -> Value:
    if name in ("size", "stride"):
        return _sizes(value, name, site)
    if name == "tensor_split":
        return functional.tensor_split(interp, name, site.shifted(Arg(value, where)))
    if name in _PIECES:
        rank = value.rank if name != "unbind" else ranks.more(-1)(interp, value, site)
        return Sequence(operations.derived(interp, [value], site, value.dtype, rank))
    if name in _SEVERAL:
        dtype = value.dtype if (value.dtype or "").startswith("float") else None
        return Sequence(operations.derived(interp, [value], site, dtype, None))
    if name in results.NAMES:
        float_operations.check(interp, name, value, site.shifted(Arg(value, where)))
        return results.of(interp, name, value, site.shifted(Arg(value, where)))
    if name == "nonzero":
        return functional.nonzero(interp, name, site.shifted(Arg(value, where)))
    if name in {"unique", "unique_consecutive"}:
        return _unique(interp, value, site)
    if name in _OF_SPARSE:
        dtype, rank = _OF_SPARSE[name]
        return operations.derived(interp, [value], site, dtype or value.dtype, rank)
    if name == "where" and site.args:
        # The condition comes first in the function, the tensor in the method.
        args = (site.args[0], Arg(value, where), *site.args[1:])
        return functional.where(interp, name, replace(site, args=args))
    shifted = site.shifted(Arg(value, where))
    found = operations.apply(interp, name, shifted)
    if found is not None:
        return found
    found = functional.call(interp, name, shifted)
    if found is not None:
        return found
    if is_in_place(name):
        return value
    return UNKNOWN


def _unique(interp: Interpreter, value: Tensor, site: CallSite) -> Value:
    """The values, then (when they are asked for) where each one is and how often."""
    whole = site.value(None, "dim") in (None, NONE)
    result = operations.derived(interp, [value], site, value.dtype, 1 if whole else None)
    asked = [site.keywords[key].value for key in ("return_inverse", "return_counts") if key in site.keywords]
    if not asked or not all(answer in (TRUE, FALSE) for answer in asked):
        return UNKNOWN if asked or len(site.args) > 1 else result
    numbers = operations.places(interp, value, site, 1 if value.rank == 1 else AT_LEAST_1)
    counted = (numbers,) * sum(answer == TRUE for answer in asked)
    return TupleValue((result, *counted)) if counted else result


_KINDS = {"is_floating_point": ("float", "bfloat"), "is_complex": ("complex",)}


def asks_kind(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.is_floating_point(x)``."""
    value = without_none(site.args[0].value) if site.args else UNKNOWN
    return _number(value, name.rpartition(".")[2]) if isinstance(value, Tensor) else Scalar("bool")


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    f"torch.{name}": asks_kind for name in _KINDS
}


def _sizes(value: Tensor, name: str, site: CallSite) -> Value:
    if site.args:
        dim = site.value(0, "dim")
        known = isinstance(dim, Const) and type(dim.value) is int and 0 <= dim.value < value.empty
        none = known or (value.empty > 0 and value.rank == 1)
        return Const(0) if none and name == "size" else Scalar("int")
    return tensor_attributes.shape(value) if name == "size" else Sequence(Scalar("int"))


def _number(value: Tensor, name: str) -> Value:
    kind = _NUMBERS[name]
    if name in ("dim", "ndimension") and (value.rank or 0) > 0:
        return Const(value.rank)
    if name in _KINDS and value.dtype is not None:
        return Const(value.dtype.startswith(_KINDS[name]))
    if value.empty and name in ("numel", "nelement"):
        return Const(0)
    if kind is not None:
        return Scalar(kind)
    if name == "tolist" and value.rank is None:
        return UNKNOWN
    if name == "tolist" and value.rank != 0:
        # A list whose items are known to be numbers only when there is one dimension.
        return Sequence(_number(value, "item") if value.rank == 1 else UNKNOWN)
    if value.dtype is None:
        return UNKNOWN
    if value.dtype == "bool":
        return Scalar("bool")
    return Scalar("float" if value.dtype.startswith(("float", "bfloat")) else "int")


def _numpy(interp: Interpreter, value: Tensor, where: ast.expr | None, site: CallSite) -> Value:
    """``x.numpy()``: CPU tensors that need no gradient (facts: "numpy on cuda")."""
    force = "force" in site.keywords and site.keywords["force"].value != FALSE
    if not force and requirements.leaves_host(interp, value):
        read = requirements.device_path(value)
        detail = {"grad": "1"} if read.grad else {}
        requirements.record(
            interp, site.node, "torch.Tensor.numpy", "numpy", [Part(read, "self", where)], **detail
        )
    else:
        host_memory.check_dtype(interp, "torch.Tensor.numpy", site.node, Part(value, "self", where))
    return Array(value.dtype, value.rank, (*value.trail, interp.site("numpy", site.node))[-8:])
