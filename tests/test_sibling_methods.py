"""What a method is given moves at its beginning, where the other methods that are given the same begin with that."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    class Trainer:
        def __init__(self, model, device):
            self.model = model.to(device)
            self.device = device

        def train_step(self, inputs{more}):
            {train}
            return self.model(inputs).sum()

        def test_step(self, inputs, where=None):
            {test}
            with torch.no_grad():
                return self.model(inputs).sum()

        def shown(self, inputs):
            inputs = inputs.to(self.device)
            return self.model(inputs)

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = Trainer(nn.Linear(4, 3), device)
    loader = DataLoader(TensorDataset(torch.ones(8, 4), torch.ones(8)), batch_size=4)
    for x, y in loader:
        trainer.train_step(x{extra}).backward()
        trainer.test_step(x)
        trainer.shown(x)
"""
MOVE = "inputs = inputs.to(self.device)"


def program(train: str, test: str = MOVE, more: str = "", extra: str = "") -> dict[str, str]:
    return files(PROGRAM.format(train=train, test=test, more=more, extra=extra))


@pytest.mark.parametrize("train", ["self.model.train()", '"""One step."""', "assert len(inputs)"])
def test_it_moves_as_in_the_other_methods(train: str) -> None:
    after = fix_texts(program(train), Applicability.SAFE)[0]["main.py"]
    docstring = train.startswith('"""')
    lines = [train, MOVE] if docstring else [MOVE, train]
    assert after == program("\n            ".join(lines))["main.py"]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("self.model.train()", "inputs = inputs.to(where)"),
        ("self.model.train()", "inputs = inputs.to(next(self.model.parameters()).device)"),
        ("inputs = inputs * 2", MOVE),
    ],
    ids=["the others do not agree", "nor these", "another value takes the name"],
)
def test_it_moves_otherwise(train: str, test: str) -> None:
    texts = program(train, test)
    after = fix_texts(texts, Applicability.SAFE)[0]["main.py"]
    assert after != texts["main.py"]
    assert after.count(MOVE) == texts["main.py"].count(MOVE)


def test_methods_that_all_move_what_they_are_given_stay_as_they_are() -> None:
    texts = program(MOVE)
    assert fix_texts(texts, Applicability.UNSAFE)[0] == texts
