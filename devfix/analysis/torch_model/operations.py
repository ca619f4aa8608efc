"""Applying the table of operations: which operands a call has, and what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.copying import replace
from devfix.analysis.frames import CallSite
from devfix.analysis.iteration import exact_items
from devfix.analysis.join import scalar_type
from devfix.analysis.lattice import (
    AT_LEAST_1,
    COMPLEX_OF,
    INTEGERS,
    REAL_OF,
    UNKNOWN_DEVICE,
    Device,
    promote,
    rank_of_broadcast,
    rank_of_product,
)
from devfix.analysis.torch_model import grad_mode, in_place_results, operand_types, requirements, sequences
from devfix.analysis.torch_model.arguments import dtype_of
from devfix.analysis.torch_model.operators import typed
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.torch_model.specs import (
    FLOATING,
    OPS,
    REDUCTIONS,
    RESHAPES,
    SAME,
    TESTS,
    Op,
)
from devfix.analysis.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Unknown,
    Value,
    common_dtype_trails,
    keep_split,
    roots_of,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions that are real for complex operands too.
_MAGNITUDES = frozenset({"abs", "absolute", "angle", "real", "imag", "norm", "frobenius_norm", "std", "var"})
#: Tensors of these never require grad.
_COUNTING = (*INTEGERS, "bool")
#: Reductions that return (values, indices) when they are given a dimension.
_PAIRS = frozenset({"max", "min", "median", "mode", "sort", "topk", "kthvalue", "cummax", "cummin"})


def apply(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``torch.name(...)`` with the tensor as first operand; None when the table has no entry."""
    in_place = name.endswith("_") and not name.endswith("__")
    base = name[:-1] if in_place else name
    if base in OPS and name not in SAME:
        return _operation(interp, base, OPS[base], site, in_place=in_place)
    first = site.args[0].value if site.args else site.value(0, "input", "self")
    first = without_none(first) if first is not None else None
    if (base in _PAIRS and base not in REDUCTIONS) or base in REDUCTIONS:
        return _reduction(interp, base, first, site)
    if not isinstance(first, Tensor):
        known = base in SAME or base in FLOATING or base in RESHAPES or base in TESTS
        return UNKNOWN if known else None
    if in_place and base in SAME | FLOATING:
        return first
    return _unary(interp, name, base, first, site)


def _unary(interp: Interpreter, name: str, base: str, first: Tensor, site: CallSite) -> Value | None:
    if base in SAME or name in SAME:
        result = derived(interp, [first], site, _magnitude(base, first.dtype), first.rank)
        if base in ("detach", "data"):
            return replace(result, grad=False, leaf=True)
        return result
    if base in FLOATING:
        operand_types.check_float(interp, base, first, site)
        dtype = requirements.in_full_precision(interp, _floating(_magnitude(base, first.dtype)))
        return derived(interp, [first], site, dtype, first.rank)
    if base in TESTS:
        return replace(derived(interp, [first], site, "bool", first.rank), grad=False)
    if base in RESHAPES:
        return derived(
            interp, [first], site, _magnitude(base, first.dtype), _reshaped(interp, base, first, site)
        )
    return None


def _magnitude(base: str, dtype: str | None) -> str | None:
    return REAL_OF.get(dtype or "", dtype) if base in _MAGNITUDES else dtype


def _floating(dtype: str | None) -> str | None:
    if dtype is None or dtype.startswith(("float", "bfloat", "complex")):
        return dtype
    return "float32"


def _reshaped(interp: Interpreter, base: str, first: Tensor, site: CallSite) -> int | None:
    """The rank after a reshape, as far as the arguments tell."""
    if base == "unsqueeze" and first.rank is not None:
        return first.rank + 1 if first.rank >= 0 else AT_LEAST_1
    if base in ("unsqueeze", "flatten", "ravel", "repeat_interleave"):
        return 1 if base in ("ravel", "repeat_interleave") or len(site.args) == 1 else AT_LEAST_1
    if base in ("view", "reshape", "expand", "repeat", "tile", "broadcast_to"):
        sizes = list(site.args[1:])
        if len(sizes) > 1:
            return len(sizes)
        if sizes:
            items = exact_items(interp, sizes[0].value)
            if items is not None:
                return len(items)
            if base in ("view", "reshape") and scalar_type(without_none(sizes[0].value)) == "int":
                return 1
        return AT_LEAST_1
    if base == "squeeze":
        named = len(site.args) > 1 or "dim" in site.keywords
        # Whoever names the dimension knows that it has one entry.
        return first.rank - 1 if named and first.rank is not None and first.rank > 0 else None
    if base == "select":
        return first.rank - 1 if first.rank is not None and first.rank > 0 else None
    if base in ("det", "trace"):
        return 0 if first.rank == 2 or base == "trace" else None
    return first.rank if first.rank in (None, 0) else AT_LEAST_1


def _reduction(interp: Interpreter, base: str, first: Value | None, site: CallSite) -> Value | None:
    rest = site.args[1:]
    has_dim = bool(rest) or any(k in site.keywords for k in ("dim", "axis"))
    if base in ("max", "min") and rest and isinstance(without_none(rest[0].value), Tensor):
        return _operation(interp, "maximum" if base == "max" else "minimum", OPS["maximum"], site)
    if not isinstance(first, Tensor):
        return TupleValue((UNKNOWN, UNKNOWN)) if base in _PAIRS and has_dim else UNKNOWN
    operand_types.check_float(interp, base, first, site)
    dtype = requirements.in_full_precision(interp, _reduced_dtype(base, first.dtype, site))
    keep = "keepdim" in site.keywords and site.keywords["keepdim"].value != FALSE
    if base in ("sort", "topk", "kthvalue", "cummax", "cummin") or (base in _PAIRS and has_dim):
        same = base in ("sort", "topk", "cummax", "cummin") or keep
        rank = first.rank if same else _reduced_rank(interp, first, site, has_dim, keep)
        values = derived(interp, [first], site, first.dtype, rank if base != "kthvalue" else None)
        return TupleValue((values, replace(values, dtype="int64", grad=False)))
    return derived(interp, [first], site, dtype, _reduced_rank(interp, first, site, has_dim, keep))


def _reduced_rank(
    interp: Interpreter, first: Tensor, site: CallSite, has_dim: bool, keep: bool
) -> int | None:
    if not has_dim:
        return 0
    if keep:
        return first.rank
    dim = site.value(1, "dim", "axis")
    if dim is None:
        return None
    items = exact_items(interp, dim)
    dims = list(items) if items is not None else [dim]
    if first.rank is not None and first.rank >= 0:
        return max(first.rank - len(dims), 0)
    return _rank_implied(dims)


def _rank_implied(dims: list[Value]) -> int | None:
    """Reducing dimensions 2 and 3 leaves at least 0 and 1: what the numbers themselves tell."""
    numbers = [d.value for d in dims if isinstance(d, Const) and isinstance(d.value, int)]
    if len(numbers) < len(dims) or not numbers or min(numbers) < 0:
        return None
    return AT_LEAST_1 if max(numbers) + 1 > len(numbers) else None


def _reduced_dtype(base: str, dtype: str | None, site: CallSite) -> str | None:
    given = site.keywords.get("dtype")
    if given is not None and given.value != NONE:
        return dtype_of(given.value)
    kind = REDUCTIONS.get(base, "first")
    if kind == "first" or dtype is None:
        return dtype if kind in ("first", "float", "sum") else kind
    if kind == "sum":
        return dtype if dtype.startswith(("float", "bfloat", "complex")) else "int64"
    return _floating(_magnitude(base, dtype)) if kind == "float" else kind


def derived(
    interp: Interpreter,
    tensors: list[Tensor],
    site: CallSite,
    dtype: str | None,
    rank: int | None,
    device: Device | None = None,
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
        trail=(interp.site("result", site.node),), roots=roots_of(same),
        typed=common_dtype_trails(tensors, dtype),
    )  # fmt: skip
    return keep_split(result, tensors)


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
        value = without_none(arg.value)
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
        requirements.same_dtype(interp, site.node, full, parts)
    _check_written(interp, full, parts, site)
    _check_integer_index(interp, full, parts, site)
    operand_types.check_masks(interp, site.node, full, parts)
    operand_types.check_logical(interp, site.node, full, parts, [arg.value for arg in site.args[1:]])
    detail = {"in_place": parts[0].role} if in_place else None
    scalars = op.scalars or _is_bounded_by_number(op, site)
    device = requirements.meet(interp, site.node, full, parts, scalars=scalars, detail=detail)
    if in_place:
        in_place_results.check(interp, site.node, full, parts, [arg.value for arg in site.args[1:]])
        changed = parts[0].tensor
        # A mismatch is told once: what follows is judged as if the operand had been moved.
        return replace(changed, device=device) if changed.device.kind == "cpu" else changed
    if unclear and not device.is_accelerator and not op.scalars:
        device = parts[0].tensor.device
    elif unclear and device.kind == "cpu" and parts[0].tensor.rank in (0, None):
        device = UNKNOWN_DEVICE
    tensors = [part.tensor for part in parts]
    # What is as the first operand has it is unknown where only others are known.
    first = tensors[0] if parts[0].role == op.operands[0] else Tensor(UNKNOWN_DEVICE)
    dtype = first.dtype if op.dtype == "first" else _dtype(op, tensors, site, unclear)
    if op.same_dtype:
        dtype = requirements.under_autocast(interp, dtype)
    rank = first.rank if op.rank == "first" else _rank(op, tensors, unclear)
    return derived(interp, tensors, site, dtype, rank, device)


def _is_bounded_by_number(op: Op, site: CallSite) -> bool:
    """Whether one bound of ``clamp`` is a number: a 0-dim tensor beside it is read as one (asked of an H100)."""
    bounds = (site.value(1, "min"), site.value(2, "max")) if op.operands[1:] == ("min", "max") else ()
    return any(bound is not None and scalar_type(bound) in ("int", "float") for bound in bounds)


def _check_written(interp: Interpreter, name: str, parts: list[Part], site: CallSite) -> None:
    """What is written into a tensor has its dtype: "scatter(): Expected self.dtype to be equal to src.dtype".

    Autocast widens the operands of some of these by itself.
    """
    source = next((part for part in parts if part.role in ("src", "source", "values")), None)
    if source is None or source is parts[0] or interp.autocast or parts[0].role != "input":
        return
    if source.tensor.rank != 0:
        requirements.same_dtype(interp, site.node, name, [source, parts[0]], decisive=parts[0])


def _check_integer_index(interp: Interpreter, name: str, parts: list[Part], site: CallSite) -> None:
    for part in parts:
        if part.role in ("index", "indices") and requirements.is_float(part.tensor.dtype):
            requirements.record(interp, site.node, name, "index-dtype", [part])


def _dtype(op: Op, tensors: list[Tensor], site: CallSite, unclear: bool) -> str | None:
    if op.dtype == "promote":
        if unclear:
            return None
        kinds = [typed(arg.value) for arg in site.args if not isinstance(arg.value, Tensor)]
        dtype, rank = tensors[0].dtype, tensors[0].rank
        for other in tensors[1:]:
            dtype = promote((dtype, rank), (other.dtype, other.rank))
            rank = rank_of_broadcast([rank, other.rank])
        return _with_numbers(dtype, [kind for kind, _ in kinds])
    if op.dtype == "spectrum":
        return COMPLEX_OF.get(tensors[0].dtype or "") if site.value(None, "return_complex") == TRUE else None
    if op.dtype == "counted":
        return "int64" if len(tensors) == 1 and not unclear else None
    return op.dtype or None


def _with_numbers(dtype: str | None, kinds: list[str | None]) -> str | None:
    if dtype is not None and not dtype.startswith(("float", "bfloat", "complex")) and "float32" in kinds:
        return "float32"
    return dtype


def _rank(op: Op, tensors: list[Tensor], unclear: bool) -> int | None:
    ranks = [tensor.rank for tensor in tensors] + [None] * unclear
    if op.rank == "broadcast":
        return rank_of_broadcast(ranks)
    if op.rank == "product":
        return rank_of_product(ranks)
    return int(op.rank) if op.rank.isdigit() else _RANKS.get(op.rank)


#: What the words for a rank in the table mean.
_RANKS = {"zero": 0, "some": AT_LEAST_1}


def joined(interp: Interpreter, name: str, op: Op, site: CallSite) -> Value:
    """``cat``, ``stack`` and the like: every tensor of the sequence on one device."""
    arg = site.get(0, "tensors")
    given = [arg] if arg is not None else []
    if arg is not None and isinstance(without_none(arg.value), Tensor):
        given = list(site.args)  # meshgrid(a, b)
    parts: list[Part] = []
    unclear = False
    for sequence in given:
        found, some_unknown = sequences.members(interp, sequence)
        parts.extend(found)
        unclear = unclear or some_unknown
    if not parts:
        return Sequence(UNKNOWN) if name.endswith("meshgrid") else UNKNOWN
    device = requirements.meet(interp, site.node, name, sequences.of_both_paths(interp, parts), scalars=False)
    if unclear and not device.is_known:
        device = parts[0].tensor.device if len(parts) == 1 else device
    tensors = [part.tensor for part in parts]
    dtype = None if unclear else sequences.joined_dtype(tensors)
    rank = sequences.joined_rank(name, tensors, unclear=unclear)
    result = derived(interp, tensors, site, dtype, rank, device)
    if name.endswith("meshgrid"):
        return TupleValue((result,) * len(parts)) if not unclear else Sequence(result)
    return result
