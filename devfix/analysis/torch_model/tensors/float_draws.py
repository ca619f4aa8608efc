"""Draws that give floats alone: from continuous distributions, or by probabilities, which integers are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import factories, float_operations, functional

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def _of_floats(draw: Callable[..., Value]) -> Callable[..., Value]:
    """A handler for ``torch.randn_like(images)`` and ``torch.multinomial(counts, 3)``."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        made, value = draw(interp, name, site), without_none(site.value(0, "input") or UNKNOWN)
        if not isinstance(value, Tensor) or not isinstance(made, Tensor):
            return made
        refused = float_operations.check(interp, name.rpartition(".")[2], value, site)
        # It is told once: what follows is judged as if the operand had been cast.
        return replace(made, dtype="float32") if refused and made.dtype == value.dtype else made

    return handle


HANDLERS: dict[str, Callable[..., Value]] = {
    "torch.rand_like": _of_floats(factories.like),
    "torch.randn_like": _of_floats(factories.like),
    **{
        name: _of_floats(functional.HANDLERS[name])
        for name in ("torch.bernoulli", "torch.poisson", "torch.multinomial")
    },
}
