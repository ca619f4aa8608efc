"""Parameters that a layer gets after it was moved: they have to be made where it is."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

TEXT = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 3)

    def forward(self, ids):
        return self.embedding(ids)

def vectors():
    return torch.randn(4, 3)

net = Net(){moved}
{given}
net.to("cpu"){again}
print(net(torch.ones(2).long().to(device)))
"""


def text(given: str, *, moved: str = ".to(device)", again: str = ".to(device)") -> str:
    """The program in which the layer is given its parameter by that statement."""
    found = TEXT.format(given=given, moved=moved, again=again)
    return found if again else found.replace('net.to("cpu")\n', "")


@pytest.mark.parametrize("table", ["vectors()", "torch.from_numpy(vectors().numpy())"])
@pytest.mark.parametrize("more", ["", ", requires_grad=False"])
def test_what_they_are_made_of_moves_there(table: str, more: str) -> None:
    before = text(f"net.embedding.weight = nn.Parameter({table}{more})", again="")
    after = text(f"net.embedding.weight = nn.Parameter({table}.to(device){more})", again="")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


@pytest.mark.parametrize(
    ("given", "moved", "again"),
    [
        ("net.embedding.weight = nn.Parameter(vectors())", "", ".to(device)"),
        ("net.embedding.weight = nn.Parameter(vectors())", ".to(device)", ".to(device)"),
        ("net.embedding.weight = nn.Parameter(vectors().to(device))", ".to(device)", ""),
        ("net.embedding.weight = nn.Parameter(vectors().cuda())", ".to(device)", ""),
        ("net.embedding.weight.data.copy_(vectors())", ".to(device)", ""),
    ],
)
def test_what_is_or_comes_there_is_left_alone(given: str, moved: str, again: str) -> None:
    assert clashes(text(given, moved=moved, again=again)) == []
