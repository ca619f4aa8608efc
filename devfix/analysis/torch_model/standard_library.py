"""The standard library and its everyday companions, as far as values pass through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis import iteration
from devfix.analysis.copying import replace
from devfix.analysis.frames import CallSite
from devfix.analysis.join import join_all
from devfix.analysis.modules import is_module
from devfix.analysis.torch_model import command_line
from devfix.analysis.torch_model.python_builtins import dict_
from devfix.analysis.values import (
    NONE,
    UNKNOWN,
    External,
    Obj,
    Partial,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    extend,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def deepcopy(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``copy.deepcopy``: the object and everything it holds, once more."""
    value = site.value(0, "x")
    return copied(interp, value, site) if value is not None else UNKNOWN


def copied(interp: Interpreter, value: Value, site: CallSite) -> Value:
    """A value and everything it holds, once more."""
    copy = clone(interp, value, {})
    if isinstance(copy, Ref) and is_module(interp, copy):
        # From here on the copy has a life of its own: moving the original leaves it where it is.
        obj = interp.obj(copy)
        interp.update(copy, replace(obj, trail=extend(obj.trail, interp.site("module", site.node))))
    return copy


def clone(interp: Interpreter, value: Value, done: dict[int, Ref]) -> Value:
    """A deep copy of a value; shared parts stay shared."""
    if isinstance(value, TupleValue):
        return TupleValue(tuple(clone(interp, item, done) for item in value.items))
    if not isinstance(value, Ref):
        return value
    if value.address in done:
        return done[value.address]
    obj = interp.obj(value)
    copy = done[value.address] = interp.new(obj)
    attrs = {key: clone(interp, item, done) for key, item in obj.attrs.items()}
    items = tuple(clone(interp, item, done) for item in obj.items) if obj.items is not None else None
    element = clone(interp, obj.element, done) if obj.element is not None else None
    interp.update(copy, replace(obj, attrs=attrs, items=items, element=element))
    return copy


def shallow(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``copy.copy``."""
    value = site.value(0, "x")
    return interp.new(interp.obj(value)) if isinstance(value, Ref) else value or UNKNOWN


def partial(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``functools.partial``."""
    if not site.args:
        return UNKNOWN
    keywords = tuple((key, arg.value) for key, arg in site.keywords.items())
    return Partial(site.args[0].value, tuple(arg.value for arg in site.args[1:]), keywords)


def passing(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``tqdm(it)`` and what else hands its first argument on."""
    value = site.value(0, "iterable", "sequence")
    return value if value is not None else Sequence(Scalar("int"))


def chain(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.chain(...)``."""
    if not site.args:
        return TupleValue(())
    return Sequence(join_all([iteration.element(interp, a.value, a.node) for a in site.args]))


def chain_from(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.chain.from_iterable(...)``."""
    outer = iteration.element(interp, site.args[0].value, None) if site.args else UNKNOWN
    return Sequence(iteration.element(interp, outer, None))


def drawn(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``random.sample(population, k)``, ``random.choices``: a list of some of the items."""
    element = chosen(interp, name, site)
    return interp.new(Obj("list", element=element, trail=(interp.site("other", site.node),)))


def chosen(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``random.choice(sequence)``: any of the items."""
    arg = site.get(0, "population") or site.get(0, "seq")
    return iteration.element(interp, arg.value, arg.node) if arg is not None else UNKNOWN


def counting(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.count``."""
    return Sequence(Scalar("int"))


def deque(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``collections.deque``: a list."""
    if site.args and site.args[0].value != NONE:
        items = iteration.exact_items(interp, site.args[0].value)
        if items is not None:
            return interp.new(Obj("list", items=items))
        return interp.new(Obj("list", element=iteration.element(interp, site.args[0].value, None)))
    return interp.new(Obj("list", items=()))


def defaultdict(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``collections.defaultdict``: entries appear when asked for."""
    return interp.new(Obj("dict", element=UNKNOWN))


def namespace(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``types.SimpleNamespace(**kw)``, ``argparse.Namespace(**kw)``, ``EasyDict``."""
    attrs = {key: arg.value for key, arg in site.keywords.items()}
    if site.args:
        first = interp.obj_of(site.args[0].value)
        attrs = {**(dict(first.attrs) if first is not None else {}), **attrs}
    return interp.new(Obj("external", External("argparse.Namespace"), attrs=attrs))


def real(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``math.sqrt`` and the like."""
    return Scalar("float")


def whole(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``math.ceil``, ``random.randint`` and the like."""
    return Scalar("int")


def leave(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``sys.exit()`` and the like: this path ends here."""
    interp.state.dead = True
    return UNKNOWN


_REAL = "sqrt exp log log2 log10 log1p sin cos tan tanh atan2 hypot pow fabs erf degrees radians".split()
_WHOLE = "ceil floor gcd isqrt comb factorial".split()

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"), leave),
    "copy.deepcopy": deepcopy,
    "copy.copy": shallow,
    "functools.partial": partial,
    # What ``wraps(f)`` makes of a wrapper is the wrapper.
    "functools.wraps": lambda _interp, _name, _site: External("functools.update_wrapper"),
    **dict.fromkeys(
        ("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "rich.progress.track", "itertools.cycle",
         "itertools.islice", "functools.update_wrapper", "tqdm.autonotebook.tqdm"),
        passing,
    ),
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_from,
    "itertools.count": counting,
    "tqdm.trange": counting,
    "tqdm.auto.trange": counting,
    "collections.deque": deque,
    "collections.OrderedDict": dict_,
    "collections.defaultdict": defaultdict,
    "types.SimpleNamespace": namespace,
    "argparse.Namespace": namespace,
    "easydict.EasyDict": namespace,
    "argparse.ArgumentParser": command_line.parser,
    **{f"math.{name}": real for name in _REAL},
    **{f"math.{name}": whole for name in _WHOLE},
    **dict.fromkeys(("random.random", "random.uniform", "random.gauss", "time.time", "time.perf_counter"), real),
    **dict.fromkeys(("random.randint", "random.randrange"), whole),
    **dict.fromkeys(("random.sample", "random.choices"), drawn),
    "random.choice": chosen,
}  # fmt: skip
