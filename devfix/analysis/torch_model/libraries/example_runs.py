"""Example runs: what traces, exports or measures a model calls it with the example that it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Ref, Tensor, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class of what writes to TensorBoard.
WRITER = "torch.utils.tensorboard.writer.SummaryWriter"


def _ran(result: bool, *names: str) -> Callable[[Interpreter, str, CallSite], Value]:
    """A handler of a call that runs its first argument with the arguments that the second, or one of ``names``, has.

    ``result`` tells that the model itself comes back.
    """

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        model = site.value(0, "model", "func", "mod", "f")
        if model is None:
            return External(name) if result else UNKNOWN
        inner = _inputs(interp, site, names)
        if inner is not None:
            interp.call(model, inner)
        return model if result else UNKNOWN

    return handle


def _writer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``SummaryWriter(folder)``, whichever package it is of."""
    return interp.new(Obj("external", External(WRITER), trail=(interp.site("other", site.node),)))


def of_writer(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``writer.add_graph(model, example)`` runs the model; what else it is given it writes down."""
    if name == "add_graph":
        _GRAPH(interp, name, site)
    return UNKNOWN


def _inputs(interp: Interpreter, site: CallSite, names: tuple[str, ...]) -> CallSite | None:
    """The call of the model, where its arguments are known one by one."""
    given = site.get(1, *names)
    options = site.keywords.get("example_kwarg_inputs") or site.keywords.get("kwargs")
    if site.open or (options is not None and options.value != NONE):
        return None
    if given is None or given.value in (NONE, UNKNOWN):
        return None
    items = (given.value,) if isinstance(given.value, Tensor) else iteration.row_items(interp, given.value)
    return None if items is None else CallSite(site.node, tuple(Arg(item, given.node) for item in items))


_GRAPH = _ran(False, "input_to_model")
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.jit.trace": _ran(True, "example_inputs"),
    "torch.export.export": _ran(False, "args"),
    "torch.onnx.export": _ran(False, "args"),
    "thop.profile": _ran(False, "inputs"),
    **dict.fromkeys(("torch.utils.tensorboard.SummaryWriter", "tensorboardX.SummaryWriter"), _writer),
}
