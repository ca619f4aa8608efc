"""Legacy constructors: ``torch.FloatTensor(...)`` and the like, which make tensors on the device of their name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import Array, Tensor, Union, Unknown, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.record.trails import roots_of_host
from devfix.analysis.torch_model.devices import default_choices
from devfix.analysis.torch_model.tensors import factories, number_places, operations, requirements
from devfix.analysis.torch_model.tensors.arguments import (
    default_device,
    device_of,
    is_empty_list,
    nesting,
    size_rank,
)
from devfix.analysis.torch_model.tensors.legacy_types import CONSTRUCTORS, type_named
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.FloatTensor(...)``: by sizes or by data, never on another device than its own.

    ``torch.Tensor`` is what ``set_default_tensor_type`` says, but not what ``set_default_device`` does.
    """
    found = type_named(name)
    assert found is not None
    dtype, device = found
    if name == "torch.Tensor" and interp.library.default_type:
        device = default_device(interp)
        default_choices.note_made(interp, site.node)
    asked = device_of(site.value(None, "device"))
    trail = (interp.site("factory", site.node),)
    rank = _rank(interp, site)
    made = Tensor(device, dtype, rank, grad=False, leaf=True, trail=trail)
    if asked is not None and asked.is_accelerator and device == CPU:
        form = "data" if len(site.args) == 1 and nesting(interp, site.args[0].value) != 0 else "sizes"
        requirements.record(
            interp, site.node, name, "legacy-constructor", [Part(made, "device", None)], form=form
        )
        return replace(made, device=asked)
    data = without_none(site.args[0].value) if len(site.args) == 1 else None
    if isinstance(data, Tensor):
        return _typed(interp, name, site, made, data)
    if data is not None and site.args[0].node is not None:
        number_places.note_data(interp, data, site.args[0].node)
    if isinstance(data, Array):
        return replace(made, roots=(data.trail,) if data.trail else ())
    return replace(made, rank=1, empty=1) if not site.args or is_empty_list(site) else made


def _typed(interp: Interpreter, name: str, site: CallSite, made: Tensor, data: Tensor) -> Tensor:
    """``torch.FloatTensor(tensor)``: the same memory, of that type already; ``torch.Tensor`` leaves it what and where it is."""
    if name == "torch.Tensor":
        return operations.derived(interp, [data], site, data.dtype, data.rank)
    if made.device == CPU and data.device.is_accelerator:
        part = Part(data, "data", site.args[0].node)
        requirements.record(interp, site.node, name, "host-only", [part])
    return replace(
        made,
        rank=data.rank,
        grad=data.grad,
        leaf=False if data.grad else made.leaf,
        roots=roots_of_host(data),
    )


def sparse(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.sparse.FloatTensor(indices, values[, size])``: where they are, and what they are, whatever the name says.

    Only what is made by sizes alone is as the name says (an H200 shows that for ``torch.cuda.sparse`` as well).
    """
    package, _, kind = name.rpartition(".")
    found = type_named(f"{package.removesuffix('.sparse')}.{kind}")
    if found is None or not _has_sizes_alone(site):
        return factories.sparse(interp, name, site)
    dtype, device = found
    rank = size_rank(interp, list(site.args)) if site.args else None
    return Tensor(device, dtype, rank, grad=False, leaf=True, trail=(interp.site("factory", site.node),))


def _has_sizes_alone(site: CallSite) -> bool:
    """Whether a sparse tensor is given no indices and values, nor another to be as."""
    tensors = (Tensor, Unknown, Union)
    return not site.keywords and not any(isinstance(arg.value, tensors) for arg in site.args)


def _rank(interp: Interpreter, site: CallSite) -> int | None:
    if len(site.args) == 1:
        rank = nesting(interp, site.args[0].value)
        return 1 if rank == 0 else rank if rank is not None else AT_LEAST_1
    return len(site.args) if site.args else AT_LEAST_1


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"torch.{name}": construct for name in CONSTRUCTORS},
    **{f"torch.cuda.{name}": construct for name in CONSTRUCTORS if name != "Tensor"},
    **{
        f"torch{place}.sparse.{name}": sparse
        for place in ("", ".cuda")
        for name in CONSTRUCTORS
        if name not in ("Tensor", "BoolTensor")
    },
}
