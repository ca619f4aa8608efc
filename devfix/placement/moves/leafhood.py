"""Leafhood: making a tensor on the device before it becomes a leaf, instead of moving the leaf."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import (
    Applicability,
    DropCall,
    Edit,
    FileEdit,
    Fix,
    Mismatch,
    RemoveKeyword,
    SetKeyword,
    WrapExpression,
)
from devfix.placement.devices.device_expression import Place
from devfix.placement.devices.introduction import torch_of
from devfix.placement.telling.device_argument import without_device
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]

_RANDOM = ("rand", "randn", "randint", "normal")
_FACTORIES = ("zeros", "ones", "full", "empty", "tensor", "arange", "linspace", "eye", *_RANDOM)


class Leafhood:
    """Builds fixes for a leaf that was moved; the first origin of the operand is that move."""

    def __init__(self, facts: Facts, mismatch: Mismatch) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.in_module = mismatch.operation == "torch.nn.Module"

    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first."""
        place = self._move()
        if (
            place is None
            or not isinstance(place.node, ast.Call)
            or not isinstance(place.node.func, ast.Attribute)
        ):
            return []
        found = self._candidates(place, place.node, place.node.func.value)
        return [Fix(title, edits, level) for title, edits, level in found if edits]

    def _move(self) -> Place | None:
        trail = self.mismatch.operands[0].trail
        if not trail or trail[0].kind != "move":
            return None
        outline = self.facts.outline(trail[0].path)
        node = outline.expression_at(trail[0].span)
        return Place(trail[0].path, outline, node) if node is not None else None

    def _candidates(
        self, place: Place, move: ast.Call, moved: ast.expr
    ) -> Iterator[tuple[str, Edits, Applicability]]:
        if self.in_module:
            # What a module that never moves would keep on the CPU is made on the device instead.
            moves = self.facts.moves_with_module(self.mismatch.operands[0].trail[0])
            made, device = moved, _device(place, move)
            if not moves and isinstance(made, ast.Call) and device:
                name = (dotted(made.func) or "").rpartition(".")[2]
                edits = _made_there(place, move, made, name, device) if name == "Parameter" else ()
                yield "make the Parameter on the device", edits, Applicability.UNSAFE
            trust = Applicability.SAFE if moves else Applicability.UNSAFE
            yield "let the module move its Parameter", without_device(place), trust
            return
        device = _device(place, move)
        if isinstance(moved, ast.Call) and device:
            name = (dotted(moved.func) or "").rpartition(".")[2]
            yield (
                "make the leaf on the device",
                _made_there(place, move, moved, name, device),
                Applicability.SAFE,
            )
        span = place.outline.source.span(move)
        again = WrapExpression(span, "", ".detach().requires_grad_()")
        yield "make the moved tensor a leaf", (FileEdit(place.path, again),), Applicability.UNSAFE


def _device(place: Place, move: ast.Call) -> str:
    """The device that a plain move names; empty when the move does more."""
    if not isinstance(move.func, ast.Attribute):
        return ""
    if move.func.attr == "cuda" and not move.args and not move.keywords:
        return '"cuda"'
    given = [*move.args, *(k.value for k in move.keywords if k.arg == "device")]
    others = [k for k in move.keywords if k.arg not in ("device", "non_blocking")]
    if move.func.attr != "to" or len(given) != 1 or others:
        return ""
    return place.outline.source.segment(place.outline.source.span(given[0]))


def _made_there(place: Place, move: ast.Call, made: ast.Call, name: str, device: str) -> Edits:
    """``zeros(n, requires_grad=True).to(d)`` becomes ``zeros(n, requires_grad=True, device=d)``.

    What a call gives moves first, and is made a leaf then: ``self.scaled(x).to(d).requires_grad_()``.
    """
    spans = place.outline.source.span
    if name in ("Parameter", "Variable") and len(made.args) >= 1:
        inner = _inner(place, made.args[0], device)
        return FileEdit(place.path, DropCall(spans(move))), FileEdit(place.path, inner)
    method = (
        made.func if isinstance(made.func, ast.Attribute) and made.func.attr == "requires_grad_" else None
    )
    if method is not None and isinstance(method.value, ast.Call):
        # Nobody else has what a call has just given.
        before = WrapExpression(spans(method.value), "", f".to({device})")
        return FileEdit(place.path, DropCall(spans(move))), FileEdit(place.path, before)
    if name not in _FACTORIES or any(keyword.arg in ("device", None) for keyword in made.keywords):
        return ()
    if name in _RANDOM:
        later = WrapExpression(spans(move), "", ".requires_grad_()")
        plain = RemoveKeyword(spans(made), "requires_grad")
        return FileEdit(place.path, plain), FileEdit(place.path, later)
    there = SetKeyword(spans(made), "device", device)
    return FileEdit(place.path, there), FileEdit(place.path, DropCall(spans(move)))


def _inner(place: Place, data: ast.expr, device: str) -> Edit:
    """What a Parameter is made of is made on the device where a factory of PyTorch makes it, and is moved otherwise."""
    span, torch = place.outline.source.span(data), torch_of(place.outline.source.tree)
    module, _, factory = (dotted(getattr(data, "func", data)) or "").rpartition(".")
    told = any(keyword.arg in ("device", None) for keyword in getattr(data, "keywords", ()))
    if (
        isinstance(data, ast.Call)
        and module == torch
        and not told
        and factory in _FACTORIES
        and factory not in _RANDOM
    ):
        return SetKeyword(span, "device", device)
    return WrapExpression(span, "", f".to({device})")


def adopted(place: Place) -> Callable[[str], list[Edit]]:
    """What makes the leaf at a factory call, or a Parameter, on a device yet to be named."""
    call, spans = place.node, place.outline.source.span
    name = (dotted(getattr(call, "func", call)) or "").rpartition(".")[2]
    keywords = {keyword.arg for keyword in getattr(call, "keywords", ())}

    def edits(device: str) -> list[Edit]:
        if name in ("Parameter", "Variable") and isinstance(call, ast.Call) and call.args:
            return [_inner(place, call.args[0], device)]
        if name in _FACTORIES and name not in _RANDOM:
            return [SetKeyword(spans(call), "device", device)]
        if "requires_grad" in keywords:
            moved = WrapExpression(spans(call), "", f".to({device}).requires_grad_()")
            return [RemoveKeyword(spans(call), "requires_grad"), moved]
        return [WrapExpression(spans(call), "", f".to({device})")]

    return edits
