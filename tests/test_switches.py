"""Arguments that are off unless a caller says otherwise, and bring things to an accelerator where they are on."""

from __future__ import annotations

import pytest
from text_program import clashes

RECURRENT = """
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, size, gpu=False, layers=False):
        super().__init__()
        self.size = size
        self.on = {stored}
        self.embed = nn.Embedding(9, size)
        self.gru = nn.GRU(size, size)

    def begin(self, rows):
        state = torch.zeros(1, rows, self.size)
        {move}

    def loss(self, words, target):
        state = self.begin(words.size(1))
        out, state = self.gru(self.embed(words), state)
        return nn.functional.mse_loss(out, target)
"""

IF = "if self.on:\n            return state.cuda()\n        return state"
EITHER = "return state.cuda() if self.on else state"
BOTH = "if self.on and self.size:\n            state = state.cuda()\n        return state"


@pytest.mark.parametrize("move", [IF, EITHER, BOTH])
@pytest.mark.parametrize("stored", ["gpu", "gpu and torch.cuda.is_available()"])
def test_what_a_switch_brings_is_taken_to_be_there(move: str, stored: str) -> None:
    assert clashes(RECURRENT.format(stored=stored, move=move)) == []


@pytest.mark.parametrize(
    ("stored", "move"),
    [
        ("layers", "return state"),
        ("False", IF),
        ("gpu", "if self.on:\n            return state * 2\n        return state"),
    ],
)
def test_without_one_what_is_made_stays_on_the_cpu(stored: str, move: str) -> None:
    assert len(clashes(RECURRENT.format(stored=stored, move=move))) == 1


def test_a_switch_of_a_function() -> None:
    text = """
        import torch

        def scores(model, words, gpu=False):
            model.cuda()
            noise = torch.rand(2, 2)
            if gpu:
                noise = noise.cuda()
            return model(words.cuda()) + noise.cuda() + noise
    """
    assert clashes(text) == []
    left = text.replace("if gpu:", "if words.size(0) > 2:").replace("noise = noise.cuda()", "pass")
    assert len(clashes(left)) == 1


NUMBERED = """
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, size, gpu={default}, layers=2):
        super().__init__()
        self.gpu = gpu
        self.device = torch.device({chosen})
        self.embed = nn.Embedding(9, size)
        self.to(self.device)

    def loss(self, words):
        kept = torch.ones(2, 2).to(self.device)
        return (self.embed(words) * kept).sum()
"""


@pytest.mark.parametrize(
    ("default", "chosen"),
    [
        ("-1", '"cpu" if gpu == -1 else f"cuda:{gpu}"'),
        ("-1", 'f"cuda:{gpu}" if gpu >= 0 else "cpu"'),
        ("-1", 'f"cuda:{gpu}" if not gpu < 0 and torch.cuda.is_available() else "cpu"'),
        ("-1", 'f"cuda:{gpu}" if self.gpu >= 0 else "cpu"'),
        ("0", '"cuda" if gpu else "cpu"'),
        ("False", '"cpu" if not gpu else "cuda"'),
    ],
)
def test_a_number_that_says_that_there_is_no_accelerator_is_a_switch(default: str, chosen: str) -> None:
    assert clashes(NUMBERED.format(default=default, chosen=chosen)) == []


@pytest.mark.parametrize(
    ("default", "chosen"),
    [("-1", '"cpu" if gpu == 3 else "cpu"'), ("-1", '"cpu"'), ("-1", '"cpu" if layers == 2 else "cpu"')],
)
def test_a_number_that_chooses_nothing_is_none(default: str, chosen: str) -> None:
    assert len(clashes(NUMBERED.format(default=default, chosen=chosen))) == 1


HANDED = """
import torch
from torch import nn


def chosen(number=-1):
    if number >= 0 and torch.cuda.is_available():
        return torch.device(f"cuda:{{number}}")
    return torch.device("cpu")


class Placed(nn.Module):
    def __init__(self, number=-1):
        super().__init__()
        self.device = {device}

    def settle(self):
        self.to(self.device)


class Reader(Placed):
    def __init__(self, size, gpu=-1, layers=2):
        super().__init__({given})
        self.embed = nn.Linear(2, 2)
        self.kept = torch.ones(2, 2).to(self.device)
        self.settle()

    def forward(self, words):
        return self.embed(words.to(self.device)) * self.kept
"""


@pytest.mark.parametrize("given", ["gpu", "number=gpu"])
def test_a_switch_is_followed_to_where_it_is_handed_on(given: str) -> None:
    assert clashes(HANDED.format(device="chosen(number)", given=given)) == []
    assert clashes(HANDED.format(device="chosen(number=number)", given=given)) == []


@pytest.mark.parametrize(
    ("device", "given"),
    [
        ("torch.device('cpu')", "gpu"),
        ("chosen(number)", ""),
        ("chosen(number)", "-layers"),
        ("chosen()", "gpu"),
    ],
)
def test_what_is_not_handed_on_chooses_nothing(device: str, given: str) -> None:
    assert len(clashes(HANDED.format(device=device, given=given))) == 1


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ('"cuda" if gpu is not None else "cpu"', 0),
        ('"cpu" if gpu is None else f"cuda:{gpu}"', 0),
        ('"cuda" if gpu else "cpu"', 0),
        ('"cpu" if layers is None else "cpu"', 1),
    ],
)
def test_nothing_may_say_that_there_is_no_accelerator(chosen: str, found: int) -> None:
    assert len(clashes(NUMBERED.format(default="None", chosen=chosen))) == found
