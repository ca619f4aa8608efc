"""What goes from the CPU into a file stays on the CPU, and moves where it is used: a file keeps where its tensors were."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """\
import pickle

import cloudpickle
import dill
import joblib
import torch
from accelerate import Accelerator
from lightning import Fabric

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
data = torch.randn(8, 3)
mean, std = torch.zeros(3{made}), 2.0
for step in range(2):
    x = data[step : step + 4].to(device)
    print(net((x - {use}) / std))
{save}
"""


def program(save: str, *, made: str = "", use: str = "mean") -> str:
    return PROGRAM.format(save=save, made=made, use=use)


@pytest.mark.parametrize(
    "save",
    [
        'torch.save(mean, "mean.pt")',
        'torch.save({"mean": mean, "std": std}, "stats.pt")',
        'torch.save([("mean", mean)], open("stats.pt", "wb"))',
        'pickle.dump({"mean": mean}, open("stats.pkl", "wb"))',
        'joblib.dump(mean, "mean.joblib")',
        "text = pickle.dumps(mean)",
        'dill.dump(mean, open("mean.pkl", "wb"))',
        "text = cloudpickle.dumps([mean])",
        'pickle.Pickler(open("mean.pkl", "wb")).dump(mean)',
        'with open("mean.pkl", "wb") as file:\n    pickler = pickle.Pickler(file, 4)\n    pickler.dump({"mean": mean})',
        'Accelerator().save({"mean": mean}, "stats.pt")',
        'Fabric().save("stats.pt", {"mean": mean})',
        'doubled = mean * 2\ntorch.save(doubled, "doubled.pt")',
    ],
)
def test_what_is_saved_moves_where_it_is_used(save: str) -> None:
    after = fix_texts({"main.py": program(save)})[0]["main.py"]
    assert after == program(save, use="mean.to(device)")


@pytest.mark.parametrize(
    "save",
    [
        "print(mean)",
        'torch.save({"mean": mean.cpu()}, "stats.pt")',
        'torch.save({"mean": mean.tolist()}, "stats.pt")',
        'torch.save({"mean": mean, "net": net.state_dict()}, "all.pt")',
        'torch.save({"mean": mean, "net": net}, "all.pt")',
        'torch.save(net.state_dict(), "net.pt")',
        'pickle.Pickler(open("net.pkl", "wb")).dump(net.state_dict())\nprint(mean)',
    ],
)
def test_what_no_file_keeps_on_the_cpu_is_made_on_the_device(save: str) -> None:
    after = fix_texts({"main.py": program(save)})[0]["main.py"]
    assert after == program(save, made=", device=device")


KEPT = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class {cls}:
    def __init__(self):
        {start}
        self.mean = torch.zeros(3)
        self.net = torch.nn.Linear(3, 1).to(device)

    def forward(self, x):
        return self.net(x - {use})

    def save(self, path):
        torch.save({saved}, path)


model = {made}
print(model.forward(torch.ones(2, 3, device=device)))
model.save("stats.pt")
"""


@pytest.mark.parametrize("saved", ["self.mean", '{"mean": self.mean}'])
@pytest.mark.parametrize(
    ("cls", "start", "made"),
    [
        ("Stats", "self.count = 0", "Stats()"),
        ("Stats(torch.nn.Module)", "super().__init__()", "Stats().to(device)"),
    ],
)
def test_what_an_object_saves_is_neither_made_elsewhere_nor_a_buffer(
    cls: str, start: str, made: str, saved: str
) -> None:
    text = KEPT.format(cls=cls, start=start, made=made, saved=saved, use="self.mean")
    after = KEPT.format(cls=cls, start=start, made=made, saved=saved, use="self.mean.to(device)")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


@pytest.mark.parametrize("saved", ["self", "vars(self)", '{"stats": self}'])
def test_an_object_that_is_saved_with_its_module_has_its_tensors_beside_it(saved: str) -> None:
    text = KEPT.format(cls="Stats", start="self.count = 0", made="Stats()", saved=saved, use="self.mean")
    after = text.replace("torch.zeros(3)", "torch.zeros(3, device=device)")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


def test_what_a_module_saves_with_its_state_is_a_buffer() -> None:
    parts = {"cls": "Stats(torch.nn.Module)", "start": "super().__init__()", "made": "Stats().to(device)"}
    text = KEPT.format(**parts, saved='{"mean": self.mean, "net": self.state_dict()}', use="self.mean")
    after = text.replace(
        "self.mean = torch.zeros(3)", 'self.register_buffer("mean", torch.zeros(3), persistent=False)'
    )
    assert fix_texts({"main.py": text})[0]["main.py"] == after
