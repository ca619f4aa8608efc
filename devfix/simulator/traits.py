"""Traits: what there is to know of an operator, found out once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from . import operand_rules

#: Operations that make the host wait for the accelerator, since it needs their result or its size.
_SYNCHRONISING = frozenset(
    f"aten::{name}"
    for name in (
        "_local_scalar_dense nonzero equal masked_select _unique _unique2 unique_dim unique_consecutive "
        "unique_dim_consecutive repeat_interleave bincount"
    ).split()
)
#: Operations that do so for masks, which they turn into indices.
_INDEXING = frozenset({"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_"})
#: Keywords that have no say in where a result goes, or where it comes from.
_NUMBERS = {"alpha", "beta", "value", "rounding_mode", "memory_format", "dtype"}
COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


def dispatches_itself(kind: Any) -> bool:
    """Whether tensors of a class have a dispatch of their own."""
    own = getattr(kind, "__torch_dispatch__", None)
    return own is not None and own is not torch._C._disabled_torch_dispatch_impl


_own: dict[tuple[Any, ...], bool] = {}


def has_own_dispatch(types: Sequence[Any]) -> bool:
    """Whether one of the classes has a dispatch of its own."""
    key = tuple(types)
    known = _own.get(key)
    if known is None:
        known = _own[key] = any(map(dispatches_itself, key))
    return known


class Traits(NamedTuple):
    """What there is to know of an operator; ``func`` is kept, so that its identity stays its own.

    ``composite``: it is made of others that should be seen instead; ``nests``: but not for nested tensors. ``free_view``: it only looks at a tensor
    differently. ``fresh``: its results have storages of their own. ``waits``: the host may wait for its result,
    always (``synchronising``) or with masks (``indexing``). ``plain``: one tensor comes of tensors, and on one
    accelerator nothing can be wrong with it but their dtypes.
    """

    func: Any
    composite: bool
    nests: bool
    free_view: bool
    fresh: bool
    indexing: bool
    synchronising: bool
    waits: bool
    plain: bool

    def is_made_of_others(self, args: Sequence[Any]) -> bool:
        """Whether others should be seen instead when it is called with ``args``."""
        return self.composite and not (self.nests and any(_is_nested(arg) for arg in args))


def _is_nested(arg: Any) -> bool:
    return isinstance(arg, torch.Tensor) and arg.is_nested


#: By identity: the hash of an operator is computed in Python, and asked for with every call.
_traits: dict[int, Traits] = {}


def traits_of(func: Any) -> Traits:
    """The traits of an operator."""
    known = _traits.get(id(func))
    if known is None:
        known = _traits[id(func)] = _found(func)
    return known


def _found(func: Any) -> Traits:
    name, composite = func._schema.name, _is_composite(func)
    waits = name in _INDEXING or name in _SYNCHRONISING
    return Traits(
        func,
        composite=composite,
        nests=torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "NestedTensorCPU"),
        free_view=_is_free_view(func),
        fresh=all(returned.alias_info is None for returned in func._schema.returns),
        indexing=name in _INDEXING,
        synchronising=name in _SYNCHRONISING,
        waits=waits,
        plain=not composite and not waits and _is_plain(func),
    )


def _is_plain(func: Any) -> bool:
    schema = func._schema
    listed = any(
        "List[" in str(argument.type) and "Tensor" in str(argument.type) for argument in schema.arguments
    )
    named = {argument.name for argument in schema.arguments if argument.kwarg_only}
    one = len(schema.returns) == 1 and str(schema.returns[0].type) == "Tensor"
    return one and not listed and named <= _NUMBERS and not operand_rules.is_particular(func)


def _is_composite(func: Any) -> bool:
    """Whether a call is made of others that should come here instead.

    Under ``torch.inference_mode`` such calls arrive whole, since autograd, which takes them apart, is off.
    """
    # Not `func.decompose`, which prefers formulas written in Python to those that CPU tensors go through.
    # An operator that has a kernel of its own besides (`silu_backward`) goes through that, digit for digit.
    name, has = func.name(), torch._C._dispatch_has_kernel_for_dispatch_key
    return bool(has(name, COMPOSITE) and not has(name, "CPU"))


def _is_free_view(func: Any) -> bool:
    """Whether a call only looks at a tensor differently, which needs no driver; indexing does, so an H200 has it."""
    returned = func._schema.returns
    views = bool(returned) and all(r.alias_info is not None and not r.alias_info.is_write for r in returned)
    return views and func._schema.name not in ("aten::select", "aten::slice")
