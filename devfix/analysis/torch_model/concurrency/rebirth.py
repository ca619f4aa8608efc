"""Rebirth: whether a function does in a process that imports the program anew what it does in a forked one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Namespace,
    Partial,
    Ref,
    Scalar,
    TupleValue,
    Value,
)
from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import binds, own_nodes, parameters_of
from devfix.analysis.text.syntax import in_rows

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What sets how torch works in one process alone.
_SETTINGS = "set_default_"


def may_spawn(interp: Interpreter, function: Value) -> bool:
    """Whether a function can be handed to a process that imports the script again, and finds there what it reads.

    The script must start its processes under its main guard, and nothing else of what the function reads may be
    set there, nor by any function: the other process would see what it is at first.
    """
    if isinstance(function, Partial):
        given = (*function.args, *(value for _, value in function.keywords))
        return are_plain(given) and may_spawn(interp, function.function)
    script = interp.stack[0]
    guard = _guard(interp.program.sources[script.path].tree)
    at = script.statement
    if guard is None or at is None or not guard.lineno <= at.lineno <= (guard.end_lineno or 0):
        return False
    if any(_SETTINGS in source.text for source in interp.program.sources.values()):
        return False
    return isinstance(function, Function) and _Reading(interp, guard).is_sound(function)


def sees_other(interp: Interpreter, function: Value) -> bool:
    """Whether a process that imports the script again may find other things there than those that the function reads now."""
    guard = _guard(interp.program.sources[interp.stack[0].path].tree)
    code = function.function if isinstance(function, (Partial, BoundMethod)) else function
    if guard is None or not isinstance(code, Function):
        return False
    return not _Reading(interp, guard).is_read_alike(code)


def are_plain(values: Iterable[Value]) -> bool:
    """Whether values are numbers, texts, or tuples of them, which any process can be given."""
    return all(
        are_plain(value.items) if isinstance(value, TupleValue) else isinstance(value, (Const, Scalar))
        for value in values
    )


def _guard(tree: ast.Module) -> ast.If | None:
    """``if __name__ == "__main__":`` at the end of a script."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.If) or last.orelse or not isinstance(last.test, ast.Compare):
        return None
    sides = [last.test.left, *last.test.comparators]
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    told = any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)
    return last if named and told and isinstance(last.test.ops[0], ast.Eq) else None


class _Reading:
    """What a function reads of the modules of its program, and whether an import makes it what it is now."""

    def __init__(self, interp: Interpreter, guard: ast.If) -> None:
        self.interp, self.guard = interp, guard
        self.script = interp.stack[0].id
        self.seen: set[ast.AST] = set()

    def is_sound(self, value: Value) -> bool:
        """Whether a value is code at the top of a module that reads nothing but such, or is fixed."""
        if isinstance(value, (Function, Class)):
            if value.node in self.seen:
                return True
            self.seen.add(value.node)
            at_top = value.node in self.interp.program.sources[value.path].tree.body
            return at_top and self.is_read_alike(value)
        if isinstance(value, TupleValue):
            return all(map(self.is_sound, value.items))
        if isinstance(value, Ref):
            return self._is_fixed(value)
        if isinstance(value, Namespace):
            frame = self.interp.library.modules.get(value.path)
            return frame is not None and self.interp.state.is_in_library(frame)
        return isinstance(value, (Const, External, DeviceValue, DTypeValue))

    def is_read_alike(self, code: Function | Class) -> bool:
        """Whether what code reads of the modules is what their import makes of it."""
        frame = self._frame(code)
        own = {each.arg for each in parameters_of(code.node)}
        return frame is not None and all(
            self._is_kept(frame, each) for each in _read(code.node) if getattr(each, "id", "") not in own
        )

    def _frame(self, value: Function | Class) -> int | None:
        """The globals of the module that a function or class is defined in."""
        if isinstance(value, Function):
            return value.frame
        return (
            self.script
            if value.path == self.interp.stack[0].path
            else self.interp.library.modules.get(value.path)
        )

    def _is_kept(self, frame: int, node: ast.Name | ast.Attribute) -> bool:
        """Whether what a name stands for is what the import of its module makes of it; a builtin or local name is."""
        if isinstance(node, ast.Attribute):
            owner = (
                reads.variable_of(self.interp, frame, node.value.id)
                if isinstance(node.value, ast.Name)
                else None
            )
            inner = self.interp.library.modules.get(owner.path) if isinstance(owner, Namespace) else None
            found = reads.variable_of(self.interp, inner, node.attr) if inner is not None else None
            return found is None or self.is_sound(found)
        found = reads.variable_of(self.interp, frame, node.id)
        if found is None:
            return True
        kept = (
            self._is_bound_at_top(node.id) if frame == self.script else self.interp.state.is_in_library(frame)
        )
        return kept and self.is_sound(found)

    def _is_bound_at_top(self, name: str) -> bool:
        """Whether a name of the script is bound outside of its guard alone."""
        tree = self.interp.program.sources[self.interp.stack[0].path].tree
        inside = any(name in binds(node) for node in own_nodes(self.guard.body))
        declared = any(isinstance(node, ast.Global) and name in node.names for node in in_rows(tree))
        return not inside and not declared

    def _is_fixed(self, ref: Ref) -> bool:
        """Whether a list is as the import of its module has left it, and holds what is fixed."""
        layer = self.interp.state.layer
        while layer.below is not None:
            layer = layer.below
        obj = self.interp.obj(ref)
        held = obj.kind == "list" and obj.items is not None and obj.element is None
        return held and layer.heap.get(ref.address) is obj and all(map(self.is_sound, obj.items or ()))


def _read(definition: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """The names, and the attributes, that stand in a definition."""
    for node in in_rows(definition):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            yield node
