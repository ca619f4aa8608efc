"""What comes of a layer in a plain list tells of the list, whatever was made of it on its way through functions."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """import torch
from torch import nn
from elsewhere import batches, wrapped


class Tagger(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.embeddings = {kept}
        self.out = nn.Linear(8, 2)

    def embedded(self, columns):
        found = [layer(column) for layer, column in zip(self.embeddings, columns)]
        x = torch.cat(found, 2)
        return x

    def forward(self, columns):
        x = self.embedded(columns)
        x = {made}
        return self.out(x)


net = wrapped(Tagger([5, 6]).cuda())
for columns in batches():
    net(columns)
"""
LAYERS = "[nn.Embedding(size, 4) for size in sizes]"


@pytest.mark.parametrize("made", ["x", "x.view(-1, 8)", "torch.relu(x) * 2"])
def test_the_list_is_mended(made: str) -> None:
    text = PROGRAM.format(kept=LAYERS, made=made)
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after == PROGRAM.format(kept=f"nn.ModuleList({LAYERS})", made=made)
    assert fix_texts({"main.py": after}, Applicability.UNSAFE)[0]["main.py"] == after


@pytest.mark.parametrize("made", ["x.view(-1, 8)", "torch.relu(x) * 2"])
def test_nothing_moves_before_the_list_is_mended(made: str) -> None:
    text = PROGRAM.format(kept=LAYERS, made=made)
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_layers_that_are_meant_to_stay_on_the_host_stay() -> None:
    text = PROGRAM.format(kept=LAYERS, made="x.view(-1, 8).cuda()")
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


def test_what_a_model_of_another_function_gave_moves_as_before() -> None:
    text = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 4)
head = nn.Linear(2, 1).to(device)


def features(x):
    out = net(x)
    return out


f = features(torch.ones(4, 3))
f = f.view(-1, 2)
print(head(f).sum())
"""
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after == text.replace("f.view(-1, 2)", "f.view(-1, 2).to(device)")
