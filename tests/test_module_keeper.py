"""A module that an object keeps, and that nothing near its making can move, moves in the method that is given what knows the device."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model, listeners):
        self.place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.place)
        self.listeners = listeners

    def tell(self, name):
        for each in self.listeners:
            getattr(each, name)(self)

    def train(self, rows):
        for row in rows:
            self.model(row.to(self.place)).sum().backward()
            self.tell("stepped")
"""
LISTENER = """\
import copy

import torch


class Average:
    \"\"\"Keeps a slow copy.\"\"\"

    def __init__(self, model):
        self.slow = copy.deepcopy(model)

    @torch.no_grad()
    def stepped(self, trainer):
        rate = 0.9
        for old, new in zip(self.slow.parameters(), trainer.model.parameters()):
            old.mul_(rate).add_(new, alpha=1 - rate)
"""
MAIN = """\
import torch
from listener import Average
from trainer import Trainer


def main():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
    average = Average(model)
    Trainer(model, [average]).train([torch.ones(4, 3)] * 3)


if __name__ == "__main__":
    main()
"""
LOOP = "        for old, new in zip("


def _fixed(listener: str) -> str:
    texts = {"main.py": MAIN, "trainer.py": TRAINER, "listener.py": listener}
    after = fix_texts(texts, Applicability.UNSAFE)[0]
    assert {**after, "listener.py": ""} == {**texts, "listener.py": ""}
    return after["listener.py"]


def test_a_copy_that_is_updated_moves_before_it_is() -> None:
    assert _fixed(LISTENER) == LISTENER.replace(LOOP, f"        self.slow.to(trainer.place)\n{LOOP}")


def test_it_moves_before_what_first_uses_it() -> None:
    text = LISTENER.replace("rate = 0.9", "rate = 0.9\n        self.slow.eval()")
    assert _fixed(text) == text.replace(
        "        self.slow.eval", "        self.slow.to(trainer.place)\n        self.slow.eval"
    )


@pytest.mark.parametrize("kept", ["copy.deepcopy(model).cpu()", 'copy.deepcopy(model).to("cpu")'])
def test_a_copy_that_is_meant_to_be_on_the_host_stays_there(kept: str) -> None:
    text = LISTENER.replace("copy.deepcopy(model)", kept)
    assert ".slow.to(" not in _fixed(text)


def test_a_copy_that_the_new_weights_are_brought_to_stays() -> None:
    text = LISTENER.replace("add_(new,", "add_(new.to(old.device),")
    assert clashes(MAIN, trainer=TRAINER, listener=text) == []


def test_what_the_method_replaces_does_not_move_in_vain() -> None:
    text = LISTENER.replace("rate = 0.9", "rate, self.slow = 0.9, copy.deepcopy(self.slow)")
    assert "self.slow.to(" not in _fixed(text)
