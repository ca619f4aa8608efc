"""Tensors that are written into arrays: NumPy wants an array for several elements, and a number for one."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

START = """
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scores = torch.zeros(4, device=device)
out, table = np.empty(4), np.zeros((3, 4))
rows = np.arange(3)
"""

SEVERAL = [
    "out[0:4] = scores",
    "out[:] = 2 * scores",
    "out[...] = scores.sum()",
    "out[0:1] = scores[0]",
    "table[0] = scores",
    "table[:, 1] = scores[:3]",
    "table[rows] = scores",
    "table[out > 1] = scores",
    "table[0, 1:] = scores[1:]",
    "out[0:2] = [scores[0], scores[1]]",
]
ONE = [
    "out[0] = scores.sum()",
    "table[0, 1] = scores[2]",
    "for i, score in enumerate(scores):\n    out[i] = score",
    "out[0:4] = scores.cpu()",
    "out[0:4] = scores.tolist()",
    "out[0:2] = [scores[0].item(), 1.0]",
    "scores[0:4] = torch.from_numpy(out)",
]


@pytest.mark.parametrize("statement", SEVERAL)
def test_several_elements_of_an_array_are_filled_on_the_cpu(statement: str) -> None:
    text = f"{START}{statement}\n"
    assert len(clashes(text)) >= 1
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert ".cpu()" in after
    assert not clashes(after)


@pytest.mark.parametrize("statement", ONE)
def test_one_element_of_an_array_takes_a_number_from_anywhere(statement: str) -> None:
    text = f"{START}{statement}\n"
    assert fix_texts({"main.py": text})[0]["main.py"] == text
    assert not clashes(text)


def test_an_array_of_unknown_dimensions_may_have_one_element_there() -> None:
    text = START + "def keep(array):\n    array = np.asarray(array)\n    array[0] = scores\n"
    assert not clashes(text)


def test_what_is_written_by_unpacking_is_reported_where_it_is_written() -> None:
    text = START + "out[0:4], count = scores, 4\n"
    assert len(clashes(text)) == 1
