"""Reparametrizations: functions of ``torch.nn`` that change how a module keeps its weights, and return it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.values import UNKNOWN, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def same(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The module that was given: its parameters stay where they are."""
    return site.value(0, "module") or UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(
    (
        "torch.nn.utils.weight_norm",
        "torch.nn.utils.remove_weight_norm",
        "torch.nn.utils.spectral_norm",
        "torch.nn.utils.remove_spectral_norm",
        "torch.nn.utils.parametrizations.weight_norm",
        "torch.nn.utils.parametrizations.spectral_norm",
        "torch.nn.utils.parametrizations.orthogonal",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    ),
    same,
)
