"""An index that is one number is read wherever it is; a list of them has to be where the data is."""

from __future__ import annotations

import pytest
from text_program import clashes

RANKING = """
import torch

device = torch.device("cuda")
taken = torch.zeros(5)
cost = torch.randn(5, 3, device=device).norm(2, 1).squeeze()
_, order = cost.sort(0)
best = 0
{use}
"""


@pytest.mark.parametrize(
    "use", ["print(taken[order[best]])", "taken[order[0]] = 1", "taken[order[best - 1]] += 1"]
)
def test_one_item_of_an_order(use: str) -> None:
    assert clashes(RANKING.format(use=use)) == []


@pytest.mark.parametrize("use", ["print(taken[order])", "taken[order] += 1", "print(taken[order[:2]])"])
def test_the_order_itself(use: str) -> None:
    assert set(clashes(RANKING.format(use=use))) == {"9: device"}


@pytest.mark.parametrize("found", ["torch.where(cost > 0)", "(cost > 0).nonzero(as_tuple=True)"])
def test_the_places_that_a_test_holds_at(found: str) -> None:
    use = f"found = {found}\nprint(taken[found])"
    assert clashes(RANKING.format(use=use)) == ["10: device"]
    assert clashes(RANKING.format(use=use.replace("taken[found]", "cost[found]"))) == []
    assert clashes(RANKING.format(use=use.replace("cost >", "taken >"))) == []
    assert clashes(RANKING.format(use=use.replace("cost >", "taken >").replace("taken[", "cost["))) == []


LOSSES = """
import numpy as np
import torch
from torch import nn
from elsewhere import penalty

device = torch.device("cuda")
model = nn.Linear(3, 2).to(device)
values = []
for _ in range(3):
    {loss}
    values.append({value})
print(np.mean(values))
"""


@pytest.mark.parametrize("value", ["loss.data[0]", "loss.item()"])
def test_the_first_of_a_loss_was_its_number(value: str) -> None:
    loss = "loss = model(torch.ones(1, 3, device=device)).mean() + penalty(model)"
    assert clashes(LOSSES.format(loss=loss, value=value)) == []


@pytest.mark.parametrize("value", ["loss.data[0]", "loss.data[:2]"])
def test_the_first_of_a_vector_is_a_tensor(value: str) -> None:
    loss = "loss = model(torch.ones(1, 3, device=device)).mean(1)"
    assert clashes(LOSSES.format(loss=loss, value=value)) == ["13: numpy"]


COUNTS = """
import torch

taken = torch.zeros(3, 3)
places = torch.ones(3).long()
guesses = torch.ones(5, 3, 4, device="cuda")[tuple(torch.stack((places, places)))].max(dim=1).indices
for label, guess in zip(range(3), guesses):
    {use}
"""


@pytest.mark.parametrize("use", ["taken[label][guess] += 1", "print(taken[guess])"])
def test_what_a_loop_gives_in_turn_may_be_one_number(use: str) -> None:
    assert clashes(COUNTS.format(use=use)) == []


@pytest.mark.parametrize("use", ["print(taken[label][guesses])", "print(taken[guesses])"])
def test_what_it_goes_over_is_none(use: str) -> None:
    assert clashes(COUNTS.format(use=use)) == ["8: device"]


NAMED = """
import torch
from torch import nn
from elsewhere import images, labels

def count(model, images, labels):
    taken = torch.zeros(3, 3)
    labels = torch.as_tensor(labels).cuda()
    for i, image in enumerate(model(images.cuda())):
        label = {looked_up}
        taken[label] += 1
        print(taken[label])

count(nn.Linear(3, 3).cuda(), images, labels)
"""


@pytest.mark.parametrize("looked_up", ["labels[i]", "labels[0]"])
def test_an_item_with_a_name_may_be_one_number(looked_up: str) -> None:
    assert clashes(NAMED.format(looked_up=looked_up)) == []


@pytest.mark.parametrize("looked_up", ["labels[i:]", "labels"])
def test_a_slice_with_a_name_is_none(looked_up: str) -> None:
    assert "12: device" in clashes(NAMED.format(looked_up=looked_up))
