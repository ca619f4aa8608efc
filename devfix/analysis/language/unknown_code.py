"""Code outside of the project of which nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Value
from devfix.analysis.language import iteration
from devfix.analysis.nn.modules import havoc
from devfix.analysis.nn.reach import HOLDERS
from devfix.analysis.torch_model.devices import device_settings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite


def call(interp: Interpreter, site: CallSite) -> Value:
    """Code that nobody here knows got these arguments: modules among them may be anywhere now, iterators at any item."""
    for arg in site.all_args():
        iteration.lose_place(interp, arg.value)
        if isinstance(arg.value, HOLDERS):
            havoc(interp, arg.value)
    return device_settings.got(site) or UNKNOWN
