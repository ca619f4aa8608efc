"""Named holders: where the object that keeps a module, itself or within other modules, got its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Obj, Ref, Union, Value
from devfix.analysis.reuse import reads
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: For each object the modules that hold it: directly (second item None) or in a plain list or dict (that).
Holders = dict[int, list[tuple[Ref, Ref | None]]]


def of(interp: Interpreter, top: Ref, held_by: Holders) -> tuple[Origin, ...]:
    """Where what holds the module got its name, and where an object keeps what it was given of it.

    The text is what its part is called there that is the module, or holds it.
    """
    parts = [top]
    for part in parts:
        found = _named(interp, part)
        if found:
            return found
        above = (whole for whole, plain in held_by.get(part.address, ()) if plain is None)
        parts += [whole for whole in above if whole not in parts]
    return ()


def _named(interp: Interpreter, held: Ref) -> tuple[Origin, ...]:
    for _, obj in reads.objects(interp):
        if obj.kind not in ("instance", "module"):
            continue
        path = next((path for path, value in _kept(obj) if _may_be(value, held)), None)
        site = next((site for site in reversed(obj.trail) if site.kind == "name"), None) if path else None
        if site is not None:
            sites = (site, *_kept_as_given(obj.trail))
            return tuple(replace(each, kind="holder", text=f"{each.text}{path}") for each in sites)
    return ()


def _kept_as_given(life: tuple[Origin, ...]) -> tuple[Origin, ...]:
    """Where an object that was an argument was stored at once."""
    *_, given, stored = (None, None, *life)
    if given is None or stored is None or given.kind != "argument" or stored.kind != "attribute":
        return ()
    return (stored,) if stored.scope == given.scope else ()


def _kept(obj: Obj) -> Iterator[tuple[str, Value]]:
    """What an object keeps, behind what stands for it after the object's name: ``.head``, ``[0]``."""
    yield from ((f".{name}", value) for name, value in obj.attrs.items())
    yield from ((f"[{number}]", value) for number, value in enumerate(obj.items or ()))


def _may_be(value: Value, ref: Ref) -> bool:
    """Whether a value is an object, or may be it."""
    if isinstance(value, Ref):
        return value.address == ref.address
    return isinstance(value, Union) and ref in value.members
