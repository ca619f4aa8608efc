"""Parameters that a module has in its lists and that belong to other modules: these move with it, as far as they go."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import Obj, Ref, Tensor, TupleValue, Value
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: The fact of a list of parameters that has the modules of which it holds every parameter.
WHOLE = "all parameters of"


def note(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """Keep of a list of parameters that it was given all those of a module: ``params.extend(net.parameters())``."""
    value = site.args[0].value if len(site.args) == 1 else None
    if value is None or not _lists_all(site.args[0].node):
        return
    obj = interp.obj_of(value)
    element = obj.element if obj is not None else getattr(value, "element", None)
    if not isinstance(element, Tensor) or not element.parameter or element.owner is None:
        return
    listed = interp.obj(ref)
    interp.update(ref, listed.with_fact(WHOLE, TupleValue((*_whole(listed), Ref(element.owner)))))


def _lists_all(node: ast.expr | None) -> bool:
    """``net.parameters()``, ``list(net.parameters())`` or ``[*net.parameters()]``."""
    if isinstance(node, (ast.List, ast.Tuple)):
        [inner] = node.elts if len(node.elts) == 1 else [None]
        return isinstance(inner, ast.Starred) and _lists_all(inner.value)
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple"):
        return len(node.args) == 1 and _lists_all(node.args[0])
    return isinstance(node.func, ast.Attribute) and node.func.attr == "parameters" and not node.args


def _whole(obj: Obj) -> tuple[Value, ...]:
    known = obj.facts.get(WHOLE)
    return known.items if isinstance(known, TupleValue) else ()


@dataclass(frozen=True)
class Lent:
    """Other modules whose parameters a module has all of, and parameters of others of which it has some."""

    whole: list[Ref]
    some: list[Tensor]


def of(interp: Interpreter, ref: Ref) -> Lent:
    """What a module and its parts have of other modules."""
    parts = modules.tree(interp, ref)
    own = {part.address for part in parts}
    objects = [interp.obj(part) for part in parts]
    listed = [each for obj in objects for each in _whole(obj) if isinstance(each, Ref)]
    whole = [each for each in listed if each.address not in own]
    known = own.union(each.address for each in whole)
    return Lent(whole, [tensor for obj in objects for tensor in _of_others(obj, known)])


def _of_others(obj: Obj, known: set[int]) -> Iterator[Tensor]:
    for held in (*(obj.items or ()), obj.element):
        if isinstance(held, Tensor) and held.owner is not None and held.owner not in known:
            yield held


def follow(
    interp: Interpreter, lent: Lent, device: Device | None, change: Callable[[Tensor], Tensor]
) -> None:
    """What a change of a module, such as a move to a device, makes of what it has of others.

    Buffers stay as they are. Of modules of which it has some parameters it is not known which.
    """
    for each in lent.whole:
        modules.transform(interp, each, lambda tensor: change(tensor) if tensor.parameter else tensor)
    if device is not None:
        for tensor in lent.some:
            modules.forget_parameters(interp, tensor, device)
