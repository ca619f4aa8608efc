"""Axes of matplotlib, which read what they draw in the host's memory, as the functions of ``pyplot`` do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: One of several axes in a grid is known as the grid is: each of them draws.
AXES = "matplotlib.axes.Axes"
FIGURE = "matplotlib.figure.Figure"
#: A grid has rows and columns.
_DIMENSIONS = 2
#: What axes draw besides what ``pyplot`` has a function for.
_DRAWN = frozenset("plot_surface plot_trisurf plot_wireframe bar3d scatter3D plot3D".split())
_MORE_AXES = frozenset("twinx twiny inset_axes secondary_xaxis secondary_yaxis".split())
_OTHER_GRIDS = frozenset("ravel flatten reshape transpose tolist".split())
_OF_FIGURES = frozenset("add_subplot add_axes gca".split())


def axes(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``plt.subplot(...)``, ``plt.gca()``."""
    return interp.new(Obj("external", External(AXES)))


def figure(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``plt.figure(...)``."""
    return interp.new(Obj("external", External(FIGURE)))


def subplots(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``plt.subplots(...)``: the figure, and its axes or the grid of them."""
    return TupleValue((figure(interp, name, site), _grid(interp)))


def _grid(interp: Interpreter) -> Ref:
    """Axes, or rows of axes: a loop over them gives some, as does one over those."""
    found = None
    for _ in range(_DIMENSIONS + 1):
        found = interp.new(Obj("external", External(AXES), element=found))
    assert found is not None
    return found


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``axes.flat``; None for methods."""
    if name in ("flat", "T"):
        return ref
    return UNKNOWN if name in ("figure", "shape", "size") else None


def axes_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``axes.plot(x, y)`` reads its arguments; a grid in another form is the same axes."""
    if name in _OTHER_GRIDS | _MORE_AXES:
        return ref
    if name in _DRAWN or host_memory.converts(f"matplotlib.pyplot.{name}"):
        return host_memory.reads(interp, f"{AXES}.{name}", site)
    return UNKNOWN


def figure_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``figure.add_subplot(...)``."""
    if name == "subplots":
        return _grid(interp)
    return axes(interp, name, site) if name in _OF_FIGURES else UNKNOWN


METHODS: dict[str, Callable[[Interpreter, Ref, Obj, str, CallSite], Value]] = {
    AXES: axes_method,
    FIGURE: figure_method,
}
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"matplotlib.pyplot.{name}": axes for name in ("subplot", "axes", "gca", "subplot2grid")},
    **{f"matplotlib.pyplot.{name}": figure for name in ("figure", "gcf")},
    "matplotlib.pyplot.subplots": subplots,
}
