"""``torch.func``: gradients of functions, functions of batches; compilers, which give back what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    ExternalMethod,
    Partial,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What ``grad(f)`` and the like return: names of no function that a program could import.
_GRAD, _VALUE, _BATCHED = "<torch.func.grad>", "<torch.func.grad_and_value>", "<torch.func.vmap>"
_DERIVATIVE, _GRADIENTS = "<torch.func.jacrev>", "<torch.func.vjp>"


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
    value = interp.call(_function(site), _inner(site))
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
    result = interp.call(_function(site), CallSite(site.node, rows))
    return _mapped(interp, result, lambda t: operations.derived(interp, [t], site, t.dtype, AT_LEAST_1))


def derivative(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``jacrev(f)(x, ...)``: ``f`` runs, and what comes out is made of ``x``."""
    interp.call(_function(site), _inner(site))
    number = site.value(1)
    chosen = number.value if isinstance(number, Const) else None
    args = site.args[2:]
    if not isinstance(chosen, int) or not 0 <= chosen < len(args):
        return UNKNOWN
    return _mapped(interp, args[chosen].value, lambda t: _of_derivative(interp, t, site))


def of_inputs(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.autograd.functional.jacobian(f, x)``: as ``jacrev``, of one tensor or of a tuple."""
    function, given = site.value(0, "func"), site.get(1, "inputs")
    if function is None or given is None:
        return UNKNOWN
    args = given.value.items if isinstance(given.value, TupleValue) else (given.value,)
    interp.call(function, CallSite(site.node, tuple(Arg(value, given.node) for value in args)))
    return _mapped(interp, given.value, lambda t: _of_derivative(interp, t, site))


def of_product(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``vjp(f, x, v)``, ``hvp`` and their kin of ``torch.autograd.functional``: what ``f`` gives, and a product.

    The product is like the inputs, that of ``jvp`` like what ``f`` gives.
    """
    function, given = site.value(0, "func"), site.get(1, "inputs")
    if function is None or given is None:
        return UNKNOWN
    args = given.value.items if isinstance(given.value, TupleValue) else (given.value,)
    value = interp.call(function, CallSite(site.node, tuple(Arg(each, given.node) for each in args)))
    _meet_each(interp, name, TupleValue(args) if not name.endswith(".vjp") else value, site.get(2, "v"), site)
    like = value if name.endswith(".jvp") else given.value
    return TupleValue((value, _mapped(interp, like, lambda t: _alike(interp, t, site))))


def forward_product(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.func.jvp(f, (x,), (v,))``: what ``f`` gives, and a tangent like it.

    A tangent stays where it is, and is multiplied with the weights of a module as its primal is (asked of an H200).
    """
    function, primals = site.value(0, "func"), site.get(1, "primals")
    items = iteration.exact_items(interp, primals.value) if primals is not None else None
    if function is None or primals is None or items is None or "has_aux" in site.keywords:
        return UNKNOWN
    value = interp.call(function, CallSite(site.node, tuple(Arg(each, primals.node) for each in items)))
    tangents = site.get(2, "tangents")
    if modules.module_device(interp, function) is not None:
        if tangents is not None and (own := iteration.exact_items(interp, tangents.value)) is not None:
            tangents = tangents._replace(value=TupleValue(tuple(own)))
        _meet_each(interp, name, TupleValue(tuple(items)), tangents, site)
    return TupleValue((value, _mapped(interp, value, lambda t: _alike(interp, t, site))))


def _meet_each(interp: Interpreter, name: str, like: Value, given: Arg | None, site: CallSite) -> None:
    """The vector of a product is beside what it is like, each of its parts where there are several."""
    if given is None:
        return
    ones = like.items if isinstance(like, TupleValue) else (like,)
    vectors = given.value.items if isinstance(given.value, TupleValue) else (given.value,)
    if len(ones) == len(vectors):
        for one, vector in zip(ones, vectors, strict=True):
            _meet(interp, name, one, given._replace(value=vector), site)


def _meet(interp: Interpreter, name: str, value: Value, given: Arg | None, site: CallSite) -> None:
    """What is multiplied with a derivative is beside what that is of, unless it is a number."""
    if given is None or not isinstance(value, Tensor) or not isinstance(given.value, Tensor):
        return
    if given.value.rank != 0:
        parts = [Part(value, "input", None), Part(given.value, "grad", given.node)]
        requirements.meet(interp, site.node, name, parts, scalars=False)


def backward_product(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.func.vjp(f, x, ...)``: what ``f`` gives, and a function that gives a gradient for each ``x``."""
    function = site.value(0, "func")
    if function is None or site.open or "has_aux" in site.keywords:
        return UNKNOWN
    args = site.args[1:]
    value = interp.call(function, CallSite(site.node, args))
    primals = TupleValue(tuple(arg.value for arg in args))
    return TupleValue((value, Partial(External(_GRADIENTS), (primals, value), ())))


def gradients_of(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The function of ``vjp`` is called: its gradients are like what they are of."""
    _meet(interp, "torch.func.vjp", site.value(1) or UNKNOWN, site.get(2), site)
    return _mapped(interp, _function(site), lambda t: _alike(interp, t, site))


def _alike(interp: Interpreter, tensor: Tensor, site: CallSite) -> Tensor:
    return operations.derived(interp, [tensor], site, tensor.dtype, tensor.rank)


def _of_derivative(interp: Interpreter, tensor: Tensor, site: CallSite) -> Tensor:
    """It has the dimensions of the function's value, too, which may be a number."""
    rank = AT_LEAST_1 if tensor.rank != 0 else None
    return operations.derived(interp, [tensor], site, tensor.dtype, rank)


def checkpointed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``checkpoint(f, x, use_reentrant=False)`` is ``f(x)``, done twice."""
    function = site.value(0, "function")
    if function is None:
        return UNKNOWN
    own = {key: arg for key, arg in site.keywords.items() if key not in _OF_CHECKPOINT}
    return interp.call(function, replace(site, args=site.args[1:], keywords=own))


_OF_CHECKPOINT = frozenset(
    "function use_reentrant preserve_rng_state context_fn determinism_check debug early_stop".split()
)


def checkpointed_in_turn(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``checkpoint_sequential(functions, segments, x)``."""
    functions, given = site.value(0, "functions"), site.get(2, "input")
    if functions is None or given is None:
        return UNKNOWN
    obj, value = interp.obj_of(functions), given.value
    parts = [functions] if obj is not None and obj.kind == "module" else None
    for part in parts or iteration.exact_items(interp, functions) or (UNKNOWN,):
        value = interp.call(part, CallSite(site.node, (Arg(value, given.node),)))
    return value


def stacked_state(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``stack_module_state(models)``: the tensors of all models by name, with one more dimension."""
    models = site.value(0, "models")
    one = iteration.element(interp, models, None) if models is not None else UNKNOWN
    found = (
        _stacked(interp, members(one)[0], method, site) for method in ("named_parameters", "named_buffers")
    )
    return TupleValue(tuple(found))


def _stacked(interp: Interpreter, model: Value, method: str, site: CallSite) -> Value:
    pairs = interp.call(ExternalMethod(model, method), CallSite(site.node))
    held = interp.call(External("builtins.dict"), CallSite(site.node, (Arg(pairs),)))
    return _mapped(
        interp, held, lambda t: replace(operations.derived(interp, [t], site, t.dtype, AT_LEAST_1), leaf=True)
    )


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
    return interp.new(containers.each(obj, lambda part: _mapped(interp, part, change)))


def compiled(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.compile(model)``, ``torch.jit.script(model)``: the same to call; without one, what makes it so."""
    given = site.value(0, "model", "obj", "func", "fn", "root")
    return given if given is not None else External(name)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.func.grad": transformed(_GRAD, "argnums", Const(0)),
    "torch.func.jacrev": transformed(_DERIVATIVE, "argnums", Const(0)),
    "torch.func.jacfwd": transformed(_DERIVATIVE, "argnums", Const(0)),
    "torch.func.hessian": transformed(_DERIVATIVE, "argnums", Const(0)),
    "torch.func.stack_module_state": stacked_state,
    "torch.autograd.functional.jacobian": of_inputs,
    "torch.autograd.functional.hessian": of_inputs,
    **{f"torch.autograd.functional.{product}": of_product for product in ("vjp", "jvp", "hvp", "vhp")},
    "torch.func.jvp": forward_product,
    "torch.func.vjp": backward_product,
    _GRADIENTS: gradients_of,
    "torch.utils.checkpoint.checkpoint": checkpointed,
    "torch.utils.checkpoint.checkpoint_sequential": checkpointed_in_turn,
    "torch.func.grad_and_value": transformed(_VALUE, "argnums", Const(0)),
    "torch.func.vmap": transformed(_BATCHED, "in_dims", Const(0)),
    "torch.vmap": transformed(_BATCHED, "in_dims", Const(0)),
    **dict.fromkeys(
        (
            "torch.compile",
            "torch.jit.script",
            "torch.jit.freeze",
            "torch.jit.optimize_for_inference",
            "torch.jit.ignore",
            "torch.jit.unused",
            "torch.jit.export",
            "torch.compiler.disable",
            "torch.compiler.allow_in_graph",
            "torch._dynamo.disable",
            "torch.fx.symbolic_trace",
            "torch.func.functionalize",
            "torch.func.replace_all_batch_norm_modules_",
        ),
        compiled,
    ),
    _GRAD: gradient,
    _VALUE: gradient,
    _BATCHED: batched,
    _DERIVATIVE: derivative,
}
