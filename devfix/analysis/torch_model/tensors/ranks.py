"""Ranks: how many dimensions are left after a reshape or a reduction, as far as the arguments tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, rank_of_broadcast, rank_of_stack
from devfix.analysis.domain.values import FALSE, NONE, Const, Sequence, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.iteration import exact_items, is_row

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Rank = int | None

#: Where a reduction names its dimension, when not as the first argument after the tensor.
_DIM_AT = dict.fromkeys(("norm", "vector_norm", "quantile", "nanquantile", "kthvalue"), 2)
#: So far behind the dimension is ``keepdim``, when not next to it.
_KEEP_AFTER = {"std": 2, "var": 2}


def dimension(base: str, site: CallSite) -> Value | None:
    """The dimension that a reduction is told, or None: ``x.norm(2)`` and ``x.std(False)`` tell none."""
    found = site.value(_DIM_AT.get(base, 1), "dim", "axis")
    flag = isinstance(found, Const) and isinstance(found.value, bool)
    return None if found == NONE or flag else found


def keeps(base: str, site: CallSite) -> bool:
    """Whether a reduction is told to leave the dimension there, as one entry."""
    found = site.value(_DIM_AT.get(base, 1) + _KEEP_AFTER.get(base, 1), "keepdim")
    return found is not None and found != FALSE


def quantiles(interp: Interpreter, base: str, first: Tensor, site: CallSite) -> Rank:
    """The rank that ``torch.quantile`` leaves: a vector of ``q`` gives as many results, along a dimension in front."""
    left, q = reduced(interp, base, first, site), site.value(1, "q")
    if q is not None and scalar_type(q) in ("int", "float"):
        return left
    several = q.rank if isinstance(q, Tensor) else None
    if several is None:
        return AT_LEAST_1 if left not in (None, 0) else None
    return rank_of_stack(left) if several else left


def reduced(interp: Interpreter, base: str, first: Tensor, site: CallSite) -> Rank:
    """The rank that a reduction leaves."""
    dim = dimension(base, site)
    if keeps(base, site):
        return first.rank
    if dim is None:
        return less(first.rank, 1) if base in ("mode", "kthvalue") else 0
    items = exact_items(interp, dim)
    if items is None and (isinstance(dim, Sequence) or is_row(interp, dim)):
        return None  # nobody knows how many
    dims = list(items) if items is not None else [dim]
    if first.rank is not None and first.rank >= 0:
        return max(first.rank - len(dims), 0)
    return _implied(dims)


def _implied(dims: list[Value]) -> Rank:
    """Reducing dimensions 2 and 3 leaves at least 0 and 1: what the numbers themselves tell."""
    numbers = [number for number in map(_number, dims) if number is not None]
    if len(numbers) < len(dims) or not numbers or min(numbers) < 0:
        return None
    return AT_LEAST_1 if max(numbers) + 1 > len(numbers) else None


def of_layer(name: str, rank: Rank) -> Rank:
    """The rank of what a layer with parameters makes of an input of a rank."""
    if name.startswith("Embedding"):
        return of_lookup(name, rank)
    return AT_LEAST_1 if rank in (None, 0) else rank


def of_lookup(name: str, rank: Rank) -> Rank:
    """The rank of what is looked up: a row for each index, or for each bag of them."""
    return 2 if name in ("EmbeddingBag", "embedding_bag") else rank_of_stack(rank)


def of_equation(equation: Value | None) -> Rank:
    """As many dimensions as an equation names behind its arrow."""
    text = equation.value if isinstance(equation, Const) else None
    if not isinstance(text, str) or "->" not in text:
        return None
    named = text.rpartition("->")[2].replace(" ", "")
    if "..." not in named:
        return len(named)
    return AT_LEAST_1 if named != "..." else None


def reshaped(interp: Interpreter, base: str, first: Tensor, site: CallSite) -> Rank:
    """The rank after a reshape."""
    rule = _RESHAPED.get(base)
    if rule is not None:
        return rule(interp, first, site)
    return first.rank if first.rank in (None, 0) else AT_LEAST_1


def _sized(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """By the sizes: ``x.view(4, -1)``, ``x.reshape(shape)``."""
    sizes = list(site.args[1:])
    if len(sizes) > 1:
        return AT_LEAST_1 if site.open else len(sizes)
    given = sizes[0].value if sizes else site.value(None, "size", "shape", "sizes", "dims")
    if given is None:
        return AT_LEAST_1
    items = exact_items(interp, given)
    if items is not None:
        return len(items)
    return AT_LEAST_1


def _viewed(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """One whole number asks for one dimension."""
    if len(site.args) == 2 and scalar_type(without_none(site.args[1].value)) == "int":
        return 1
    return _sized(interp, first, site)


def _permuted(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """As many dimensions as there were; where that is not known, as many as are told."""
    return first.rank if first.rank is not None and first.rank >= 0 else _sized(interp, first, site)


def _repeated(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """At least as many dimensions as there were."""
    ranks = [first.rank, _viewed(interp, first, site)]
    return rank_of_broadcast(ranks)


def _like_other(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """``x.view_as(y)``."""
    other = site.value(1, "other")
    other = without_none(other) if other is not None else None
    return other.rank if isinstance(other, Tensor) else None


def _flattened(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    start, end = _number(site.value(1, "start_dim"), 0), _number(site.value(2, "end_dim"), -1)
    if end == -1 and start is not None and start >= 0:
        return start + 1  # however many there are from there on
    if start is None or end is None or first.rank is None or first.rank < 1:
        return AT_LEAST_1
    merged = end % first.rank - start % first.rank
    return first.rank - merged if merged >= 0 else AT_LEAST_1


def _unflattened(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    sizes = site.value(2, "sizes")
    items = exact_items(interp, sizes) if sizes is not None else None
    known = items is not None and first.rank is not None and first.rank >= 1
    return first.rank - 1 + len(items) if known and first.rank and items else AT_LEAST_1


def _squeezed(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    """Whoever names the dimension knows that it has one entry."""
    dim = site.value(1, "dim")
    if dim is None or first.rank is None or first.rank < 1:
        return None
    items = exact_items(interp, dim)
    return max(first.rank - (1 if items is None else len(items)), 0)


def _diagonal(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
    return {1: 2, 2: 1}.get(first.rank or 0, AT_LEAST_1)


def at_least(least: int) -> Callable[[Interpreter, Tensor, CallSite], Rank]:
    """As many dimensions as there are, but no fewer than so many."""

    def rule(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
        return max(first.rank, least) if first.rank is not None and first.rank >= 0 else AT_LEAST_1

    return rule


def more(by: int) -> Callable[[Interpreter, Tensor, CallSite], Rank]:
    """So many dimensions more, or (a negative number) less."""

    def rule(interp: Interpreter, first: Tensor, site: CallSite) -> Rank:
        if by < 0:
            return less(first.rank, -by)
        return first.rank + by if first.rank is not None and first.rank >= 0 else AT_LEAST_1

    return rule


def less(rank: Rank, by: int) -> Rank:
    """So many dimensions less, where their number is known."""
    return max(rank - by, 0) if rank is not None and rank >= 0 else None


def fixed(rank: Rank) -> Callable[[Interpreter, Tensor, CallSite], Rank]:
    """This rank, whatever comes in."""
    return lambda interp, first, site: rank


def _number(value: Value | None, default: int | None = None) -> int | None:
    """The whole number that an argument is; ``default`` when it is not given."""
    if value is None:
        return default
    known = value.value if isinstance(value, Const) else None
    return known if isinstance(known, int) and not isinstance(known, bool) else None


_RESHAPED: dict[str, Callable[[Interpreter, Tensor, CallSite], Rank]] = {
    **dict.fromkeys(("view", "reshape"), _viewed),
    **dict.fromkeys(("expand", "broadcast_to"), _sized),
    **dict.fromkeys(("repeat", "tile"), _repeated),
    "permute": _permuted,
    **dict.fromkeys(("view_as", "expand_as", "reshape_as", "sum_to_size"), _like_other),
    **dict.fromkeys(("unsqueeze", "unsqueeze_", "diag_embed", "vander"), more(1)),
    **dict.fromkeys(("select", "diagonal"), more(-1)),
    **dict.fromkeys(("squeeze", "squeeze_"), _squeezed),
    **dict.fromkeys(("ravel", "repeat_interleave"), fixed(1)),
    **dict.fromkeys(("as_strided", "unfold", "fold", "affine_grid", "resize", "resize_"), fixed(AT_LEAST_1)),
    "flatten": _flattened,
    "unflatten": _unflattened,
    "diag": _diagonal,
    "det": more(-2),
    "trace": fixed(0),
    **{f"atleast_{n}d": at_least(n) for n in (1, 2, 3)},
}
