"""What was just put into a list or dict under a key that nobody knows: under the same key it is there, as long as neither changes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Ref, Value
from devfix.analysis.language.frames import Put
from devfix.analysis.text.syntax import remembered, spelt, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def note(interp: Interpreter, ref: Ref, value: Value, place: ast.expr | None) -> None:
    """``container[key] = value`` was executed, whose target is ``place``."""
    names = _names(place.slice) if isinstance(place, ast.Subscript) else None
    if names is None or not isinstance(place, ast.Subscript):
        return
    frame = interp.frame
    held = {name: interp.state.get(frame.id, name) for name in names}
    if None not in held.values():
        frame.put[ref.address] = Put(spelt(place.slice), held, interp.obj(ref), value)


def forget(interp: Interpreter, frame: int, name: str) -> None:
    """A name of a frame is bound anew, which may have been a key."""
    innermost = interp.stack[-1]
    for each in (innermost,) if frame == innermost.id else interp.stack:
        if each.put and each.id == frame:
            each.put = {address: put for address, put in each.put.items() if name not in put.names}


def found(interp: Interpreter, ref: Ref, place: ast.Subscript) -> Value | None:
    """What is in a container under a key, if that was put there, and neither container nor key has changed since."""
    frame = interp.frame
    put = frame.put.get(ref.address)
    if put is None or put.container is not interp.obj(ref) or spelt(place.slice) != put.key:
        return None
    same = all(interp.state.get(frame.id, name) is value for name, value in put.names.items())
    return put.value if same else None


@remembered
def _names(key: ast.expr) -> frozenset[str] | None:
    """The names in a key that is made of nothing but names and constants; None for any other, and for a constant."""
    parts = list(walk(key))
    if not all(isinstance(part, (ast.Name, ast.Constant, ast.Tuple, ast.expr_context)) for part in parts):
        return None
    return frozenset(part.id for part in parts if isinstance(part, ast.Name)) or None
