"""Labels that a collator makes of one part of each row are made as floats there; what makes tensors of any part is left alone."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """\
import torch
from torch.utils.data import DataLoader
from transformers import ViTConfig, ViTForImageClassification

rows = [{{"pixel_values": [[[0]]], "labels": [0, 1]}}, {{"pixel_values": [[[1]]], "labels": [1, 1]}}]
pairs = [([[[0]]], [0, 1]), ([[[1]]], [1, 1])]


{made}


model = ViTForImageClassification(ViTConfig(num_labels=2, problem_type="multi_label_classification"))
for batch in DataLoader({given}, batch_size=2, collate_fn={used}):
    model(**batch).loss.backward()
"""
PICTURES = "torch.rand(len(rows), 1, 1, 1)"
LABELS = {
    "a part of each row": 'torch.tensor([row["labels"] for row in rows]{dtype})',
    "numbers of a part": 'torch.tensor([[int(n > 0) for n in row["labels"]] for row in rows]{dtype})',
    "pairs taken apart": "torch.tensor([labels for _, labels in rows]{dtype})",
}
METHOD = """\
class Collator:
    def __call__(self, rows):
        return {{"pixel_values": {pictures}, "labels": {labels}}}
"""
FUNCTION = """\
def collate(rows):
    return {{"pixel_values": {pictures}, "labels": {labels}}}
"""


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(("form", "used"), [(METHOD, "Collator()"), (FUNCTION, "collate")])
def test_labels_are_floats_where_they_are_made(form: str, used: str, name: str) -> None:
    labels, given = LABELS[name], name.partition(" ")[0] if name.startswith("pairs") else "rows"
    made = form.format(pictures=PICTURES, labels=labels.format(dtype=""))
    text = PROGRAM.format(made=made.rstrip(), used=used, given=given)
    after = fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert "".join(labels.format(dtype=", dtype=torch.float32").split()) in "".join(after.split())
    assert after.count("float32") == 1


OF_ANY_PART = {
    "a part that the caller names": (
        "def column(rows, name):\n    return torch.tensor([row[name] for row in rows])\n",
        'column(rows, "{0}")',
    ),
    "a part that the caller names to a method": (
        "def column(rows, name):\n    return torch.tensor([row.get(name) for row in rows])\n",
        'column(rows, "{0}")',
    ),
    "whatever is given": (
        "def column(rows):\n    return torch.tensor([row for row in rows])\n",
        'column([row["{0}"] for row in rows])',
    ),
}


@pytest.mark.parametrize("name", OF_ANY_PART)
def test_what_makes_tensors_of_any_part_is_left_alone(name: str) -> None:
    helper, call = OF_ANY_PART[name]
    form = FUNCTION.format(pictures=call.format("pixel_values"), labels=call.format("labels"))
    text = PROGRAM.format(made=f"{helper}\n\n{form}".rstrip(), used="collate", given="rows")
    after = fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]
    assert helper in after
