"""Ranks of what an index selects, as PyTorch and NumPy have them: a CPU scalar may meet the accelerator, and nothing larger."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Tensor

SELECTED = """
import numpy as np
import torch

table, cube = torch.rand(4, 5), torch.rand(2, 4, 5)
row, grid = np.zeros(4), np.zeros((4, 3))
order, places = torch.randperm(4), np.array([0, 2])
mask = torch.tensor([True, False, True, True])
x = {selection}
"""
SELECTIONS = {
    "table[np.argmax(row)]": 1,
    "table[np.argmin(grid)]": 1,
    "table[np.nanargmax(row)]": 1,
    "table[np.count_nonzero(row)]": 1,
    "table[np.argmax(grid, axis=1)]": 2,
    "table[0][row.argmax()]": 0,
    "table[order, :]": 2,
    "table[:, order]": 2,
    "table[mask, :]": 2,
    "table[order, 0]": 1,
    "cube[:, order, 1]": 2,
    "cube[0, :, places]": 2,
    "cube[:, mask, :]": 3,
}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_what_is_selected_has_as_many_dimensions_as_in_reality(selection: str) -> None:
    text = SELECTED.format(selection=selection)
    assert lies(text) == []
    found = Ending(text)["x"]
    assert isinstance(found, Tensor)
    assert found.rank == SELECTIONS[selection]


STEP = """
import numpy as np
import torch

steps = torch.linspace(0, 1, 100).cuda()
best = np.argmax(torch.rand(100, 3).cuda(){all}.cpu().numpy(){axis})
print(torch.rand(3).cuda() * steps[best].cpu())
"""


def test_the_step_at_one_place_is_a_scalar() -> None:
    assert not clashes(STEP.format(all=".mean(1)", axis=""))
    assert clashes(STEP.format(all="", axis=", axis=0"))
