"""Tensors of the accelerator that select from arrays."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from text_program import clashes, fix_texts

SELECTING = """\
import argparse
import numpy as np
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--kept", type=int, default=3)
parser.add_argument("--best", type=int, default=1)
options = parser.parse_args()
clean, table = np.ones(9, dtype=bool), np.zeros((9, 2))
net = torch.nn.Linear(4, 9).cuda()
losses = net(torch.ones(9, 4).cuda()).sum(1).detach()
order = torch.argsort(losses)
{}
"""

MANY = [
    "print(clean[order[:4]])",
    "print(clean[order[:options.kept]])",
    "print(clean[order[:int(0.8 * len(order))]])",
    "print(clean[losses > 0.5])",
    "print(table[order[:4], 1])",
    "print(table[losses > 0.5].mean())",
    "table[order[:4]] = 1.0",
    "table[losses > 0.5] = 1.0",
]

FEW = [
    "print(clean[order[0]], clean[order[:1]], clean[order[:options.best]], clean[order[-1:]])",
    "print(clean[net(torch.ones(1, 4).cuda()).argmax(1)], clean[losses.argmax()])",
    "print(clean[order[:4].cpu()], clean[(losses > 0.5).cpu()])",
    "print(clean[order.cpu().numpy()[:4]], clean[losses.cpu().numpy() > 0.5])",
    "print([clean[i] for i in order[:4]], [clean[i] for i in order[:4].tolist()])",
    "print(torch.from_numpy(clean).cuda()[order[:4]], torch.from_numpy(clean).cuda()[losses > 0.5])",
    "table[order[0]] = 1.0\ntable[order[0], 1] = 1.0",
    "for i in order:\n    print(clean[i], table[i, 0])",
]


@pytest.mark.parametrize("use", MANY)
def test_numpy_makes_an_array_of_what_selects_several(use: str) -> None:
    assert clashes(SELECTING.format(use)) == ["13: numpy"]


@pytest.mark.parametrize("use", FEW)
def test_one_number_selects_wherever_it_is(use: str) -> None:
    assert clashes(SELECTING.format(use)) == []


@pytest.mark.parametrize(
    ("use", "after"),
    [
        ("print(clean[order[:4]])", "print(clean[order[:4].cpu()])"),
        ("print(table[losses > 0.5].mean())", "print(table[(losses > 0.5).cpu()].mean())"),
        ("table[order[:4]] = 1.0", "table[order[:4].cpu()] = 1.0"),
    ],
)
def test_the_index_is_copied_and_the_array_stays(use: str, after: str) -> None:
    texts, _ = fix_texts({"main.py": SELECTING.format(use)})
    assert texts["main.py"] == SELECTING.format(after)


class OutOfReach(torch.Tensor):
    """A tensor that NumPy cannot read, as an accelerator's is none."""

    def __array__(self, *args: object, **options: object) -> None:
        raise TypeError("can't convert to numpy")


@pytest.mark.parametrize(
    ("index", "reads"),
    [([3], False), ([[3]], False), (3, False), ([True], False), ([3, 4], True), ([True] * 9, True)],
)
def test_numpy_asks_a_single_number_for_itself(index: object, reads: bool) -> None:
    there = torch.tensor(index).as_subclass(OutOfReach)
    if reads:
        with pytest.raises(TypeError, match="can't convert"):
            np.arange(9)[there]
    else:
        assert np.arange(9)[there] == int(torch.tensor(index))
