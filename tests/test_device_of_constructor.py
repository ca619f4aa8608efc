"""What a constructor sees of an attribute is what it set itself, whatever other methods make of it later."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self, use_cuda):
            super().__init__()
            self.device = torch.device("cuda" if use_cuda else "cpu")
            self.layer = nn.Linear(3, 3)
            {called}

        def fall_back(self):
            self.device = "cpu"

        def start(self):
            {started}

        def forward(self, x):
            return self.layer(x)


    def main():
        use_cuda = torch.cuda.is_available()
        net = Net(use_cuda)
        x = torch.ones(2, 3)
        x = x.cuda() if use_cuda else x
        print(net(x).sum())
        if input():
            net.fall_back()


    main()
"""


def added(called: str = "pass", started: str = "pass") -> list[str]:
    """The lines that the repair adds."""
    texts = files(PROGRAM.format(called=called, started=started))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


def test_the_model_moves_itself() -> None:
    assert added() == ["self.to(self.device)"]


@pytest.mark.parametrize(
    ("called", "started"), [("self.fall_back()", "pass"), ("self.start()", "self.fall_back()")]
)
def test_not_where_the_constructor_calls_the_method(called: str, started: str) -> None:
    assert "self.to(self.device)" not in added(called, started)
