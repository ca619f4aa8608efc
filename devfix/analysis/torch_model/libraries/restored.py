"""Models of the project that a library makes from a file: ``Net.load_from_checkpoint(path)``, ``Net.from_pretrained(path)``.

What they are made with is in the file, and nobody knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import NONE, UNKNOWN, Class, External, Function, Ref, Value
from devfix.analysis.language import construction
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import lightning_methods
from devfix.analysis.torch_model.tensors.arguments import device_of
from devfix.analysis.torch_model.training import storage_mapping

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What makes one, the class outside the project that it is a method of, and which of its arguments the model is not given.
_CHECKPOINT = "load_from_checkpoint"
_OF_FILE = frozenset("checkpoint_path map_location hparams_file strict weights_only".split())
_PRETRAINED, _TRANSFORMERS = "from_pretrained", "transformers."
#: Arguments by which a model is placed elsewhere than on the CPU as it is loaded.
_PLACING = ("device_map", "load_in_8bit", "load_in_4bit", "quantization_config")


def restore(interp: Interpreter, cls: Class, name: str, site: CallSite) -> Value | None:
    """The model that such a method makes; None for any other method."""
    above = modules.external_bases(interp, cls)
    hook: Value | None = None
    if name == _CHECKPOINT and lightning_methods.MODULE in above:
        given = {key: arg for key, arg in site.keywords.items() if key not in _OF_FILE}
        made = _made(interp, cls, CallSite(site.node, (), given, open=True, spread=True))
        place = _mapped(interp, site)
        hook = classes.find(interp, cls, "on_load_checkpoint")
    elif name == _PRETRAINED and any(base.startswith(_TRANSFORMERS) for base in above):
        config = Arg(site.value(None, "config") or UNKNOWN)
        made = _made(interp, cls, CallSite(site.node, (config, *site.args[1:])))
        place = CPU if all(site.value(None, key) in (None, NONE) for key in _PLACING) else UNKNOWN_DEVICE
    else:
        return None
    if not isinstance(made, Ref):
        return UNKNOWN
    modules.transform(interp, made, lambda own: replace(own, device=place, dtype=None))
    if isinstance(hook, Function):
        mapped = {key: arg for key, arg in site.keywords.items() if key == "map_location"}
        with interp.recorder.mute():
            held = interp.call(External("torch.load"), CallSite(site.node, site.args, mapped))
            interp.call_function(hook, [made, held], site.node)
    return made


def _made(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    with interp.recorder.mute():
        return construction.instantiate(interp, cls, site)


def _mapped(interp: Interpreter, site: CallSite) -> Device:
    """Where the tensors of a file are; without ``map_location`` where they were when it was written."""
    told = site.value(1, "map_location")
    found = storage_mapping.device(interp, told, site) or (
        device_of(told) if told not in (None, NONE) else None
    )
    return found if found is not None and found.is_known else UNKNOWN_DEVICE
