"""Whence: which expression a name, an attribute or a parameter got its value from."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devfix.observation.bindings import argument_for, binding_of
from devfix.observation.index import Store
from devfix.observation.pointing import Pointer
from devfix.observation.record import ObservedOperand
from devfix.observation.spots import Spot

#: Names are followed through no more steps than this.
MOST_STEPS = 12


class Whence:
    """Follows values back, over the frames of one stack where they are known, else by the text alone."""

    def __init__(self, pointer: Pointer, frames: Sequence[Spot | None]) -> None:
        self.pointer = pointer
        self.frames = frames

    def source(self, node: ast.expr, at: Spot, frame: int | None) -> Spot:
        """The expression that a name, an attribute or a parameter got its value from, as far as can be told."""
        for _ in range(MOST_STEPS):
            found = self._source(node, at, frame)
            if found is None:
                break
            at, frame = found
            node = at.node if isinstance(at.node, ast.expr) else node
        return at.at(node)

    def _source(self, node: ast.expr, at: Spot, frame: int | None) -> tuple[Spot, int | None] | None:
        if isinstance(node, ast.Attribute):
            stores = self.stores(node, at, None)
            return (stores[0].target.at(stores[0].value), None) if stores else None
        if isinstance(node, ast.Subscript):
            return at.at(node.value), frame
        if isinstance(node, ast.Call):
            returned = self.pointer.index.returned_by(node)
            return (returned, None) if returned is not None else None
        found = binding_of(node.id, at) if isinstance(node, ast.Name) else None
        if found is None:
            return None
        if found.kind != "parameter" or not isinstance(node, ast.Name):
            return (found.target.at(found.value), frame) if found.value is not None else None
        number, call = self.caller(frame, found.target) or (None, self._sole_call(found.target))
        given = self.given(node.id, found.target, call) if call is not None else None
        return (call.at(given), number) if call is not None and given is not None else None

    def _sole_call(self, parameter: Spot) -> Spot | None:
        function = parameter.outline.function_of(parameter.node)
        return self.pointer.index.sole_call_of(function, parameter.outline) if function is not None else None

    def given(self, parameter: str, target: Spot, call: Spot) -> ast.expr | None:
        """The argument that a call gives for a parameter."""
        function = target.outline.function_of(target.node)
        if function is None:
            return None
        is_method = target.outline.class_of(function) is not None and not _is_static(function)
        return argument_for(function, parameter, call.node, is_method=is_method)

    def caller(self, frame: int | None, parameter: Spot) -> tuple[int, Spot] | None:
        """The frame that called the function whose parameter it is, if that is the frame before."""
        if frame is None or frame == 0:
            return None
        here, before = self.frames[frame], self.frames[frame - 1]
        function = parameter.outline.function_of(parameter.node)
        if here is None or before is None or here.outline.function_of(here.node) is not function:
            return None
        return frame - 1, before

    def makes(self, value: Spot, made: Spot) -> bool:
        """Whether what was made somewhere is, or is a part of, an expression's value."""
        if made.path == value.path and value.span.contains(made.span):
            return True
        return isinstance(value.node, ast.expr) and self.source(value.node, value, None).node is made.node

    def stores(self, node: ast.Attribute, at: Spot, operand: ObservedOperand | None) -> list[Store]:
        """The statements that set an attribute, the likeliest first."""
        found = list(self.pointer.index.stores(node.attr))
        made = self.pointer.made(operand.made) if operand is not None else None
        function = at.outline.function_of(at.node)
        own = at.outline.class_of(function) if function is not None else None

        def rank(store: Store) -> tuple[bool, bool, bool]:
            setter = store.target.outline.function_of(store.target.node)
            makes = made is not None and self.makes(store.target.at(store.value), made)
            return not makes, store.owner is not own, getattr(setter, "name", "") != "__init__"

        found.sort(key=rank)
        if (
            isinstance(node.value, ast.Name)
            and own is not None
            and node.value.id == at.outline.receiver_name(function)
        ):
            mine = [store for store in found if store.owner is own or not rank(store)[0]]
            return mine or found
        return found


def _is_static(function: ast.AST) -> bool:
    marks = getattr(function, "decorator_list", [])
    return any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in marks)
