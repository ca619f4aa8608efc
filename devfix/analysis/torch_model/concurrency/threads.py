"""Threads and queues: what one thread puts into a queue another gets out of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Partial,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.python import mapped

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

QUEUE: str = "queue.Queue"
THREAD = "threading.Thread"
TIMER = "threading.Timer"
EXECUTOR = "concurrent.futures.ThreadPoolExecutor"
FUTURE = "concurrent.futures.Future"
POOL = "multiprocessing.pool.ThreadPool"
_SENTINEL = "builtins.object"
#: Under which names a queue has that something was wanted of it that was not there, and which threads wait for that.
_ASKED, _WAITING = "#asked", "#waiting"
#: And where it was asked for what is there.
_TAKEN = "#taken"
_TARGET, _ARGS, _KEYWORDS, _RESULT = "_target", "_args", "_kwargs", "_result"


def queue(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``queue.Queue(...)``: a list whose order nobody knows."""
    return interp.new(Obj("external", External(QUEUE), trail=(interp.site("other", site.node),)))


def go_on_later(interp: Interpreter, function: Value, site: CallSite, before: AbstractSet[int]) -> None:
    """What was called to run beside the rest, and has found queues empty that were not ``before``, goes on once there is something."""
    if asked_in_vain(interp) <= before or site.open:
        return
    named = tuple((name, arg.value) for name, arg in site.keywords.items())
    called = Partial(function, tuple(arg.value for arg in site.args), named)
    _wait(interp, interp.new(Obj("external", External(THREAD), attrs={_TARGET: called})), before)


def _wait(interp: Interpreter, thread: Ref, before: AbstractSet[int]) -> None:
    """A thread that has found queues empty goes on once there is something."""
    for address in asked_in_vain(interp) - before:
        ref = Ref(address)
        obj = interp.obj(ref)
        waiting = obj.attrs.get(_WAITING)
        others = waiting.items if isinstance(waiting, TupleValue) else ()
        interp.update(ref, obj.with_attr(_WAITING, TupleValue((*others, thread))))


def asked_in_vain(interp: Interpreter) -> set[int]:
    """The queues of which something was wanted that was not there."""
    return {address for address, obj in reads.objects(interp) if _ASKED in obj.attrs}


def asked(obj: Obj, where: Ref) -> Obj:
    """What has been asked for something that is not there, ``where`` it looks for it."""
    return obj.with_attr(_ASKED, where)


def wanted(interp: Interpreter) -> set[Ref]:
    """Where something was looked for that is not there."""
    found = (obj.attrs[_ASKED] for _, obj in reads.objects(interp) if _ASKED in obj.attrs)
    return {each for each in found if isinstance(each, Ref)}


def _go_on(interp: Interpreter, ref: Ref, node: ast.expr) -> None:
    """What waits for a queue gets what was put there."""
    waiting = interp.obj(ref).attrs.get(_WAITING)
    for thread in waiting.items if isinstance(waiting, TupleValue) else ():
        run = interp.attribute(thread, "run", node)
        _beside(interp, run, CallSite(node))


def queue_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``put`` adds, ``get`` gives what any thread has put there."""
    if name in ("put", "put_nowait") and site.args:
        value, there = _data(interp, site.args[0].value), held(interp, ref)
        known = value in containers.everything(interp.obj(there))
        containers.append(interp, there, value)
        if not known:
            _go_on(interp, ref, site.node)
        return NONE
    if name in ("get", "get_nowait"):
        found = containers.everything(interp.obj(held(interp, ref)))
        if not found:
            interp.update(ref, asked(interp.obj(ref), held(interp, ref)))
        return UNKNOWN if _are_taken(interp, ref, site) else join_all(found)
    if name in ("empty", "full"):
        return Scalar("bool")
    return Scalar("int") if name == "qsize" else NONE


def _are_taken(interp: Interpreter, ref: Ref, site: CallSite) -> bool:
    """Whether all items that are known to have been put into a queue are what other calls got."""
    obj, there = interp.obj(ref), interp.obj(held(interp, ref))
    taken, here = obj.attrs.get(_TAKEN), Const(interp.source.span(site.node))
    places = taken.items if isinstance(taken, TupleValue) else ()
    if here not in places:
        interp.update(ref, obj.with_attr(_TAKEN, TupleValue((*places, here))))
    others = [each for each in places if each != here]
    return there.items is not None and there.element is None and 0 < len(there.items) <= len(others)


def held(interp: Interpreter, ref: Ref) -> Ref:
    """The list of what is in a queue."""
    obj = interp.obj(ref)
    known = obj.attrs.get("queue")
    if isinstance(known, Ref):
        return known
    made = interp.new(Obj("list", items=()))
    interp.update(ref, obj.with_attr("queue", made))
    return made


def _data(interp: Interpreter, value: Value) -> Value:
    """What is put into a queue; an object of no class of its own tells that nothing more comes, as None does."""
    obj = interp.obj_of(value)
    return NONE if obj is not None and obj.cls == External(_SENTINEL) else value


def sentinel(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``object()``: equal to nothing but itself."""
    return interp.new(Obj("external", External(_SENTINEL)))


def thread(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``threading.Thread(target=f, args=...)``, or ``threading.Timer(seconds, f, args)``."""
    ref = interp.new(Obj("external", External(THREAD), trail=(interp.site("other", site.node),)))
    initialise(interp, ref, site, name)
    return ref


#: Which arguments make a thread, and under which names it has them.
_OF_THREAD = ((1, "target", _TARGET), (3, "args", _ARGS), (4, "kwargs", _KEYWORDS))
_OF_TIMER = ((1, "function", _TARGET), (2, "args", _ARGS), (3, "kwargs", _KEYWORDS))


def initialise(interp: Interpreter, ref: Ref, site: CallSite, name: str = THREAD) -> None:
    """``Thread.__init__``."""
    obj = interp.obj(ref)
    for position, keyword, kept in _OF_TIMER if name == TIMER else _OF_THREAD:
        value = site.value(position, keyword)
        obj = obj if value is None else obj.with_attr(kept, value)
    interp.update(ref, obj)


def is_thread(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a thread, perhaps of a class of the project."""
    return THREAD in modules.external_bases(interp, obj.cls)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``start`` runs the thread: the rest of the program goes on beside it."""
    if name == "start":
        run, before = interp.attribute(ref, "run", site.node), asked_in_vain(interp)
        _beside(interp, run, CallSite(site.node))
        _wait(interp, ref, before)
    elif name == "run":
        _beside(interp, obj.attrs.get(_TARGET, NONE), _given(interp, obj, site))
    return Scalar("bool") if name in ("is_alive", "isAlive") else NONE


def _given(interp: Interpreter, obj: Obj, site: CallSite) -> CallSite:
    """The arguments with which a thread calls its target."""
    args = iteration.exact_items(interp, obj.attrs.get(_ARGS, NONE)) or ()
    keywords = interp.obj_of(obj.attrs.get(_KEYWORDS))
    named = {key: Arg(value) for key, value in keywords.attrs.items()} if keywords is not None else {}
    return CallSite(site.node, tuple(Arg(value) for value in args), named)


def _beside(interp: Interpreter, function: Value, site: CallSite) -> None:
    """Call a function that may go on for ever: what it did until then is done."""
    if function == NONE:
        return
    interp.call(function, site)
    interp.state.dead = False


def executor(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ThreadPoolExecutor(...)``."""
    return interp.new(Obj("external", External(EXECUTOR)))


def executor_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``submit`` calls a function, ``map`` calls it with each element of what it is given."""
    if not site.args or name not in ("submit", "map"):
        return ref if name == "__enter__" else UNKNOWN
    rest = site.args[1:]
    if name == "submit":
        before, given = asked_in_vain(interp), replace(site, args=rest)
        result = interp.call(site.args[0].value, given)
        go_on_later(interp, site.args[0].value, given, before)
        return finished(interp, result)
    each = tuple(Arg(iteration.element(interp, arg.value, arg.node)) for arg in rest)
    return Sequence(mapped.made_by(interp, site.args[0].value, each, site.node))


def finished(interp: Interpreter, value: Value) -> Value:
    """A future, or a task, with what it comes to."""
    return interp.new(Obj("external", External(FUTURE), attrs={_RESULT: value}))


def future(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Future()``, which the program gives its result itself."""
    return interp.new(Obj("external", External(FUTURE)))


def result(obj: Obj) -> Value:
    """What a future comes to."""
    return obj.attrs.get(_RESULT, UNKNOWN)


def future_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``result()`` is what the function returned, and so are ``get()`` and ``wait()`` of what other pools give."""
    if name == "add_done_callback" and site.args:
        interp.call(site.args[0].value, CallSite(site.node, (Arg(ref),)))
        return NONE
    if name == "set_result" and site.args:
        interp.update(ref, obj.with_attr(_RESULT, site.args[0].value))
        return NONE
    return result(obj) if name in ("result", "get", "wait") else Scalar("bool")


def pool(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ThreadPool(4)``, ``multiprocessing.dummy.Pool(4)``."""
    return interp.new(Obj("external", External(POOL)))


def pool_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``map``, ``starmap`` and ``apply`` call a function; those that do not wait give a future."""
    plain = name.removesuffix("_async").removesuffix("_unordered")
    if plain not in _APPLYING or len(site.args) < (1 if plain == "apply" else _MAPPED):
        return ref if name == "__enter__" else NONE
    function, rest = site.args[0].value, site.args[1:]
    if plain == "apply":
        args = iteration.exact_items(interp, rest[0].value) if rest else ()
        named = interp.obj_of(rest[1].value) if len(rest) > 1 else None
        known = {key: Arg(value) for key, value in named.attrs.items()} if named is not None else {}
        given = CallSite(site.node, tuple(map(Arg, args or ())), known, open=args is None)
        found = mapped.unwritten(interp, function, given)
    else:
        each = iteration.element(interp, rest[0].value, rest[0].node)
        row = iteration.exact_items(interp, each) if plain == "starmap" else (each,)
        if row is None:
            return UNKNOWN
        made = mapped.made_by(interp, function, tuple(map(Arg, row)), site.node)
        found = interp.new(Obj("list", element=made)) if not plain.startswith("i") else Sequence(made)
    return finished(interp, found) if name.endswith("_async") else found


_APPLYING, _MAPPED = frozenset({"apply", "map", "imap", "starmap"}), 2


def completed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``as_completed(futures)``: one of them after the other."""
    futures = site.get(0, "fs")
    return (
        Sequence(iteration.element(interp, futures.value, futures.node)) if futures is not None else UNKNOWN
    )


def waited(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``wait(futures)``: those that are done, and those that are not."""
    return TupleValue((completed(interp, name, site),) * 2, ("done", "not_done"))


_QUEUES = "Queue LifoQueue PriorityQueue SimpleQueue".split()
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"queue.{name}": queue for name in _QUEUES},
    THREAD: thread,
    TIMER: thread,
    FUTURE: future,
    EXECUTOR: executor,
    **dict.fromkeys((POOL, "multiprocessing.dummy.Pool"), pool),
    "concurrent.futures.as_completed": completed,
    "concurrent.futures.wait": waited,
    _SENTINEL: sentinel,
}
