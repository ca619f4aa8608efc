"""``torch.func``: gradients of functions, functions of batches; compilers, which give back what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis import calls, iteration
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.lattice import AT_LEAST_1
from devfix.analysis.torch_model import operations
from devfix.analysis.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    Partial,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What ``grad(f)`` and the like return: names of no function that a program could import.
_GRAD, _VALUE, _BATCHED = "<torch.func.grad>", "<torch.func.grad_and_value>", "<torch.func.vmap>"


def transformed(made: str, option: str, default: Value) -> Callable[[Interpreter, str, CallSite], Value]:
    """A handler of ``grad(f)`` or ``vmap(f)``: a function that knows ``f`` and one option."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        function = site.value(0, "func")
        given = site.value(1, option)
        if function is None or site.open:
            return UNKNOWN
        return Partial(External(made), (function, given if given is not None else default), ())

    return handle


def gradient(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``grad(f)(x, ...)`` is formed as ``x`` is; ``f`` runs on the arguments."""
    value = calls.call(interp, _function(site), _inner(site))
    number = site.value(1)
    chosen = number.value if isinstance(number, Const) else None
    args = site.args[2:]
    if not isinstance(chosen, int) or not 0 <= chosen < len(args):
        return UNKNOWN
    found = _mapped(
        interp, args[chosen].value, lambda t: operations.derived(interp, [t], site, t.dtype, t.rank)
    )
    if name == _GRAD:
        return found
    # With ``has_aux`` the value is a pair.
    return TupleValue((found, UNKNOWN if "has_aux" in site.keywords else value))


def batched(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``vmap(f)(xs, ...)``: ``f`` sees one row of each argument that has a dimension for it."""
    args, dims = site.args[2:], site.value(1) or Const(0)
    each = iteration.exact_items(interp, dims)
    given = list(each) if each is not None else [dims] * len(args)
    if len(given) != len(args):
        return UNKNOWN
    rows = tuple(
        Arg(arg.value if dim == NONE else _mapped(interp, arg.value, _row), arg.node)
        for arg, dim in zip(args, given, strict=True)
    )
    result = calls.call(interp, _function(site), CallSite(site.node, rows))
    return _mapped(interp, result, lambda t: operations.derived(interp, [t], site, t.dtype, AT_LEAST_1))


def _function(site: CallSite) -> Value:
    return site.value(0) or UNKNOWN


def _inner(site: CallSite) -> CallSite:
    return replace(site, args=site.args[2:])


def _row(value: Tensor) -> Tensor:
    found = iteration.row(value)
    return found if isinstance(found, Tensor) else value


def _mapped(interp: Interpreter, value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """A nested value of the same form with every tensor changed; what else is in it is unknown."""
    value = without_none(value)
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, TupleValue):
        return value.with_items(_mapped(interp, item, change) for item in value.items)
    if isinstance(value, Sequence):
        return Sequence(_mapped(interp, value.element, change))
    obj = interp.obj_of(value)
    if obj is None or obj.kind not in ("dict", "list"):
        return UNKNOWN
    attrs = {name: _mapped(interp, item, change) for name, item in obj.attrs.items()}
    items = tuple(_mapped(interp, item, change) for item in obj.items) if obj.items is not None else None
    element = _mapped(interp, obj.element, change) if obj.element is not None else None
    return interp.new(replace(obj, attrs=attrs, items=items, element=element))


def compiled(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.compile(model)``, ``torch.jit.script(model)``: the same to call; without one, what makes it so."""
    given = site.value(0, "model", "obj", "func")
    return given if given is not None else External(name)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.func.grad": transformed(_GRAD, "argnums", Const(0)),
    "torch.func.grad_and_value": transformed(_VALUE, "argnums", Const(0)),
    "torch.func.vmap": transformed(_BATCHED, "in_dims", Const(0)),
    "torch.vmap": transformed(_BATCHED, "in_dims", Const(0)),
    **dict.fromkeys(
        (
            "torch.compile",
            "torch.jit.script",
            "torch.jit.trace",
            "torch.jit.freeze",
            "torch.jit.optimize_for_inference",
        ),
        compiled,
    ),
    _GRAD: gradient,
    _VALUE: gradient,
    _BATCHED: batched,
}
