"""Processes that a script starts beside itself: one that is forked cannot use the accelerator of the one that started it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis import calls, modules, reads
from devfix.analysis.frames import CallSite
from devfix.analysis.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    External,
    Function,
    Obj,
    Partial,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Union,
    Value,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGES = ("multiprocessing", "torch.multiprocessing")
PROCESSES = tuple(f"{package}.Process" for package in _PACKAGES)
#: Processes that wait for work.
POOL = "multiprocessing.pool.Pool"
_POOLS = (
    POOL,
    *(f"{package}.Pool" for package in _PACKAGES),
    "torch.multiprocessing.pool.Pool",
    "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.process.ProcessPoolExecutor",
)


def process(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Process(target=train, args=(model,))``."""
    _note(interp, (arg.value for arg in site.all_args()))
    return UNKNOWN


def context(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``get_context("fork")``: it has what the package has."""
    return External(name.rpartition(".")[0])


def fork(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.fork()``: the process has all that the script has."""
    interp.recorder.forked |= interp.is_script
    return Scalar("int")


def is_process(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of a class of the project that is run as a process."""
    return any(base in PROCESSES for base in modules.external_bases(interp, obj.cls))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``worker.start()``: the process has what the object has."""
    if name == "start":
        _note(interp, (ref,))
    return UNKNOWN


def pool(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Pool(4, initializer, args)``."""
    _note(interp, (arg.value for arg in site.all_args()))
    return interp.new(Obj("external", External(POOL)))


def pool_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``pool.map(evaluate, nets)``, ``executor.submit(evaluate, net)``."""
    if name == "__enter__":
        return ref
    _note(interp, (arg.value for arg in site.all_args()))
    return calls.call_unknown(interp, site)


def _note(interp: Interpreter, values: Iterable[Value | None]) -> None:
    """Write down that a process is given a module, or code that has one or makes one."""
    if interp.is_script and not interp.recorder.forked:
        interp.recorder.forked = _Reach(interp).has_module(values)


class _Reach:
    """What another process gets hold of with what it is given."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp = interp
        self.seen: set[object] = set()

    def has_module(self, values: Iterable[Value | None]) -> bool:
        """Whether a module is among it."""
        return any(self._has(value) for value in values if value is not None)

    def _has(self, value: Value) -> bool:
        if isinstance(value, Ref):
            return self._is_new(value) and self._object(value)
        if isinstance(value, Function):
            return self._is_new(value.node) and self.has_module(self._names(value))
        if isinstance(value, Class):
            if modules.is_module_class(self.interp, value):
                return True
            return self._is_new(value.node) and self.has_module(
                reads.all_of(self.interp, value.frame).values()
            )
        if isinstance(value, External):
            return modules.is_module_name(value.name) and value.name not in modules.MODULE_BASES
        return self.has_module(_parts(value))

    def _is_new(self, what: object) -> bool:
        new = what not in self.seen
        self.seen.add(what)
        return new

    def _object(self, ref: Ref) -> bool:
        obj = self.interp.obj(ref)
        own = (obj.cls,) if isinstance(obj.cls, Class) else ()
        held = (*obj.attrs.values(), *(obj.items or ()), obj.element)
        return modules.is_module(self.interp, ref) or self.has_module((*own, *held))

    def _names(self, function: Function) -> Iterator[Value | None]:
        """What the names that a function reads stand for, where they are not its own."""
        for node in ast.walk(function.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found = self._variable(function.frame, node.id)
                if not isinstance(found, External):
                    yield found
            elif isinstance(node, ast.Attribute):
                yield self._external(function.frame, node)

    def _variable(self, frame: int | None, name: str) -> Value | None:
        while frame is not None:
            found = reads.variable_of(self.interp, frame, name)
            if found is not None:
                return found
            frame = self.interp.parents.get(frame)
        return None

    def _external(self, frame: int, node: ast.Attribute) -> External | None:
        """``nn.Linear`` by its whole name."""
        names: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        root = self._variable(frame, inner.id) if isinstance(inner, ast.Name) else None
        return External(".".join((root.name, *reversed(names)))) if isinstance(root, External) else None


def _parts(value: Value) -> tuple[Value, ...]:
    """What a value consists of."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Union):
        return value.members
    if isinstance(value, Sequence):
        return (value.element,)
    if isinstance(value, Partial):
        return (value.function, *value.args, *(given for _, given in value.keywords))
    return (value.function, value.receiver) if isinstance(value, BoundMethod) else ()


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(PROCESSES, process),
    **dict.fromkeys(_POOLS, pool),
    **{f"{package}.get_context": context for package in _PACKAGES},
    "os.fork": fork,
}
