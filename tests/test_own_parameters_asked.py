"""Methods of modules that ask a Parameter for the device: one that they read, and that every object has."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

LAYER = """import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, wide=True):
        super().__init__()
        self.mix = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def total(self):
        shift = torch.ones(4)
        return shift * self.scale

def main():
    device = torch.device("cuda")
    layer = Layer().to(device)
    print(layer.total())

main()
"""
MADE = "        self.scale = nn.Parameter(torch.ones(4))\n"
OWN = "self.scale.device"
ANY = "next(self.parameters()).device"


def fixed(text: str) -> str:
    """The script with its safe fixes, which leave nothing where it was."""
    after = fix_texts(files(text))[0]["main.py"]
    assert not clashes(after)
    return after


def test_the_parameter_that_a_method_reads_is_asked() -> None:
    after = fixed(LAYER)
    assert f"shift = torch.ones(4, device={OWN})" in after
    assert ANY not in after


def test_a_base_makes_it() -> None:
    text = LAYER.replace("    def total(self):\n", "class Narrow(Layer):\n    def total(self):\n").replace(
        "layer = Layer()", "layer = Narrow()"
    )
    assert f"torch.ones(4, device={OWN})" in fixed(text)


@pytest.mark.parametrize(
    "made",
    [
        f"        if wide:\n    {MADE}",
        f"        if not wide:\n            return\n{MADE}",
        f"{MADE}        if not wide:\n            self.scale = None\n",
        "        self.register_parameter('scale', nn.Parameter(torch.ones(4)) if wide else None)\n",
    ],
)
def test_one_that_an_object_may_lack_is_not_asked(made: str) -> None:
    after = fixed(LAYER.replace(MADE, made).replace("return shift", "return shift if False else shift"))
    assert OWN not in after
    assert f"device={ANY}" in after


@pytest.mark.parametrize(
    "line",
    [
        "    del layer.scale",
        "    layer.scale = None",
        "    delattr(layer, 'scale')",
        "    setattr(layer, 'scale', None)",
    ],
)
def test_one_that_is_taken_away_somewhere_is_not_asked(line: str) -> None:
    after = fixed(LAYER.replace("def main():", f"def strip(layer):\n{line}\n\ndef main():"))
    assert OWN not in after
    assert f"device={ANY}" in after


def test_what_is_no_parameter_is_not_asked() -> None:
    text = LAYER.replace(MADE, "        self.scale = torch.ones(4)\n")
    text = text.replace("shift * self.scale", "self.mix(shift)")
    assert OWN not in fixed(text.replace("shift = torch", "size = self.scale.shape\n        shift = torch"))


def test_one_that_a_method_does_not_read_is_not_asked() -> None:
    after = fixed(LAYER.replace("shift * self.scale", "self.mix(shift)"))
    assert OWN not in after
    assert f"device={ANY}" in after


def test_what_a_constructor_calls_before_it_makes_one_does_not_ask_it() -> None:
    text = LAYER.replace(MADE, f"        self.begin = self.total(False)\n{MADE}")
    text = text.replace("def total(self):", "def total(self, late=True):")
    assert OWN not in fixed(text.replace("shift * self.scale", "shift * self.scale if late else None"))


def test_the_input_is_asked_rather() -> None:
    text = LAYER.replace("def total(self):", "def total(self, x):").replace(
        "shift * self", "x * shift * self"
    )
    after = fixed(text.replace("layer.total()", "layer.total(torch.ones(4, device=device))"))
    assert "torch.ones(4, device=x.device)" in after
