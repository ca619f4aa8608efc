"""Lists and dicts that hold modules and other things: no ``ModuleList`` takes those, so the modules move by themselves."""

import pytest
from text_program import check_texts, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def double(x):
    return 2 * x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = {held}
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return self.out({used})


model = Net().to(device)
print(model(torch.randn(3, 4).to(device)).sum())
"""
#: What holds the layer, and how it is used.
MIXED = [
    ("[{}, F.relu]", "self.parts[1](self.parts[0](x))"),
    ("[{}, double]", "self.parts[1](self.parts[0](x))"),
    ("[{}, lambda y: y + 1]", "self.parts[1](self.parts[0](x))"),
    ('{{"layer": {}, "scale": 0.5}}', 'self.parts["layer"](x) * self.parts["scale"]'),
    ('{{"layer": {}, "act": torch.tanh, "name": "tanh"}}', 'self.parts["act"](self.parts["layer"](x))'),
]


def program(held: str, used: str, layer: str = "nn.Linear(4, 4)") -> str:
    return files(PROGRAM.format(held=held.format(layer), used=used))["main.py"]


@pytest.mark.parametrize(("held", "used"), MIXED)
def test_the_layer_moves_and_what_holds_it_stays_what_it_is(held: str, used: str) -> None:
    texts, _ = fix_texts({"main.py": program(held, used)}, Applicability.UNSAFE)
    assert texts["main.py"] == program(held, used, "nn.Linear(4, 4).to(device)")
    assert check_texts(texts) == []


@pytest.mark.parametrize(
    ("held", "used", "kind"),
    [
        ("[{}, nn.ReLU()]", "self.parts[1](self.parts[0](x))", "ModuleList"),
        ('{{"layer": {}, "act": nn.Tanh()}}', 'self.parts["act"](self.parts["layer"](x))', "ModuleDict"),
    ],
)
def test_what_holds_nothing_but_modules_registers_them(held: str, used: str, kind: str) -> None:
    texts, _ = fix_texts({"main.py": program(held, used)}, Applicability.UNSAFE)
    assert texts["main.py"] == program(f"nn.{kind}({held})", used)


@pytest.mark.parametrize(("held", "used"), MIXED)
def test_a_layer_that_moves_already_stays(held: str, used: str) -> None:
    before = program(held, used, "nn.Linear(4, 4).to(device)")
    assert fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"] == before
