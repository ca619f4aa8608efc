"""Chained programs: a package whose files hand on a value from where it is made to where it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from repair.assembly import Assembly
from repair.carried_program import Texts
from repair.carried_value import TYPES
from repair.chain import Chain, Stage
from repair.chained_use import MAKERS, ChainedUse
from repair.chained_value import ChainedValue
from repair.device_choice import SETTINGS_IMPORTS, DeviceChoice
from repair.package_text import files

_IMPORTS = (
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

    def texts(self, *, wrong: bool) -> Texts:
        """Its files, with the mistake or without."""
        value, choice = self.value, self.choice
        making = choice.made_here(value.wrong if wrong else value.right)
        stages = list(self.chain.stages(making, TYPES.get(value.form[0], "torch.Tensor"), choice))
        form = "host right" if value.form == "host" and not wrong else value.form
        use = ChainedUse(form, self.use, stages[-1].carrier)
        texts = {"settings": choice.settings, "blocks": value.blocks[0 if wrong else 1]}
        texts |= {"network": use.network(), **{stage.name: stage.text for stage in stages}}
        texts |= {**use.beside(), "trainer": use.trainer()}
        texts |= Assembly(self.assembly, tuple(self._lines(stages, wrong=wrong)), choice).texts()
        imports = [*making.imports, *(line for carrier in self.chain.carriers for line in carrier.imports)]
        return files([*imports, *_IMPORTS, *SETTINGS_IMPORTS], texts)

    def fits(self) -> bool:
        """Whether there is such a package."""
        value, choice = self.value, self.choice
        makings = (choice.made_here(value.right), choice.made_here(value.wrong))
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
        if self.use == "callback":
            lines.append(f"report = Report({handle})")
            given = ["report"]
        given = given if self.value.form == "model" else ["model", *given]
        return [*lines, f"trainer = Trainer({', '.join(given)})"]
