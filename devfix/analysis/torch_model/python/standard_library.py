"""The standard library and its everyday companions, as far as values pass through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import any_one
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    BoundMethod,
    Const,
    External,
    Function,
    Obj,
    Partial,
    Scalar,
    Sequence,
    TupleValue,
    Value,
)
from devfix.analysis.language import enumerations, iteration, list_places
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.python import (
    command_line,
    copies,
    environment,
    iteration_tools,
    text_methods,
)
from devfix.analysis.torch_model.python.made_dicts import dict_

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: The class of managers that only hand something to the body.
HANDING_ON = "contextlib.nullcontext"


def partial(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``functools.partial`` and ``partialmethod``."""
    if not site.args:
        return UNKNOWN
    keywords = tuple((key, arg.value) for key, arg in site.keywords.items())
    given = tuple(arg.value for arg in site.args[1:])
    return Partial(site.args[0].value, given, keywords, bound=name == "functools.partialmethod")


def method(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``types.MethodType(function, receiver)``."""
    function, receiver = site.value(0, "function"), site.value(1, "instance")
    if function is None or receiver is None:
        return UNKNOWN
    return (
        BoundMethod(function, receiver)
        if isinstance(function, Function)
        else Partial(function, (receiver,), ())
    )


def passing(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tqdm(it)`` and what else hands its first argument on."""
    value = site.value(0, "iterable", "sequence", "iterator", "it", "gen")
    return value if value is not None else Sequence(Scalar("int"))


def cycle(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.cycle(items)``: of a display any item, again and again; loaders go on as they are."""
    value = site.value(0, "iterable") or UNKNOWN
    items = iteration.row_items(interp, value)
    return Sequence(any_one(iteration.element(interp, value, None))) if items else value


def islice(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.islice(items, stop)``: the first of what is known one by one."""
    value, bounds = site.value(0, "iterable") or UNKNOWN, [arg.value for arg in site.args[1:]]
    items = iteration.row_items(interp, value)
    numbers = [each.value for each in bounds if isinstance(each, Const)]
    counting = [number for number in numbers if number is None or (isinstance(number, int) and number >= 0)]
    if items is None or not 0 < len(counting) == len(site.args) - 1 <= _BOUNDS or counting[2:] == [0]:
        return value
    return TupleValue(items[slice(*counting)])


#: A start, an end and a step.
_BOUNDS = 3


#: The class of what is a list here, and is none to ``isinstance``.
DEQUE = External("collections.deque")


def deque(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``collections.deque``: what it holds is known as that of a list, which it is none of."""
    longest = site.value(1, "maxlen") or NONE
    facts = {} if longest == NONE else {list_places.UNORDERED: NONE}
    if site.args and site.args[0].value != NONE:
        items = iteration.exact_items(interp, site.args[0].value)
        if items is not None:
            return interp.new(Obj("list", DEQUE, items=items, facts=facts))
        return interp.new(Obj("list", DEQUE, element=iteration.element(interp, site.args[0].value, None)))
    return interp.new(Obj("list", DEQUE, items=(), facts=facts))


def namespace(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``types.SimpleNamespace(**kw)``, ``argparse.Namespace(**kw)``, ``EasyDict``."""
    attrs = {key: arg.value for key, arg in site.keywords.items()}
    if site.args:
        first = interp.obj_of(site.args[0].value)
        attrs = {**(dict(first.attrs) if first is not None else {}), **attrs}
    return interp.new(Obj("external", External("argparse.Namespace"), attrs=attrs))


def storage(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``threading.local()``: an object that is there to be given attributes; or a lock, which is no device where it is entered."""
    return interp.new(Obj("external", External(name)))


def real(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``math.sqrt`` and the like."""
    return Scalar("float")


def whole(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``math.ceil`` and the like."""
    return Scalar("int")


def leave(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``sys.exit()`` and the like: this path ends here."""
    interp.state.dead = True
    return UNKNOWN


def handing_on(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``nullcontext(x)``, ``closing(x)``: a manager that hands ``x`` to its body."""
    given = site.value(0, "enter_result", "thing") or NONE
    return idle_manager(interp, given)


def idle_manager(interp: Interpreter, given: Value = NONE) -> Value:
    """A manager that does nothing, and hands what it is ``given`` to its body."""
    return interp.new(Obj("external", External(HANDING_ON), attrs={"entered": given}))


def is_idle_manager(interp: Interpreter, manager: Value) -> bool:
    """Whether a manager is a ``nullcontext()``."""
    obj = interp.obj_of(manager)
    return obj is not None and obj.cls == External(HANDING_ON) and obj.attrs["entered"] == NONE


def exit_stack(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ExitStack()``."""
    return interp.new(Obj("external", External("contextlib.ExitStack")))


def chain_map(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ChainMap(first, second)``: what the first does not hold is looked for in the second."""
    held = [interp.obj_of(arg.value) for arg in site.args]
    attrs: dict[str, Value] = {}
    for obj in reversed(held):
        attrs.update(obj.attrs if obj is not None and obj.kind == "dict" else {})
    exact = all(obj is not None and obj.kind == "dict" and obj.element is None for obj in held)
    return interp.new(Obj("dict", attrs=attrs, element=None if exact and not site.open else UNKNOWN))


def remembering(_interp: Interpreter, name: str, site: CallSite) -> Value:
    """``lru_cache(f)``: the same to call; ``lru_cache(maxsize=None)`` is what makes it so."""
    given = site.value(0, "user_function", "maxsize")
    return External(name) if given is None or isinstance(given, Const) else given


_LOCKS = "Lock RLock Condition Semaphore BoundedSemaphore".split()
_REAL = "fsum dist cosh sinh asin acos atan ldexp copysign fmod expm1 erfc gamma lgamma sqrt exp log log2 log10 log1p sin cos tan tanh atan2 hypot pow fabs erf degrees radians".split()
#: The modules of tqdm that have ``tqdm`` and ``trange``.
_TQDM = [
    f"tqdm.{each}"
    for each in ("", "auto.", "notebook.", "autonotebook.", "std.", "asyncio.", "rich.", "gui.")
]
#: What shows how far a loop has come, and yields what its first argument yields.
_PROGRESS_BARS = (
    *(f"{each}tqdm" for each in _TQDM), "tqdm.tqdm_notebook", "rich.progress.track", "alive_progress.alive_it",
    "progressbar.progressbar", "fastprogress.progress_bar", "fastprogress.master_bar", "barbar.Bar",
    "fastprogress.fastprogress.progress_bar", "fastprogress.fastprogress.master_bar",
)  # fmt: skip
_WHOLE = "ceil floor gcd isqrt comb factorial".split()

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"), leave),
    **dict.fromkeys(("os.environ.get", "os.getenv"), environment.asked),
    "os.path.join": text_methods.path,
    "shlex.split": text_methods.words,
    **dict.fromkeys(("os.cpu_count", "os.process_cpu_count", "multiprocessing.cpu_count"), environment.processors),
    "copy.deepcopy": copies.deepcopy,
    "enum.auto": lambda _interp, _name, _site: enumerations.AUTO,
    # What is written through it is refused; what is read is what the dict holds.
    "types.MappingProxyType": lambda _interp, _name, site: site.value(0, "mapping") or UNKNOWN,
    "copy.copy": copies.shallow,
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), partial),
    **dict.fromkeys(("functools.lru_cache", "functools.cache"), remembering),
    "types.MethodType": method,
    # What ``wraps(f)`` makes of a wrapper is the wrapper.
    "functools.wraps": lambda _interp, _name, _site: External("functools.update_wrapper"),
    **dict.fromkeys(("functools.update_wrapper", *_PROGRESS_BARS), passing),
    **dict.fromkeys((f"{each}trange" for each in _TQDM), iteration_tools.counting),
    "tqdm.tnrange": iteration_tools.counting,
    "itertools.cycle": cycle,
    "itertools.islice": islice,
    "collections.deque": deque,
    **dict.fromkeys(("collections.OrderedDict", "weakref.WeakKeyDictionary", "weakref.WeakValueDictionary"), dict_),
    "weakref.proxy": lambda _i, _n, site: site.value(0, "object") or UNKNOWN,
    "collections.ChainMap": chain_map,
    **dict.fromkeys(("typing.cast", "typing_extensions.cast"), lambda _i, _n, site: site.value(1, "val") or UNKNOWN),
    **dict.fromkeys(
        ("typing.TypedDict", "typing_extensions.TypedDict"), lambda _i, _n, _s: External("builtins.dict")
    ),
    # What the type that it makes is called with is what it gives.
    "typing.NewType": lambda _interp, _name, _site: External("functools.update_wrapper"),
    "contextlib.nullcontext": handing_on,
    "contextlib.closing": handing_on,
    **dict.fromkeys(("contextlib.ExitStack", "contextlib.AsyncExitStack"), exit_stack),
    "types.SimpleNamespace": namespace,
    # Its name and what it says of itself are none of the attributes that anybody asks it for.
    "types.ModuleType": lambda interp, name, site: namespace(interp, name, CallSite(site.node)),
    "threading.local": storage,
    **{f"{name}.{lock}": storage for name in ("threading", "multiprocessing", "asyncio") for lock in _LOCKS},
    "argparse.Namespace": namespace,
    "easydict.EasyDict": namespace,
    "argparse.ArgumentParser": command_line.parser,
    command_line.OLD_PARSER: command_line.old_parser,
    "optparse.OptionGroup": command_line.old_group,
    **{f"math.{name}": real for name in _REAL},
    **{f"math.{name}": whole for name in _WHOLE},
    **{f"statistics.{name}": real for name in "fmean stdev pstdev geometric_mean".split()},
    **dict.fromkeys(("time.time", "time.perf_counter", "time.monotonic"), real),
}  # fmt: skip
