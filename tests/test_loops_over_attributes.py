"""Loops over what an object has, modules among other things: each that is moved has been moved, however much there is."""

from __future__ import annotations

import pytest
from text_program import clashes

LEARNER = """
import torch
from torch import nn

class Learner:
    def __init__(self):
        self.device = torch.device("cuda")
        self.net = nn.Linear(3, 3)
{others}

    def start(self):
        for value in {parts}:
            if isinstance(value, nn.Module):
{body}
learner = Learner()
learner.start()
"""
OTHERS = ("nn.Linear(3, 3)", "0.1", "torch.ones(3)", "None", "[]", "'a name'")


def _program(parts: str, count: int, body: str = "value.to(self.device)", lines: int = 1) -> str:
    others = "\n".join(f"        self.part{i} = {OTHERS[i % len(OTHERS)]}" for i in range(count))
    return LEARNER.format(others=others, parts=parts, body=f"                {body}\n" * lines)


PARTS = ["vars(self).values()", "self.__dict__.values()", "list(vars(self).values())"]


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("count", [2, 8])
def test_each_part_is_followed_where_there_are_few(parts: str, count: int) -> None:
    program = _program(parts, count)
    assert clashes(program + "learner.net(torch.ones(3, device='cuda'))\n") == []
    assert len(clashes(program + "learner.net(torch.ones(3))\n")) == 1
    assert (
        len(clashes(_program(parts, count, body="print(value)") + "learner.net(torch.ones(3).cuda())\n")) == 1
    )


@pytest.mark.parametrize("parts", PARTS)
def test_of_many_parts_nobody_knows_where_they_are(parts: str) -> None:
    program = _program(parts, 40, lines=20)
    assert clashes(program + "learner.net(torch.ones(3, device='cuda'))\n") == []
    assert clashes(program + "learner.net(torch.ones(3))\n") == []
