"""``itertools`` and ``functools.reduce``: what comes out of the tools that walk through other collections."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import any_one, join_all
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    External,
    Function,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language import iteration, iterators
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python import mapped, python_builtins
from devfix.analysis.torch_model.tensors import operators

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: So many elements of a combination are told apart.
_MOST = 8
#: So many items are still followed one by one.
_CHAINED = 16
#: So many of the tuples that a tool puts together are told apart.
_TOGETHER = 16
#: So many items are folded one by one; of more, two stand for all.
_FOLDED = 8
_OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "xor": ast.BitXor,
    "matmul": ast.MatMult,
    "and_": ast.BitAnd,
    "or_": ast.BitOr,
}


def _elements(interp: Interpreter, site: CallSite) -> list[Value]:
    return [iteration.element(interp, arg.value, arg.node) for arg in site.args]


def _first(interp: Interpreter, site: CallSite, position: int = 0) -> Value:
    arg = site.get(position, "iterable")
    return iteration.element(interp, arg.value, arg.node) if arg is not None else UNKNOWN


def chain(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.chain(...)``: the items of all, where they are known."""
    rows = [iteration.exact_items(interp, arg.value) for arg in site.args]
    known = [row for row in rows if row is not None]
    if len(known) == len(rows) and not site.open and sum(map(len, known)) <= _CHAINED:
        return TupleValue(tuple(item for row in known for item in row))
    return Sequence(join_all(_elements(interp, site))) if site.args else TupleValue(())


def chain_from(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.chain.from_iterable(...)``."""
    given = site.get(0, "iterable")
    held = iteration.exact_items(interp, given.value) if given is not None else None
    if held is not None:
        return chain(interp, name, CallSite(site.node, tuple(map(Arg, held))))
    return Sequence(iteration.element(interp, _first(interp, site), None))


def counting(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.count``."""
    return Sequence(Scalar("int"))


def _told_apart(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """What a tool gives of few items that are known, which it puts together as Python does; None of any others."""
    rows, given = [], []
    for arg in site.args:
        row = iteration.exact_items(interp, arg.value)
        told = arg.value.value if isinstance(arg.value, Const) else None
        if row is None and not isinstance(told, int):
            return None
        rows.append(row)
        given.append(told if row is None else row)
    keywords = {
        key: arg.value.value if isinstance(arg.value, Const) else None for key, arg in site.keywords.items()
    }
    if site.open or None in rows[:1] or not all(isinstance(told, int) for told in keywords.values()):
        return None
    tool = getattr(itertools, name.rpartition(".")[2])
    try:
        found = list(itertools.islice(tool(*given, **keywords), _TOGETHER + 1))
    except (TypeError, ValueError):
        return None
    return TupleValue(tuple(map(TupleValue, found))) if len(found) <= _TOGETHER else None


def product(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.product(a, b, repeat=2)``: tuples with one element of each."""
    if (found := _told_apart(interp, name, site)) is not None:
        return found
    times = site.value(None, "repeat")
    times = Const(1) if times is None else times
    if site.open or not isinstance(times, Const) or not isinstance(times.value, int):
        return Sequence(UNKNOWN)
    columns = _elements(interp, site) * min(times.value, _MOST)
    return Sequence(TupleValue(tuple(columns)))


def combinations(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.combinations(items, 2)``, ``permutations``: tuples of so many of the items."""
    if (found := _told_apart(interp, name, site)) is not None:
        return found
    element, length = _first(interp, site), site.value(1, "r")
    if isinstance(length, Const) and isinstance(length.value, int) and 0 < length.value <= _MOST:
        return Sequence(TupleValue((element,) * length.value))
    return Sequence(Sequence(element))


def pairwise(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.pairwise``."""
    return _told_apart(interp, name, site) or Sequence(TupleValue((_first(interp, site),) * 2))


def batched(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.batched(items, n)``."""
    return Sequence(Sequence(_first(interp, site)))


def repeat(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.repeat(value)``."""
    return Sequence(site.args[0].value) if site.args else UNKNOWN


def zip_longest(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.zip_longest``: where one is at its end, something else stands for its items."""
    fill = site.value(None, "fillvalue")
    exact = [iteration.exact_items(interp, arg.value) for arg in site.args]
    known = [row for row in exact if row is not None]
    if known and len(known) == len(exact) and not site.open:
        rows = list(itertools.zip_longest(*known, fillvalue=NONE if fill is None else fill))
        return TupleValue(tuple(map(TupleValue, rows)))
    columns = [join_all([each, NONE if fill is None else fill]) for each in _elements(interp, site)]
    return Sequence(UNKNOWN) if site.open else Sequence(TupleValue(tuple(columns)))


def starmap(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.starmap(function, rows)``."""
    if len(site.args) < 2:
        return Sequence(UNKNOWN)
    function, given = site.args[0].value, site.args[1]
    rows = iteration.exact_items(interp, given.value)
    items = [iteration.exact_items(interp, row) for row in rows or ()]
    known = [row for row in items if row is not None]
    if rows is not None and len(known) == len(rows) <= _FOLDED:
        return TupleValue(tuple([_called(interp, function, row, site) for row in known]))
    row = iteration.exact_items(interp, iteration.element(interp, given.value, given.node))
    if row is None:
        return Sequence(UNKNOWN)
    with iteration.rounds(interp, counted=False):
        return Sequence(_called(interp, function, row, site))


def groupby(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.groupby``: keys, and the items that share each."""
    return Sequence(TupleValue((UNKNOWN, Sequence(any_one(_first(interp, site))))))


def tee(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.tee``."""
    times = site.value(1, "n")
    many = times.value if isinstance(times, Const) and isinstance(times.value, int) else 2
    given = site.get(0, "iterable")
    items = iteration.fresh_items(interp, given.value, given.node) if given is not None else None
    each: Value = Sequence(_first(interp, site)) if items is None else TupleValue(items)
    return TupleValue(tuple([iterators.begun(interp, each, each) for _ in range(min(max(many, 0), _MOST))]))


def accumulate(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``itertools.accumulate(items)``: the items so far, joined by a function."""
    function = site.value(1, "func")
    combine = function if function is not None and function != NONE else External("operator.add")
    items = iteration.exact_items(interp, site.value(0, "iterable") or UNKNOWN)
    start = site.value(None, "initial")
    begun = [] if start is None or start == NONE else [start]
    told_apart = items is not None and len(items) <= _FOLDED
    row = [*begun, *(items if items is not None and told_apart else (_first(interp, site),) * 2)]
    found = list(itertools.accumulate(row, lambda a, b: _joined(interp, combine, a, b, site)))
    return TupleValue(tuple(found)) if told_apart else Sequence(join_all(found))


def reduce(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``functools.reduce(function, items, first)``: the items joined one after the other."""
    if len(site.args) < 2:
        return UNKNOWN
    function, given = site.args[0].value, site.args[1]
    items = iteration.exact_items(interp, given.value)
    if items is None or len(items) > _FOLDED:
        items = (iteration.element(interp, given.value, given.node),) * 2
    start = site.value(2, "initial")
    row = list(items) if start is None else [start, *items]
    result = row[0] if row else UNKNOWN
    for item in row[1:]:
        result = _joined(interp, function, result, item, site)
    return result


def _joined(interp: Interpreter, function: Value, left: Value, right: Value, site: CallSite) -> Value:
    return _called(interp, function, (left, right), site)


def _called(interp: Interpreter, function: Value, given: tuple[Value, ...], site: CallSite) -> Value:
    return mapped.made_by(interp, function, tuple(map(Arg, given)), site.node)


def operate(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``operator.add(a, b)``: what ``a + b`` is."""
    if len(site.args) != 2 or not isinstance(site.node, ast.expr):
        return UNKNOWN
    left, right = site.args
    nodes = [arg.node if arg.node is not None else site.node for arg in (left, right)]
    kind = _OPERATORS[name.rpartition(".")[2].removeprefix("i")]
    node = ast.copy_location(ast.BinOp(nodes[0], kind(), nodes[1]), site.node)
    return operators.binary(interp, node, left.value, right.value)


def taken(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``operator.getitem(container, key)``."""
    if len(site.args) != 2 or not isinstance(site.node, ast.expr):
        return UNKNOWN
    container, key = site.args
    nodes = [arg.node if arg.node is not None else site.node for arg in (container, key)]
    node = ast.copy_location(ast.Subscript(nodes[0], nodes[1], ast.Load()), site.node)
    return interp.item(node, without_none(container.value), key.value)


def put(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``operator.setitem(container, key, value)``."""
    if len(site.args) == _OF_ASSIGNMENT and isinstance(site.node, ast.expr):
        container, key, value = site.args
        nodes = [arg.node if arg.node is not None else site.node for arg in (container, key)]
        node = ast.copy_location(ast.Subscript(nodes[0], nodes[1], ast.Store()), site.node)
        interp.put_item(node, container.value, key.value, value.value)
    return NONE


#: A container, a key and a value.
_OF_ASSIGNMENT = 3


def divmod_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``divmod(a, b)``: what ``a // b`` and ``a % b`` are."""
    if len(site.args) != 2 or not isinstance(site.node, ast.expr):
        return UNKNOWN
    return TupleValue(tuple(operate(interp, each, site) for each in ("floordiv", "mod")))


def backwards(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``reversed(items)``: what an object's own ``__reversed__`` gives, or the items from behind."""
    obj = interp.obj_of(site.value(0))
    own = classes.find(interp, obj.cls, "__reversed__") if obj and isinstance(obj.cls, Class) else None
    if isinstance(own, Function):
        return interp.call_function(own, [site.args[0].value], site.node)
    return python_builtins.same_elements(interp, name, site)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "operator.getitem": taken,
    "operator.setitem": put,
    "builtins.pow": operate,
    "builtins.divmod": divmod_,
    "builtins.reversed": backwards,
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_from,
    "itertools.count": counting,
    "itertools.product": product,
    **dict.fromkeys(
        (
            "itertools.combinations",
            "itertools.permutations",
            "itertools.combinations_with_replacement",
        ),
        combinations,
    ),
    "itertools.pairwise": pairwise,
    "itertools.batched": batched,
    "itertools.repeat": repeat,
    "itertools.zip_longest": zip_longest,
    "itertools.starmap": starmap,
    "itertools.groupby": groupby,
    "itertools.tee": tee,
    "itertools.accumulate": accumulate,
    "functools.reduce": reduce,
    **{f"operator.{name}": operate for name in _OPERATORS},
    **{f"operator.i{name.rstrip('_')}": operate for name in _OPERATORS if not name.endswith("_")},
}
