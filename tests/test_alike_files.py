"""Files that a program writes one after the other are put together alike, and one that it finds in a folder is one of these."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

#: Two files are written, the second with what was computed meanwhile, and the newest is read.
_KEPT = """
import os
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def newest(folder):
    return torch.load(os.path.join(folder, sorted(os.listdir(folder))[-1]), map_location={where})

class Run:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1).to(device)
        self.weights = torch.ones(3, device=device)
        self.epoch = 0

    def state(self):
        return {"net": self.net.state_dict(), "weights": self.weights, "epoch": self.epoch}

    def restore(self, state):
        self.net.load_state_dict(state["net"])
        self.weights, self.epoch = state["weights"], state["epoch"]

    def step(self):
        x = torch.rand(4, 3).to(device)
        (self.net(x) * self.weights).sum().backward()
        self.weights = torch.softmax(self.weights + x.mean(0), 0)

run = Run()
for name in ("1.pt", "2.pt"):
    torch.save({saved}, os.path.join("runs", name))
    run.step()
    run.epoch += 1
run = Run()
run.restore(newest("runs"))
run.step()
"""


def _kept(where: str, saved: str = "run.state()") -> str:
    return _KEPT.replace("{where}", where).replace("{saved}", saved)


def test_what_one_of_several_files_keeps_of_a_run_is_where_it_was_read_to() -> None:
    assert clashes(_kept('"cpu"')) == ["25: device", "26: device"]
    after, _ = fix_texts({"main.py": _kept('"cpu"')}, Applicability.UNSAFE)
    assert clashes(after["main.py"]) == []


@pytest.mark.parametrize(
    ("where", "saved"),
    [
        ("device", "run.state()"),
        ('"cpu"', "run.state() if name == '1.pt' else run.weights"),
        ('"cpu"', "run.state() if name == '1.pt' else {'weights': run.weights}"),
    ],
)
def test_files_that_are_read_to_the_device_or_differ_say_nothing(where: str, saved: str) -> None:
    assert clashes(_kept(where, saved)) == []
