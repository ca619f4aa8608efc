"""A module that is handed to functions which do not move it moves where it is handed from, once, to where the inputs are."""

from __future__ import annotations

import pytest
from text_program import fix_texts

MAIN = """
import sys
import torch
from torch import nn
from trainer import Trainer

data = torch.ones(4, 3)
net = nn.Linear(3, 2)
trainer = Trainer(net)
if len(sys.argv) > 1:
    inputs = data
else:
    inputs = data.cuda()
print(trainer.train(inputs))
"""
TRAINER = """
import torch
from states import state_of

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(self, x):
        {before}
        for _ in range(3):
            loss = self.model(x).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            {during}
        self.model.load_state_dict(best)
        return loss.item()
"""
STATES = """
from copy import deepcopy

def state_of(model):
    return deepcopy(model.state_dict())
"""
BEST = "best = state_of(self.model)"


def _fixed(before: str, during: str = "print(loss)") -> dict[str, str]:
    texts = {"main.py": MAIN, "trainer.py": TRAINER.format(before=before, during=during), "states.py": STATES}
    after, _ = fix_texts(texts)
    assert fix_texts(after)[0] == after
    assert after["main.py"] == MAIN
    return after


@pytest.mark.parametrize(
    "during", ["print(loss)", BEST, f"if loss < 0:\n                {BEST}\n                print(loss)"]
)
def test_it_moves_before_the_first_function_gets_it(during: str) -> None:
    after = _fixed(BEST, during)
    moved = TRAINER.format(before=f"self.model.to(x.device)\n        {BEST}", during=during)
    assert after["trainer.py"] == moved
    assert after["states.py"] == STATES


#: What hands the module on in some cases, or more than once: it moves once, before all of it.
CASES = {
    "both cases": "if len(x) > 2:\n            best = state_of(self.model)\n        else:\n            best = dict(state_of(self.model))",
    "one case": "best = self.model.state_dict()\n        if len(x) > 9:\n            best = state_of(self.model)",
    "on one line": "best = self.model.state_dict()\n        if len(x) > 9: best = state_of(self.model)",
    "each round": "for _ in range(2):\n            best = state_of(self.model)",
}


@pytest.mark.parametrize("case", CASES)
def test_it_moves_before_all_cases(case: str) -> None:
    before = CASES[case]
    after = _fixed(before)
    first, separator, rest = before.partition("        ") if before.startswith("best") else ("", "", before)
    moved = f"{first}{separator}self.model.to(x.device)\n        {rest}"
    assert after["trainer.py"] == TRAINER.format(before=moved, during="print(loss)")
    assert after["states.py"] == STATES


def test_what_a_loop_names_moves_in_the_loop() -> None:
    before = (
        "best = self.model.state_dict()\n        for net in [self.model]:\n            {}best = state_of(net)"
    )
    after = _fixed(before.format(""))
    moved = before.format("net.to(x.device)\n            ")
    assert after["trainer.py"] == TRAINER.format(before=moved, during="print(loss)")


ELSEWHERE = [
    "if len(x) > 9:\n            print()\n        elif state_of(self.model):\n            best = dict(best)",
    "try:\n            print()\n        except ValueError:\n            best = state_of(self.model)",
]


@pytest.mark.parametrize("before", ELSEWHERE)
def test_what_is_handed_on_hardly_ever_moves_where_it_is_made(before: str) -> None:
    text = TRAINER.format(before=f"best = self.model.state_dict()\n        {before}", during="print(loss)")
    after, _ = fix_texts({"main.py": MAIN, "trainer.py": text, "states.py": STATES})
    assert after["trainer.py"] == text
    assert "net = nn.Linear(3, 2).to(device)" in after["main.py"]
