"""What the ``forward`` of an autograd function makes on the CPU moves there: its gradient lives where it does."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch.autograd import Function


class Clipped({base}):
    @staticmethod
    def forward(ctx, scores):
        {making}
        return {result}

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Pool(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.score = torch.nn.Linear(4, 1)

    def forward(self, x):
        weights = Clipped.apply(self.score(x).squeeze(-1))
        return (weights.unsqueeze(-1) * x).sum(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pool = Pool().to(device)
pool(torch.ones(3, 4, device=device)).sum().backward()
"""
SORTED = "torch.from_numpy(scores.detach().cpu().numpy().clip(0, 1))"
#: What is made, and what of it is changed.
MADE = {
    SORTED: SORTED + ".to(scores.device)",
    "scores.detach().cpu().clamp(0, 1)": "scores.detach().cpu().clamp(0, 1).to(scores.device)",
    "torch.ones(scores.shape)": "torch.ones(scores.shape, device=scores.device)",
}


def repaired(text: str) -> str:
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(after["main.py"]) == []
    return after["main.py"]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("base", ["Function", "torch.autograd.Function"])
def test_a_result_that_has_a_name_moves_where_it_gets_it(base: str, made: str) -> None:
    before = PROGRAM.format(base=base, making="kept = " + made, result="kept")
    assert clashes(before)
    assert repaired(before) == before.replace(made, MADE[made])


def test_a_result_without_a_name_moves_where_it_is_made() -> None:
    before = PROGRAM.format(base="Function", making="scores = scores * 1", result=SORTED)
    assert repaired(before) == before.replace(SORTED, MADE[SORTED])


def test_a_base_of_the_program_that_is_an_autograd_function_makes_one() -> None:
    base = "class Base(Function):\n    pass\n\n\nclass Clipped"
    before = PROGRAM.format(base="Base", making="kept = " + SORTED, result="kept")
    before = before.replace("class Clipped", base)
    assert repaired(before) == before.replace(SORTED, MADE[SORTED])


def test_another_class_with_a_forward_is_none() -> None:
    """A result of what autograd follows by itself may move wherever it is used: its gradient follows it back."""
    before = PROGRAM.format(base="Function", making="kept = " + SORTED, result="kept")
    before = (
        before.replace("(Function)", "").replace("(ctx, ", "(").replace("Clipped.apply", "Clipped.forward")
    )
    assert repaired(before) != before.replace(SORTED, MADE[SORTED])


def test_what_meets_another_within_is_repaired_as_anywhere() -> None:
    before = PROGRAM.format(base="Function", making="kept = scores + torch.ones(3)", result="kept")
    assert repaired(before) == before.replace("torch.ones(3)", "torch.ones(3, device=scores.device)", 1)


def test_what_is_on_the_accelerator_is_left_alone() -> None:
    before = PROGRAM.format(base="Function", making="kept = scores.clamp(0, 1)", result="kept")
    assert clashes(before) == []
