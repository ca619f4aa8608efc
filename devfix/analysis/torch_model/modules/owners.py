"""Why a module is where it is: which module holds it, registered or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    NONE,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Obj,
    Partial,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
)
from devfix.analysis.language.containers import everything
from devfix.analysis.language.iteration import NAMED
from devfix.analysis.nn import modules
from devfix.analysis.record.trails import Trail, extend
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.modules import keepers, module_rows, named_holders
from devfix.analysis.torch_model.modules.named_holders import Holders

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.torch_model.tensors.requirements import Part


#: What puts a module's tensors where they are; else its own life tells it.
_LOADED = ("host-checkpoint", "replaced")
_PLACED = ("move", *_LOADED)


#: Under which fact a module is known to run with tensors that it was given for one call: they have their own lives.
SUBSTITUTED = "substituted"


def holders(interp: Interpreter) -> Holders:
    """What every module holds, seen from what is held; sought again once something that holds others has changed."""
    objects = [pair for pair in reads.objects(interp) if pair[1].kind in _HOLDING]
    known = interp.holders
    if known is None or known[0] != objects:
        known = interp.holders = (objects, _sought(interp, objects))
    return known[1]


#: What holds modules, or lists and dicts of them.
_HOLDING = frozenset({"module", "instance", "list", "dict"})


def _sought(interp: Interpreter, objects: list[tuple[int, Obj]]) -> Holders:
    found: Holders = {}
    for address, obj in objects:
        if obj.kind not in ("module", "instance"):
            continue
        owner = Ref(address)
        if not modules.is_module(interp, owner):
            continue
        for held in _references((*obj.attrs.values(), *(obj.items or ()), obj.element)):
            if held != owner:
                found.setdefault(held.address, []).append((owner, None))
            for inner in _listed(interp, held):
                found.setdefault(inner.address, []).append((owner, held))
    return found


def _references(values: Iterable[Value | None]) -> Iterator[Ref]:
    for value in values:
        if isinstance(value, Ref):
            yield value
        elif isinstance(value, Union):
            yield from (member for member in value.members if isinstance(member, Ref))


def _listed(interp: Interpreter, container: Ref, depth: int = 2) -> Iterator[Ref]:
    """What a plain list or dict, and the ones in it, refer to."""
    obj = interp.obj_of(container)
    if obj is None or obj.kind not in ("list", "dict"):
        return
    for held in _references(module_rows.in_tuples(everything(obj))):
        yield held
        if depth:
            yield from _listed(interp, held, depth - 1)


#: What is no module, whatever is known of it.
_NO_MODULES = frozenset({Function, BoundMethod, External, Const, Scalar, TupleValue, Partial})


def root(interp: Interpreter, ref: Ref) -> tuple[Ref, Ref | None]:
    """The outermost module above ``ref``, and the plain container on the way, if there is one.

    Moving the outermost module moves everything registered below it; what a plain list holds is
    left behind. Above a module that joined one after its move the search ends: nobody moves it. So it does
    where all others of a module's parts were moved one by one. A wrapper such as ``DataParallel`` is not asked: it may be there in some runs only, its module always.
    Of several that hold a module the one counts that is running, or is a part of what is.
    """
    current, seen = ref, {ref}
    held_by = holders(interp)
    while True:
        above = [pair for pair in held_by.get(current.address, ()) if pair[0] not in seen]
        direct = [pair for pair in above if pair[1] is None and "wrapped" not in interp.obj(pair[0]).facts]
        holder = _running(interp, held_by, [owner for owner, _ in direct]) if direct else None
        if holder is not None and (
            _joined_late(interp, current, holder) or _is_left_out(interp, current, holder)
        ):
            return current, None
        if holder is not None:
            current = holder
            seen.add(current)
            continue
        container = above[0][1] if above else None
        return current, container if container is not None and not _holds_others(interp, container) else None


def _holds_others(interp: Interpreter, container: Ref) -> bool:
    """Whether a list or dict holds what no ``ModuleList`` takes, such as functions or numbers: it is none of modules."""
    held = (each for value in everything(interp.obj(container)) for each in members(value))
    return any(
        each.__class__ in _NO_MODULES and each != NONE and not module_rows.is_row(interp, each)
        for each in held
    )


def _running(interp: Interpreter, held_by: Holders, owners: list[Ref]) -> Ref:
    """The first of some modules that runs or is held by one that does; if none is, the first of all.

    What was taken out of one network and put into another one is held by both.
    """
    if len(owners) == 1:
        return owners[0]
    running = {frame.receiver for frame in interp.stack if frame.receiver is not None}
    for owner in owners:
        chain, seen = [owner], {owner}
        for each in chain:
            if each in running:
                return owner
            above = [holder for holder, _ in held_by.get(each.address, ()) if holder not in seen]
            chain += above
            seen.update(above)
    return owners[0]


def _joined_late(interp: Interpreter, part: Ref, whole: Ref) -> bool:
    return MOVED in interp.obj(whole).facts and MOVED not in interp.obj(part).facts


def _is_left_out(interp: Interpreter, part: Ref, whole: Ref) -> bool:
    """Whether all of a module that was not moved itself is on the accelerator but one part, on the CPU."""
    if MOVED in interp.obj(whole).facts:
        return False
    own = {id(tensor) for tensor in modules.tensors(interp, part)}
    others = 0
    for tensor in modules.each_tensor(interp, whole):  # the first one of most is on the CPU
        if id(tensor) not in own:
            if not tensor.device.is_accelerator:
                return False
            others += 1
    return others > 0


def described(interp: Interpreter, ref: Ref, place: Tensor) -> tuple[Tensor, dict[str, str]]:
    """A parameter of ``ref`` as an operand, and what a mismatch with it should know of the module.

    When it never moved its trail is its module's life.
    """
    top, container = root(interp, ref)
    kept = keepers.kept_by(interp, top) if container is None else None
    details = _detail(interp, top, container, kept)
    if place.trail and (place.trail[0].kind in _PLACED or place.device != CPU):
        return place, details
    if container is not None:
        return replace(place, trail=interp.obj(container).trail or place.trail), details
    roots = (interp.obj(kept).trail,) if kept is not None else place.roots
    return replace(place, trail=_life(interp, top, ref) or place.trail, roots=roots), details


def lives(interp: Interpreter, ref: Ref, parameter: Tensor) -> Tensor:
    """A parameter handed out by the module ``ref``: it never moved, so its trail is the module's life."""
    if parameter.device != CPU or (parameter.trail and parameter.trail[0].kind in _PLACED):
        return parameter
    top, container = root(interp, ref)
    if container is not None:
        return parameter
    return replace(parameter, trail=_life(interp, top, ref) or parameter.trail)


#: What a mismatch says of an operand that is a parameter in a plain list or dict of a module, or comes of a layer there.
UNREGISTERED, MODULES = "parameters", "modules"


def explained(interp: Interpreter, parts: list[Part]) -> tuple[list[Part], dict[str, str]]:
    """The operands of a mismatch of devices, and what is to be said of the one to blame, the first.

    What an unmoved module registered, and what comes of it, has that module's life; a parameter in a plain list or
    dict, or of a module there, that of the container. Such a tensor is known by where it was made: who keeps it is seen
    on the heap alone.
    """
    found = [_explained(interp, part) for part in parts]
    first = found[0][1] if found else _Life()
    details = {"unregistered": first.listed} if first.listed else {}
    return [part for part, _ in found], details | ({"keys": first.keys} if first.keys else {})


class _Life(NamedTuple):
    """What became of what keeps a tensor; with ``listed`` that is a plain container of such things, with such ``keys``."""

    trail: Trail = ()
    listed: str = ""
    keys: str = ""


def _listing(interp: Interpreter, container: Obj, listed: str) -> _Life:
    keys = module_rows.described(interp, container).get("keys", "")
    return _Life(container.trail, listed, keys)


def _explained(interp: Interpreter, part: Part) -> tuple[Part, _Life]:
    """An operand with the life of what keeps it, and that of the plain container that holds it: none for most."""
    tensor = part.tensor
    trails = (tensor.trail, *tensor.roots)
    if tensor.device != CPU:
        return part, _Life()
    life = _life_above if is_of_module(tensor) else _life_of
    # What was loaded to the CPU, and took the place of a module's own, is where its load says. What a module registered
    # moves with it, wherever that was put before.
    placed = _PLACED if life is _life_above else _LOADED
    lives = [_Life() if trail and trail[0].kind in placed else life(interp, trail) for trail in trails]
    listed = next((life for life in lives if life.listed), None)
    if listed is not None:  # what comes of what is listed is where the list is to be mended
        return replace(part, tensor=replace(tensor, trail=listed.trail, roots=())), listed
    if not any(life.trail for life in lives):
        return part, _Life()
    own, *roots = [life.trail or trail for life, trail in zip(lives, trails, strict=True)]
    return replace(part, tensor=replace(tensor, trail=own, roots=tuple(roots))), _Life()


def is_of_module(tensor: Tensor) -> bool:
    """Whether a tensor is a layer's parameter, or comes of one."""
    return any(trail and trail[0].kind == "module" for trail in (tensor.trail, *tensor.roots))


def _life_above(interp: Interpreter, trail: Trail) -> _Life:
    """The life of the unmoved model, or of the plain list, that holds the layer which began with ``trail``."""
    if not trail or trail[0].kind != "module":
        return _Life()
    for address, obj in reads.objects(interp):
        if obj.kind not in ("module", "instance") or obj.trail[:1] != trail[:1]:
            continue
        ref = Ref(address)
        if SUBSTITUTED in obj.facts or not modules.is_module(interp, ref):
            continue  # a copy may run with the tensors of what it was taken of
        top, container = root(interp, ref)
        if container is not None:
            return _listing(interp, interp.obj(container), MODULES)
        if top != ref and _has_stayed(interp, top):
            return _Life(_life(interp, top, ref))
    return _Life()


def _life_of(interp: Interpreter, trail: Trail) -> _Life:
    """The life of what keeps the registered tensor or listed parameter that began with ``trail``."""
    for address, obj in reads.objects(interp) if trail else ():
        ref = Ref(address)
        if obj.kind not in ("module", "instance") or not modules.is_module(interp, ref):
            continue
        if SUBSTITUTED in obj.facts:  # lent for a call, by who made it
            continue
        is_given = trail in _given(obj)
        if is_given or _begins_with(trail, _own(obj)):
            top, container = root(interp, ref)
            if top == ref and container is None and is_given:
                continue  # what a criterion was given that nothing holds is moved where it is made
            if container is not None:
                return _listing(interp, interp.obj(container), MODULES)
            # What a move begins the life of was put there before it was registered, unless the module moved.
            was_moved = trail[0].kind == "move" and "moved" in interp.obj(top).facts
            if _has_stayed(interp, top) and not was_moved:
                return _Life(_life(interp, top, ref))
        for value in obj.attrs.values():
            held = interp.obj_of(value)
            if held is not None and held.kind in ("list", "dict") and held.trail:
                kept = (part for part in everything(held) if isinstance(part, Tensor) and part.parameter)
                if _begins_with(trail, kept):
                    return _listing(interp, held, UNREGISTERED)
    return _Life()


def _own(obj: Obj) -> list[Tensor]:
    """What a module registers of its own; of torch's criteria that is none of what they were given."""
    return [part for name, part in modules.registered(obj) if name == "" or not _is_given_all(obj)]


def _given(obj: Obj) -> list[Trail]:
    """The lives of what a criterion of torch's was given, as far as it stayed on the CPU."""
    if not _is_given_all(obj):
        return []
    return [
        part.trail for name, part in modules.registered(obj) if name and part.device == CPU and part.trail
    ]


def _is_given_all(obj: Obj) -> bool:
    return obj.kind == "module" and obj.cls not in NAMED


def _has_stayed(interp: Interpreter, top: Ref) -> bool:
    """Whether a module was never moved: parts of it that were lost sight of tell nothing of the rest."""
    return all(part.device in (CPU, UNKNOWN_DEVICE) for part in _staying(interp, top))


def _staying(interp: Interpreter, top: Ref) -> list[Tensor]:
    """The tensors that must be on the CPU for a module to count as never moved.

    What joins a model late may hold layers that moved with the model: of it the module's own tensors count.
    """
    late = any(
        _joined_late(interp, top, whole)
        for whole, plain in holders(interp).get(top.address, ())
        if plain is None
    )
    return [part for _, part in modules.registered(interp.obj(top))] if late else modules.tensors(interp, top)


def _begins_with(trail: Trail, parts: Iterable[Tensor]) -> bool:
    """Whether one of the tensors, which stayed on the CPU, is what ``trail`` tells of."""
    return any(part.device == CPU and part.trail and trail[: len(part.trail)] == part.trail for part in parts)


def _life(interp: Interpreter, top: Ref, ref: Ref) -> Trail:
    trail = interp.obj(top).trail or interp.obj(ref).trail
    for held in named_holders.of(interp, top, holders(interp)):
        trail = extend(trail, held)
    return trail


def _detail(interp: Interpreter, top: Ref, container: Ref | None, kept: Ref | None) -> dict[str, str]:
    """What a mismatch with a module's parameters should know of the module, and of what keeps it."""
    found: dict[str, str] = {"module": class_name(interp.obj(top))}
    if container is not None or kept is not None:
        found["unregistered"] = "1"
    if container is not None:
        found.update(module_rows.described(interp, interp.obj(container)))
    if kept is not None:
        found["parts"] = " ".join(keepers.modules_in(interp, kept))
    above = holders(interp).get(top.address, ())
    if any(_joined_late(interp, top, whole) for whole, plain in above if plain is None):
        found["late"] = "1"
    return found


def class_name(obj: Obj) -> str:
    """The class of an object, for messages."""
    cls: Value = obj.cls
    if isinstance(cls, Class):
        return cls.node.name
    return getattr(cls, "name", "") or "module"
