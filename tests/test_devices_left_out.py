"""A device that is None unless it is given: what moves there stays where it is in that call alone."""

from __future__ import annotations

from text_program import clashes

CELL = """
    import torch
    import torch.nn as nn

    class Cell(nn.Module):
        def __init__(self, device=None):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.device = device

        def begin(self, count):
            return torch.zeros(count, 2){move}

        def imagine(self, x, state=None):
            if state is None:
                state = self.begin(x.shape[0])
            return self.layer(state)
"""
CALL = """
    cell = Cell({device}).cuda()
    cell.imagine(torch.ones(1, 2))
"""


def test_where_nobody_makes_the_object_nobody_knows_its_device() -> None:
    assert clashes(CELL.format(move=".to(self.device)")) == []


def test_what_is_moved_nowhere_is_made_on_the_cpu() -> None:
    assert clashes(CELL.format(move="")) == ["17: device"]


def test_a_script_that_gives_no_device_leaves_what_is_made_on_the_cpu() -> None:
    text = CELL.format(move=".to(self.device)")
    assert clashes(text + CALL.format(device="")) == ["17: device"]
    assert clashes(text + CALL.format(device='"cuda"')) == []
