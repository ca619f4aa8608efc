"""``asyncio``: a coroutine stands for its result, a task for one that is under way, and what is put into a queue comes out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    External,
    Function,
    Obj,
    Ref,
    Sequence,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import threads
from devfix.analysis.torch_model.python import mapped

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What was asked of queues before a function was called that is no coroutine, which does not matter.
_NEVER_MIND = frozenset[int]()
LOOP: str = "asyncio.AbstractEventLoop"
GROUP: str = "asyncio.TaskGroup"


def asked_in_vain(interp: Interpreter, function: Function) -> frozenset[int]:
    """The queues that were found empty before a coroutine begins."""
    is_one = isinstance(function.node, ast.AsyncFunctionDef)
    return frozenset(threads.asked_in_vain(interp)) if is_one else _NEVER_MIND


def go_on_later(interp: Interpreter, function: Function, site: CallSite, before: frozenset[int]) -> None:
    """A coroutine that has found queues empty, which were not ``before``, goes on once something is put there."""
    if isinstance(function.node, ast.AsyncFunctionDef):
        threads.go_on_later(interp, function, site, before)


def task(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.create_task(coroutine)``, which has the coroutine's result."""
    result = site.value(0, "coro", "coro_or_future")
    return threads.finished(interp, awaited(interp, result if result is not None else UNKNOWN))


def awaited(interp: Interpreter, value: Value) -> Value:
    """What ``await`` gives: of a task its result, of a coroutine itself."""
    if isinstance(value, Union):
        return join_all([awaited(interp, member) for member in value.members], split=True)
    obj = interp.obj_of(value)
    return threads.result(obj) if obj is not None and obj.cls == External(threads.FUTURE) else value


def run(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.run(main())``, ``wait_for(task, timeout)``."""
    value = site.value(0, "main", "fut", "arg", "future")
    return awaited(interp, value) if value is not None else UNKNOWN


def gathered(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.gather(...)``: the results in order; one that is like all where nobody knows how many are awaited."""
    results = [awaited(interp, arg.value) for arg in site.args]
    return Sequence(join_all(results, split=True)) if site.open else TupleValue(tuple(results))


def completed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.as_completed(coroutines)``: one of them after the other."""
    given = site.get(0, "fs")
    return Sequence(iteration.element(interp, given.value, given.node)) if given is not None else UNKNOWN


def waited(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.wait(tasks)``: those that are done, and those that are not."""
    return TupleValue((completed(interp, name, site),) * 2)


def in_thread(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``asyncio.to_thread(function, ...)``."""
    if not site.args:
        return UNKNOWN
    return interp.call(site.args[0].value, replace(site, args=site.args[1:]))


def made(interp: Interpreter, name: str, site: CallSite) -> Value:
    """An event loop, or a group of tasks."""
    return interp.new(Obj("external", External(GROUP if name == GROUP else LOOP)))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """What loops and groups do with coroutines and functions."""
    if name == "create_task":
        return task(interp, name, site)
    if name == "run_until_complete":
        return run(interp, name, site)
    if name == "run_in_executor" and len(site.args) > 1:
        return mapped.made_by(interp, site.args[1].value, site.args[2:], site.node)
    if name == "create_future":
        return threads.future(interp, name, site)
    return ref if name == "__aenter__" else NONE


_LOOPS = "get_event_loop get_running_loop new_event_loop".split()
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("asyncio.create_task", "asyncio.ensure_future"), task),
    **dict.fromkeys(("asyncio.run", "asyncio.wait_for", "asyncio.shield"), run),
    "asyncio.gather": gathered,
    "asyncio.as_completed": completed,
    "asyncio.wait": waited,
    "asyncio.Future": threads.future,
    "asyncio.to_thread": in_thread,
    GROUP: made,
    **{f"asyncio.{name}": made for name in _LOOPS},
    **{f"asyncio.{name}": threads.queue for name in ("Queue", "LifoQueue", "PriorityQueue")},
}
