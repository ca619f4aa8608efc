"""Trails: the life of a value, from where it was made to where it is used, and the lives of what it was computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, INTEGERS, rank_of_broadcast
from devfix.findings import Origin
from devfix.origin_kinds import DISCARDED

if TYPE_CHECKING:
    import ast

    from devfix.analysis.domain.values import Tensor
    from devfix.analysis.interpreter import Interpreter

Trail = tuple[Origin, ...]

#: A trail keeps its first sites and its last ones; what lies between seldom helps anyone.
_TRAIL_HEAD, _TRAIL_TAIL = 2, 6
#: That of a module or another object keeps more of the first: who had it first may move it.
OF_OBJECT = 5
_MAX_ROOTS = 6
#: Where data becomes a tensor: what it was before has no device. A factory's tensor has roots only where it is of such data.
_ENTRIES = ("numpy", "factory")
#: What makes a value worth remembering when others are computed from it.
_MILESTONES = frozenset({"module-attribute", "attribute", *DISCARDED, "loader", "given"})
_HALVES, _WIDE = ("float16", "bfloat16"), ("float32", "float64")
#: How the kind of a place begins at which a part of an object was left where it was, and its neighbours moved.
LEFT = "left-part"


def chain(interp: Interpreter) -> Trail:
    """The statements being executed, one for each active function, outermost first."""
    return tuple(
        Origin("other", frame.path, interp.program.sources[frame.path].span(frame.statement), "", frame.scope)
        for frame in interp.stack
        if frame.statement is not None
    )


def extend(trail: Trail, site: Origin, head: int = _TRAIL_HEAD) -> Trail:
    """``trail`` with one more site, bounded; so many of the first ones stay."""
    if trail and trail[-1] == site:
        return trail
    longer = (*trail, site)
    if len(longer) <= _TRAIL_HEAD + _TRAIL_TAIL:
        return longer
    if head == _TRAIL_HEAD:
        return (*longer[:head], *_kept_of_middle(longer), *longer[-_TRAIL_TAIL:])
    return longer[:head] + longer[head - _TRAIL_HEAD - _TRAIL_TAIL :]


def _kept_of_middle(trail: Trail) -> Trail:
    """The first move in the middle of a trail that was thrown away, to be made up for there, and where the value arrived."""
    born, middle = trail[0], trail[_TRAIL_HEAD:-_TRAIL_TAIL]
    lost = next(((site,) for site in middle if site.kind in DISCARDED), ())
    kept = (*lost, *_arrival(born, middle))
    return tuple(dict.fromkeys(site for site in middle if site in kept))


def _arrival(born: Origin, middle: Trail) -> Trail:
    """The site in the middle of a trail where a function's result got its first name elsewhere, or was given on: it may move there."""
    for site in middle:
        if site.kind == "name" and (site.scope != born.scope or site.path != born.path):
            return (site,)
    return next(((site,) for site in middle if site.kind == "given"), ())


def roots_of(operands: list[Tensor], *, named: bool = False) -> tuple[Trail, ...]:
    """The trails that a value computed from ``operands`` goes back to, without repeats; with the names that casts got."""
    found: list[Trail] = []
    for operand in operands:
        roots = _roots_of_one(operand, named=named)
        for path in operand.elsewhere if operand.paths else ():
            roots += _roots_of_one(path, named=named)
        for trail in roots:
            if trail not in found:  # sites are few and shared: to compare trails is faster than to hash them
                found.append(trail)
    return tuple(found[:_MAX_ROOTS])


def of_its_own(trail: Trail) -> Origin | None:
    """The first place of a value that others do not have: of what comes out of a loader that where it got its name."""
    shared = trail[0].kind in ("loader", "checkpoint", "host-checkpoint")
    return next((site for site in trail if site.kind == "name"), None) if shared else trail[0]


def roots_of_host(tensor: Tensor) -> tuple[Trail, ...]:
    """The trails of a tensor on the CPU, for what follows it there."""
    return roots_of([tensor]) if tensor.device == CPU and tensor.trail else ()


def _roots_of_one(operand: Tensor, *, named: bool = False) -> tuple[Trail, ...]:
    trail = operand.trail
    if not operand.roots:
        return (trail,)
    kinds = {site.kind for site in trail}
    entered = bool(trail) and trail[0].kind in _ENTRIES
    if "loader" in kinds or entered:
        return (
            (trail,) if entered or kinds & _MILESTONES else ()
        )  # what the dataset was made from stays where it is
    if _was_returned(trail) and _MILESTONES.isdisjoint(site.kind for root in operand.roots for site in root):
        # How the function made it is its own affair, but not that what it was given was moved before, nor which layer is left.
        telling = "move" if operand.device.is_accelerator else "module"
        return (trail, *(root for root in operand.roots if root and root[0].kind == telling))
    if _was_fetched(operand) or any(site.kind.startswith(LEFT) and site.text for site in trail):
        return (trail,)  # what it was fetched from serves others; a part moves where it was left
    if not _MILESTONES.isdisjoint(kinds):
        return (trail, *operand.roots)
    was_cast = named and len(operand.roots) == 1 and trail[:1] and trail[0].kind == "cast"
    return (_named_as_cast(operand.roots[0], trail),) if was_cast else operand.roots


def _named_as_cast(root: Trail, cast: Trail) -> Trail:
    """The life of what got its name when it was cast: ``x = torch.from_numpy(a).float()``."""
    unnamed = bool(root) and root[0].kind in _ENTRIES and all(site.kind != "name" for site in root)
    return (*root, *cast[1:]) if unnamed else root


def _was_fetched(operand: Tensor) -> bool:
    """Whether a method of a plain object read what the object stores and handed it to one that named it."""
    born = operand.trail[0] if operand.trail else None
    if born is None:
        return False
    for site in operand.trail:
        if site.kind == "name" and site.scope != born.scope:
            break
    else:
        return False
    owner = born.scope.rpartition(".")[0]
    stored = (site for root in operand.roots for site in root if site.kind == "attribute")
    return bool(owner) and any(site.scope.rpartition(".")[0] == owner for site in stored)


def _was_returned(trail: Trail) -> bool:
    """Whether a value got names in several functions, or its only one where another has made it: one made it for another."""
    first = trail[0] if len(trail) > 1 and trail[0].kind == "result" and trail[1].kind == "name" else None
    for site in trail:
        if site.kind != "name":
            continue
        if first is None:
            first = site
        elif site.scope != first.scope or site.path != first.path:
            return True
    return False


def dtype_trails(value: Tensor) -> tuple[Trail, ...]:
    """The trails of the values from which a tensor has its dtype, on all paths; moves do not end them."""
    if value.typed or not value.trail:
        return value.typed
    return (value.trail, *(path.trail for path in value.elsewhere if path.dtype == value.dtype))


def inverted(interp: Interpreter, node: ast.AST) -> tuple[Trail, ...]:
    """Where whole numbers have their dtype from that ``~`` made: 0 and 1 are both something else by then."""
    return ((interp.site("inverted", node),),)


def divided(interp: Interpreter, node: ast.AST, dtypes: list[str | None], result: Tensor) -> Tensor:
    """A quotient: of whole numbers it has its dtype from the division alone."""
    if not all(dtype in INTEGERS for dtype in dtypes) or not (result.dtype or "").startswith("float"):
        return result
    return replace(result, typed=((interp.site("quotient", node),),))


def quotients(value: Tensor) -> list[Origin]:
    """The divisions of whole numbers by which alone a tensor is one of floats, if that is so."""
    made = [trail[0] for trail in value.typed]
    return made if made and all(site.kind == "quotient" for site in made) else []


def part_of_complex(interp: Interpreter, value: Tensor, node: ast.AST) -> tuple[Trail, ...]:
    """Where a part of complex numbers has its dtype from: where they have theirs, which is another one."""
    return tuple((*trail, interp.site("part", node)) for trail in dtype_trails(value))


def note_fractions(interp: Interpreter, operands: list[Tensor], *, beside_float: bool = False) -> None:
    """Remark which quotients of whole numbers are reckoned with as the fractions that they are."""
    found = {site for operand in operands for site in quotients(operand)}
    if found and (beside_float or any(_is_float(each) and not quotients(each) for each in operands)):
        interp.recorder.remarked.update(found)


def note_widened(interp: Interpreter, operands: list[Tensor], dtype: str | None) -> None:
    """Remark which arguments of the function came in as halves, and leave wider for what they are reckoned with."""
    if dtype not in _WIDE:
        return
    frame = interp.frame
    for operand in operands:
        if operand.dtype in _HALVES:
            given = [site for site in operand.trail if site.kind == "argument" and site.path == frame.path]
            site = next((each for each in reversed(given) if each.scope == frame.scope), None)
            if site is not None:
                interp.recorder.remarked.add(replace(site, kind="widened", text=str(operand.dtype)))


def _is_float(value: Tensor) -> bool:
    return (value.dtype or "").startswith(("float", "bfloat"))


def of_cast(value: Tensor, cast: Origin) -> tuple[Trail, ...]:
    """Where the result of a cast has its dtype from: the cast, unless what it casts has no 0 any more."""
    turned = tuple(trail for trail in value.typed if trail[0].kind == "inverted")
    return (*turned, (cast,)) if turned else ()


def common_dtype_trails(operands: list[Tensor], dtype: str | None) -> tuple[Trail, ...]:
    """Where a result computed from ``operands`` has its dtype from: those that have it already."""
    if dtype is None:
        return ()
    found: list[Trail] = []
    for operand in operands:
        if operand.dtype == dtype:
            found += [trail for trail in dtype_trails(operand) if trail not in found]
    return tuple(found[:_MAX_ROOTS])


def keep_split(result: Tensor, tensors: list[Tensor], *, elementwise: bool = False) -> Tensor:
    """A result of unknown device remembers the path on which its operands are on the CPU.

    ``elementwise``: it has as many dimensions as the operand that has most, whatever that is on this path.
    """
    split = next((t.split for t in tensors if t.split is not None), None)
    if split is None or result.device.is_known:
        return result
    if any(t.device.kind == "cpu" and t.rank not in (0, None) for t in tensors):
        return result  # there is none on the other path, where they do not fit
    rest = replace(result, device=split.split.device) if split.split is not None else None
    there = replace(result, device=split.device, roots=roots_of([split]), split=rest)
    if elementwise and there.rank is None:
        there = replace(there, rank=rank_of_broadcast([(each.split or each).rank for each in tensors]))
    return replace(result, split=there)
