"""What a method of an object makes moves where the object has it, not where the object gets its name."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        {made}

    def build(self):
        self.head = nn.Linear(self.size, 1)

    def forward(self, x):
        return self.head(x)

class Runner:
    def __init__(self, device="cpu"):
        self.device = device

    def load(self, built=True):
        model = Net(3).to(self.device)
        {then}
        self.model = model

    def fit(self, loader):
        self.load()
        for x in loader:
            self.model(x.to(self.device))

if __name__ == "__main__":
    Runner("cuda").fit([torch.ones(2, 3)])
"""


def _fixed(made: str, then: str) -> tuple[str, str]:
    text = PROGRAM.format(made=made, then=then)
    (before,) = files(text).values()
    return before, fix_texts({"main.py": before})[0]["main.py"]


def test_it_moves_behind_the_call_that_makes_it() -> None:
    before, after = _fixed("pass", "model.build()")
    call = "        model.build()\n"
    assert after == before.replace(call, f"{call}        model.head.to(self.device)\n")


@pytest.mark.parametrize("made", ["self.build()", "self.head = nn.Linear(size, 1)"])
def test_what_the_constructor_makes_has_moved(made: str) -> None:
    before, after = _fixed(made, "pass")
    assert after == before


@pytest.mark.parametrize("then", ["if built:\n            model.build()", "self.prepare = model.build()"])
def test_it_never_moves_before_it_is_there(then: str) -> None:
    _, after = _fixed("pass", then)
    text = after.partition("model = Net(3).to(self.device)\n")[2]
    assert "head.to(" not in text.partition("model.build()")[0]


HELD = """
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.rate = 0.1
        {made}

    def setup(self):
        self.build()

    def build(self):
        self.net = nn.Linear(3, 1)

    def step(self, x):
        return self.net(x)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
trainer = Trainer()
{then}
print(trainer.step(torch.ones(2, 3).to(device)))
"""


@pytest.mark.parametrize(
    ("made", "then"), [("self.setup()", "pass"), ("pass", "trainer.build()"), ("pass", "trainer.setup()")]
)
def test_a_program_that_ran_still_runs(made: str, then: str) -> None:
    before = HELD.format(made=made, then=then)
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert after != before
    exec(compile(after, "main.py", "exec"), {"__name__": "__main__"})
