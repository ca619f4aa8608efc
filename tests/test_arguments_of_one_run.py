"""What is learnt of an argument that nobody knows holds for what is executed: elsewhere the module may be on the CPU."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

MODEL = """import torch
from helpers import encode
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(16, 1)

    def forward(self, x, mask=None):
        if mask is None:
            mask = {mask}
        return self.scores(x).masked_fill(mask == 0, 0.0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = Pool()

    def forward(self, x):
        return self.pool(encode(x))
"""
TEST = """from helpers import read
from model import Model


def test_model():
    model = Model(){move}
    assert model(read()).shape[1] == 1
"""
THERE = "torch.ones(x.shape[0], 1, device=x.device)"


@pytest.mark.parametrize("move", ["", '.to("cpu")', ".cuda()", '.to("cuda")'])
def test_a_mask_is_where_its_module_is_in_every_run(move: str) -> None:
    texts = {"model.py": MODEL.format(mask=THERE), "test_model.py": TEST.format(move=move)}
    assert check_texts(texts) == []


def test_a_mask_on_the_cpu_is_found_as_before() -> None:
    texts = {
        "model.py": MODEL.format(mask="torch.ones(x.shape[0], 1)"),
        "test_model.py": TEST.format(move=".cuda()"),
    }
    assert "created-on-cpu" in names(check_texts(texts)) | names(check_texts({"model.py": texts["model.py"]}))
