"""The standard library and its everyday companions, as far as values pass through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from devfix.analysis import iteration
from devfix.analysis.frames import CallSite
from devfix.analysis.join import join_all
from devfix.analysis.lattice import parse_device
from devfix.analysis.modules import is_module
from devfix.analysis.torch_model.python_builtins import dict_
from devfix.analysis.values import (
    FALSE,
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
    Union,
    Unknown,
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


def parser(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``argparse.ArgumentParser(...)``."""
    return interp.new(Obj("external", External("argparse.ArgumentParser")))


def parser_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``add_argument`` declares an option, ``parse_args`` gives them all."""
    if name == "add_argument":
        _declare(interp, ref, obj, site)
        return UNKNOWN
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return ref
    if name in ("parse_args", "parse_known_args"):
        made = interp.new(Obj("external", External("argparse.Namespace"), attrs=dict(obj.attrs)))
        return made if name == "parse_args" else TupleValue((made, UNKNOWN))
    if name == "set_defaults":
        for key, arg in site.keywords.items():
            obj = obj.with_attr(key, arg.value)
        interp.update(ref, obj)
    return UNKNOWN


def _declare(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> None:
    names = [
        a.value.value for a in site.args if isinstance(a.value, Const) and isinstance(a.value.value, str)
    ]
    dest = site.value(None, "dest")
    if isinstance(dest, Const) and isinstance(dest.value, str):
        name = dest.value
    elif names:
        longest = next((n for n in names if n.startswith("--")), names[0])
        name = longest.lstrip("-").replace("-", "_")
    else:
        return
    interp.update(ref, obj.with_attr(name, _option_value(interp, site)))


def _option_value(interp: Interpreter, site: CallSite) -> Value:
    """What an option may be: its default, but the user may say otherwise.

    A device option is taken to be set to the accelerator; that is the program under analysis.
    """
    action = site.value(None, "action")
    default = site.value(None, "default")
    if isinstance(action, Const) and str(action.value).startswith("store_"):
        unset = default.value if isinstance(default, Const) else action.value == "store_false"
        return Scalar("bool", bool(unset))
    if isinstance(default, Const) and isinstance(default.value, str):
        device = parse_device(default.value)
        if device.is_known and (device.is_accelerator or interp.library.as_given):
            return default
        if device.is_known:
            interp.library.host_options.append(interp.site("option", site.node))
            return Const("cuda")
        return Scalar("str", default.value)
    if isinstance(default, Const) and isinstance(default.value, bool):
        return Scalar("bool", default.value)
    if isinstance(default, Const) and isinstance(default.value, (int, float)):
        kind = site.value(None, "type")
        name = "float" if kind == External("builtins.float") else type(default.value).__name__
        return Scalar(name, default.value)
    if default is None or default == NONE:
        left_out = default == NONE or (default is None and _may_be_left_out(site))
        return Union((NONE, Unknown("option"))) if left_out else Unknown("option")
    return default


def _may_be_left_out(site: CallSite) -> bool:
    """Whether a run may be given no such option, which then is None."""
    first = site.args[0].value if site.args else None
    named = isinstance(first, Const) and str(first.value).startswith("-")
    return named and site.value(None, "required") in (None, FALSE)


def option(interp: Interpreter, obj: Obj, name: str) -> Value:
    """An option that nobody declared here."""
    return Unknown(f"option.{name}")


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
    "argparse.ArgumentParser": parser,
    **{f"math.{name}": real for name in _REAL},
    **{f"math.{name}": whole for name in _WHOLE},
    **dict.fromkeys(("random.random", "random.uniform", "random.gauss", "time.time", "time.perf_counter"), real),
    **dict.fromkeys(("random.randint", "random.randrange"), whole),
    **dict.fromkeys(("random.sample", "random.choices"), drawn),
    "random.choice": chosen,
}  # fmt: skip
