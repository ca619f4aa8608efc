"""Seen values: what the expressions of a program stand for, in words for who looks at its text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import (
    Array,
    Class,
    Const,
    DeviceValue,
    External,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.entries import run_program
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.library import Library
from devfix.analysis.nn import modules
from devfix.analysis.record.apart import apart
from devfix.analysis.record.recorder import MODULE_TOKEN, Recorder
from devfix.analysis.torch_model.loading import data
from devfix.findings import Span

if TYPE_CHECKING:
    from devfix.project import Program

#: So many different values of one expression are kept, and so many parts of a collection.
_MOST = 4
_PARTS = 6


@dataclass(frozen=True, slots=True)
class SeenValue:
    """A value as people speak of it.

    ``kind`` is ``tensor``, ``array``, ``module``, ``loader``, ``device`` or ``collection``; ``name`` is the
    class of a module or loader. ``device`` and ``dtype`` are None where they are unknown; the device
    ``module`` is that of the module whose method is looked at. ``parts`` are the elements of a collection, or
    of a loader's batch.
    """

    kind: str
    name: str = ""
    device: str | None = None
    dtype: str | None = None
    parts: tuple[SeenValue | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What an expression stood for, each value once; ``target`` when it is a name that is bound there."""

    span: Span
    values: tuple[SeenValue, ...]
    target: bool = False


@dataclass
class _Sights:
    """What was seen so far, by file and node."""

    program: Program
    recorder: Recorder
    by_node: dict[str, dict[ast.AST, list[SeenValue]]] = field(default_factory=dict)

    def add(self, path: str, node: ast.AST, value: SeenValue) -> None:
        known = self.by_node.setdefault(path, {}).setdefault(node, [])
        if value not in known and len(known) < _MOST:
            known.append(value)

    def result(self) -> dict[str, tuple[Sight, ...]]:
        return {path: tuple(sorted(self._of(path), key=lambda sight: sight.span)) for path in self.by_node}

    def _of(self, path: str) -> Iterator[Sight]:
        source = self.program.sources[path]
        for node, values in self.by_node[path].items():
            yield Sight(_span(source.span(node), node), tuple(values), _is_target(node))


class _Watcher(Interpreter):
    """An interpreter that tells what it sees."""

    def __init__(self, program: Program, recorder: Recorder, library: Library, sights: _Sights) -> None:
        super().__init__(program, recorder, library)
        self.sights = sights

    def eval(self, node: ast.expr) -> Value:
        value = super().eval(node)
        self.saw(node, value)
        return value

    def saw(self, node: ast.expr | ast.arg, value: Value) -> None:
        seen = None if isinstance(value, Const) else _seen(self, value)
        if seen is not None:
            self.sights.add(self.frame.path, node, seen)


def see(program: Program) -> dict[str, tuple[Sight, ...]]:
    """What the expressions in each file of a program stand for, as far as anything is known of it."""
    recorder = Recorder()
    sights = _Sights(program, recorder)
    run_program(program, recorder, partial(_Watcher, sights=sights))
    return sights.result()


def _span(span: Span, node: ast.AST) -> Span:
    """A parameter goes by its name, without the annotation."""
    if not isinstance(node, ast.arg):
        return span
    return Span(span.line, span.column, span.line, span.column + len(node.arg))


def _is_target(node: ast.AST) -> bool:
    return isinstance(node, ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store)


def _seen(interp: Interpreter, value: Value) -> SeenValue | None:
    if isinstance(value, Tensor):
        return SeenValue("tensor", device=_device(interp, value.device), dtype=value.dtype)
    if isinstance(value, Array):
        return SeenValue("array", dtype=value.dtype)
    if isinstance(value, DeviceValue):
        return SeenValue("device", device=_device(interp, value.device))
    if isinstance(value, TupleValue):
        return _collection(interp, value.items)
    if isinstance(value, Union):
        seen = {_seen(interp, member) for member in value.members}
        return seen.pop() if len(seen) == 1 else None
    return _object(interp, value) if isinstance(value, Ref) else None


def _object(interp: Interpreter, value: Ref) -> SeenValue | None:
    obj = interp.obj_of(value)
    if obj is None:
        return None
    if modules.is_module(interp, value):
        first = modules.first_parameter(interp, value)
        device = modules.module_device(interp, value) if first is not None else None
        named = _device(interp, device) if device is not None else None
        return SeenValue("module", _class_name(obj.cls), named, first.dtype if first is not None else None)
    if obj.kind == "loader":
        return SeenValue("loader", _class_name(obj.cls), parts=_batch(interp, value))
    if obj.kind in ("list", "tuple") and obj.items is not None:
        return _collection(interp, obj.items)
    return None


def _batch(interp: Interpreter, value: Ref) -> tuple[SeenValue | None, ...]:
    """What a loader yields, found out apart from the run that is watched."""
    with apart(interp):
        batch = data.batch(interp, value, None)
    items: Iterable[Value] = batch.items if isinstance(batch, TupleValue) else (batch,)
    parts = tuple(_seen(interp, item) for item in items)[:_PARTS]
    return parts if any(parts) else ()


def _collection(interp: Interpreter, items: tuple[Value, ...]) -> SeenValue | None:
    if not 0 < len(items) <= _PARTS or not all(isinstance(item, Tensor) for item in items):
        return None
    return SeenValue("collection", parts=tuple(_seen(interp, item) for item in items))


def _device(interp: Interpreter, device: Device) -> str | None:
    if device.kind == "same-as":
        return "module" if interp.recorder.same(device.label, MODULE_TOKEN) else None
    return str(device) if device.is_known else None


def _class_name(cls: Value) -> str:
    if isinstance(cls, Class):
        return cls.node.name
    return cls.name.rpartition(".")[2] if isinstance(cls, External) else ""
