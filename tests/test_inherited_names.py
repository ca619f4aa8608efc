"""Attributes that a class has from those above it, by whose names no buffer can be registered."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
import torch
from reality import run
from text_program import fix_texts
from torch import nn

from devfix.findings import Applicability
from devfix.placement.modules.inherited_names import OF_LAYERS

#: What layers need to be made.
GIVEN = {
    "cutoffs": [2], "kernel_size": 1, "lower": 0.0, "mode": "LSTM", "n_classes": 4, "norm_type": 2, "num_chunks": 4,
    "output_size": 1, "bias": True, "threshold": 0.1, "unflattened_size": (1,), "upper": 1.0, "value": 0.0,
    "decoder_layer": nn.TransformerDecoderLayer(2, 1), "encoder_layer": nn.TransformerEncoderLayer(2, 1),
}  # fmt: skip


def layers() -> Iterator[nn.Module]:
    for name, cls in vars(nn).items():
        is_layer = inspect.isclass(cls) and issubclass(cls, nn.Module)
        if not is_layer or cls is nn.Module or name in ("DataParallel", "LinearCrossEntropyLoss"):
            continue
        cell = name in ("RNN", "LSTM", "GRU")
        asked = (
            ["input_size", "hidden_size"] if cell else list(inspect.signature(cls.__init__).parameters)[1:]
        )
        defaults = {} if cell else inspect.signature(cls.__init__).parameters
        needed = [
            each
            for each in asked
            if cell or (defaults[each].default is inspect.Parameter.empty and each not in ("args", "kwargs"))
        ]
        if name.startswith("Fractional"):
            needed.append("output_size")
        yield cls(**{each: GIVEN.get(each, 2) for each in needed})


@pytest.mark.filterwarnings("ignore")
def test_all_that_layers_set_is_known() -> None:
    own = {
        name
        for layer in layers()
        for kept in (vars(layer), layer._parameters, layer._buffers, layer._modules)
        for name in kept
        if not name.startswith("_")
    }
    assert (
        own
        - set(vars(nn.Module()))
        - {f"{kind}_{end}_l0" for kind in ("weight", "bias") for end in ("ih", "hh")}
        - {str(number) for number in range(9)}
        <= OF_LAYERS
    )


KEPT = """
import torch
from torch import nn

{above}

class Keeper({base}):
    def __init__(self):
        super().__init__({given})
        self.{name} = torch.full((3,), 0.5)

    def forward(self, x):
        return x * self.{name}

    def grown(self, x):
        return x + self.{name}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 3), Keeper()).to(device)
x = torch.ones(2, 3, device=device)
shown = model[1].grown(model(x)).shape
"""
ABOVE = """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = None
"""


@pytest.mark.parametrize(
    ("above", "base", "given", "name"),
    [
        ("", "nn.Dropout", "", "p"),
        ("", "nn.Linear", "3, 3", "bias"),
        ("class Drop(nn.Dropout): pass", "Drop", "", "p"),
        (ABOVE, "Base", "", "scale"),
        (f"{ABOVE}\nclass Middle(Base): pass", "Middle", "", "scale"),
        ("class Base(nn.Module):\n    scale = 1", "Base", "", "scale"),
    ],
)
def test_what_a_class_above_sets_is_moved_and_not_registered(
    above: str, base: str, given: str, name: str
) -> None:
    text = KEPT.format(above=above, base=base, given=given, name=name)
    if base == "nn.Linear":
        text = text.replace("torch.full((3,), 0.5)", "None\n        self.bias = nn.Parameter(torch.ones(3))")
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "register_buffer" not in after
    assert run(after)["shown"] == torch.Size([2, 3])
    assert base == "nn.Linear" or after != text


@pytest.mark.parametrize(("base", "given"), [("nn.Module", ""), ("nn.Linear", "3, 3"), ("nn.Sequential", "")])
def test_other_names_are_registered(base: str, given: str) -> None:
    text = KEPT.format(above="", base=base, given=given, name="mask")
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert 'self.register_buffer("mask", torch.full((3,), 0.5), persistent=False)' in after
    assert run(after)["shown"] == torch.Size([2, 3])
