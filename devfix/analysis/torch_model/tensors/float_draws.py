"""Draws that give floats alone: from continuous distributions, or by probabilities, which integers are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import INTEGERS
from devfix.analysis.domain.values import NONE, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import factories, functional, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_WHOLE = frozenset((*INTEGERS, "bool"))


def _of_floats(draw: Callable[..., Value]) -> Callable[..., Value]:
    """A handler for ``torch.randn_like(images)`` and ``torch.multinomial(counts, 3)``."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        made, arg = draw(interp, name, site), site.get(0, "input")
        value = without_none(arg.value) if arg is not None else None
        told = site.keywords.get("dtype")
        if arg is None or not isinstance(value, Tensor) or value.dtype not in _WHOLE or site.open:
            return made
        if told is not None and told.value != NONE:
            return made
        part = Part(value, "input", arg.node)
        requirements.record(interp, site.node, name, "float-dtype", [part], wanted="float32")
        # It is told once: what follows is judged as if the operand had been cast.
        same = isinstance(made, Tensor) and made.dtype == value.dtype
        return replace(made, dtype="float32") if same and isinstance(made, Tensor) else made

    return handle


HANDLERS: dict[str, Callable[..., Value]] = {
    "torch.rand_like": _of_floats(factories.like),
    "torch.randn_like": _of_floats(factories.like),
    **{
        name: _of_floats(functional.HANDLERS[name])
        for name in ("torch.bernoulli", "torch.poisson", "torch.multinomial")
    },
}
