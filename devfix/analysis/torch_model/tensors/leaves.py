"""Leaves: a leaf that requires grad loses that rank when it is moved, and some places need leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import FALSE, Obj, Tensor, Value
from devfix.analysis.reuse import reads
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: How the life of a tensor begins that is computed from nothing but numbers, or from what was made here.
_MADE = ("factory", "random-factory", "result", "move")


def is_lost(tensor: Tensor) -> bool:
    """Whether a tensor would be a leaf that requires grad, had it not been moved."""
    return bool(tensor.lost) and tensor.leaf is False and bool(tensor.grad)


def note(interp: Interpreter, value: Tensor, made: Origin | None = None) -> None:
    """Write down where a leaf that requires grad was made: at ``made``, else where its life began."""
    origin = made or next(iter(value.trail), None)
    if origin is None or interp.recorder.muted or value.grad is not True:
        return
    if made is None and origin.kind == "result" and not _is_made_here(value, origin):
        return  # it goes where the data goes that it is computed from
    if made is not None or origin.kind in ("factory", "random-factory", "result"):
        interp.recorder.leaf(origin)


def note_variable(interp: Interpreter, value: Tensor, made: Origin) -> None:
    """``Variable(torch.zeros(3), requires_grad=True)`` of what is made here; of data it goes where the data goes."""
    origin = next(iter(value.trail), None)
    if origin is None or value.device.kind != "cpu" or origin.kind not in _MADE:
        return
    if origin.kind != "result" or _is_made_here(value, origin):
        note(interp, value, made)


def note_trained(interp: Interpreter, value: Tensor) -> None:
    """An optimizer is given a tensor: wherever its numbers came from, it has a life of its own."""
    if value.trail[:1] and value.trail[0].kind == "result" and value.leaf is not False:
        note(interp, value, value.trail[0])


def _is_made_here(value: Tensor, origin: Origin) -> bool:
    """Whether all that a tensor is computed from was made by the function that computes it."""
    sources = [root[0] for root in value.roots if root]
    return all((made.path, made.scope) == (origin.path, origin.scope) for made in sources)


def check_parameter(interp: Interpreter, value: Tensor, node: ast.expr) -> Tensor:
    """A module is given what was a Parameter before it moved (facts: "Parameter(...).to(device)")."""
    if not is_lost(value) or value.lost != "parameter":
        return value
    requirements.record(interp, node, "torch.nn.Module", "no-leaf", [Part(value, "parameter", node)])
    return replace(value, lost="")


def held_beside(interp: Interpreter, value: Tensor) -> Tensor:
    """A tensor as an object keeps it that is no module: a module's parameter stays the same one where the module moves.

    A script shows where that is; what no script began may be moved by anybody.
    """
    held = (
        not interp.is_script
        and value.parameter
        and value.device == CPU
        and any(site.kind == "attribute" for site in value.trail)
    )
    return replace(value, device=UNKNOWN_DEVICE) if held else value


def note_followed(interp: Interpreter, obj: Obj) -> None:
    """Write down the moves of tensors that a module keeps, once the module moves itself."""
    kept = (value for value in obj.attrs.values() if isinstance(value, Tensor) and value.trail)
    interp.recorder.remarked.update(tensor.trail[0] for tensor in kept if tensor.trail[0].kind == "move")


def check_gradient(interp: Interpreter, value: Tensor, node: ast.expr) -> None:
    """``x.grad`` of what was a leaf before it moved is None, unless ``retain_grad`` was called."""
    if not is_lost(value) or not value.trail or value.trail[0] in interp.retained:
        return
    if not _is_tested(interp, node):
        requirements.record(interp, node, "torch.Tensor.grad", "no-leaf", [Part(value, "gradient", node)])


def give(interp: Interpreter, operation: str, tensor: Tensor, value: Tensor, target: ast.Attribute) -> None:
    """``x.grad = value``, ``x.data = value``: what is given is where the tensor is, however small it is."""
    statement = interp.frame.statement
    given = statement.value if isinstance(statement, ast.Assign) and target in statement.targets else None
    parts = [Part(tensor, "self", target.value), Part(value, "value", given)]
    requirements.meet(interp, target, operation, parts, scalars=False)


def give_gradient(interp: Interpreter, tensor: Tensor, value: Tensor, target: ast.Attribute) -> None:
    """``x.grad = value``: what is given has the dtype of the tensor as well, unless ``x.grad_dtype`` says otherwise."""
    give(interp, "torch.Tensor.grad", tensor, value, target)
    source = interp.program.sources.get(interp.frame.path)
    if tensor.dtype is None or (source is not None and "grad_dtype" in source.text):
        return
    statement = interp.frame.statement
    given = statement.value if isinstance(statement, ast.Assign) and target in statement.targets else None
    own = Part(tensor, "self", target.value)
    parts = [own, Part(value, "value", given)]
    requirements.same_dtype(interp, target, "torch.Tensor.grad", parts, decisive=own)


def _is_tested(interp: Interpreter, node: ast.expr) -> bool:
    """Whether the function around asks somewhere if the gradient is None."""
    scope = interp.frame.function.node if interp.frame.function is not None else reads.tree(interp)
    wanted = ast.dump(node)
    tests = (part for part in in_rows(scope) if isinstance(part, (ast.Compare, ast.If, ast.BoolOp)))
    asked = (part.left if isinstance(part, ast.Compare) else getattr(part, "test", part) for part in tests)
    return any(ast.dump(part) == wanted for part in asked)


def train(interp: Interpreter, value: Tensor, flag: Value | None) -> None:
    """``x.requires_grad_(flag)``: the tensor collects gradients under all its names, and in all that has it, unless it is told not to."""
    if flag != FALSE:
        interp.trained.update(_made(value))


def is_trained(interp: Interpreter, value: Tensor) -> bool:
    """Whether autograd may collect gradients for a tensor, be it that it was told so under another name."""
    return bool(value.parameter or value.grad) or not interp.trained.isdisjoint(_made(value))


def _made(value: Tensor) -> Iterator[Origin]:
    """Where a tensor was made, on each path."""
    return (site for each in (value, *value.paths) for site in each.trail[:1])


def retain(interp: Interpreter, value: Tensor) -> None:
    """``x.retain_grad()``: the gradient of a non-leaf is kept too."""
    interp.retained.update(value.trail[:1])
