"""Modules with a property that tells where their parameters are: a repair names the device by it."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TRANSLATOR = """import torch

class Translator(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(5, 4)
        self.fixed = torch.zeros(1)

    @property
    def {name}(self):
        {told}

    def search(self, words):
        encoded = self.embed(words)
        return encoded + self.embed(torch.tensor([3]))

device = torch.device("cuda")
model = Translator().to(device)
print(model.search(torch.tensor([1, 2]).to(device)))
"""


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize(
    "told",
    [
        "return next(self.parameters()).device",
        "return next(self.embed.parameters()).device",
        '"""Where it is."""\n        return self.embed.weight.device',
    ],
)
@pytest.mark.parametrize("name", ["device", "place"])
def test_the_property_names_the_device(name: str, told: str) -> None:
    after = fixed(TRANSLATOR.format(name=name, told=told))
    assert f"torch.tensor([3], device=self.{name})" in after
    assert not clashes(after)


@pytest.mark.parametrize(
    "told",
    [
        "return self.fixed.device",
        "return next(self.parameters())",
        "return str(next(self.parameters()).device)",
        "print(self)\n        return next(self.parameters()).device",
    ],
)
def test_another_property_tells_nothing(told: str) -> None:
    after = fixed(TRANSLATOR.format(name="device", told=told))
    assert "device=self.device" not in after
    assert not clashes(after)


def test_a_method_that_is_no_property_is_not_read() -> None:
    text = TRANSLATOR.format(name="device", told="return next(self.parameters()).device")
    assert "device=self.device" not in fixed(text.replace("    @property\n", ""))


def test_a_model_that_stays_on_the_cpu_is_not_asked() -> None:
    text = TRANSLATOR.format(name="device", told="return next(self.parameters()).device")
    assert fixed(text.replace(".to(device)", "")) == text.replace(".to(device)", "")
