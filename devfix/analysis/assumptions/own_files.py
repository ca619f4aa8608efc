"""Own files: a script that goes on from a file that it writes itself has, in its first run, what it makes where there is none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import keyed_caches
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_objects
from devfix.analysis.domain.number_types import any_of_type
from devfix.analysis.domain.state import State, both, is_loaded, parted
from devfix.analysis.domain.values import NONE, Obj, Ref, Tensor, Value, members
from devfix.analysis.language import containers

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.project import Program
    from devfix.source import Source


def are_written(program: Program) -> bool:
    """Whether there is a call in the program that writes a checkpoint."""
    return any(map(writes, program.sources.values()))


def writes(source: Source) -> bool:
    """Whether there is such a call in a file."""
    return "torch.save(" in source.text


def tell(interp: Interpreter, a: State, b: State) -> None:
    """Of two paths, on one of which a file was read, each tells the other what attributes and entries are that came out of it.

    Where the script itself makes the file its first run has none, and goes the other way. Later ones have what is known
    to be in it, so tensors that it leaves on the CPU are there in some runs and elsewhere in others.
    """
    if not interp.is_script or not interp.recorder.saves_files or a.dead or b.dead:
        return
    _, heap = parted(a, b)
    for address in heap:
        mine, other = both(a, b, address)
        if mine is None or other is None or mine is other:
            continue
        for name, value in mine.attrs.items():
            if name in other.attrs:
                _part(interp, value, a, other.attrs[name], b)
                _part(interp, other.attrs[name], b, value, a)
        a.write(address, _told_of(mine, a, other, b))
        b.write(address, _told_of(other, b, mine, a))


def _part(interp: Interpreter, value: Value, state: State, other: Value, other_state: State) -> None:
    """Part the tensors of a dict or list that came out of a file from those of the one that is in its place on the other path."""
    if not isinstance(value, Ref) or not isinstance(other, Ref):
        return
    read, made = state.read(value.address), other_state.read(other.address)
    if read is None or made is None or read.kind not in ("dict", "list") or read.kind != made.kind:
        return
    if _is_read(interp, read):
        state.write(value.address, join_objects(read, made, split=True))


def fills_up(interp: Interpreter, node: ast.If) -> bool:
    """Whether a statement makes the entries of a dict that are not in it yet, where the others came out of a file."""
    found = keyed_caches.filling(node)
    cache = found.cache if found is not None else keyed_caches.looked_up(node)
    held = [interp.obj_of(each) for each in members(interp.eval(cache))] if cache is not None else []
    return any(obj is not None and obj.kind == "dict" and _is_read(interp, obj) for obj in held)


def _is_read(interp: Interpreter, held: Obj) -> bool:
    """Whether a dict or list came out of a file, or all tensors in it did, or are copies of such."""
    if held.trail and held.trail[0] in interp.loads:
        return True
    parts = [part for part in containers.everything(held) if isinstance(part, Tensor)]
    return bool(parts) and all(_comes_of(interp, part) for part in parts)


def _comes_of(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a tensor came out of a file, or was computed from such alone, as copies are."""
    lives = (tensor.trail,) if tensor.trail and tensor.trail[0] in interp.loads else tensor.roots
    return bool(lives) and all(life and life[0] in interp.loads for life in lives)


def _told_of(obj: Obj, state: State, other: Obj, other_state: State) -> Obj:
    attrs = {
        name: _told(value, state, other.attrs[name], other_state)
        for name, value in obj.attrs.items()
        if name in other.attrs
    }
    return replace(obj, attrs={**obj.attrs, **attrs})


def _told(value: Value, state: State, other: Value, other_state: State) -> Value:
    """A value, or the other one; of a number or a text that tells the type alone, and that there is nothing tells nothing."""
    if value is other or not is_loaded(state, value) or is_loaded(other_state, other) or other == NONE:
        return value
    return any_of_type(other) or other
