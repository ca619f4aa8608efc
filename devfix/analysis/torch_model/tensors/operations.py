"""Applying the table of operations: which operands a call has, and what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import (
    AT_LEAST_1,
    INTEGERS,
    REAL_OF,
    UNKNOWN_DEVICE,
    Device,
    floating,
    rank_of_broadcast,
    rank_of_product,
)
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.record.trails import (
    common_dtype_trails,
    divided,
    inverted,
    keep_split,
    note_fractions,
    note_widened,
    roots_of,
)
from devfix.analysis.torch_model.devices import autocast, grad_mode
from devfix.analysis.torch_model.names import is_in_place
from devfix.analysis.torch_model.tensors import (
    float_operations,
    in_place_results,
    index_types,
    narrow_floats,
    number_range,
    operand_types,
    out_arguments,
    ranks,
    requirements,
    result_dtypes,
    sequences,
    truths_in_floats,
)
from devfix.analysis.torch_model.tensors.arguments import asked_dtype, dtype_of
from devfix.analysis.torch_model.tensors.operators import typed
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.tensors.specs import (
    FLOATING,
    OPS,
    REDUCTIONS,
    RESHAPES,
    SAME,
    TESTS,
    Op,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions that are real for complex operands too.
_MAGNITUDES = frozenset({"abs", "absolute", "angle", "real", "imag", "norm", "frobenius_norm", "std", "var"})
#: Tensors of these never require grad.
_COUNTING = (*INTEGERS, "bool")
#: What returns (values, indices) whatever it is given, or when it is given a dimension.
_ALWAYS_PAIRS = frozenset({"sort", "topk", "kthvalue", "cummax", "cummin", "mode"})
_PAIRS = _ALWAYS_PAIRS | {"max", "min", "median", "nanmedian"}
_RANK_STAYS = frozenset({"sort", "topk", "cummax", "cummin"})


def apply(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``torch.name(...)`` with the tensor as first operand; None when the table has no entry."""
    in_place = is_in_place(name)
    base = name[:-1] if in_place else name
    number_range.check(interp, base, site)
    narrow_floats.check(interp, base, site)
    result = _applied(interp, name, base, site, in_place=in_place)
    if in_place or result is None:
        return result
    made = autocast.widened(interp, base, result)
    return out_arguments.received(interp, f"torch.{base}", site, made) if "out" in site.keywords else made


def _applied(interp: Interpreter, name: str, base: str, site: CallSite, *, in_place: bool) -> Value | None:
    if base == "diff" and site.value(1, "n") == Const(0):
        name = base = "clone"  # nothing is subtracted, and nothing put before it or after
    if base == "inner" and any(isinstance(arg.value, Tensor) and arg.value.rank == 0 for arg in site.args):
        return _operation(interp, base, OPS["kron"], site)  # promotes, and asks for one place
    if base in OPS and name not in SAME:
        return _operation(interp, base, OPS[base], site, in_place=in_place)
    first = site.args[0].value if site.args else site.value(0, "input", "self")
    first = without_none(first) if first is not None else None
    if (base in _PAIRS and base not in REDUCTIONS) or base in REDUCTIONS:
        return _reduction(interp, base, first, site)
    if not isinstance(first, Tensor):
        known = base in SAME or base in FLOATING or base in RESHAPES or base in TESTS
        return UNKNOWN if known else None
    if in_place and base in SAME | FLOATING | TESTS:
        in_place_results.check_alone(interp, base, first, site)
        return first
    return _unary(interp, name, base, first, site)


def _unary(interp: Interpreter, name: str, base: str, first: Tensor, site: CallSite) -> Value | None:
    if base in SAME or name in SAME:
        float_operations.check(interp, base, first, site)
        counts = base in _ADDING_UP or (base == "square" and first.dtype == "bool")
        dtype = _added_up(first.dtype) if counts else _magnitude(base, first.dtype)
        result = derived(interp, [first], site, _told(dtype, site), first.rank, elementwise=True)
        if base in ("detach", "data"):
            result = replace(result, grad=False, leaf=True)
        if base == "bitwise_not" and first.dtype in INTEGERS:
            return replace(result, typed=inverted(interp, site.node), roots=())
        counted = "int64" if base in _WHOLE else first.cast_of if base in _AS_IT_IS else None
        counted = truths_in_floats.of_view(first) if base == "contiguous" else counted
        counted = counted or truths_in_floats.of_part(base, first)
        return result if counted is None else replace(result, cast_of=counted)
    if base in FLOATING:
        float_operations.check(interp, base, first, site)
        note_fractions(interp, [first], beside_float=True)
        dtype = autocast.floated(interp, floating(_magnitude(base, first.dtype)), base)
        return derived(interp, [first], site, _told(dtype, site), first.rank, elementwise=True)
    if base in TESTS:
        return replace(derived(interp, [first], site, "bool", first.rank), grad=False, typed=())
    if base in RESHAPES:
        float_operations.check(interp, base, first, site)
        dtype = _added_up(first.dtype) if base in _ADDING_UP else _read_as(base, first.dtype, site)
        dtype = _magnitude(base, dtype)
        result = derived(interp, [first], site, dtype, ranks.reshaped(interp, base, first, site))
        return replace(result, cast_of=truths_in_floats.of_view(first))
    return None


#: What makes whole numbers of floats; and what changes none.
_WHOLE = frozenset(("floor", "ceil", "trunc"))
_AS_IT_IS = frozenset(("detach", "data", "clone", "contiguous"))
#: What adds up or multiplies along a dimension, and counts truths and small integers in int64.
_ADDING_UP = frozenset(("cumsum", "cumprod", "trace", "vander"))
_DIVIDING = frozenset(("div", "divide", "true_divide"))
_SELECTING = frozenset(("masked_select", "index_select", "gather", "take"))
#: The dtypes that operations and reductions give whatever they are given: truths, places and counts.
_OWN = frozenset(("bool", "int64", "place", "counted"))


def _read_as(base: str, dtype: str | None, site: CallSite) -> str | None:
    """The dtype of a view: ``x.view(torch.int16)`` reads the same memory as numbers of another kind."""
    asked = site.value(1, "dtype") if base == "view" else None
    return dtype_of(asked) or dtype


def _magnitude(base: str, dtype: str | None) -> str | None:
    return REAL_OF.get(dtype or "", dtype) if base in _MAGNITUDES else dtype


def _reduction(interp: Interpreter, base: str, first: Value | None, site: CallSite) -> Value | None:
    rest = site.args[1:]
    has_dim = ranks.dimension(base, site) is not None
    if base in ("max", "min") and rest and isinstance(without_none(rest[0].value), Tensor):
        return _operation(interp, "maximum" if base == "max" else "minimum", OPS["maximum"], site)
    paired = base in _ALWAYS_PAIRS or (base in _PAIRS and has_dim)
    if not isinstance(first, Tensor):
        return TupleValue((UNKNOWN, UNKNOWN)) if paired else UNKNOWN
    float_operations.check(interp, base, first, site)
    dtype = autocast.floated(interp, _reduced_dtype(base, first.dtype, site), base)
    if paired:
        rank = first.rank if base in _RANK_STAYS else ranks.reduced(interp, base, first, site)
        values = derived(interp, [first], site, first.dtype, rank)
        return TupleValue((values, replace(values, dtype="int64", grad=False, typed=())))
    result = derived(interp, [first], site, dtype, ranks.reduced(interp, base, first, site))
    return replace(result, typed=()) if REDUCTIONS.get(base) in _OWN else result


def _told(dtype: str | None, site: CallSite) -> str | None:
    """The dtype that the call itself asks for, if it does: ``x.softmax(-1, dtype=torch.float32)``."""
    asked = asked_dtype(site)
    return dtype if asked in (None, NONE) else dtype_of(asked)


def _reduced_dtype(base: str, dtype: str | None, site: CallSite) -> str | None:
    return _told(_reduced_by_itself(base, dtype), site)


def _reduced_by_itself(base: str, dtype: str | None) -> str | None:
    """The dtype that a reduction has when the call asks for none."""
    kind = REDUCTIONS.get(base, "first")
    if kind == "first" or dtype is None:
        return dtype if kind in ("first", "float", "sum") else kind
    if kind == "sum":
        return _added_up(dtype)
    return floating(_magnitude(base, dtype)) if kind == "float" else kind


def _added_up(dtype: str | None) -> str | None:
    """The dtype of a sum: truths and small integers are counted in int64."""
    return dtype if dtype is None or dtype.startswith(("float", "bfloat", "complex")) else "int64"


def derived(
    interp: Interpreter,
    tensors: list[Tensor],
    site: CallSite,
    dtype: str | None,
    rank: int | None,
    device: Device | None = None,
    *,
    elementwise: bool = False,
) -> Tensor:
    """A tensor computed from others at this call."""
    placed = device if device is not None else tensors[0].device
    same = [tensor for tensor in tensors if tensor.device == placed] or tensors
    grad: bool | None = True if any(t.grad for t in tensors) else None
    if grad is None and all(t.grad is False for t in tensors):
        grad = False
    grad = grad_mode.recorded(interp, False if dtype in _COUNTING else grad)
    result = Tensor(
        placed, dtype, rank, grad=grad, leaf=False if grad else None,
        trail=(interp.site("result", site.node),), roots=roots_of(same, named=interp.program.adopts),
        typed=common_dtype_trails(tensors, dtype),
    )  # fmt: skip
    return keep_split(result, tensors, elementwise=elementwise)


def places(interp: Interpreter, value: Tensor, site: CallSite, rank: int | None) -> Tensor:
    """Places or counts of what is in a tensor: whole numbers, whatever that has, and not by what it has."""
    return replace(derived(interp, [value], site, "int64", rank), typed=())


def parts_of(interp: Interpreter, op: Op, site: CallSite) -> tuple[list[Part], bool]:
    """The tensor operands of a call, and whether an operand is of unknown kind."""
    parts: list[Part] = []
    unclear = site.open
    for position, role in enumerate(op.operands):
        if role.startswith("#"):
            continue
        arg = site.get(position, role, *(("self",) if position == 0 else ()))
        if arg is None:
            continue
        value = operand_types.tensor_of(interp, arg.value)
        if isinstance(value, Tensor):
            parts.append(Part(value, role, arg.node))
        elif isinstance(value, (Unknown, Ref)):
            unclear = True
    return parts, unclear


def _operation(interp: Interpreter, name: str, op: Op, site: CallSite, *, in_place: bool = False) -> Value:
    full = f"torch.{name}"
    if op.sequence:
        return joined(interp, full, op, site)
    parts, unclear = parts_of(interp, op, site)
    if not parts:
        return UNKNOWN
    if op.same_dtype:
        operand_types.check_alike(interp, name, parts, site)
    parts = operand_types.check_written(interp, site.node, full, parts, in_place=in_place)
    # Without a dimension it gathers from all numbers in a row.
    looked_up = "torch.gather" if name == "take_along_dim" and site.get(2, "dim") is None else full
    parts = index_types.check(interp, site.node, looked_up, parts, _INDICES)
    operand_types.check_masks(interp, site.node, full, parts)
    operand_types.check_logical(interp, site.node, full, parts, [arg.value for arg in site.args[1:]])
    float_operations.check_difference(interp, site.node, full, parts, _both(op, site))
    detail = {"in_place": parts[0].role} if in_place else None
    scalars = op.scalars or _is_bounded_by_number(op, site)
    placed = operand_types.placed(parts, op.excused)
    device = requirements.meet(interp, site.node, full, placed, scalars=scalars, detail=detail)
    float_operations.check_together(interp, site.node, full, parts, device, unclear=unclear)
    if in_place:
        in_place_results.check(interp, site.node, full, parts, [arg.value for arg in site.args[1:]])
        changed = parts[0].tensor  # told once: what follows is judged as if it had been moved
        return replace(changed, device=device) if changed.device.kind == "cpu" else changed
    if unclear and not device.is_accelerator and not op.scalars:
        device = parts[0].tensor.device
    elif unclear and device.kind == "cpu" and parts[0].tensor.rank in (0, None):
        device = UNKNOWN_DEVICE
    tensors = [part.tensor for part in parts]
    # What is as the first operand has it is unknown where only others are known.
    first = tensors[0] if parts[0].role == op.operands[0] else Tensor(UNKNOWN_DEVICE)
    dtype = first.dtype if op.dtype == "first" else result_dtypes.of(op, tensors, site, unclear)
    if op.same_dtype:
        dtype = autocast.lowered(interp, dtype, name, tensors)
    rank, widest = _rank(interp, name, op, parts, site, unclear), op.rank == "broadcast"
    made = derived(interp, tensors, site, dtype, rank, device, elementwise=widest)
    made = replace(made, typed=()) if op.dtype in _OWN else made
    if name in _DIVIDING:
        return divided(interp, site.node, [typed(arg.value)[0] for arg in site.args[:2]], made)
    return replace(made, cast_of=truths_in_floats.of_view(first)) if name in _SELECTING else made


def _both(op: Op, site: CallSite) -> tuple[Value, ...]:
    """The first two operands of a call, whatever they are."""
    found = (site.value(position, role) for position, role in enumerate(op.operands[:2]))
    return tuple(value for value in found if value is not None)


def _is_bounded_by_number(op: Op, site: CallSite) -> bool:
    """Whether one bound of ``clamp`` is a number: a 0-dim tensor beside it is read as one (asked of an H100)."""
    bounds = (site.value(1, "min"), site.value(2, "max")) if op.operands[1:] == ("min", "max") else ()
    return any(bound is not None and scalar_type(bound) in ("int", "float") for bound in bounds)


#: The operands that say places.
_INDICES = frozenset(("index", "indices"))


def _rank(
    interp: Interpreter, name: str, op: Op, parts: list[Part], site: CallSite, unclear: bool
) -> int | None:
    """The rank of what an operation gives. What is as one operand has it is unknown where only others are known."""
    if op.rank in ("first", "last", "quantiles"):
        role = op.operands[-1 if op.rank == "last" else 0]
        decisive = next((part.tensor for part in parts if part.role == role), None)
        if decisive is None:
            return None
        return ranks.quantiles(interp, name, decisive, site) if op.rank == "quantiles" else decisive.rank
    tensor_ranks = [part.tensor.rank for part in parts] + [None] * unclear
    if op.rank == "broadcast":
        return rank_of_broadcast(tensor_ranks)
    if op.rank == "less":
        known = rank_of_broadcast(tensor_ranks)
        return known - 1 if known is not None and known > 0 else None
    if op.rank == "product":
        return rank_of_product(tensor_ranks)
    return int(op.rank) if op.rank.isdigit() else _RANKS.get(op.rank)


#: What the words for a rank in the table mean.
_RANKS = {"zero": 0, "some": AT_LEAST_1}


def joined(interp: Interpreter, name: str, op: Op, site: CallSite) -> Value:
    """``cat``, ``stack`` and the like: every tensor of the sequence on one device."""
    arg = site.get(0, "tensors")
    given = [arg] if arg is not None else []
    lists = without_none(arg.value) if arg is not None else UNKNOWN
    if isinstance(lists, Union) and site.args and all(isinstance(each, Ref) for each in lists.members):
        # It is one of several lists, none of which holds what the others do.
        return interp.either(lists.members, lambda one: joined(interp, name, op, site.with_first(one)))
    if arg is not None and isinstance(without_none(arg.value), Tensor):
        given = list(site.args)  # meshgrid(a, b)
    parts: list[Part] = []
    unclear = False
    for sequence in given:
        found, some_unknown = sequences.members(interp, sequence)
        parts.extend(found)
        unclear = unclear or some_unknown
    if not parts:
        if given and not unclear and interp.frame.branches:
            interp.state.dead = True  # there is nothing to join: this branch is taken when there is
        return Sequence(UNKNOWN) if name.endswith("meshgrid") else UNKNOWN
    operands = sequences.of_both_paths(interp, parts)
    if any(part.tensor.device.is_accelerator for part in parts):
        strange = (part for sequence in given for part in sequences.of_strangers(interp, sequence))
        operands = [*operands, *strange]
    if op.same_dtype:
        requirements.same_dtype(interp, site.node, name, parts)
    device = requirements.meet(interp, site.node, name, operands, scalars=False)
    float_operations.check_together(interp, site.node, name, parts, device, unclear=unclear)
    if unclear and not device.is_known:
        device = parts[0].tensor.device if len(parts) == 1 else device
    tensors = [part.tensor for part in parts]
    dtype = None if unclear else sequences.joined_dtype(tensors)
    rank = sequences.joined_rank(name, tensors, unclear=unclear)
    note_widened(interp, tensors, dtype)
    result = derived(interp, tensors, site, dtype, rank, device)
    if name.endswith("meshgrid"):
        return TupleValue((result,) * len(parts)) if not unclear else Sequence(result)
    return result
