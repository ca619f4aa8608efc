"""A module that a function takes back to the CPU goes to the accelerator before the function uses it."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
    import torch

    class Client:
        def __init__(self, model, device):
            self.model, self.device = model, device

        def update(self, data):
            {first}
            optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            for x, y in data:
                x, y = x.to(self.device), y.to(self.device)
                loss = torch.nn.functional.mse_loss(self.model(x), y)
                loss.backward()
                optimizer.step()
            {last}
            return self.model.state_dict()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    clients = [Client(torch.nn.Linear(2, 1), device) for _ in range(2)]
    for _ in range(3):
        for client in clients:
            client.update([(torch.ones(3, 2), torch.ones(3, 1))])
"""


@pytest.mark.parametrize("last", ['self.model.to("cpu")', "self.model.cpu()", 'self.model.to("cpu:0")'])
def test_it_is_moved_before_it_is_used(last: str) -> None:
    text = files(PROGRAM.format(first="self.model.train()", last=last))
    after = fix_texts(text)[0]["main.py"]
    line = "        self.model.to(self.device)\n"
    assert after == text["main.py"].replace(
        "        self.model.train()\n", f"{line}        self.model.train()\n"
    )


def test_what_moves_already_stays() -> None:
    assert not clashes(PROGRAM.format(first="self.model.to(self.device)", last='self.model.to("cpu")'))


@pytest.mark.parametrize("last", ["self.model.eval()", "self.model.to(torch.float64)", "x.cpu()"])
def test_what_nobody_takes_back_moves_elsewhere(last: str) -> None:
    after = fix_texts(files(PROGRAM.format(first="self.model.train()", last=last)))[0]["main.py"]
    assert "self.model.to(self.device)\n        self.model.train()" not in after
