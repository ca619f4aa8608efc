"""A list of modules whose parameters a program collects by hand, beside the rest, is not registered."""

from __future__ import annotations

import pytest
from text_program import check_texts, files

PROGRAM = """
import itertools
import torch
from torch import nn

class Ensemble(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.members = [nn.Linear(1, 1) for _ in range(n)]
        self.blend = nn.Linear(1, 1)

    def weights(self):
        {collected}

    def forward(self, x):
        return self.blend(sum(member(x) for member in self.members))

device = torch.device("cuda")
net = Ensemble(4).to(device)
{outside}
optimizer = torch.optim.SGD(weights, 0.1)
print(net(torch.ones(3, 1, device=device)).sum())
"""
INSIDE = "weights = net.weights()"


def _titles(collected: str, outside: str = INSIDE) -> list[str]:
    findings = check_texts(files(PROGRAM.format(collected=collected, outside=outside)))
    assert {finding.code for finding in findings} == {"DF107"}
    return [finding.fix.title for finding in findings if finding.fix is not None]


@pytest.mark.parametrize(
    ("collected", "outside"),
    [
        ("return itertools.chain(self.parameters(), *(m.parameters() for m in self.members))", INSIDE),
        ("return [*self.parameters(), *(p for m in self.members for p in m.parameters())]", INSIDE),
        ("a = dict(self.named_parameters()); return a, [m.named_parameters() for m in self.members]", INSIDE),
        ("pass", "weights = list(net.parameters())\nfor m in net.members:\n    weights += m.parameters()"),
        (
            "own = self.parameters(); return [*own, *(p for m in self.members for q in [m] for p in q.parameters())]",
            INSIDE,
        ),
    ],
)
def test_what_is_listed_beside_the_rest_is_not_registered(collected: str, outside: str) -> None:
    assert _titles(collected, outside) == []


@pytest.mark.parametrize(
    ("collected", "outside"),
    [
        ("return self.parameters()", INSIDE),
        ("return [p for m in self.members for p in m.parameters()]", INSIDE),
        ("return [*self.blend.parameters(), *(p for m in self.members for p in m.parameters())]", INSIDE),
    ],
)
def test_what_is_listed_once_is_registered(collected: str, outside: str) -> None:
    assert _titles(collected, outside) == ["make `members` a `ModuleList`"]
