"""einops: functions and layers that give a tensor another form by a pattern, and leave it where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import UNKNOWN, Array, External, Obj, Tensor, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PATTERN = 1


def rearrange(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``rearrange(x, "b c h w -> b (c h w)")``, ``reduce``, ``repeat``; a list of tensors is stacked."""
    given = site.value(0, "tensor")
    value = without_none(given) if given is not None else UNKNOWN
    if isinstance(value, Array):
        return replace(value, rank=_rank(site))
    items = (value,) if isinstance(value, Tensor) else iteration.exact_items(interp, value)
    tensors = [item for item in items or () if isinstance(item, Tensor)]
    if not tensors or len({tensor.device for tensor in tensors}) > 1:
        return UNKNOWN
    return operations.derived(interp, tensors[:1], site, tensors[0].dtype, _rank(site))


def _rank(site: CallSite) -> int | None:
    """As many dimensions as the pattern names behind its arrow."""
    value = site.value(_PATTERN, "pattern")
    pattern = getattr(value, "value", None)
    if not isinstance(pattern, str) or "->" not in pattern or "..." in pattern:
        return AT_LEAST_1
    depth, count = 0, 0
    for part in pattern.rpartition("->")[2].replace("(", " ( ").replace(")", " ) ").split():
        count += depth == 0 and part != ")"
        depth += (part == "(") - (part == ")")
    return count


def einsum(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``einsum(x, y, "i j, j k -> i k")``: the tensors come first, and meet."""
    parts = [
        Part(arg.value, f"argument {index + 1}", arg.node)
        for index, arg in enumerate(site.args)
        if isinstance(arg.value, Tensor)
    ]
    if not parts:
        return UNKNOWN
    device = requirements.meet(interp, site.node, name, parts, scalars=False)
    tensors = [part.tensor for part in parts]
    return operations.derived(interp, tensors, site, tensors[0].dtype, AT_LEAST_1, device)


def layer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Rearrange("b c h w -> b (c h w)")`` as a layer: it has no parameters."""
    return interp.new(Obj("module", External(name), trail=(interp.site("module", site.node),)))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "einops.rearrange": rearrange,
    "einops.reduce": rearrange,
    "einops.repeat": rearrange,
    "einops.einsum": einsum,
    "einops.layers.torch.Rearrange": layer,
    "einops.layers.torch.Reduce": layer,
}
