"""Chained programs: a package whose files hand on a value from where it is made to where it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from repair.assembly import Assembly
from repair.carried_program import Texts
from repair.carried_value import TYPES, Making
from repair.chain import Chain, Stage
from repair.chained_use import MAKERS, ChainedUse
from repair.chained_value import ChainedValue
from repair.device_choice import SETTINGS_IMPORTS, DeviceChoice
from repair.package_text import files, in_package, with_imported

_REGISTRY = """MAKERS = {}


def register(name):
    def keep(function):
        MAKERS[name] = function
        return function

    return keep


def build(name, *args, **options):
    return MAKERS[name](*args, **options)"""
_IMPORTS = (
    "import copy",
    "import random",
    "from importlib import import_module",
    "import numpy as np",
    "import torch",
    "from torch import nn",
    "from functools import cached_property",
    "from types import SimpleNamespace",
)


@dataclass(frozen=True)
class ChainedProgram:
    """What is carried through which files, where it is used, how the device is named, and what puts the files together."""

    chain: Chain
    value: ChainedValue
    use: str
    choice: DeviceChoice
    assembly: str = "entry"
    is_recorded: bool = False
    layout: str = "flat"

    def texts(self, *, wrong: bool) -> Texts:
        """Its files, with the mistake or without."""
        value, choice = self.value, self.choice
        making = self._making(wrong=wrong)
        stages = list(self.chain.stages(making, TYPES.get(value.form[0], "torch.Tensor"), choice))
        form = "host right" if value.form == "host" and not wrong else value.form
        told = (choice.device, choice.given) if value.late else ("", "")
        use = ChainedUse(form, self.use, stages[-1].carrier, value.late and not wrong, told)
        texts = {"settings": choice.settings, "blocks": value.blocks[0 if wrong else 1]}
        texts["registry"] = _REGISTRY if "registered" in self.chain.styles else ""
        texts |= {"network": use.network(), **{stage.name: stage.text for stage in stages}}
        texts |= {**use.beside(), "trainer": use.trainer()}
        texts |= Assembly(self.assembly, tuple(self._lines(stages, wrong=wrong)), choice).texts()
        imports = [*making.imports, *(line for carrier in self.chain.carriers for line in carrier.imports)]
        silent = [stage.name for stage in stages if stage.silent]
        found = files([*imports, *_IMPORTS, *SETTINGS_IMPORTS], texts)
        return in_package(found, silent) if self.layout == "package" else with_imported(found, silent)

    def _making(self, *, wrong: bool) -> Making:
        """How the value is made, perhaps beside another one."""
        making = self.choice.made_here(self.value.wrong if wrong else self.value.right)
        if not self.is_recorded:
            return making
        scale = self.choice.said("torch.full((4,), 1.5, device=device)")
        return replace(making, expression=f"{{'value': {making.expression}, 'scale': {scale}}}")

    def fits(self) -> bool:
        """Whether there is such a package."""
        choice = self.choice
        makings = (self._making(wrong=False), self._making(wrong=True))
        if not all(self.chain.fits(making, choice) for making in makings):
            return False
        stages = list(self.chain.stages(makings[0], "torch.Tensor", choice))
        return Assembly(self.assembly, tuple(self._lines(stages, wrong=True)), choice).fits()

    def _lines(self, stages: Sequence[Stage], *, wrong: bool) -> list[str]:
        """What puts the parts together, in order."""
        handle, said = stages[-1].carrier.handle, self.choice.said
        calls = [stage.call for stage in stages if stage.call]
        lines = [f"features = {said('torch.randn(32, 4).to(device)')}"]
        if self.value.form == "optimizer":
            moved = said("model.to(device)")
            lines += ["model = Net()", *calls, moved] if wrong else ["model = Net()", moved, *calls]
        else:
            own = f"model = {said('Net(HERE).to(device)')}"
            own = own.replace("HERE", handle if self.use == "forward" else "")
            lines += [*calls, *([] if self.value.form == "model" else [own])]
        if self.use == "hook":
            lines.append(f"model.register_forward_hook(OutputHook({handle}))")
        given = {"forward": [], "hook": []}.get(self.use, [handle])
        if self.use in MAKERS:
            given = [f"{MAKERS[self.use]}({handle})"]
        if self.use in ("callback", "average"):
            lines.append(f"report = {given[0]}")
            given = ["report"]
        given = given if self.value.form == "model" else ["model", *given]
        given += [self.choice.given] if self.value.late and self.choice.given else []
        return [*lines, f"trainer = Trainer({', '.join(given)})"]
