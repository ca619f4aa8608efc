"""Rows of numbers for NumPy, in which tensors of the accelerator are."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from text_program import clashes, files, fix_texts

_MODEL = """
import numpy as np
import torch

model = torch.nn.Linear(4, 6).to("cuda")


@torch.no_grad()
def score():
    return model(torch.zeros(3, 4, device="cuda")).mean()


{body}
"""


def _fixed(body: str) -> str:
    after, _ = fix_texts(files(_MODEL.format(body=body)))
    assert clashes(after["main.py"]) == []
    return after["main.py"]


@pytest.mark.parametrize("row", ["({}, {})", "[{}, {}]"])
def test_a_tensor_in_a_row_of_numbers_becomes_a_number(row: str) -> None:
    body = "rows = []\nfor k in range(3):\n    rows.append({})\nprint(np.array(rows))"
    before = body.format(row.format("k", "score()"))
    assert _fixed(before).endswith(body.format(row.format("k", "score().item()")) + "\n")


def test_rows_of_nothing_but_tensors_are_copied() -> None:
    body = "rows = [(score(), score() * 2) for _ in range(3)]\nprint(np.mean(rows))"
    assert "rows = [(score().cpu(), (score() * 2).cpu()) for _ in range(3)]\n" in _fixed(body)


_RECORDS = """
rows = [(score(), score()) for _ in range(3)]
kind = [("x", "f4"), ("y", "f4")]
print(np.array(rows{dtype}))
"""


@pytest.mark.parametrize("dtype", ["", ", np.float32", ', dtype="f4"'])
def test_rows_without_fields_cannot_be_read(dtype: str) -> None:
    assert "numpy" in clashes(_MODEL.format(body=_RECORDS.format(dtype=dtype)))[0]


@pytest.mark.parametrize("dtype", [", kind", ", dtype=kind", ", dtype=np.dtype(kind)"])
def test_fields_of_records_are_numbers(dtype: str) -> None:
    """Each is made by ``float``, which reads one number from wherever it is."""
    assert clashes(_MODEL.format(body=_RECORDS.format(dtype=dtype))) == []


_BOXES = """
def table(boxes, size):
    {asked}
    rows = []
    for number, found in enumerate(boxes):
        for box in found:
            x, y = box[0], box[1]
            rows.append([number, x * size, y * size])
    return np.array(rows)


print(table([model(torch.zeros(3, 4, device="cuda")).detach()], 8))
"""


def test_what_rows_are_made_of_is_copied_once() -> None:
    after = _fixed(_BOXES.format(asked="size = size + 1"))
    assert "        for box in found.cpu():\n" in after
    assert "rows.append([number, x * size, y * size])" in after


def test_what_may_be_an_array_keeps_its_items() -> None:
    asked = "boxes = boxes.cpu().numpy() if torch.is_tensor(boxes) else boxes"
    after = _fixed(_BOXES.format(asked=asked))
    assert "rows.append([number, (x * size).item(), (y * size).item()])" in after


@pytest.mark.parametrize(
    "body",
    [
        "print(np.array([(k, score().item()) for k in range(3)]))",
        "print(np.array([(k, score()) for k in range(3)], dtype=object))",
        "np.random.shuffle([(k, score()) for k in range(3)])",
        "np.random.shuffle([score() for k in range(3)])",
        "np.random.shuffle(torch.arange(3, device='cuda'))",
        "print(np.array([(k, score().cpu()) for k in range(3)]))",
        "print(np.array([{'loss': score()} for k in range(3)]))",
    ],
)
def test_rows_that_can_be_read_or_are_not_stay(body: str) -> None:
    assert clashes(_MODEL.format(body=body)) == []


@pytest.mark.filterwarnings("ignore:you are shuffling")
@pytest.mark.parametrize(("name", "reads"), [("shuffle", False), ("permutation", True)])
def test_numpy_shuffles_without_reading(name: str, reads: bool) -> None:
    """A tensor that has no numbers for NumPy, as one of the accelerator has none."""

    class Elsewhere(torch.Tensor):
        def __array__(self, *args: object, **kwargs: object) -> None:
            raise TypeError("elsewhere")

    tensor = torch.arange(3).as_subclass(Elsewhere)
    if reads:
        with pytest.raises(TypeError):
            getattr(np.random, name)(tensor)
    else:
        getattr(np.random, name)(tensor)
