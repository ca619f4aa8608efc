"""Walks over the parts of a module: ``modules()``, ``named_children()`` and their kin, in PyTorch's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.modules import is_module
from devfix.analysis.values import Const, Ref, Scalar, TupleValue, Value, members

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: A part with its name in the module, which is None where nobody can tell it.
Named = tuple[str | None, Ref]

#: Under such names a module keeps the children that were added under computed ones.
_NAMELESS = "child "


def children(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.children()``."""
    return TupleValue(tuple(part for _, part in _children(interp, ref)))


def named_children(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.named_children()``."""
    return _pairs(_children(interp, ref))


def modules(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.modules()``."""
    return TupleValue(tuple(part for _, part in _tree(interp, ref)))


def named_modules(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.named_modules()``."""
    return _pairs(_tree(interp, ref))


def _pairs(named: Iterator[Named]) -> Value:
    return TupleValue(
        tuple(TupleValue((Scalar("str") if name is None else Const(name), part)) for name, part in named)
    )


def _children(interp: Interpreter, ref: Ref) -> Iterator[Named]:
    """The direct submodules, each once."""
    obj = interp.obj(ref)
    items = enumerate(obj.items or ())
    entries: list[tuple[str | None, Value]] = [
        *((None if name.startswith(_NAMELESS) else name, value) for name, value in obj.attrs.items()),
        *((str(number), value) for number, value in items),
        *([(None, obj.element)] if obj.element is not None else []),
    ]
    seen: set[Ref] = set()
    for name, value in entries:
        possible = members(value)
        for part in possible:
            if isinstance(part, Ref) and part not in seen and is_module(interp, part):
                seen.add(part)
                yield name if len(possible) == 1 else None, part


def _tree(interp: Interpreter, ref: Ref) -> Iterator[Named]:
    """The module itself, then everything below it, depth first, each once."""
    seen: set[Ref] = set()
    pending: list[Named] = [("", ref)]
    while pending:
        prefix, current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        yield prefix, current
        below = [(_joined(prefix, name), part) for name, part in _children(interp, current)]
        pending.extend(reversed(below))


def _joined(prefix: str | None, name: str | None) -> str | None:
    if prefix is None or name is None:
        return None
    return f"{prefix}.{name}" if prefix else name
