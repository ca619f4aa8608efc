"""Operands: tensors that met and do not fit together, each with its expression and its life."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from devfix.analysis.torch_model.names import is_in_place
from devfix.findings import Mismatch, Operand
from devfix.observation.parts import holds
from devfix.observation.record import ObservedOperand, Owner
from devfix.observation.sighting import Sighting

#: Operators of ATen behind the layers that users call, as far as a fix asks for the layer.
_LAYERS = {
    "addmm": "Linear",
    "linear": "Linear",
    "mm": "Linear",
    "embedding": "Embedding",
    "convolution": "Conv2d",
    "lstm": "LSTM",
    "gru": "GRU",
}
_KERNEL = re.compile(r"_(forward|backward|forward_output|out)$")
_LOSS = re.compile("loss|entropy")
_SPOKEN = {"self": "input", "indices": "index"}


def translated(sighting: Sighting) -> list[Mismatch]:
    """The mismatch of tensors at one operation."""
    found = _operands(sighting)
    return [_mismatch(sighting, found)] if found else []


def otherwise(sighting: Sighting) -> Iterator[Mismatch]:
    """The mismatch in other lights, for when what the rules propose for the first one does not do.

    Modules that a plain container keeps are moved one by one; of a module only the layer is moved that joined
    it late; and what a tensor goes back to is left alone.
    """
    observed = sighting.observed
    if any(_keeper(operand) is not None for operand in observed.operands):
        owned = tuple(
            replace(operand, owners=tuple(replace(owner, kept=None) for owner in operand.owners))
            for operand in observed.operands
        )
        yield from translated(replace(sighting, observed=replace(observed, operands=owned)))
    for mismatch in translated(sighting):
        blamed = mismatch.operands[0]
        owned_one = next((each for each in observed.operands if each.blamed and each.owners), None)
        life = sighting.lives.of_layer(owned_one) if owned_one is not None else ()
        if life:
            yield _with_first(mismatch, replace(blamed, trail=life, roots=()))
        names = tuple(site for site in blamed.trail if site.kind in ("name", "argument", "attribute"))
        yield _with_first(mismatch, replace(blamed, trail=names, roots=()))


def _with_first(mismatch: Mismatch, operand: Operand) -> Mismatch:
    return replace(mismatch, operands=(operand, *mismatch.operands[1:]))


def _mismatch(sighting: Sighting, found: list[Operand]) -> Mismatch:
    bound = _bound(sighting)
    if bound is not None:
        detail = (("bound", "1"), ("scope", sighting.sink.scope), ("wanted", found[0].dtype or "int64"))
        kind, place = sighting.observed.kind, sighting.sink
        return Mismatch(kind, place.path, place.span, _operation(sighting), (bound, *found), detail)
    return Mismatch(
        sighting.observed.kind,
        sighting.sink.path,
        sighting.sink.span,
        _operation(sighting),
        tuple(found),
        tuple(sorted(_detail(sighting, found).items())),
    )


def _operands(sighting: Sighting) -> list[Operand]:
    """The operands that matter, those to blame first; a module's parameters count as one."""
    described: dict[tuple[str, object, str | None], tuple[bool, Operand]] = {}
    on_device = sighting.observed.kind == "device"
    numbered = sorted(enumerate(sighting.observed.operands), key=lambda pair: not pair[1].blamed)
    for number, operand in numbered:
        if on_device and operand.device == "cpu" and not operand.blamed:
            continue  # it may be there: a scalar of the host, say
        one = _operand(sighting, number, operand)
        described.setdefault((one.role, one.span, one.device), (not operand.blamed, one))
    return [one for _, one in sorted(described.values(), key=lambda pair: pair[0])]


def _operand(sighting: Sighting, number: int, operand: ObservedOperand) -> Operand:
    node = sighting.nodes.get(number)
    weights = _is_weight(sighting, node, operand)
    if weights and isinstance(sighting.sink.node, ast.Call):
        node = sighting.sink.node.func
    device = operand.device.partition(":")[0]
    trail, roots = sighting.lives.of_tensor(operand, node)
    owner = _owner(operand)
    own = operand.made is not None and operand.made.kind in ("checkpoint", "replaced")
    if device == "cpu" and owner is not None and not own:
        kept = _keeper(operand)
        trail = sighting.lives.of_container(kept) if kept is not None else sighting.lives.of_module(owner)
        roots = ()
    if weights and owner is None and isinstance(node, ast.Call):
        trail, roots = (sighting.sink.at(node).origin("module"),), ()
    if sighting.observed.kind.endswith("dtype"):
        roots = sighting.lives.of_dtype(operand, trail)
    holder = _holder(sighting, operand) if node is None and device == "cpu" and not operand.owners else None
    spot = sighting.sink.at(node or holder or sighting.sink.node)
    role = "weight" if weights else _role(sighting, operand)
    held = holder is not None or (node is not None and _holds(sighting, node, operand))
    return Operand(spot.text, role, spot.path, spot.span, device, operand.dtype, trail, roots, held)


def _holds(sighting: Sighting, node: ast.expr, operand: ObservedOperand) -> bool:
    return sighting.what_is(node).startswith("tensors") or holds(ast.unparse(node), operand)


def _bound(sighting: Sighting) -> Operand | None:
    """The bound of a ``clamp_`` of integers that is none: it was a tensor without dimensions, and met as a number."""
    call, observed = sighting.sink.node, sighting.observed
    if (
        observed.kind != "in-place-dtype"
        or "clamp" not in observed.operation
        or not isinstance(call, ast.Call)
    ):
        return None
    if len(observed.operands) != 1 or not observed.operands[0].dtype.startswith(("int", "uint")):
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    bounds = [node for node in given if not isinstance(node, (ast.Constant, ast.UnaryOp))]
    spot = sighting.sink.at(bounds[0]) if len(bounds) == 1 else None
    return Operand(spot.text, "bound", spot.path, spot.span, "cpu", "float32") if spot is not None else None


def _is_weight(sighting: Sighting, node: ast.expr | None, operand: ObservedOperand) -> bool:
    """Whether the operand is a part of the module that is called at the sink."""
    call = sighting.sink.node
    if not isinstance(call, ast.Call):
        return False
    called = sighting.what_is(call.func).startswith("module")
    return node is call.func or (node is None and called and bool(operand.owners))


def _holder(sighting: Sighting, operand: ObservedOperand) -> ast.expr | None:
    """The object, neither tensor nor module, that was handed in or whose method was called: it holds the tensor."""
    call = sighting.sink.node
    if not isinstance(call, ast.Call):
        return None
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    given = [*([receiver] if receiver is not None else []), *call.args, *(k.value for k in call.keywords)]
    objects = [
        node
        for node in given
        if isinstance(node, (ast.Name, ast.Attribute))
        and not sighting.what_is(node).startswith(("tensor:", "module"))
        and sighting.is_bound(node)
    ]
    made = [node for node in objects if sighting.lives.is_made_in(operand, node)]
    return next(iter(made or objects), None)


def _owner(operand: ObservedOperand) -> Owner | None:
    """The largest module that the operand belongs to and shares its device with."""
    return next((owner for owner in operand.owners if owner.whole), None)


def _keeper(operand: ObservedOperand) -> Owner | None:
    """The owner that a plain list or dictionary keeps from the module around it."""
    kept = [owner for owner in operand.owners if owner.kept]
    return next((owner for owner in reversed(kept) if owner.kept_type in ("list", "dict", "tuple")), None)


def _role(sighting: Sighting, operand: ObservedOperand) -> str:
    """The operator's name for the operand; "weight" is only said of modules and losses."""
    if operand.role == "weight" and not _is_loss(sighting):
        return "other"
    return _SPOKEN.get(operand.role, operand.role)


def _is_loss(sighting: Sighting) -> bool:
    return _LOSS.search(sighting.observed.operation) is not None


def _operation(sighting: Sighting) -> str:
    """The canonical name of what brings the operands together, as near as the kernel tells."""
    name = sighting.observed.operation
    name = _KERNEL.sub("", name.rpartition("::")[2].rpartition(".")[2]).strip("_")
    call = sighting.sink.node
    if _is_loss(sighting):
        return f"torch.nn.functional.{name}"
    if isinstance(call, ast.Call) and sighting.what_is(call.func).startswith("module"):
        return f"torch.nn.{_LAYERS.get(name, 'Module')}"
    return f"torch.{name}"


def _detail(sighting: Sighting, found: Sequence[Operand]) -> dict[str, str]:
    detail = {"scope": sighting.sink.scope}
    observed = sighting.observed.operands
    weights = any(operand.role == "weight" for operand in found)
    if weights and not _is_loss(sighting):
        owners = [owner for operand in observed for owner in operand.owners]
        detail["module"] = owners[0].class_name if owners else "module"
    if weights and any(_keeper(operand) is not None for operand in observed if operand.device == "cpu"):
        detail["unregistered"] = "1"
    written = _written(sighting)
    if written is not None:
        detail["in_place"] = _role(sighting, written)
    if sighting.observed.wanted is not None:
        detail["wanted"] = sighting.observed.wanted
    if sighting.observed.kind == "narrow-float" and "unsafe to autocast" in sighting.observed.message:
        detail["refused"] = "autocast"
    if sighting.observed.kind == "numpy" and found[0].held:
        detail["inside"] = "list" if sighting.what_is_at(found[0].span).startswith("tensors") else "mixed"
    return detail


def _written(sighting: Sighting) -> ObservedOperand | None:
    """The operand that an in-place operation writes to."""
    in_place = is_in_place(sighting.observed.operation)
    operands = sighting.observed.operands
    return next((operand for operand in operands if operand.role == "self"), None) if in_place else None
