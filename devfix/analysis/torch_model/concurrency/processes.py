"""Processes that a script starts beside itself: one that is forked cannot use the accelerator of the one that started it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
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
from devfix.analysis.language import iteration, unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.reuse import reads
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.concurrency import (
    beside,
    connections,
    forks,
    process_queues,
    rebirth,
    servers,
    shared_objects,
    threads,
)
from devfix.analysis.torch_model.concurrency.beside import Put
from devfix.analysis.torch_model.concurrency.forks import Start

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGES = ("multiprocessing", "torch.multiprocessing")
_CONTEXTS = {
    Const(method): f"multiprocessing.context.{name}"
    for method, name in (
        ("fork", "ForkContext"),
        ("spawn", "SpawnContext"),
        ("forkserver", "ForkServerContext"),
    )
}
_ANY_CONTEXT = "multiprocessing.context.BaseContext"
_HOLDERS = (*_PACKAGES, *_CONTEXTS.values(), _ANY_CONTEXT)
PROCESSES = tuple(f"{holder}.Process" for holder in _HOLDERS)
#: Processes that wait for work.
POOL = "multiprocessing.pool.Pool"
_POOLS = (POOL, *(f"{holder}.Pool" for holder in _HOLDERS), "torch.multiprocessing.pool.Pool")
_EXECUTORS = ("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor")
#: Methods of pools that call a function with the arguments they are given, with each of what they are given, or with what each holds.
_APPLYING = frozenset({"apply", "apply_async"})
_MAPPING = frozenset({"map", "map_async", "imap", "imap_unordered"})
_SPREADING = frozenset({"starmap", "starmap_async"})
#: The facts of a pool that tell how its processes start, and whether it is an executor.
_START, _EXECUTOR = "start", "executor"
#: And what each of its processes calls when it begins.
_FIRST = "first call"


def process(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Process(target=train, args=(model,))``, which is started sooner or later."""
    note(interp, (arg.value for arg in site.all_args()))
    target = site.get(1, "target")
    items = iteration.exact_items(interp, site.value(3, "args") or TupleValue(()))
    if target is None or items is None or site.value(4, "kwargs") is not None:
        _begin(interp, None, None, CallSite(site.node))
        return UNKNOWN
    start = None
    if is_forking(interp, name):
        start = Start(name, interp.site("other", site.node), interp.state.used, rebirth.are_plain(items))
    _begin(interp, start, target, CallSite(site.node, tuple(map(Arg, items))))
    return UNKNOWN


def _begin(interp: Interpreter, start: Start | None, function: Arg | None, given: CallSite) -> None:
    """A process begins, which is forked where a ``start`` is told, and calls a ``function`` where anybody knows which, and with what.

    Queues get what it puts there.
    """
    shared = shared_objects.all_of(interp)
    asks = start is not None and forks.is_in_question(interp, start)
    told = (
        (shared or interp.is_script) and function is not None and beside.is_of_project(interp, function.value)
    )
    if (
        function is None
        or not (asks or told)
        or (start is None and rebirth.sees_other(interp, function.value))
    ):
        shared_objects.receive(interp, [Put(each, None, UNKNOWN) for each in shared], given.node)
        return
    done = beside.called(interp, function.value, given, shared)
    if start is not None:
        forks.check(interp, start, function, done, given.node)
    # What it makes of what nobody has sent so far it makes of what is sent later.
    put = [each for each in done.put if each.value != UNKNOWN or not done.waits]
    shared_objects.receive(interp, put, given.node)
    servers.wait(interp, function.value, given, done)


def spawn(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.multiprocessing.spawn(train, args=(queue,), nprocs=4)``: each process is told which one it is."""
    note(interp, (arg.value for arg in site.all_args()))
    function = site.value(0, "fn") or UNKNOWN
    items = iteration.exact_items(interp, site.value(1, "args") or TupleValue(()))
    given = CallSite(site.node, (Arg(Scalar("int")), *map(Arg, items or ())))
    _begin(interp, None, None if items is None else Arg(function), given)
    return UNKNOWN


def context(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``get_context("fork")``: it has what the package has."""
    method = site.value(0, "method")
    if method is None or method == NONE:
        return External(name.rpartition(".")[0])
    return External(_CONTEXTS.get(method, _ANY_CONTEXT) if isinstance(method, Const) else _ANY_CONTEXT)


def is_forking(interp: Interpreter, name: str) -> bool:
    """Whether what has this name forks for certain: by its own context, or because that is the rule on Linux.

    Up to Python 3.13 it is; a program that chooses another method somewhere may do so at any time.
    """
    owner = name.rpartition(".")[0]
    if owner.startswith("multiprocessing.context."):
        return owner == _CONTEXTS[Const("fork")]
    return name != POOL and not forks.chooses_another(interp)


def fork(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.fork()``: the process has all that the script has."""
    interp.recorder.confined |= interp.is_script
    return Scalar("int")


def is_process(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of a class of the project that is run as a process."""
    return any(base in PROCESSES for base in modules.external_bases(interp, obj.cls))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``worker.start()``: the process has what the object has."""
    if name == "start":
        note(interp, (ref,))
        run = Arg(interp.attribute(ref, "run", site.node))
        bases = modules.external_bases(interp, obj.cls)
        forking = next((base for base in bases if base in PROCESSES and is_forking(interp, base)), None)
        start = None
        if forking is not None:
            start = Start(forking, interp.site("other", site.node), interp.state.used, plain=False)
        _begin(interp, start, run, CallSite(site.node))
    return UNKNOWN


def pool(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Pool(4, initializer, args)``: its processes start here."""
    return _pool(interp, name, site, later=False)


def executor(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ProcessPoolExecutor(4)``: its processes start when it has work."""
    chosen = site.value(1, "mp_context")
    if isinstance(chosen, External):
        return _pool(interp, f"{chosen.name}.{name.rpartition('.')[2]}", site, later=True)
    return _pool(interp, name if chosen in (None, NONE) else f"{_ANY_CONTEXT}.Pool", site, later=True)


def _pool(interp: Interpreter, name: str, site: CallSite, *, later: bool) -> Value:
    note(interp, (arg.value for arg in site.all_args()))
    plain = not site.keywords.keys() & {"initializer", "initargs"} and len(site.args) < (3 if later else 2)
    first = None if plain else _first(interp, site, later=later)
    if site.open or not (plain or first):
        _begin(interp, None, None, CallSite(site.node))
    made = Obj("external", External(POOL)).with_fact(_EXECUTOR, Const(_is_executor(name) or later))
    if interp.is_script and not site.open and is_forking(interp, name):
        start = Start(name, interp.site("other", site.node), interp.state.used, plain, later)
        made = made.with_fact(_START, Const(start))
    return interp.new(made if first is None else made.with_fact(_FIRST, first))


def _first(interp: Interpreter, site: CallSite, *, later: bool) -> Value | None:
    """The function of the project that each process of a pool calls when it begins, and with what; None where nobody knows."""
    place = 2 if later else 1
    function, given = site.value(place, "initializer"), site.value(place + 1, "initargs") or TupleValue(())
    items = iteration.exact_items(interp, given)
    if function is None or items is None or site.open or not beside.is_of_project(interp, function):
        return None
    return Partial(function, items, ())


def pool_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``pool.map(evaluate, nets)``, ``executor.submit(evaluate, net)``."""
    if name == "__enter__":
        return ref
    note(interp, (arg.value for arg in site.all_args()))
    if not site.args:
        return unknown_code.call(interp, site)
    executor = obj.facts.get(_EXECUTOR) == Const(True)
    given, held = _given(interp, name, site, is_executor=executor), obj.facts.get(_START)
    start = held.value if isinstance(held, Const) and isinstance(held.value, Start) else None
    if start is not None and start.later:
        start = replace(start, used=interp.state.used, later=False)
        interp.update(ref, obj.with_fact(_START, Const(start)))
    if given is None:
        _begin(interp, None, None, CallSite(site.node))
        return unknown_code.call(interp, site)
    shared, first = shared_objects.all_of(interp), obj.facts.get(_FIRST)
    done = beside.called(interp, site.args[0].value, given, shared, first=first)
    shared_objects.receive(interp, done.put, site.node)
    arrived = beside.received(interp, done.back, interp.site("result", site.node))
    if start is not None:
        forks.check(interp, start, site.args[0], done, site.node, arrives=arrived != UNKNOWN)
    if arrived == UNKNOWN:
        return unknown_code.call(interp, site)
    return _results(interp, name, arrived, is_executor=executor)


def _results(interp: Interpreter, name: str, each: Value, *, is_executor: bool) -> Value:
    """What a method of a pool gives, where its function gives that."""
    if name == "submit":
        return threads.finished(interp, each)
    if name not in _APPLYING:
        lazy = is_executor or name.startswith("imap")
        each = Sequence(each) if lazy else interp.new(Obj("list", element=each))
    return threads.finished(interp, each) if name.endswith("_async") else each


def _is_executor(name: str) -> bool:
    return name.endswith(".ProcessPoolExecutor")


def _given(interp: Interpreter, name: str, site: CallSite, *, is_executor: bool) -> CallSite | None:
    """What a method of a pool calls its function with; None where it calls none, or nobody knows."""
    rest = site.args[1:]
    if name in _MAPPING:
        # A second argument of a pool's is how many items are sent at a time.
        taken = rest if is_executor else rest[:1]
        if any(iteration.exact_items(interp, arg.value) == () for arg in taken):
            return None
        each = [iteration.element(interp, arg.value, arg.node) for arg in taken]
        return CallSite(site.node, tuple(map(Arg, each)))
    if name == "submit":
        return CallSite(site.node, rest, site.keywords)
    items = rest[0].value if rest else TupleValue(())
    if name in _SPREADING:
        items = iteration.element(interp, items, None)
    elif name not in _APPLYING:
        return None
    known = iteration.exact_items(interp, items)
    return CallSite(site.node, tuple(map(Arg, known))) if known is not None and len(rest) < 2 else None


def note(interp: Interpreter, values: Iterable[Value | None]) -> None:
    """Write down that a process is given a module, or code that has one or makes one."""
    if interp.is_script and not interp.recorder.confined:
        interp.recorder.confined = _Reach(interp).has_module(values)


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
        for node in in_rows(function.node):
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
    **{f"{holder}.{name}": process_queues.queue for holder in _HOLDERS for name in process_queues.NAMES},
    **{f"{holder}.Manager": process_queues.manager for holder in _HOLDERS},
    **{f"{holder}.Pipe": connections.pipe for holder in _HOLDERS},
    **dict.fromkeys(_POOLS, pool),
    **dict.fromkeys(_EXECUTORS, executor),
    "torch.multiprocessing.spawn": spawn,
    **{f"{package}.get_context": context for package in _PACKAGES},
    "os.fork": fork,
}
