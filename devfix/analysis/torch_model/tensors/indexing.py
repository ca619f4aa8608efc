"""Indexing: ``x[i]`` and ``x[i] = v`` on tensors, arrays and containers."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, INTEGERS, UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import containers, iteration, list_places
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.iteration import dict_key
from devfix.analysis.nn.modules import is_module
from devfix.analysis.record.trails import dtype_trails, quotients, roots_of
from devfix.analysis.text.syntax import remembered, walk
from devfix.analysis.torch_model import external_objects
from devfix.analysis.torch_model.arrays import array_indices
from devfix.analysis.torch_model.devices import grad_mode
from devfix.analysis.torch_model.modules import module_walks
from devfix.analysis.torch_model.python import default_dicts, mappings
from devfix.analysis.torch_model.tensors import requirements, truths_in_floats
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def get(interp: Interpreter, node: ast.Subscript, value: Tensor | Array, key: Value) -> Value:
    """``value[key]``: the data's device; index tensors may be on the CPU, or where the data is."""
    keys = [(listed(interp, index), where) for index, where in key_parts(node.slice, key)]
    if value.rank == 0 and all(scalar_type(index) == "int" for index, _ in keys):
        # One number used to be a vector of length one, and `loss.data[0]` a plain number.
        return Scalar("float" if value.dtype is None or requirements.is_float(value.dtype) else "int")
    if value.rank is None and _is_first_of_data(node):
        return UNKNOWN
    if isinstance(value, Tensor) and _is_entry_of_batch(value, key, node):
        return replace(value, trail=(interp.site("result", node),), roots=(), typed=())
    if isinstance(value, Tensor) and value.empty:
        # Of a new dimension the one row may be all that is without elements.
        value = replace(value, empty=0 if any(index == NONE for index, _ in keys) else 1)
    rank = rank_after(value.rank, keys)
    if isinstance(value, Array):
        array_indices.check(interp, node, keys)
        return replace(value, rank=rank)
    device = value.device
    counted = counts_entries(keys)
    for part, where in keys:
        # What `torch.where(c)` gives is a tuple of as many tensors as there are dimensions.
        index = part.element if isinstance(part, Sequence) else part
        if isinstance(index, Tensor) and check_index(interp, node, value, index, where, counted=counted):
            device = UNKNOWN_DEVICE  # where the index is or where the data is: either of them may be moved
    if not any(isinstance(index, Tensor) for index, _ in keys):
        # A view: still the same storage, so its history stays readable.
        trail = (*value.trail[:6], interp.site("result", node)) if value.trail else ()
        roots = roots_of([value])
        return replace(
            value, device=device, rank=rank, parameter=False, leaf=grad_mode.is_leaf(value.grad), trail=trail, roots=roots,
            cast_of=truths_in_floats.of_view(value),
        )  # fmt: skip
    trail = (interp.site("result", node),)
    roots = roots_of([value])
    return replace(
        value, device=device, rank=rank, parameter=False, leaf=grad_mode.is_leaf(value.grad), trail=trail, roots=roots,
        typed=dtype_trails(value), cast_of=truths_in_floats.of_view(value),
    )  # fmt: skip


def _is_entry_of_batch(value: Tensor, key: Value, node: ast.Subscript) -> bool:
    """Whether a batch of which nothing is known, and which is taken for a tensor, may hold tensors: this one moves by itself.

    No tensor has entries by name, and ``batch[0]`` is as well the first of what a loader puts together.
    """
    if scalar_type(key) == "str":
        return True
    guessed = value.dtype is None and value.rank == AT_LEAST_1 and not value.roots
    written = isinstance(node.slice, (ast.Constant, ast.UnaryOp)) and scalar_type(key) == "int"
    return guessed and written and bool(value.trail) and value.trail[0].kind == "loader"


def _is_first_of_data(node: ast.Subscript) -> bool:
    """Whether this is ``t.data[0]``: of a loss it was the number, before tensors had no dimensions."""
    return (
        isinstance(node.value, ast.Attribute)
        and node.value.attr == "data"
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == 0
    )


def counts_entries(keys: list[tuple[Value, ast.expr]]) -> bool:
    """Whether one part of an index is a tensor of numbers of entries: each of the others has one for it, and is no mask."""
    tensors = [key for key, _ in keys if isinstance(key, Tensor)]
    return len(tensors) > 1 and any(key.dtype in INTEGERS and key.rank not in (0, None) for key in tensors)


def check_index(
    interp: Interpreter,
    node: ast.AST,
    value: Tensor,
    index: Tensor,
    where: ast.expr,
    *,
    counted: bool = False,
    written: bool = False,
) -> bool:
    """A CPU tensor cannot be indexed by an accelerator's, unless it is ``written`` to; the reverse is fine (facts: "index").

    Beside others that are ``counted``, it is not a mask. Returns whether the devices do not fit.
    """
    parted = value.split if value.is_parted else None  # as the path has it that leaves it on the CPU
    whole = parted or value
    apart = whole.device.kind == "cpu" and index.device.kind in ("accelerator", "same-as")
    apart = apart and index.rank != 0 and not written and not _may_be_number(interp, index, where)
    if apart:
        target = node.value if isinstance(node, ast.Subscript) else None
        parts = [Part(whole, "self", target), Part(index, "index", where)]
        requirements.record(interp, node, "torch.Tensor.__getitem__", "device", parts, index="1")
    if index.dtype is not None and requirements.is_float(index.dtype):
        parts = [Part(index, "index", where)]
        truth = False if counted else _is_mask(value, index)
        kind = "mask-dtype" if truth else "index-dtype"
        unclear = {"either": "1"} if truth is None else {}
        requirements.record(interp, node, "torch.Tensor.__getitem__", kind, parts, **unclear)
    return apart and parted is None


def _is_mask(value: Tensor, index: Tensor) -> bool | None:
    """Whether floats that select are a mask, or numbers of entries; None where nobody can tell."""
    if truths_in_floats.is_known(index):
        return index.cast_of == "bool"
    if quotients(index):
        return False  # what is counted is no truth, and neither is a part of it
    known = index.rank is not None and value.rank is not None and min(index.rank, value.rank) >= 0
    larger = known and (index.rank or 0) > (value.rank or 0)
    return False if index.rank == 0 or larger else None


def _may_be_number(interp: Interpreter, index: Tensor, where: ast.expr) -> bool:
    """Whether an index may be one item of a list of numbers, which is read wherever it is.

    Such are ``order[i]``, also where a function gives that a name, and what a loop gives its name in turn.
    """
    if index.rank is not None or index.dtype not in {*INTEGERS, None}:
        return False
    if isinstance(where, ast.Name):
        function = interp.frame.function
        named = _looked_up(function.node).get(where.id) if function is not None else None
        if named is None:
            return index.dtype is not None and any(where.id in loop.names for loop in interp.frame.loops)
        where = named
    return isinstance(where, ast.Subscript) and scalar_type(interp.eval(where.slice)) == "int"


@remembered
def _looked_up(node: ast.AST) -> dict[str, ast.Subscript]:
    """The names that a function gives to what it looks up, and to nothing else, with the look-up under a name or number."""
    found: dict[str, ast.Subscript] = {}
    stored = Counter(
        part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )
    for part in walk(node):
        for target, value in _pairs(part):
            if isinstance(target, ast.Name) and stored[target.id] == 1 and isinstance(value, ast.Subscript):
                if isinstance(value.slice, (ast.Name, ast.Constant, ast.UnaryOp)):
                    found[target.id] = value
    return found


def _pairs(part: ast.AST) -> Iterable[tuple[ast.expr, ast.expr]]:
    """What a statement gives a value, with that value: ``t, s = now, steps[-1]`` gives two."""
    if not isinstance(part, ast.Assign) or len(part.targets) != 1:
        return ()
    target, value = part.targets[0], part.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return zip(target.elts, value.elts, strict=True)
    return ((target, value),)


def key_parts(node: ast.expr, key: Value) -> list[tuple[Value, ast.expr]]:
    """The parts of an index with the expressions they are written as."""
    if isinstance(key, TupleValue):
        if isinstance(node, ast.Tuple) and len(node.elts) == len(key.items):
            return list(zip((without_none(item) for item in key.items), node.elts, strict=True))
        return [(item, node) for item in key.items]
    return [(key, node)]


def listed(interp: Interpreter, key: Value) -> Value:
    """A list of numbers selects as a tensor of them does."""
    lists = [interp.obj_of(member) for member in members(key)]
    if not all(obj is not None and obj.kind == "list" for obj in lists):
        return key
    element = iteration.element(interp, key, None)
    return Sequence(element) if scalar_type(element) == "int" else key


def rank_after(rank: int | None, keys: list[tuple[Value, ast.expr]]) -> int | None:
    """The rank after indexing: integers take one dimension away, None adds one."""
    if rank is not None and rank > 0 and len(keys) == 1:
        selected = _selected(rank, keys[0][0])
        if selected is not None:
            return selected
    if rank is None or rank < 0:
        kept = any(_keeps_a_dimension(where) or _adds_dimensions(value) for value, where in keys)
        return AT_LEAST_1 if kept else None
    for value, where in keys:
        if isinstance(where, ast.Constant) and where.value is None:
            rank += 1
        elif isinstance(where, ast.Slice) or (isinstance(where, ast.Constant) and where.value is Ellipsis):
            continue
        elif scalar_type(value) == "int":
            rank -= 1
        elif isinstance(value, Sequence) and scalar_type(value.element) == "int" and _is_alone(value, keys):
            continue  # a list of numbers takes a dimension and puts one there
        elif value == iteration.SLICE or (
            isinstance(value, (Tensor, Array)) and value.rank == 1 and _is_alone(value, keys)
        ):
            continue  # so does a tensor of numbers, and a mask of one dimension
        else:
            adds = any(_adds_dimensions(each) for each, _ in keys)
            return AT_LEAST_1 if adds or rank > len(keys) else None  # each part takes one dimension at most
    return max(rank, 0)


def _is_alone(index: Value, keys: list[tuple[Value, ast.expr]]) -> bool:
    """Whether no other list, array or tensor selects together with one."""
    return not any(value is not index and isinstance(value, (Sequence, Tensor, Array)) for value, _ in keys)


def _keeps_a_dimension(where: ast.expr) -> bool:
    """A slice keeps its dimension and None adds one, so the result is no scalar."""
    return isinstance(where, ast.Slice) or (isinstance(where, ast.Constant) and where.value is None)


def _adds_dimensions(key: Value) -> bool:
    """A tensor or array of numbers (or a mask) that is no scalar puts its own dimensions there.

    So do several, as ``numpy.where`` gives them.
    """
    key = key.element if isinstance(key, Sequence) else key
    # What NumPy has of no dimensions is a number mostly, and known as one.
    return (isinstance(key, Array) and key.rank != 0) or (
        isinstance(key, Tensor) and key.rank not in (0, None)
    )


def _selected(rank: int, key: Value) -> int | None:
    """The rank after one index tensor, array or list: a mask takes its dimensions, integers take one."""
    if isinstance(key, Sequence) and scalar_type(key.element) == "int":
        return rank
    if not isinstance(key, (Tensor, Array)) or key.rank is None or key.rank < 0 or key.dtype is None:
        return None
    return rank - key.rank + 1 if key.dtype == "bool" else rank - 1 + key.rank


def object_item(interp: Interpreter, node: ast.Subscript, ref: Ref, key: Value) -> Value:
    """``object[key]`` for an object on the heap."""
    obj = interp.obj(ref)
    if obj.kind == "instance" and isinstance(obj.cls, Class):
        found = classes.find(interp, obj.cls, "__getitem__")
        if isinstance(found, Function):
            site = CallSite(node, (Arg(key, node.slice),))
            return interp.call_function(found, [ref], node, site)
        data = mappings.wrapped(interp, obj)
        if data is not None:
            return object_item(interp, node, data, key)
        if obj.items is not None:
            return interp.item(node, TupleValue(obj.items), key)
    if obj.kind == "list" and key == iteration.SLICE:
        return _list_slice(interp, obj, node.slice)
    if obj.kind == "dict" and default_dicts.has_own(interp, obj):
        return default_dicts.own_item(interp, ref, obj, key, node)
    if default_dicts.FACTORY in obj.facts:
        return default_dicts.item(interp, ref, obj, key, node)
    if obj.kind in ("list", "dict", "set"):
        module_walks.looked_at(interp, ref, obj)
        return containers.get_item(interp, ref, key)
    if is_module(interp, ref):
        return _module_item(interp, node, ref, obj, key)
    found_item = external_objects.item(interp, ref, obj, key, node)
    return found_item if found_item is not None else UNKNOWN


def _list_slice(interp: Interpreter, obj: Obj, node: ast.expr) -> Value:
    bounds = _slice_bounds(node) if isinstance(node, ast.Slice) else None
    if obj.items is not None and bounds is not None and not _is_beyond(bounds, obj.items):
        return interp.new(list_places.sliced(obj, obj.items, bounds))
    return interp.new(containers.part_of(obj, certain=bounds in (None, slice(None))))


def _is_beyond(bounds: slice, items: tuple[Value, ...]) -> bool:
    """Whether a slice begins where no item is known any more: a loop has filled the list further than was followed."""
    return isinstance(bounds.start, int) and bounds.start > len(items) > 0


def _module_item(interp: Interpreter, node: ast.Subscript, ref: Ref, obj: Obj, key: Value) -> Value:
    """An entry of a ``Sequential``, a list or a dict of modules or of parameters."""
    if obj.place is not None:
        return module_walks.part(interp, ref)
    if isinstance(node.slice, ast.Slice) and obj.items is not None:
        bounds = _slice_bounds(node.slice)
        return interp.new(list_places.sliced(obj, obj.items, bounds or slice(None)))
    if isinstance(node.slice, ast.Slice) and obj.element is not None:
        return interp.new(obj)  # some of them, and nobody knows how many there are
    if obj.cls in iteration.NAMED:
        return containers.get_item(interp, ref, key) if not obj.attrs else _dict_entry(obj, key)
    return containers.get_item(interp, ref, key)


def _dict_entry(obj: Obj, key: Value) -> Value:

    name = dict_key(key)
    if name is not None and name in obj.attrs:
        return obj.attrs[name]
    values = [*obj.attrs.values(), *([obj.element] if obj.element is not None else [])]
    return join_all(values)


def _slice_bounds(node: ast.Slice) -> slice | None:
    """The Python slice a slice expression stands for, when its bounds are literal."""
    bounds: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        if part is None:
            bounds.append(None)
            continue
        try:
            value = ast.literal_eval(part)
        except ValueError:
            return None
        if not isinstance(value, int):
            return None
        bounds.append(value)
    return slice(*bounds)
