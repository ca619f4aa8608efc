"""Lightning's ``self.save_hyperparameters()``: what the constructor was given becomes ``self.hparams``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import NONE, Const, External, Obj, Ref, Value
from devfix.analysis.language import iteration

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite, Frame

_ATTRIBUTE = "hparams"
#: What is asked of options by their names, as these are.
_OPTIONS = External("argparse.Namespace")


def save(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``save_hyperparameters("lr", ignore=["net"])``: all arguments of the constructors, or some of them."""
    if not site.open:
        found = _given(interp, ref)
        named = [arg.value for arg in site.args]
        if any(scalar_type(value) != "str" for value in named):
            held = interp.obj_of(named[0])
            found = dict(held.attrs) if held is not None and len(named) == 1 else {}
        elif named:
            found = {key: value for key, value in found.items() if Const(key) in named}
        left_out = _names(interp, site.value(None, "ignore"))
        attrs = {key: value for key, value in found.items() if Const(key) not in left_out}
        options = interp.new(Obj("external", _OPTIONS, attrs=attrs))
        interp.update(ref, interp.obj(ref).with_attr(_ATTRIBUTE, options))
    return NONE


def _given(interp: Interpreter, ref: Ref) -> dict[str, Value]:
    """The arguments of the constructors that are at work; those of a class below count more than those above."""
    found: dict[str, Value] = {}
    for frame in reversed(interp.stack):
        if frame.receiver == ref and frame.scope.endswith(".__init__"):
            found.update(_arguments(interp, frame))
    return found


def _arguments(interp: Interpreter, frame: Frame) -> dict[str, Value]:
    if frame.function is None:
        return {}
    spec = frame.function.node.args
    names = [each.arg for each in (*spec.args[1:], *spec.kwonlyargs)]
    values = {name: interp.state.get(frame.id, name) for name in names}
    spread = interp.obj_of(interp.state.get(frame.id, spec.kwarg.arg)) if spec.kwarg is not None else None
    extra = dict(spread.attrs) if spread is not None else {}
    return {**extra, **{name: value for name, value in values.items() if value is not None}}


def _names(interp: Interpreter, told: Value | None) -> tuple[Value, ...]:
    """The names that ``ignore=`` tells: one, or several."""
    if told is None or told == NONE:
        return ()
    return iteration.exact_items(interp, told) or (told,) if scalar_type(told) != "str" else (told,)
