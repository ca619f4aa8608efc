"""What a function keeps of tensors that go into batches as well, in a partial call or a list, moves where they go to it."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

_PROGRAM = """
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

KEPT = {kept}

def weigh(labels):
    count = labels.sum(0)
    {keep}

def arrays(n):
    rng = np.random.RandomState(0)
    x, y = rng.rand(n, 3).astype(np.float32), rng.rand(n, 2).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, y = arrays(32)
    {call}
    net = torch.nn.Linear(3, 2).to(device)
    for a, b in DataLoader(TensorDataset(x, y), batch_size=8):
        a, b = a.to(device), b.to(device)
        print({loss})

main()
"""
_LOSS = "F.binary_cross_entropy_with_logits"


@pytest.mark.parametrize(
    ("kept", "keep", "loss"),
    [
        ("{}", f"KEPT['loss'] = partial({_LOSS}, pos_weight=(count + 1).sqrt())", "KEPT['loss'](net(a), b)"),
        ("[]", "KEPT.append((count + 1).sqrt())", f"{_LOSS}(net(a), b, pos_weight=KEPT[0])"),
    ],
)
def test_what_a_function_keeps_moves_where_labels_go_to_it(kept: str, keep: str, loss: str) -> None:
    text = _PROGRAM.format(kept=kept, keep=keep, loss=loss, call="weigh(y)")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("weigh(y)", "weigh(y.to(device))")
    assert clashes(after) == []


def test_labels_that_go_into_no_batch_move_once() -> None:
    keep, loss = "KEPT.append((count + 1).sqrt())", f"{_LOSS}(net(a), b, pos_weight=KEPT[0])"
    text = _PROGRAM.format(kept="[]", keep=keep, loss=loss, call="weigh(y)")
    text = text.replace("TensorDataset(x, y)", "TensorDataset(x, torch.ones(32, 2))")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("    weigh(y)", "    y = y.to(device)\n    weigh(y)")


def test_what_the_accelerator_computed_of_labels_is_left_alone() -> None:
    keep, loss = "KEPT.append((count + 1).sqrt())", f"{_LOSS}(net(a), b, pos_weight=KEPT[0])"
    text = _PROGRAM.format(kept="[]", keep=keep, loss=loss, call="weigh(y.to(device))")
    assert fix_texts({"main.py": text})[0]["main.py"] == text
