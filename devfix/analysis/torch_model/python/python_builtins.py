"""Python's built-in functions."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.deciding import asked_places, rank_tests
from devfix.analysis.deciding.answers import boolean, truth
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import CPU, Device, promote
from devfix.analysis.domain.number_types import MIXED, computed, exact_type
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    SuperValue,
    Tensor,
    TupleValue,
    Value,
    members,
    usual_value,
    without_none,
)
from devfix.analysis.language import iteration, iterators, list_places, raising, speaking, text_keys
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.arrays import numpy_types
from devfix.analysis.torch_model.python import mapped, overloads, value_classes
from devfix.analysis.torch_model.python.folding import known
from devfix.analysis.torch_model.python.text_methods import of_dtype
from devfix.analysis.torch_model.tensors import operations, operators

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", str, CallSite], Value]
#: What nobody can call.
_PLAIN = (Array, Const, DeviceValue, DTypeValue, Scalar, Tensor, TupleValue)


def _first(site: CallSite) -> Value:
    return without_none(site.args[0].value) if site.args else UNKNOWN


def length(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``len``: an int, which is known where the items are. A list may have grown, and has no known length."""
    value = _first(site)
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value))
    if isinstance(value, Tensor) and value.empty:
        return Const(0)
    held = [interp.obj_of(member) or Obj("") for member in members(value)]
    if any(obj.kind == "list" or text_keys.has_unknown(obj.attrs) for obj in held):
        return Scalar("int")  # a list may grow in further rounds of a loop, and two unknown keys may be one
    items = iteration.exact_items(interp, value)
    if items is None and value == _SIZES:
        return _rank(interp, site)
    return Const(len(items)) if items is not None else Scalar("int")


#: What the shape of a tensor is, of whose sizes nothing is known.
_SIZES = Sequence(Scalar("int"))


def _rank(interp: Interpreter, site: CallSite) -> Value:
    """``len(x.shape)``, where ``x`` is a name or what an object has."""
    shaped = rank_tests.ranked(site.node)
    value = interp.eval(shaped) if isinstance(shaped, (ast.Name, ast.Attribute)) else UNKNOWN
    rank = value.rank if isinstance(value, Tensor) else None
    return Const(rank) if rank is not None and rank > 0 else Scalar("int")


_NUMBERS: dict[str, type[int | float]] = {"int": int, "float": float, "bool": bool}


def _as_number(kind: str, value: Value) -> object:
    """What a conversion usually comes to: ``int(os.environ.get("RANK", -1))`` is -1."""
    usual = usual_value(value)
    if usual is None or not isinstance(usual.value, (int, float, str)):
        return None
    try:
        return _NUMBERS[kind](usual.value)
    except (OverflowError, ValueError):
        return None


def number(kind: str) -> Handler:
    """A conversion to a Python number: ``float(t)`` copies one from the device, which is fine."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        value = _first(site)
        if isinstance(value, Const) and isinstance(value.value, (int, float)):
            if kind != "int" or math.isfinite(value.value):
                return known(_NUMBERS[kind](value.value))
        outcome = truth(interp, value) if kind == "bool" else None
        return boolean(outcome) if outcome is not None else Scalar(kind, _as_number(kind, value))

    return handle


def round_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``round``: an integer unless told how many digits to keep."""
    if len(site.args) == 1 and not site.keywords:
        return Scalar("int")
    kind = exact_type(_first(site))
    return computed({kind}) if kind in ("int", MIXED) else Scalar("float")


def range_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``range``: its numbers where they are known and at most four, else ints of unknown value."""
    bounds = [arg.value.value if isinstance(arg.value, Const) else None for arg in site.args]
    if bounds and all(isinstance(bound, int) for bound in bounds):
        values = range(*(b for b in bounds if isinstance(b, int))) if 0 not in bounds[2:] else range(0)
        if not values[4:]:
            return TupleValue(tuple(Const(value) for value in values))
    return Sequence(Scalar("int"))


def zip_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``zip``: tuples of items where all items are known, of what elements have in common otherwise.

    ``zip(*pairs)`` gives the columns.
    """
    exact = [iteration.exact_items(interp, arg.value) for arg in site.args]
    if exact and all(items is not None for items in exact) and not site.open:
        rows = zip(*(items for items in exact if items is not None), strict=False)
        return TupleValue(tuple(TupleValue(row) for row in rows))
    if site.open:
        # zip(*pairs): a transposition
        return _transposed(interp, site)
    if () in exact:
        return TupleValue(())
    return Sequence(TupleValue(tuple(iteration.element(interp, a.value, a.node) for a in site.args)))


def _transposed(interp: Interpreter, site: CallSite) -> Value:
    element = without_none(site.args[0].value) if site.args else UNKNOWN
    if isinstance(element, TupleValue):
        columns = tuple(Sequence(item) for item in element.items)
        return TupleValue(columns)
    items = iteration.exact_items(interp, element)
    return TupleValue(tuple(Sequence(i) for i in items)) if items is not None else Sequence(Sequence(UNKNOWN))


def enumerate_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``enumerate``: pairs with the index, which is known where the items and the first index are."""
    value, first = _first(site), site.value(1, "start") or Const(0)
    items = iteration.exact_items(interp, value)
    if items is not None:
        start = first.value if isinstance(first, Const) else None
        indices = [Const(start + i) if isinstance(start, int) else Scalar("int") for i in range(len(items))]
        return TupleValue(tuple(map(TupleValue, zip(indices, items, strict=True))))
    node = site.args[0].node if site.args else None
    return Sequence(TupleValue((Scalar("int"), iteration.element(interp, value, node))))


def same_elements(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``list``, ``tuple``, ``sorted``, ``reversed``, ``set``: a collection of the same elements."""
    last = name.rpartition(".")[2]
    is_fixed = last in ("tuple", "reversed")
    if not site.args:
        facts = {list_places.UNORDERED: NONE} if last == "set" else {}
        return interp.new(Obj("list", items=(), facts=facts)) if last in ("list", "set") else TupleValue(())
    value = _first(site)
    node = site.args[0].node
    items = iteration.fresh_items(interp, value, node)
    if last == "sorted" and items is not None and len(items) > 1:
        items = _in_order(items, site)
    if items is not None and (last != "set" or not items):
        items = items[::-1] if last == "reversed" else items
        return TupleValue(items) if is_fixed else iteration.new_list(interp, items, site.node)
    trail, given = (interp.site("other", site.node),), interp.obj_of(value)
    if last == "list" and given is not None and (some := iteration.grown_items(interp, value)):
        return interp.new(list_places.grown(Obj("list", items=some, trail=trail), list_places.begin(given)))
    element = iteration.element(interp, value, node)
    if is_fixed:
        return Sequence(element)
    made = interp.new(Obj("list", element=element, trail=trail))
    if isinstance(element, Tensor) and element.owner is not None:
        interp.parameter_lists.append(made)
    return made


def _in_order(items: tuple[Value, ...], site: CallSite) -> tuple[Value, ...] | None:
    """Names, numbers, and tuples that begin with different ones, as ``sorted`` puts them; None where nobody knows the order."""
    backward = site.value(None, "reverse") or Const(False)
    if site.open or set(site.keywords) - {"reverse"} or not isinstance(backward, Const):
        return None
    first = [item.items[0] if isinstance(item, TupleValue) and item.items else item for item in items]
    keys: list[Any] = [
        key.value for key in first if isinstance(key, Const) and type(key.value) in (str, int, float)
    ]
    alike = len(keys) == len(items) and len({isinstance(key, str) for key in keys}) == 1
    if not alike or (first != list(items) and len(set(keys)) < len(keys)):
        return None
    places = sorted(range(len(keys)), key=lambda place: keys[place], reverse=bool(backward.value))
    return tuple(items[place] for place in places)


def property_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``property(getter, setter)``."""
    getter, setter = site.value(0, "fget"), site.value(1, "fset")
    if not isinstance(getter, Function):
        return UNKNOWN
    return replace(getter, kind="property", setter=setter if isinstance(setter, Function) else None)


def sum_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``sum``: tensors are added up one by one."""
    value = _first(site)
    items = iteration.followed_items(interp, value)
    node = site.args[0].node if site.args else None
    element = iteration.element(interp, value, node) if items is None else join_all(list(items) or [Const(0)])
    element = without_none(element)
    start = site.value(1, "start") or Const(0)
    if isinstance(start, Tensor) or isinstance(members(element)[0], Ref) or _are_in_places(items or ()):
        added = (start, *(items if items is not None else (element, element)))
        return functools.reduce(lambda a, b: _added(interp, a, b, site), added)
    if isinstance(element, Tensor):
        dtype = _beside_number(element.dtype, start)
        return operations.derived(interp, [element], site, dtype, element.rank)
    if isinstance(element, Array):
        return Array(element.dtype, element.rank, (interp.site("array", site.node),))
    kinds = {exact_type(element), exact_type(start)}
    return computed(kinds) if kinds <= {"int", "bool", "float", MIXED} else UNKNOWN


#: What numbers of Python are beside tensors.
_DTYPES = {"bool": "bool", "int": "int64", "float": "float32"}


def _beside_number(dtype: str | None, number: Value) -> str | None:
    """The dtype of tensors that are added to a number: truths add up to integers."""
    return promote((dtype, 1), (_DTYPES.get(exact_type(number) or ""), 0))


def _are_in_places(items: tuple[Value, ...]) -> bool:
    """Whether some of the items are tensors in one place, and some in another."""
    return len({item.device for item in items if isinstance(item, Tensor) and item.rank != 0}) > 1


def _added(interp: Interpreter, left: Value, right: Value, site: CallSite) -> Value:
    """The sum of two objects whose classes say how they are added, or of the first summand and the next."""
    found = overloads.binary(interp, site.node, ast.Add(), left, right)
    first, start = site.args[0].node or site.node, site.get(1, "start")
    begun = start.node if start is not None and start.node is not None and left is start.value else site.node
    node = ast.copy_location(ast.BinOp(begun, ast.Add(), first), site.node)
    return found or operators.binary(interp, node, left, right)


def iter_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``iter``: the elements of an object that defines how to iterate, any other value itself."""
    value = _first(site)
    if len(site.args) == 2:  # a function that is called until it gives the second argument
        with iteration.rounds(interp, counted=False):
            given = mapped.made_by(interp, value, (), site.node)
        found = [each for each in members(given) if each != site.args[1].value]
        return Sequence(join_all(found)) if found else UNKNOWN
    if isinstance(value, Ref) and interp.obj(value).kind == "instance":
        return Sequence(iteration.element(interp, value, site.args[0].node))
    return iterators.begun(interp, value, value)


def next_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``next``: the item that comes where it is known, else what the elements have in common."""
    value, node = _first(site), site.args[0].node if site.args else None
    if len(site.args) == 1:
        raising.ended(interp, value)
        begun = interp.obj_of(value)
        whole = begun.attrs[iteration.SOURCE] if begun and begun.cls == iteration.ITERATOR else value
        if raising.at_end(interp, whole):
            return UNKNOWN
    found = iterators.step(interp, value, node)
    return iterators.next_element(interp, value, node) if found is None else found


def super_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``super(cls, self)``: attributes of the receiver, looked up behind the class; unknown without both of them."""
    cls, receiver = site.value(0), site.value(1)
    if isinstance(cls, Class) and receiver is not None:
        return SuperValue(cls, receiver)
    return UNKNOWN


def text(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``str(device)`` keeps naming the device; an object says what it likes."""
    value = _first(site)
    speaking.speak(interp, value, site.node, as_shown=name.endswith("repr"))
    if isinstance(value, Const) and name.endswith("str"):
        return Const(str(value.value))
    if isinstance(value, DeviceValue) and (
        value.device.kind in ("cpu", "accelerator") or asked_places.are_judged(interp, value.device)
    ):
        return _device_text(value.device, name)
    if isinstance(value, DTypeValue):
        return of_dtype(value)
    usual = usual_value(value) if name.endswith("str") else None
    return Scalar("str", None if usual is None else str(usual.value))


def _device_text(device: Device, name: str) -> Value:
    """What a device is shown as: of an accelerator no more than the beginning is known."""
    if not name.endswith("str"):
        return Scalar("str")
    return Const("cpu") if device == CPU else Scalar("str", ends=("cuda", ""))


def absolute(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``abs``: of a tensor a tensor on the same device, of a whole number a whole one, of what is unknown nothing."""
    value = _first(site)
    if isinstance(value, Tensor):
        return operations.apply(interp, "abs", site) or UNKNOWN
    if isinstance(value, Ref):
        return UNKNOWN  # what objects make of it
    if isinstance(value, Array):
        return replace(value, dtype=numpy_types.real(value.dtype))
    if isinstance(value, Const):
        return known(abs(value.value)) if isinstance(value.value, (int, float, complex)) else UNKNOWN
    if isinstance(value, Scalar):
        return computed({exact_type(value)})
    return UNKNOWN


def callable_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``callable``: true of functions, methods, classes and modules, and false of plain values."""
    value = _first(site)
    if isinstance(value, _PLAIN):
        return Const(False)
    is_called = isinstance(value, (Function, BoundMethod, Class)) or modules.is_module(interp, value)
    return Const(True) if is_called or value_classes.built_in(value) is not None else Scalar("bool")


def print_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``print``: runs the ``__str__`` of what it shows; tensors may be on any device."""
    for arg in site.args:
        speaking.speak(interp, without_none(arg.value), site.node)
    return NONE


HANDLERS: dict[str, Handler] = {
    "builtins.len": length,
    "builtins.int": number("int"),
    "builtins.float": number("float"),
    "builtins.bool": number("bool"),
    "builtins.range": range_,
    "builtins.slice": lambda interp, _name, site: iteration.SLICE,
    "builtins.zip": zip_,
    "builtins.enumerate": enumerate_,
    **{f"builtins.{n}": same_elements for n in "list tuple sorted set frozenset".split()},
    "weakref.WeakSet": lambda interp, _name, site: same_elements(interp, "builtins.set", site),
    "builtins.property": property_,
    "builtins.sum": sum_,
    "builtins.iter": iter_,
    "builtins.next": next_,
    "builtins.anext": next_,
    "builtins.map": mapped.call,
    "builtins.super": super_,
    "builtins.str": text,
    "builtins.repr": text,
    "builtins.format": text,
    "builtins.abs": absolute,
    "builtins.round": round_,
    "builtins.callable": callable_,
    "builtins.print": print_,
    **{f"builtins.{n}": lambda i, k, s: Scalar("int") for n in "id hash ord".split()},
}
