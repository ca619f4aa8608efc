"""joblib: ``Parallel(n_jobs=4)(delayed(f)(x) for x in xs)`` calls ``f`` in processes, in threads, or one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, Const, External, Obj, Partial, Ref, Sequence, Value
from devfix.analysis.language import iteration, unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.concurrency import beside, forks, processes, shared_objects
from devfix.analysis.torch_model.concurrency.forks import Start
from devfix.analysis.torch_model.python import mapped

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "joblib.Parallel"
_DELAYED = "joblib.delayed"
_TASK = "joblib.delayed.task"
#: The facts of what makes calls: whether it does so in the process that asks for them, in forks of it, or in the one or the other
#: (nobody knows how many jobs there are, and one alone is done here), and whether one by one.
_IN_THREADS, _FORKING, _EITHER, _LAZY = "in threads", "forking", "either", "lazy"
#: More calls than this are not followed one by one.
_MOST = 8
#: By what a program chooses elsewhere how calls are spread.
_CHOOSING = ("parallel_backend(", "parallel_config(", "register_parallel_backend(")


def delayed(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``delayed(f)``, which is called with what ``f`` is to be called with."""
    function = site.value(0, "function")
    return UNKNOWN if function is None else Partial(External(_TASK), (function,), ())


def _task(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``delayed(f)(x)``: a call that is still to be made."""
    if site.open:
        return UNKNOWN
    keywords = tuple((key, arg.value) for key, arg in site.keywords.items())
    return Partial(site.args[0].value, tuple(arg.value for arg in site.args[1:]), keywords)


def parallel(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Parallel(n_jobs=4, prefer="threads")``, which makes calls."""
    made = Obj("external", External(NAME), trail=(interp.site("other", site.node),))
    in_threads = _is_in_threads(interp, site)
    if in_threads is not None:
        made = made.with_fact(_IN_THREADS, Const(in_threads))
    if not isinstance(site.value(0, "n_jobs"), Const):
        made = made.with_fact(_EITHER, Const(True))
    elif site.value(None, "backend") == Const("multiprocessing") and processes.is_forking(interp, name):
        made = made.with_fact(_FORKING, Const(True))
    lazy = site.value(None, "return_as") not in (None, Const("list"))
    return interp.new(made.with_fact(_LAZY, Const(lazy)))


def _is_in_threads(interp: Interpreter, site: CallSite) -> bool | None:
    """Whether calls are made in the process that asks for them; None where nobody knows."""
    jobs, backend = site.value(0, "n_jobs"), site.value(None, "backend")
    chosen_elsewhere = site.open or any(
        each in source.text for source in interp.program.sources.values() for each in _CHOOSING
    )
    is_alone = jobs == Const(1) or (jobs in (None, NONE) and not chosen_elsewhere)
    if is_alone or site.value(None, "require") == Const("sharedmem"):
        return True
    if backend is not None and backend != NONE:
        return backend.value in ("threading", "sequential") if isinstance(backend, Const) else None
    return None if chosen_elsewhere else site.value(None, "prefer") == Const("threads")


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``parallel(calls)``: what they give, in a list."""
    if name == "__enter__":
        return ref
    in_threads, calls = obj.facts.get(_IN_THREADS), site.get(0, "iterable")
    if name != "__call__" or calls is None or not isinstance(in_threads, Const):
        return unknown_code.call(interp, site)
    items = iteration.exact_items(interp, calls.value)
    lazy = obj.facts.get(_LAZY) == Const(True)
    if items is not None and len(items) <= _MOST and not lazy:
        return iteration.new_list(
            interp, tuple([_called(interp, obj, each, site) for each in items]), site.node
        )
    with iteration.rounds(interp, counted=False):
        each = _called(interp, obj, iteration.element(interp, calls.value, calls.node), site)
    return Sequence(each) if lazy else interp.new(Obj("list", element=each))


def _called(interp: Interpreter, obj: Obj, task: Value, site: CallSite) -> Value:
    """What one call gives."""
    if not isinstance(task, Partial):
        return UNKNOWN
    given = CallSite(site.node)
    if obj.facts[_IN_THREADS] == Const(True):
        return mapped.made_by(interp, task, (), site.node)
    processes.note(interp, (task,))
    done = beside.called(interp, task, given, shared_objects.all_of(interp))
    shared_objects.receive(interp, done.put, site.node)
    arrived = beside.received(interp, done.back, interp.site("result", site.node))
    if _EITHER in obj.facts:
        modules.havoc(interp, task)
    if _FORKING in obj.facts and obj.trail:
        start = Start(NAME, obj.trail[0], interp.state.used, plain=False)
        forks.check(interp, start, Arg(task.function, site.node), done, site.node, arrives=arrived != UNKNOWN)
    return arrived


_HOLDERS = ("joblib", "joblib.parallel", "sklearn.utils.parallel", "sklearn.utils.fixes")
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    _TASK: _task,
    **{f"{holder}.delayed": delayed for holder in _HOLDERS},
    **{f"{holder}.Parallel": parallel for holder in _HOLDERS},
}
