"""What loads an optimizer's state is not put behind work that has to find it loaded."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

TRAINING = """
import torch
from torch import nn

def load(path, model, optimizer):
    saved = torch.load(path)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])

def evaluate(model, batches):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = model.to(device)
    for x in batches:
        print(model(x.to(device)))

def train(options):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batches = [torch.ones(4, 3)]
    model = nn.Linear(3, 3)
    optimizer = torch.optim.Adam(model.parameters())
    if options["checkpoint"]:
        load(options["checkpoint"], model, optimizer)
    {work}

train({{"checkpoint": "last.pt"}})
"""
LOOP = """for epoch in range(2):
        for x in batches:
            model(x.to(device)).sum().backward()
            optimizer.step()
        evaluate(model, batches)"""


def test_a_state_is_loaded_before_the_loop_in_which_the_model_moves() -> None:
    after = fix_texts({"main.py": TRAINING.format(work=LOOP)}, Applicability.UNSAFE)[0]["main.py"]
    assert after.index('load(options["checkpoint"]') < after.index("for epoch in range(2)")


def test_a_state_is_loaded_before_a_call_that_moves_the_model_and_uses_it() -> None:
    after = fix_texts({"main.py": TRAINING.format(work="evaluate(model, batches)")}, Applicability.UNSAFE)[0]
    text = after["main.py"]
    assert text.index('load(options["checkpoint"]') < text.index("    evaluate(model, batches)")


def test_a_state_goes_behind_a_move_that_stands_alone() -> None:
    work = f"model.to(device)\n    {LOOP}"
    text = fix_texts({"main.py": TRAINING.format(work=work)}, Applicability.UNSAFE)[0]["main.py"]
    moved = min(text.find(each) for each in ("    model.to(device)", "3).to(device)") if each in text)
    assert moved < text.index('    if options["checkpoint"]')
