"""Where paths meet: the tensor that is left of two, and what is remembered of each."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import join_devices, join_dtypes, join_ranks
from devfix.analysis.domain.values import Tensor
from devfix.origin_kinds import DISCARDED

#: So many makings of a tensor are told apart.
_MAX_PATHS = 4
#: What a tensor of floats may hold that is no more than truths: one of the two, or either.
_TRUTHS = frozenset(("zeros", "ones", "bool"))


def merge_tensors(a: Tensor, b: Tensor, split: bool = False) -> Tensor:
    """The tensor that is either of two; ``split`` is as in ``join_values``."""
    if a.parameter and not b.parameter and a.device == b.device:
        a, b = b, a  # its module moves a Parameter: what stays behind is the other
    return replace(
        a,
        device=join_devices(a.device, b.device),
        dtype=join_dtypes(a.dtype, b.dtype),
        rank=join_ranks(a.rank, b.rank),
        parameter=a.parameter and b.parameter,
        grad=a.grad if a.grad == b.grad else None,
        leaf=a.leaf if a.leaf == b.leaf else None,
        empty=min(a.empty, b.empty),
        cast_of=_join_contents(a.cast_of, b.cast_of),
        owner=a.owner if a.owner == b.owner else None,
        roots=a.roots or b.roots,
        split=host_path(a, b, split),
        paths=paths_of(a, b),
    )


def paths_of(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    """The tensors that two paths leave on the CPU, where each has made its own: to move one of them is not enough."""
    if a.device.kind != "cpu" or b.device.kind != "cpu" or a.trail == b.trail or not a.trail:
        return a.paths
    if a.parameter or b.parameter or a.empty or b.empty:
        return ()  # they move with their modules, or stand in for others
    found = [replace(a, paths=())]
    for tensor in (*a.elsewhere, b, *b.elsewhere):
        trail = tensor.trail
        if trail and not any(trail == each.trail[: len(trail)] for each in found):
            found.append(replace(tensor, paths=()))
    return tuple(found[:_MAX_PATHS]) if len(found) > 1 else ()


def host_path(a: Tensor, b: Tensor, split: bool) -> Tensor | None:
    """The version of the tensor on the path that leaves it on the CPU, if the other does not.

    That on the other path is what it is split from, where it is on the accelerator.
    """
    if a.device != b.device and (split or _was_to_move(a) or _was_to_move(b)):
        left = a if a.device.kind == "cpu" else b if b.device.kind == "cpu" else a.split or b.split
        if left is not None:
            rest = a if a.device.is_accelerator else b if b.device.is_accelerator else None
            return replace(left, split=replace(rest, split=None)) if rest is not None else left
    known = (a.split, b.split)
    if None not in known or any(t.device.kind in ("accelerator", "cpu") for t in (a, b)):
        return a.split or b.split
    return None


def _was_to_move(value: Tensor) -> bool:
    """Whether the path on which a tensor lies on the CPU discards what a move made of it: there it was not to stay."""
    lives = (value.trail, *value.roots) if value.device.kind == "cpu" else ()
    return any(site.kind in DISCARDED for life in lives for site in life)


def _join_contents(a: str | None, b: str | None) -> str | None:
    """What the floats of a tensor are made of, which are either of two: truths, if none of the two is anything else."""
    if a == b:
        return a
    return "bool" if a in _TRUTHS and b in _TRUTHS else None
