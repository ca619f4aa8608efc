"""An object's own device is named where it was told one, whatever it takes over when it is told none."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

SAMPLER = """
import torch
from torch import nn

class Schedule:
    def __init__(self, device):
        self.device = device

class Sampler:
    def __init__(self, model, schedule, device=None):
        self.model = model
        self.schedule = schedule
        if device is None:
            self.device = schedule.device
        else:
            self.device = device

    def sample(self, shape):
        x = torch.empty(shape)
        return self.model(x)

class Unused(Sampler):
    def sample(self, shape):
        return self.model(torch.randn(shape, device=self.device))

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 3).to(device)
    sampler = Sampler(model, Schedule(device), device=device)
    print(sampler.sample((2, 3)))

main()
"""


def test_the_device_of_the_object_itself_comes_first() -> None:
    after = fix_texts({"main.py": SAMPLER}, Applicability.SAFE)[0]["main.py"]
    assert "torch.empty(shape, device=self.device)" in after


def test_a_device_that_nobody_tells_is_not_named() -> None:
    text = "from elsewhere import schedule\n" + SAMPLER
    text = text.replace(", device=device)", ")").replace("Schedule(device)", "schedule")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert "torch.empty(shape, device=self.device)" not in after
