"""A model that gets its parts once it is made moves when it has them all, and its parts with it."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

TRAINED = """
    import torch
    from torch import nn

    {made}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.ones(4, 3)).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def moves(made: str) -> list[str]:
    """The lines of what makes the model that move something."""
    texts = files(TRAINED.format(made=made.replace("\n", "\n    ")))
    after = adopted(texts)["main.py"]
    return [line.strip() for line in after.splitlines() if ".to(device)" in line]


@pytest.mark.parametrize(
    "made",
    [
        'net = nn.Sequential()\nnet.add_module("one", nn.Linear(3, 8))\nnet.add_module("two", nn.Linear(8, 1))',
        'net = nn.Sequential()\nlayer = nn.Linear(3, 1)\nnet.add_module("one", layer)',
        "net = nn.Sequential()\nfor _ in range(2):\n    net.append(nn.Linear(3, 3))",
        "net = nn.Sequential(nn.Linear(3, 8))\nnet.out = nn.Linear(net[0].out_features, 1)",
    ],
)
def test_it_moves_behind_the_last_of_its_parts(made: str) -> None:
    assert moves(made) == ["net.to(device)"]
    after = adopted(files(TRAINED.format(made=made.replace("\n", "\n    "))))["main.py"]
    assert after.index("nn.Linear(3") < after.index("net.to(device)") < after.index("optimizer =")


def test_the_function_that_fills_it_returns_it_moved() -> None:
    made = """
def build(size):
    model = nn.Sequential()
    model.add_module("one", nn.Linear(3, size))
    model.add_module("two", nn.Linear(size, 1))
    return model


net = build(8)"""
    assert moves(made) == ["return model.to(device)"]


@pytest.mark.parametrize(
    "made",
    [
        # what is computed with it before it has all of its parts has to be where it is
        'net = nn.Sequential(nn.Linear(3, 3))\nnet(torch.ones(1, 3))\nnet.add_module("one", nn.Linear(3, 1))',
        "net = nn.Sequential(nn.Linear(3, 3))\nold = torch.optim.SGD(net.parameters(), lr=1)\nnet.append(nn.Linear(3, 1))",
    ],
)
def test_what_is_used_before_it_is_filled_moves_where_it_is_made(made: str) -> None:
    found = moves(made)
    assert "net = nn.Sequential(nn.Linear(3, 3)).to(device)" in found
    assert any("nn.Linear(3, 1).to(device)" in line for line in found)


def test_another_model_that_is_made_beside_it_moves_by_itself() -> None:
    made = 'net = nn.Sequential()\nother = nn.Linear(3, 3)\nnet.add_module("one", nn.Linear(3, 1))\nother(torch.ones(1, 3))'
    assert moves(made)[:2] == ["other = nn.Linear(3, 3).to(device)", "net.to(device)"]
