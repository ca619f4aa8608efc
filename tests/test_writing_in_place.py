"""What an augmented assignment writes to moves before it, where nothing else would do; what is sent to be written goes where that is."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts

from devfix.findings import Applicability

ENCODER = """
import numpy as np
import torch
from torch import nn

kept = {kept}

def draw(rows, columns):
    return torch.from_numpy(np.random.binomial(1, 0.5, size=(rows, columns))).to(torch.bool)

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, mask=None):
        there = ~x.isnan().any(axis=-1)
        x = self.layer(x)
        if mask is None:
            mask = "drawn"
        if mask == "drawn":
            mask = {drawn}
        mask &= there
        x[~mask] = 0
        return x

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Encoder().to(device)
print(model(torch.randn(2, 4, 3).to(device)).sum())
"""


def repaired(text: str) -> str:
    [after] = fix_texts(files(text), Applicability.SAFE)[0].values()
    return after


def test_it_moves_before_it_is_written_to() -> None:
    text = ENCODER.format(kept="None", drawn="draw(x.size(0), x.size(1))")
    after = text.replace(
        "        mask &= there\n", "        mask = mask.to(there.device)\n        mask &= there\n"
    )
    assert repaired(text) == after


@pytest.mark.parametrize(
    ("kept", "drawn"),
    [
        ("draw(2, 4)", "kept"),
        ("[draw(2, 4)]", "kept[0]"),
        ("None", "draw(x.size(0), x.size(1)).to(x.device)"),
    ],
)
def test_not_what_something_else_may_hold_or_what_is_there_already(kept: str, drawn: str) -> None:
    text = ENCODER.format(kept=kept, drawn=drawn)
    assert "mask = mask.to" not in repaired(text)


AVERAGE = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Average:
    def __init__(self, net):
        self.values = {{k: v.detach(){kept}.clone() for k, v in net.state_dict().items()}}

    @torch.no_grad()
    def update(self, net):
        for k, v in net.state_dict().items():
            own = self.values[k]
            {written}


net = nn.Linear(2, 2).to(device)
average = Average(net)
average.update(net)
"""


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("own.mul_(0.9).add_(v.cpu(), alpha=0.1)", "own.mul_(0.9).add_(v.to(own.device), alpha=0.1)"),
        ("own.add_(v.detach().cpu())", "own.add_(v.detach().to(own.device))"),
    ],
)
def test_what_is_sent_to_the_cpu_to_be_written_goes_where_that_is(written: str, after: str) -> None:
    texts, _ = fix_texts(files(AVERAGE.format(kept="", written=written)))
    assert texts == files(AVERAGE.format(kept="", written=after))
    assert check_texts(texts) == []


@pytest.mark.parametrize("written", ["own.mul_(0.9).add_(v.cpu(), alpha=0.1)", "own.add_(v.detach().cpu())"])
def test_what_is_written_on_the_cpu_stays_there(written: str) -> None:
    before = files(AVERAGE.format(kept=".cpu()", written=written))
    assert fix_texts(before)[0] == before
