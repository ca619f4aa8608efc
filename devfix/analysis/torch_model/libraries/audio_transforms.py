"""The transforms of torchaudio: modules that have windows and filters as buffers, or nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import UNKNOWN, Const, External, Obj, Ref, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.modules import weights
from devfix.analysis.torch_model.tensors import operations, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

PACKAGE = "torchaudio.transforms."
#: Those that register tensors when they are made, as torchaudio's own code says.
_WITH_BUFFERS = frozenset(
    "Spectrogram InverseSpectrogram GriffinLim MelScale InverseMelScale MelSpectrogram MFCC LFCC Resample TimeStretch "
    "SpectralCentroid PitchShift".split()
)
_PLAIN = frozenset(
    "AmplitudeToDB FrequencyMasking TimeMasking SpecAugment ComputeDeltas SlidingWindowCmn Vol Fade Preemphasis Deemphasis".split()
)


def construct(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``MelSpectrogram(16000)``: its buffers are on the CPU, and move as those of any module."""
    last = name.rpartition(".")[2]
    if last not in _WITH_BUFFERS | _PLAIN:
        return None
    trail = (interp.site("module", site.node),)
    has_buffers = last in _WITH_BUFFERS and not (last == "Resample" and _may_be_idle(site))
    held = Tensor(dtype="float32", rank=AT_LEAST_1, grad=False, leaf=True, trail=trail)
    return interp.new(Obj("module", External(name), place=held if has_buffers else None, trail=trail))


def _may_be_idle(site: CallSite) -> bool:
    """Whether ``Resample(a, b)`` may be told to keep the rate, so that it needs no kernel."""
    rates = [site.value(0, "orig_freq") or _RATE, site.value(1, "new_freq") or _RATE]
    return not all(isinstance(rate, Const) for rate in rates) or rates[0] == rates[1]


#: What both rates are where nobody says another.
_RATE = Const(16000)


def is_one(obj: Obj) -> bool:
    """Whether an object is a transform of torchaudio."""
    return isinstance(obj.cls, External) and obj.cls.name.startswith(PACKAGE)


def call(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    """``transform(waveform)``: the waveform meets the buffers."""
    arg = site.args[0] if site.args else next(iter(site.keywords.values()), None)
    value = without_none(arg.value) if arg is not None else None
    if arg is None or not isinstance(value, Tensor):
        return UNKNOWN
    parts, detail = [Part(value, "waveform", arg.node)], None
    device = value.device
    if obj.place is not None:
        callee = site.node.func if isinstance(site.node, ast.Call) else None
        weight, detail = weights.operand(interp, ref, obj.place, parts, callee)
        name = getattr(obj.cls, "name", "")
        device = requirements.meet(interp, site.node, name, [*parts, weight], scalars=False, detail=detail)
    made = operations.derived(interp, [value], site, None, AT_LEAST_1, device)
    return replace(made, grad=None, leaf=None)
